# SPDX-License-Identifier: MIT
"""A timeline written by `actorlab run --trace`: what each worker did, and when."""

import json
from functools import partial

import numpy
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from common.failure import Failure
from common.words import plural
from plots.figure import Figure
from plots.style import DOUBLE, page, styled

# Anything else stays empty. At least 3:1 on white, and apart from each other also without red or
# green cones (tests/scripts/test_report_colours.py).
COLOURS = {"run": "#00306F", "gulp": "#2F7FD0", "steal": "#9E2F00", "idle": "#C77F00", "sleep": "#5F5F5F",
           "park": "#96909C"}
STEPS = 1400  # of time: about as many as a printer has dots across the figure
ROW = 0.86  # height, relative to the distance between two workers
PANEL_HEIGHT, MOST_ROW_HEIGHT = 4.5, 0.32  # inches
NAMED = 24  # more workers than this have no room for names


def read(path):
    """Reads the file. Raises a Failure that says what is wrong with it."""
    try:
        trace = json.loads(path.read_text(encoding="utf-8"))
        trace["events"] = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        trace["timed"] = [trace["otherData"][key] for key in ("timed_from_us", "timed_until_us")]
        for event in trace["events"]:
            event["tid"], event["name"], event["ts"] + event["dur"]
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise Failure(f"{path}: not a timeline; `actorlab run WORKLOAD --trace FILE` writes one") from None
    if not trace["events"]:
        raise Failure(f"{path}: no events to draw")
    return trace


def parts(events, edges):
    """How much of each step between the edges these events fill, from 0 to 1. The events do not
    overlap."""
    events = sorted((event["ts"], event["ts"] + event["dur"]) for event in events)
    ends = numpy.array(events).ravel()  # begin, end, begin, end …
    filled = numpy.concatenate([[0], numpy.cumsum(numpy.diff(ends) * (numpy.arange(len(ends) - 1) % 2 == 0))])
    return numpy.diff(numpy.interp(edges, ends, filled)) / numpy.diff(edges)


@styled
def draw(trace, foot=""):
    events, (start, end) = trace["events"], trace["timed"]
    workers = sorted({event["tid"] for event in events})
    edges = numpy.linspace(min(event["ts"] for event in events), max(event["ts"] + event["dur"] for event in events),
                           STEPS + 1)
    used = [name for name in COLOURS if any(event["name"] == name for event in events)]
    handles = [Patch(color=COLOURS[name], linewidth=0, label=name) for name in used]
    drawing = page(DOUBLE, min(PANEL_HEIGHT, MOST_ROW_HEIGHT * len(workers)) + 0.5, (handles, len(handles)), foot,
                   f"simulated: {trace['otherData']['machine']}" if trace["otherData"].get("engine") == "sim" else "")
    axes = drawing.subplots()
    times = (edges - start) / 1000
    for row, worker in enumerate(workers):
        below = numpy.full(STEPS, row + ROW / 2)
        for name in used:
            own = [event for event in events if event["tid"] == worker and event["name"] == name]
            if own:
                above = below - ROW * parts(own, edges)
                axes.stairs(above, times, baseline=below, fill=True, color=COLOURS[name], linewidth=0,
                            gid=f"{name}-{worker}")
                below = above
    for place in (start, end):
        axes.axvline((place - start) / 1000, color="black", linewidth=0.6)
    first, last = min(times[0], 0), max(times[-1], (end - start) / 1000)
    margin = (last - first) / 200
    axes.set(xlim=(first - margin, last + margin), ylim=(len(workers) - 0.5, -0.5), xlabel="ms")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if len(workers) <= NAMED:
        named = [event for event in trace["traceEvents"] if event["name"] == "thread_name"]
        names = {event["tid"]: event["args"]["name"] for event in named}
        names = [names.get(worker, f"worker {worker}") for worker in workers]
        axes.set_yticks(range(len(workers)), names, fontsize=6.5)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(12, integer=True))
        axes.set_ylabel("worker")
    return drawing


def caption(trace):
    said = trace["otherData"]
    words = (f"{said['benchmark']} on {said['scheduler']}, victim {said['victim']}, idle {said['idle']}, seed "
             f"{said['seed']}. Each row is a worker; in each of {STEPS} steps of time, the height of a colour is the "
             "part that it took. Lines: the time of the iteration begins and ends. Empty: before a worker's first "
             "event, and after its last.")
    dropped = sum(said["dropped"])
    return words + (f" Dropped at the beginning: {plural(dropped, 'event')}." if dropped else "")


def figure(path, trace=None):
    trace = trace or read(path)
    return Figure(path.stem, "Timeline of the workers", caption(trace), partial(draw, trace))
