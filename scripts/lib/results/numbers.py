# SPDX-License-Identifier: MIT
"""Numbers as people read them, and what they are of."""

import math

from common.words import plural

# How `actorlab results` makes the interval of a median.
INTERVALS = {"order": "order-statistic interval", "percentile": "bootstrap interval"}


def percent_of(level):
    """A level such as 95% or 99.97%."""
    return f"{100 * level:.4g}%"


def significant(value, digits=3):
    """Three digits without an exponent: 12.3, 0.456, 7890."""
    if math.isinf(value):
        return "∞"
    rounded = float(f"{value:.{digits}g}")
    exponent = math.floor(math.log10(abs(rounded))) if rounded else digits - 1
    return f"{rounded:.{max(0, digits - 1 - exponent)}f}"


def of_many(m):
    """What a level is of, if it corrects for m comparisons."""
    return f", the level of {plural(m, 'comparison')} corrected together" if m > 1 else ""


def scaled(value, unit):
    """12345678 becomes "12.3 M" and the unit."""
    for prefix in ("", "k", "M"):
        if value < 999.5:
            return f"{significant(value)} {prefix}{unit}".rstrip()
        value /= 1000
    return f"{significant(value)} G{unit}"


# At the end of the last iteration: allocated by the program, resident, and held by queues; then the
# most that queues held in any iteration.
QUEUES = {"queue_bytes": "in queues", "queue_peak_bytes": "most in queues"}
MEMORY = {"allocated_bytes": "allocated", "resident_bytes": "resident", **QUEUES}
