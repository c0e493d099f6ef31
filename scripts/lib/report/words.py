# SPDX-License-Identifier: MIT
"""Numbers and words as a report shows them."""

import json
import math

from common.words import plural
from report.page import NOTHING, Cell
from results.numbers import percent_of, scaled, significant


UNBOUNDED = "unbounded"  # an interval of too few values to reach its level


def exact(value):
    """Four digits, and commas between thousands."""
    if math.isinf(value):
        return significant(value)
    whole, dot, rest = significant(value, 4).partition(".")
    return f"{int(whole):,}{dot}{rest}"


def times(value):
    """A ratio: three digits, and no decimals of large ones."""
    return f"{value:,.0f}" if 100 <= value < math.inf else significant(value)


def percent(value):
    return f"{value:.3g}%"


def share(value):
    return f"{100 * value:.4g}%"


def in_bytes(value):
    return scaled(value, "B")


def duration(ns):
    if ns >= 1e9:
        return scaled(ns / 1e9, "s")
    if ns >= 999_500:
        return f"{significant(ns / 1e6)} ms"
    return f"{significant(ns / 1e3)} µs" if ns >= 999.5 else f"{significant(ns)} ns"


def interval(known, form=exact):
    """Both ends, with the unit only once if they share it."""
    if known["low"] is None:
        return UNBOUNDED
    low, high = form(known["low"]), form(known["high"])
    (number, _, unit), other = low.partition(" "), high.partition(" ")[2]
    return f"{number if unit == other else low} – {high}"


def interval_cell(known, form=exact):
    """A cell sorted by the width relative to the median. A single value has no interval."""
    if known is None or known["n"] < 2:
        return NOTHING
    if known["low"] is None:
        return Cell(UNBOUNDED, kind="none")
    width = (known["high"] - known["low"]) / known["median"] if known["median"] else 0.0
    width = math.inf if math.isnan(width) else width
    return Cell(interval(known, form), width)


def shown(value):
    """Text of a JSON value."""
    return value if isinstance(value, str) else "not known" if value is None else json.dumps(value, ensure_ascii=False)


def distinct(summary, key):
    """The values of a key of the environment."""
    return [shown(value) for value in summary.places().get(key, ())]


def per_process(trials):
    """How trials measured, such as "1 warm-up and 3 measured iterations"."""
    return [f"{plural(warmup, 'warm-up') if isinstance(warmup, int) else f'{warmup} warm-up'} and "
            f"{plural(iterations, 'measured iteration')}" for warmup, iterations in
            sorted({(one["warmup"], one["iterations"]) for one in trials["methods"]}, key=str)]


def level(findings):
    """The head of a column of intervals."""
    if findings.summary.simulated is not None:
        return f"{percent_of(findings.summary.level)} sensitivity to jitter"
    return level_of(findings.summary)


def level_of(known):
    """The same of a family of comparisons, whose intervals have another level."""
    return f"{percent_of(known.level)} interval"
