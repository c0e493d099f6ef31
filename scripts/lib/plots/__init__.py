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
    "forest": ("forest", "figures"),
    "latencies": ("latencies", "figure"),
    "counters": ("counters", "figure"),
    "memory": ("memory", "figure"),
    "handoff": ("handoff", "figure"),
}


def figures(summary, kinds=KINDS):
    """The figures of these kinds that the records have data for."""
    made = []
    for kind in kinds:
        module, function = KINDS[kind]
        found = getattr(importlib.import_module(f"plots.{module}"), function)(summary)
        made += found if isinstance(found, list) else [found]
    return [figure for figure in made if figure is not None]
