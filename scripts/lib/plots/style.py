# SPDX-License-Identifier: MIT
"""What all figures share: sizes of paper and type, colours, and the text around the panels."""

import functools
import gc
import math
import warnings

import matplotlib
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Drawing
from matplotlib.font_manager import findfont, get_font
from matplotlib.ft2font import LOAD_NO_HINTING
from matplotlib.lines import Line2D
from matplotlib.text import Text

from common.screen import printable_lines
from common.words import plural
from plots import simulated
from plots.palette import looks
from results.numbers import INTERVALS, percent_of

SINGLE, DOUBLE = 3.4, 7.0  # inches: one column of a paper, and both
SMALLEST = 5.5  # points: no text is smaller
DOTS = 300  # per inch, of a png
BANNER = 0.17  # inches that a banner takes
LEGEND = 7.5
TITLE = 8  # of a panel
GRID, STRIPE = "0.88", "0.94"  # behind what was measured
# Colours that stand for values, and that of text on them: digits that a dark page does not change.
KEPT = set()
NOTE = {"fontsize": 5.8, "color": "0.25"}

FONT = "DejaVu Sans"
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": [FONT],
    "font.size": 8,
    "axes.titlesize": TITLE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # embeds fonts, so that text stays text
    "svg.fonttype": "none",
    "text.parse_math": False,  # names may contain dollar signs
    "svg.hashsalt": "actorlab",  # the same records give the same bytes
}
# Looking for garbage among modules, which stay, and among what is being drawn would find none.
gc.freeze()
gc.set_threshold(100_000)
# Metadata that would contain the time of writing or the name of the writer.
UNSTAMPED = {"pdf": {"CreationDate": None}, "svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


def styled(function):
    """Matplotlib creates ticks and text lazily, so everything that draws uses this style."""
    return matplotlib.rc_context(STYLE)(function)


@styled
def save(drawing, file, form):
    """Writes png, pdf or svg; equal drawings give equal bytes. Unlike savefig, it does not draw a
    figure once more only to lay it out."""
    drawing.set_dpi(DOTS)
    getattr(get_registered_canvas_class(form)(drawing), f"print_{form}")(file, metadata=UNSTAMPED[form])


def set_printable(text, words, set_text=Text.set_text):
    """Sets a text without what no font has and what reorders text: names are from records."""
    set_text(text, words if words is None else printable_lines(str(words)))


Text.set_text = set_printable  # of all texts, also those that matplotlib makes by itself


def gid(cell):
    """The identifier of an element that shows a cell's median, in every figure."""
    return f"cell-{cell['index']}"


def looks_of(summary):
    """key of a line -> its Look, which is the same in every figure."""
    return looks(summary.actorlab, {cell["line"]: cell.get("scheduler") for cell in summary.cells})


def paler(colour, part):
    """The colour mixed with white, of which it is that part."""
    return [1 - part * (1 - channel) for channel in to_rgb(colour)]


def legend_of(summary, cells, width, extra=(), joined=True):
    """(handles, columns) of a legend above the panels that show these cells, or None if there is
    only one line. joined: whether the panels have lines, and not markers alone."""
    found, handles = looks_of(summary), []
    present = {cell["line"] for cell in cells} if summary.keys else set()
    for key in sorted(present):
        colour, marker, dashes = found[key]
        handles.append(Line2D([], [], color=colour, marker=marker, linestyle=dashes if joined else "none", linewidth=0.9, markersize=4.2,
                              label=summary.lines[key]["label"]))
    handles += extra
    if not handles:
        return None
    rows = rows_of(handles, width)
    if len(summary.keys) == 1 and summary.keys[0] in summary.bare_keys and len(handles) > len(extra):
        named = [Line2D([], [], linestyle="none", label=f"{summary.keys[0]}:"), *handles]
        if room(named, 1) <= width:
            handles, rows = named, 1
    return handles, math.ceil(len(handles) / rows)


def rows_of(handles, width):
    """Of a legend that is no wider than this, if possible."""
    return next(rows for rows in range(1, len(handles) + 1) if rows == len(handles) or room(handles, rows) <= width)


def legend_width(handles, columns):
    """As room, of what legend_of returns."""
    return room(handles, math.ceil(len(handles) / columns))


def room(handles, rows):
    """The approximate width in inches of a legend with this many rows."""
    columns = [handles[first:first + rows] for first in range(0, len(handles), rows)]
    return sum(max(text_width(handle.get_label(), LEGEND) for handle in column) + 0.55 for column in columns)


@functools.cache
def text_width(text, points):
    """The width of a text in inches."""
    font = get_font(findfont(FONT))
    font.set_size(points, 72)
    with warnings.catch_warnings(action="ignore"):  # drawing warns of characters that fonts lack
        font.set_text(text, 0, flags=LOAD_NO_HINTING)
    return font.get_width_height()[0] / 64 / 72


def wrapped(text, width, points):
    """Breaks text between words into lines of at most this many inches."""
    lines, used = [], width
    for word in text.split():
        more = text_width(f" {word}", points)
        if used + more > width:
            lines.append([])
            used = 0
        lines[-1].append(word)
        used += more
    return "\n".join(map(" ".join, lines))


def page(width, height, legend=None, foot="", banner=""):
    """A drawing of this width whose panels have this height; above them go the banner and the
    legend, below the foot."""
    text = wrapped(foot, width - 0.3, NOTE["fontsize"])
    below = 0.11 * (text.count("\n") + 1) + 0.08 if foot else 0
    lifted = BANNER if banner else 0
    above = lifted + (0.18 * math.ceil(len(legend[0]) / legend[1]) + 0.04 if legend else 0)
    height += below + above
    drawing = Drawing(figsize=(width, height), layout="constrained")
    drawing.get_layout_engine().set(rect=(0, below / height, 1, 1 - (below + above) / height), w_pad=0.05, h_pad=0.05)
    if legend:
        handles, columns = legend
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 1 - lifted / height), ncols=columns, fontsize=LEGEND, handlelength=2.6,
                       columnspacing=1.6, borderaxespad=0.2)
    if banner:
        drawing.text(0.5, 1 - 0.04 / height, banner, ha="center", va="top", fontsize=LEGEND, fontweight="bold",
                     color="#9C2A00", gid="simulated")
    if foot:
        drawing.text(0.01, 0.04 / height, text, va="bottom", linespacing=1.25, **NOTE)
    return drawing


