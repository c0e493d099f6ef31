# SPDX-License-Identifier: MIT
"""The ratio of two cells of one sweep, paired by block: docs/statistics.md#ratios. What `actorlab summarize` has for
the schedulers, this has for any two cells; the numbers are the same."""

import statistics
from collections import namedtuple

import numpy
from scipy.special import stdtrit

WORD = (1 << 64) - 1
BOOTSTRAP = 10  # pairs from which on the interval is a bootstrap's

# median: of the ratios, or their geometric mean where they are few. values: the ratio in each block.
Ratio = namedtuple("Ratio", "median low high values")


class Ratios:
    def __init__(self, summary):
        self.summary = summary
        self._by_block = {}  # of a cell
        self._middle = {}  # of n values: which of them, in order, is in the middle of each resample

    def of(self, above, below):
        """Time per message of one cell to that of another; None without a block that has both."""
        a, b = self._times(above), self._times(below)
        values = [a[block] / b[block] for block in a if block in b]
        return self._interval(values) if values else None

    def _times(self, cell):
        index = cell["index"]
        if index not in self._by_block:
            self._by_block[index] = {block: statistics.median(run["time_ns"]) / run["messages"]
                                     for run in self.summary.runs[index]
                                     if (block := (run.get("sweep") or {}).get("block")) is not None}
        return self._by_block[index]

    def _interval(self, values):
        n, tail = len(values), (1 - self.summary.level) / 2
        if n >= BOOTSTRAP:
            lower, upper = self._middle_of(n)
            ordered = numpy.sort(values)
            low, high = numpy.quantile((ordered[lower] + ordered[upper]) / 2, [tail, 1 - tail])
            return Ratio(statistics.median(values), float(low), float(high), values)
        logs = numpy.log(values)
        half = stdtrit(n - 1, 1 - tail) * logs.std(ddof=1) / n ** 0.5 if n > 1 else 0
        return Ratio(*(float(numpy.exp(logs.mean() + way * half)) for way in (0, -1, 1)), values)

    def _middle_of(self, n):
        """The resamples of n values are the same for all cells, and are sorted but once."""
        if n not in self._middle:
            random, resamples = below(n, self.summary.seed), self.summary.resamples
            draws = numpy.fromiter(random, numpy.uint32, resamples * n).reshape(resamples, n)
            draws.sort(axis=1)
            self._middle[n] = draws[:, (n - 1) // 2], draws[:, n // 2]
        return self._middle[n]


def split(state):
    """splitmix64: the next state, and its number."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    number = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & WORD
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & WORD
    return state, number ^ number >> 31


def below(bound, seed):
    """Numbers from 0 to bound - 1 without end, the same as those of core/random.h: xoshiro256**."""
    _, state = split(seed)
    words = []
    for _ in range(4):
        state, word = split(state)
        words.append(word)
    a, b, c, d = words
    reject = (1 << 32) % bound
    while True:
        product = b * 5 & WORD
        number = ((product << 7 | product >> 57) & WORD) * 9 & WORD
        shifted = b << 17 & WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = (d << 45 | d >> 19) & WORD
        scaled = (number >> 32) * bound
        if scaled & 0xFFFFFFFF >= reject:
            yield scaled >> 32
