# SPDX-License-Identifier: MIT
"""A matplotlib figure as an element of a page, for light and dark backgrounds."""

import base64
import io
import multiprocessing
import os
import re
from dataclasses import dataclass

import numpy
import PIL.Image

from plots import style
from report.dark import dark

TAG = re.compile(r"<[^>]+>")
CELL = re.compile(r'id="cell-(\d+)"')
IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
COLOUR = re.compile(r"(?<=: )#([0-9a-f]{6})\b")
WIDTH = re.compile(r'width="([\d.]+)pt"')
FRACTION = re.compile(r"\d+\.\d{3,}")  # of a point, which is 1/72 inch
PIXELS = re.compile(r'<image xlink:href="data:image/png;base64,([^"]*)"([^>]*)/>')
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


def inline(figure, pixels=False):
    """pixels: the filled shapes of its panels become a picture for either background, which is
    smaller than thousands of shapes."""
    file, drawing = io.StringIO(), figure.draw()
    for axes in drawing.axes if pixels else ():
        for shape in axes.patches:
            shape.set(rasterized=True, antialiased=False)
    style.save(drawing, file, "svg")
    svg = PIXELS.sub(both_pictures, file.getvalue()) if pixels else file.getvalue()
    svg = svg[svg.index("<svg"):]
    for element in ("metadata", "style"):  # the latter would apply to the whole page
        svg = re.sub(rf"<{element}.*?</{element}>\s*", "", svg, count=1, flags=re.DOTALL)
    svg = smaller(svg)
    colours = set()
    kept = () if pixels else style.KEPT
    svg = TAG.sub(lambda tag: rewritten(tag[0], figure.name, colours, kept), svg)
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


def both_pictures(image):
    """The element for a light page, and one for a dark page: the page's style shows one of them."""
    with PIL.Image.open(io.BytesIO(base64.b64decode(image[1]))) as picture:
        pixels = numpy.array(picture.convert("RGBA"))
    colours, places = numpy.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    places = places.reshape(pixels.shape[:2]).astype(numpy.uint8)  # as many as states of a worker
    darker = [list(bytes.fromhex(dark(f"#{bytes(colour[:3].tolist()).hex()}")[1:])) for colour in colours]
    elements = []
    for name, palette in (("light", colours[:, :3].tolist()), ("dark", darker)):
        file, picture = io.BytesIO(), PIL.Image.fromarray(places, "P")
        picture.putpalette(sum(palette, []))
        picture.save(file, "png", transparency=bytes(colours[:, 3].tolist()), optimize=True)
        source = base64.b64encode(file.getvalue()).decode()
        elements.append(f'<image class="{name}" href="data:image/png;base64,{source}"{image[2]}/>')
    return "\n".join(elements)


def rewritten(tag, name, colours, kept):
    """The tag with identifiers unique to this figure, and with colours that the page's style sets,
    which are added to the set. kept: colours that stay."""
    def named(colour):
        if colour[1] in kept:
            return colour[0]
        colours.add(colour[1])
        return f"var(--{colour[1]})"

    return IDENTIFIER.sub(rf"\g<1>{name}-", CELL.sub(r'data-cell="\1"', COLOUR.sub(named, tag)))


def both_modes(drawings):
    """[(digits of a colour, what it becomes on a dark page)] of all colours of these drawings but
    white, which is the page's paper."""
    used = set().union({"000000"}, *(drawing.colours for drawing in drawings if isinstance(drawing, Svg)))
    return [(colour, dark(f"#{colour}")) for colour in sorted(used - {"ffffff"})]