def title(axes, summary, benchmark, room):
    """Titles a panel with the benchmark and, below it, the parameters that all its cells share, in
    lines of at most this many inches."""
    given = ", ".join(f"{key} {in_words(value)}" for key, value in summary.common(benchmark).items())
    given = wrapped(given, room, SMALLEST)
    words = wrapped(benchmark, room, 1.1 * TITLE)  # bold letters are wider
    axes.set_title(words, fontweight="bold", pad=13 + 1.2 * SMALLEST * given.count("\n"))
    below = axes.annotate(given, (0.5, 1), (0, 3), xycoords="axes fraction", textcoords="offset points", ha="center",
                          va="bottom", fontsize=SMALLEST, color="0.35")
    below.set_in_layout(False)  # the title above it already reserves the room


def in_words(value):
    return f"{value:,.15g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def ends(values, form):
    """Such as "3", or "1 to 3"."""
    low, high = form(min(values)), form(max(values))
    return low if low == high else f"{low} to {high}"


def interval_of(summary):
    """Such as "95% order-statistic interval"."""
    return f"{percent_of(summary.level)} {INTERVALS[summary.interval]}"


def short(value):
    """As many digits as fit: 0.042, 0.42, 1.04, 2.4, 24, 240."""
    if math.isinf(value):
        return "∞"
    if value < 0.095:
        return f"{value:#.2g}"
    return f"{value:.{2 if value < 1.995 else 1 if value < 9.95 else 0}f}"


def interval_word(ratio):
    """Such as "[0.81, 0.93]"."""
    if ratio["low"] is None:
        return "[unbounded]"
    return f"[{short(ratio['low'])}, {short(ratio['high'])}]"


def failed_cells(summary):
    """How many have no value, because all their trials failed."""
    def key(entry):
        return entry["benchmark"], entry["line"], repr(entry["values"]), entry["workers"]

    return len({key(entry) for entry in summary.failed} - {key(cell) for cell in summary.cells})


def provenance(summary):
    """The origin of the numbers and the noise there, for the foot of a figure that leaves its
    folder."""
    machine = {key: values[0] for key, values in summary.places().items() if values}
    words = [simulated.note(summary)] if simulated.note(summary) else []
    words += [f"Other systems: {'; '.join(sorted(summary.peers))}."] if summary.peers else []
    words += [summary.drawn["note"]] if "note" in summary.drawn else []
    words += [note[:1].upper() + note[1:] + "." for note in summary.notes]
    words += [summary.allocation] if summary.allocation else []
    lacking = failed_cells(summary)
    words += [f"No trial of {plural(lacking, 'cell')} succeeded."] * bool(lacking)
    words += [f"{summary.twin_check['text']}."] if summary.twin_check["text"] else []
    noise = summary.disturbance
    words += [f"{noise['disturbed']:,} of {plural(noise['watched'], 'trial')} "
              f"{'was' if noise['disturbed'] == 1 else 'were'} disturbed."] * bool(noise["disturbed"])
    details = [machine.get("cpu"), machine.get("kernel") and f"Linux {machine['kernel']}", machine.get("compiler"),
               machine.get("revision") and f"revision {machine['revision']}"]
    if any(details):
        words.append(", ".join(filter(None, details)) + ".")
    return " ".join(words)
