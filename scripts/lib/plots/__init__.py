# SPDX-License-Identifier: MIT
"""The figures of a results folder."""

import importlib

# Where each kind of figure is made. The modules load matplotlib, which is large, and so are
# imported only when they draw.
KINDS = {
    "scaling": ("scaling", "figure"),
    "speedup": ("speedup", "speedup"),
    "speedup-best": ("speedup", "over_best"),
    "efficiency": ("speedup", "efficiency"),
    "bars": ("bars", "figure"),
    "ratios": ("heatmap", "figure"),
    "forest": ("forest", "figures"),
    "latencies": ("latencies", "figure"),
    "tails": ("tails", "figure"),
    "judged": ("judged", "figure"),
    "counters": ("counters", "figure"),
    "memory": ("memory", "figure"),
    "queues": ("queues", "figure"),
    "handoff": ("handoff", "figure"),
}
OVER_ANY = ("scaling", "queues", "tails")  # kinds whose x may be another axis than the workers
ORDINATES = ("message", "time", "relative")  # of `scaling`


def figures(summary, kinds=KINDS, x=None, y=None):
    """The figures of these kinds that the records have data for. x: the axis of OVER_ANY, y:
    that of `scaling`, if not the configuration's."""
    from results import view

    made = []
    for kind in kinds:
        module, function = KINDS[kind]
        draw = getattr(importlib.import_module(f"plots.{module}"), function)
        along = x or summary.drawn.get("x", "workers") if kind in OVER_ANY else "workers"
        shown = view.over(view.by_workload(summary, along), along)
        found = draw(shown, y or summary.drawn.get("y", ORDINATES[0])) if kind == "scaling" else draw(shown)
        made += found if isinstance(found, list) else [found]
    return [figure for figure in made if figure is not None]
