# SPDX-License-Identifier: MIT
"""The figures of a results folder, from its records alone."""

from plots import counters, heatmap, latencies, memory, scaling, speedup

KINDS = {
    "scaling": scaling.figure,
    "speedup": speedup.speedup,
    "efficiency": speedup.efficiency,
    "ratios": heatmap.figure,
    "latencies": latencies.figure,
    "counters": counters.figure,
    "memory": memory.figure,
}


def figures(summary, kinds=KINDS):
    """Those kinds of figures that the records have data for."""
    made = (KINDS[kind](summary) for kind in kinds)
    return [figure for figure in made if figure is not None]
