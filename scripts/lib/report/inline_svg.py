# SPDX-License-Identifier: MIT
"""A matplotlib figure as an element of a page, for light and dark backgrounds."""

import base64
import io
import multiprocessing
import os
import re
from dataclasses import dataclass

from plots import style
from report.dark import dark

TAG = re.compile(r"<[^>]+>")
CELL = re.compile(r'id="cell-(\d+)"')
IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
COLOUR = re.compile(r"(?<=: )#([0-9a-f]{6})\b")
WIDTH = re.compile(r'width="([\d.]+)pt"')
FRACTION = re.compile(r"\d+\.\d{3,}")  # of a point, which is 1/72 inch
KEPT = {"legend": ' class="legend"'}  # of what the page's style tells apart
NAMED = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'(?<=href="|..url\()#([\w-]+)')
# A group of markers that share one style.
ALIKE = re.compile(r'<g((?: clip-path="[^"]*")?)>\s*'
                   r'((?:<use [^>]*) style="([^"]*)"/>\s*(?:<use [^>]* style="\3"/>\s*)*)</g>')

held = []  # figures that wait to be drawn


@dataclass
class Svg:
    width: str  # in points
    rest: str  # everything after "<svg"
    colours: set  # of its parts, as hexadecimal digits


@dataclass
class Image:
    source: str  # a data: URL


def inline_all(figures):
    """The Svg of each of plots.figures(). Elements with a data-cell are medians. The figures are
    drawn in parallel, as drawing takes most of the time of a large report."""
    if not figures:
        return []
    held[:] = figures  # forked processes inherit them; they are too large to be sent
    processes = min(len(figures), len(os.sched_getaffinity(0)))
    # A process for each: matplotlib's figures are cycles of objects, which nothing collects here.
    with multiprocessing.get_context("fork").Pool(processes, maxtasksperchild=1) as pool:
        return pool.map(inline_held, range(len(figures)), chunksize=1)


def inline_held(index):
    return inline(held[index])


def inline(figure):
    file = io.StringIO()
    style.save(figure.draw(), file, "svg")
    svg = file.getvalue()
    svg = svg[svg.index("<svg"):]
    for element in ("metadata", "style"):  # the latter would apply to the whole page
        svg = re.sub(rf"<{element}.*?</{element}>\s*", "", svg, count=1, flags=re.DOTALL)
    svg = smaller(svg)
    colours = set()
    svg = TAG.sub(lambda tag: rewritten(tag[0], figure.name, colours), svg)
    return Svg(WIDTH.search(svg)[1], svg.removeprefix("<svg"), colours)


def smaller(svg):
    """The same picture in fewer bytes, as thousands of markers make a report large."""
    def rounded(number):
        return f"{float(number[0]):.2f}"

    def once(group):
        return f'<g{group[1]} style="{group[3]}">' + group[2].replace(f' style="{group[3]}"', "") + "</g>"

    def named(name):
        if name[1] in places:
            return f' id="{places[name[1]]}"'
        return name[0] if name[1].startswith("cell-") else KEPT.get(name[1].partition("_")[0], "")

    def short(tag):
        tag = REFERENCE.sub(lambda name: f"#{places[name[1]]}", tag.replace("xlink:href", "href"))
        return FRACTION.sub(rounded, NAMED.sub(named, tag))

    svg = ALIKE.sub(once, svg)
    referred = dict.fromkeys(REFERENCE.findall("".join(TAG.findall(svg))))
    places = {name: str(place) for place, name in enumerate(referred)}
    return re.sub(r"\s*\n\s*", "\n", TAG.sub(lambda tag: short(tag[0]), svg))


def as_image(figure):
    """The figure as pixels, which are smaller than thousands of shapes."""
    file = io.BytesIO()
    style.save(figure.draw(), file, "png")
    return Image(f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}")


def rewritten(tag, name, colours):
    """The tag with identifiers unique to this figure, and with colours that the page's style sets,
    which are added to the set."""
    def named(colour):
        if colour[1] in style.KEPT:
            return colour[0]
        colours.add(colour[1])
        return f"var(--{colour[1]})"

    return IDENTIFIER.sub(rf"\g<1>{name}-", CELL.sub(r'data-cell="\1"', COLOUR.sub(named, tag)))


def both_modes(drawings):
    """[(digits of a colour, what it becomes on a dark page)] of all colours of these drawings but
    white, which is the page's paper."""
    used = set().union({"000000"}, *(drawing.colours for drawing in drawings if isinstance(drawing, Svg)))
    return [(colour, dark(f"#{colour}")) for colour in sorted(used - {"ffffff"})]
