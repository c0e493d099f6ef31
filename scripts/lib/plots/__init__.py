# SPDX-License-Identifier: MIT
"""The figures of a results folder."""

import importlib

# Where each kind of figure is made. The modules load matplotlib, which is large, and so are
# imported only when they draw.
KINDS = {
    "scaling": ("scaling", "figure"),
    "speedup": ("speedup", "speedup"),
    "efficiency": ("speedup", "efficiency"),
    "ratios": ("heatmap", "figure"),
    "latencies": ("latencies", "figure"),
    "counters": ("counters", "figure"),
    "memory": ("memory", "figure"),
}


def figures(summary, kinds=KINDS):
    """The figures of these kinds that the records have data for."""
    made = []
    for kind in kinds:
        module, function = KINDS[kind]
        made.append(getattr(importlib.import_module(f"plots.{module}"), function)(summary))
    return [figure for figure in made if figure is not None]
