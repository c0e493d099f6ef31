# SPDX-License-Identifier: MIT
"""The scaling plot: time per message over workers, one panel for each benchmark."""

import argparse
import math
import os
import sys
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

import actorlab
from failure import NO_WRITE, Failure
from screen import complain
from summary import NAMES, Summary, flat, label

# Okabe and Ito's palette, with a grey for its yellow, which vanishes on white; shapes and dashes tell the
# lines apart in greyscale. The three lengths have no common divisor: no two of 360 lines are alike.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C8C")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (6, 2)))
PANEL_INCHES = (2.35, 2.3)
COLUMNS = 3
PANEL_POINTS = 120  # about what is left of a panel's width for its data
MOST_TICKS = 12
FEW_SERIES = 4  # more than these take more of the room between two worker counts, and paler lines
LOG_SPAN = 20  # a panel whose medians span a larger factor than this has a logarithmic axis

STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "none",
}


class Axis:
    """Places of the worker counts: even steps where there are few, octaves where they span many."""

    def __init__(self, cells):
        self.counts = sorted({cell["workers"] for cell in cells})
        self.octaves = self.counts[-1] >= 16
        places = [self.place(count) for count in self.counts]
        self.step = min((b - a for a, b in zip(places, places[1:])), default=1)
        self.low, self.high = places[0] - 0.5 * self.step, places[-1] + 0.5 * self.step

    def place(self, count):
        return math.log2(count) if self.octaves else count

    def ticks(self):
        """As many counts as can be read: all, or those that leave room; the last one always."""
        room = (self.high - self.low) / MOST_TICKS
        kept = [self.counts[-1]]
        for count in reversed(self.counts[:-1]):
            if self.place(kept[-1]) - self.place(count) >= room:
                kept.append(count)
        return kept[::-1]


def series_of(summary):
    """The lines, the same in every panel: the values of all that differs."""
    return list(dict.fromkeys(series_key(summary, cell) for cell in summary.cells))


def series_key(summary, cell):
    keys = flat(cell)
    return tuple(keys.get(key) for key in summary.keys)


def series_label(summary, series, key):
    """The values that tell it from other lines: those of a strategy with one line go without saying."""
    words = []
    for index, (name, value) in enumerate(zip(summary.keys, key)):
        alike = {other[index] for other in series if other[:index] == key[:index]}
        if value is not None and (len(alike) > 1 or len(series) == 1):
            words.append(str(value) if name in words else label(name, value))  # not "deque deque=locked"
    return " ".join(words) or None


def is_log(summary, benchmark):
    medians = [cell["ns_per_message"]["median"] for cell in summary.of(benchmark)]
    return max(medians) > LOG_SPAN * min(medians)


def scale(axes, log, low, high):
    """The y axis: from 0 if it is linear."""
    if not log:
        axes.set_ylim(0, 1.08 * high)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 5, 10)))
        return
    axes.set_yscale("log")
    axes.set_ylim(low / 1.2, high * 1.2)
    decades = math.log10(high / low)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,), numticks=MOST_TICKS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.yaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=MOST_TICKS))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw_panel(axes, axis, summary, benchmark, series):
    cells = summary.of(benchmark)
    present = [key for key in series if any(series_key(summary, cell) == key for cell in cells)]
    many = len(present) > FEW_SERIES
    spread = (0.72 if many else 0.6) * axis.step / max(len(present), 2)
    size = min(4.2, max(2.4, PANEL_POINTS * spread / (axis.high - axis.low)))
    shown = []
    for index, key in enumerate(present):
        style = series.index(key)
        colour, marker = COLOURS[style % len(COLOURS)], MARKERS[style % len(MARKERS)]
        line = [cell for cell in cells if series_key(summary, cell) == key]
        shift = (index - (len(present) - 1) / 2) * spread
        x = [axis.place(cell["workers"]) + shift for cell in line]
        times = [cell["ns_per_message"] for cell in line]
        y = [time["median"] for time in times]
        axes.plot(x, y, color=colour, linestyle=DASHES[style % len(DASHES)], linewidth=0.9,
                  alpha=0.5 if many else 0.7, zorder=2)
        low = [time["median"] - time["low"] for time in times]
        high = [time["high"] - time["median"] for time in times]
        axes.errorbar(x, y, yerr=(low, high), fmt="none", ecolor=colour, elinewidth=0.9,
                      capsize=0.5 * size, capthick=0.9, zorder=3)
        for place, cell, time in zip(x, line, times):
            # Beside the interval, not under it.
            axes.plot([place - 0.32 * spread] * len(time["values"]), time["values"], linestyle="none", marker="o",
                      markersize=0.5 * size, markeredgewidth=0, color=colour, alpha=0.4, zorder=1)
            axes.plot([place], [time["median"]], marker=marker, markersize=size, markeredgewidth=0.2 * size,
                      markeredgecolor=colour, zorder=4,
                      markerfacecolor="white" if cell["oversubscribed"] else colour)
            shown += [time["low"], time["high"], *time["values"]]
    scale(axes, is_log(summary, benchmark), min(shown), max(shown))
    axes.set_xlim(axis.low, axis.high)
    ticks = axis.ticks()
    axes.set_xticks([axis.place(count) for count in ticks], [str(count) for count in ticks])
    axes.set_xlabel("workers (log scale)" if axis.octaves else "workers")
    axes.yaxis.grid(True, linewidth=0.4, color="0.88")
    axes.set_axisbelow(True)
    axes.set_title(benchmark, fontweight="bold", pad=13)
    given = ", ".join(f"{key} {in_words(value)}" for key, value in summary.common(benchmark).items())
    axes.text(0.5, 1.02, given, transform=axes.transAxes, ha="center", va="bottom", fontsize=5.5, color="0.35")


