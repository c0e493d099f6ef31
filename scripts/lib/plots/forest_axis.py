# SPDX-License-Identifier: MIT
"""The logarithmic axis of a forest plot."""

import math
from fractions import Fraction

MOST = 8  # a factor beyond which ratios stand at the edge, as the ratio map's colours end there
BESIDE = 1.2  # a factor between the outermost ratio and the edge
TICK = 0.23  # inches that a tick's label takes
# Ticks of a wide range: more or fewer, as there is room.
FULL = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 1, 1.5, 2, 3, 4, 6, 8)
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
NARROW = 3.2  # a range up to this factor has ticks at even steps


class Axis:
    """low, high: the ratios at the edges. ticks: those that are labelled."""

    def __init__(self, ratios, margin, width):
        """ratios: with intervals. margin: percent, which is always inside. width: in inches."""
        medians = [ratio["median"] for ratio in ratios if 1 / MOST <= ratio["median"] <= MOST] or [1]
        least = (1 + margin / 100) * 1.03
        self.low = min(min(medians) / BESIDE, 1 / least)
        self.high = max(max(medians) * BESIDE, least)
        self.width = width
        self.ticks = self._ticks(max(3, int(width / TICK)))

    def place(self, ratio):
        """Inches from the left edge; at an edge if the ratio is beyond it."""
        inside = min(max(ratio, self.low), self.high)  # also what is infinite
        return self.width * math.log(inside / self.low) / math.log(self.high / self.low)

    def _ticks(self, most):
        if self.high / self.low > NARROW:
            return next(ticks for ticks in self._wide() if len(ticks) <= most)
        for step in STEPS:
            first, last = math.ceil((self.low - 1) / step), math.floor((self.high - 1) / step)
            ticks = [round(1 + place * step, 6) for place in range(first, last + 1)]
            places = list(map(self.place, ticks))
            if all(after - before >= TICK for before, after in zip(places, places[1:])):
                return ticks
        return [1.0]

    def _wide(self):
        """Ever fewer ticks, all of them with 1."""
        for kept in (FULL, FULL[::2], FULL[::6], (1,)):
            yield [value for value in kept if self.low <= value <= self.high]

    def label(self, value):
        if self.high / self.low <= NARROW:
            return f"{value:.3f}".rstrip("0").rstrip(".")
        return str(Fraction(value).limit_denominator(8)) if value < 1 else f"{value:g}"