def in_words(value):
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def span(values, form):
    low, high = form(min(values)), form(max(values))
    return low if low == high else f"{low} to {high}"


def caption(summary):
    machine = summary.environment
    counts = [cell["n"] for cell in summary.cells]
    covered = [100 * cell["ns_per_message"]["achieved"] for cell in summary.cells]
    words = [
        f"Wall time over all workers. Markers: median of n = {span(counts, str)} "
        f"process{'es' if max(counts) > 1 else ''}; bars: {summary.level:.0%} bootstrap interval"
        + (f" (achieved {span(covered, '{:.1f}'.format)}%)" if max(counts) > 1 else "")
        + "; dots: single processes.",
    ]
    if any(cell["oversubscribed"] for cell in summary.cells):
        words.append("Hollow: more workers than PUs.")
    if summary.peers:
        words.append(f"Other systems: {'; '.join(sorted(summary.peers))}.")
    words += [note[:1].upper() + note[1:] + "." for note in summary.notes]
    details = [machine.get("cpu"), machine.get("kernel") and f"Linux {machine['kernel']}", machine.get("compiler"),
               machine.get("revision") and f"revision {machine['revision']}"]
    if any(details):
        words.append(", ".join(filter(None, details)) + ".")
    return " ".join(words)


def figure(summary):
    columns = min(COLUMNS, len(summary.benchmarks))
    rows = math.ceil(len(summary.benchmarks) / columns)
    series = series_of(summary)
    axis = Axis(summary.cells)
    width = max(PANEL_INCHES[0] * columns, 3.4)
    text = textwrap.fill(caption(summary), int(width * 21))
    lines = text.count("\n") + 1
    legend_rows = 0 if series == [()] else math.ceil(len(series) / legend_columns(summary, series, width))
    foot, head = 0.11 * lines + 0.08, 0.18 * legend_rows + 0.04
    height = PANEL_INCHES[1] * rows + foot + head
    drawing = plt.figure(figsize=(width, height), layout="constrained")
    drawing.get_layout_engine().set(rect=(0, foot / height, 1, 1 - (foot + head) / height), w_pad=0.05, h_pad=0.05)
    panels = drawing.subplots(rows, columns, squeeze=False)
    for index, axes in enumerate(panels.flat):
        if index >= len(summary.benchmarks):
            axes.set_visible(False)
            continue
        draw_panel(axes, axis, summary, summary.benchmarks[index], series)
        log = is_log(summary, summary.benchmarks[index])
        if index % columns == 0 or log != is_log(summary, summary.benchmarks[index - 1]):
            axes.set_ylabel("ns per message (log scale)" if log else "ns per message")
    if legend_rows:
        draw_legend(drawing, summary, series, width)
    drawing.text(0.01, 0.04 / height, text, fontsize=5.8, color="0.25", va="bottom", linespacing=1.25)
    return drawing


def legend_columns(summary, series, width):
    longest = max(len(series_label(summary, series, key) or "") for key in series)
    return max(1, min(len(series), int(width / (0.075 * longest + 0.5))))


def draw_legend(drawing, summary, series, width):
    handles = [
        Line2D([], [], color=COLOURS[i % len(COLOURS)], marker=MARKERS[i % len(MARKERS)],
               linestyle=DASHES[i % len(DASHES)], linewidth=0.9, markersize=4.2,
               label=series_label(summary, series, key))
        for i, key in enumerate(series)
    ]
    columns = legend_columns(summary, series, width)
    if len(summary.keys) == 1 and summary.keys[0] in NAMES and columns == len(series):
        handles.insert(0, Line2D([], [], linestyle="none", label=f"{summary.keys[0]}:"))
        columns += 1
    drawing.legend(handles=handles, loc="upper center", ncols=columns, fontsize=7.5, handlelength=2.6,
                   columnspacing=1.6, borderaxespad=0.2)


def draw(summary, folder):
    """Writes scaling.png and scaling.pdf. Returns their paths."""
    paths = [Path(folder) / "scaling.png", Path(folder) / "scaling.pdf"]
    with plt.rc_context(STYLE):
        drawing = figure(summary)
        for path in paths:
            # Whole or not at all, and the same bytes from the same records.
            temporary = path.with_name("." + path.name)
            try:
                drawing.savefig(temporary, format=path.suffix[1:], dpi=300,
                                metadata={"CreationDate": None} if path.suffix == ".pdf" else {"Software": None})
                os.replace(temporary, path)
            except OSError as error:
                raise Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE) from None
        plt.close(drawing)
    return paths


def main():
    parser = argparse.ArgumentParser(prog="scripts/plot", description="Draws scaling.png and scaling.pdf.",
                                     epilog="AL_ACTORLAB names an actorlab to use instead of building one.")
    parser.add_argument("records", type=Path, help="a records file, or the results folder that has one")
    given = parser.parse_args().records
    try:
        path = given / "records.jsonl" if given.is_dir() else given
        if not path.is_file():
            raise Failure(f"{path}: no such records file")
        summary = Summary(actorlab.build(), path)
        if not summary.cells:
            raise Failure(f"{path}: no finished trial to draw")
        for written in draw(summary, path.parent):
            print(written)
        return 0
    except Failure as failure:
        complain(str(failure))
        return failure.code


if __name__ == "__main__":
    sys.exit(main())
