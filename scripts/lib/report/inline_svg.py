# SPDX-License-Identifier: MIT
"""A matplotlib figure as an element of a page, for light and dark."""

import base64
import io
import multiprocessing
import os
import re
from html import escape

from plots import style

TAG = re.compile(r"<[^>]+>")
CELL = re.compile(r'id="cell-(\d+)"')
IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
GREY = re.compile(r"#([0-9a-f]{2})\1\1\b")
FRACTION = re.compile(r"\d+\.\d{3,}")  # of a point, 1/72 inch
NAMED = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'(?<=href="|..url\()#([\w-]+)')
# A group of markers that look the same, which can be said once.
ALIKE = re.compile(r'<g((?: clip-path="[^"]*")?)>\s*'
                   r'((?:<use [^>]*) style="([^"]*)"/>\s*(?:<use [^>]* style="\3"/>\s*)*)</g>')
PAPER, INK = 0x15, 0xE4  # what white and black become in the dark
# Colours that stand for values, with text on them, keep the paper they were made for.
VALUES = re.compile("<image|QuadMesh")

held = []  # figures that wait to be drawn


def inline_all(figures):
    """The SVG of each of plots.figures(); its medians are the elements with a data-cell. They are drawn side by side,
    for they take most of the time of a large report."""
    if not figures:
        return []
    held[:] = figures  # a forked process has them; they are too large to be sent
    with multiprocessing.get_context("fork").Pool(min(len(figures), len(os.sched_getaffinity(0)))) as pool:
        return pool.map(inline_held, range(len(figures)), chunksize=1)


def inline_held(index):
    return inline(held[index])


def inline(figure):
    file = io.StringIO()
    style.save(figure.draw(), file, "svg")
    svg = file.getvalue()
    svg = svg[svg.index("<svg"):]
    for element in ("metadata", "style"):  # the latter would hold for the whole page
        svg = re.sub(rf"<{element}.*?</{element}>\s*", "", svg, count=1, flags=re.DOTALL)
    svg = smaller(svg)
    turns = not VALUES.search(svg)
    svg = TAG.sub(lambda tag: rewritten(tag[0], figure.name, turns), svg)
    kind = "turns" if turns else "stays"
    return svg.replace("<svg", f'<svg class="{kind}" role="group" aria-label="{escape(figure.title)}"', 1)


def smaller(svg):
    """The same picture in fewer bytes: thousands of markers make a report large."""
    def rounded(number):
        return f"{float(number[0]):.2f}"

    def once(group):
        return f'<g{group[1]} style="{group[3]}">' + group[2].replace(f' style="{group[3]}"', "") + "</g>"

    def named(name):
        return f' id="{places[name[1]]}"' if name[1] in places else name[0] if name[1].startswith("cell-") else ""

    def short(tag):
        tag = REFERENCE.sub(lambda name: f"#{places[name[1]]}", tag.replace("xlink:href", "href"))
        return FRACTION.sub(rounded, NAMED.sub(named, tag))

    svg = ALIKE.sub(once, svg)
    referred = dict.fromkeys(REFERENCE.findall("".join(TAG.findall(svg))))
    places = {name: str(place) for place, name in enumerate(referred)}
    return re.sub(r"\s*\n\s*", "\n", TAG.sub(lambda tag: short(tag[0]), svg))


def as_image(figure):
    """The same of pixels: what has thousands of shapes is smaller so."""
    file = io.BytesIO()
    style.save(figure.draw(), file, "png")
    picture = base64.b64encode(file.getvalue()).decode()
    return f'<img class="stays" alt="{escape(figure.title)}" src="data:image/png;base64,{picture}">'


def rewritten(tag, name, turns):
    """With identifiers that no other figure of the page has, and greys that the style can turn."""
    tag = IDENTIFIER.sub(rf"\g<1>{name}-", CELL.sub(r'data-cell="\1"', tag))
    return GREY.sub(lambda grey: f"var(--grey-{grey[1]}, {grey[0]})", tag) if turns else tag


def turned(html):
    """CSS: what each grey of the page's figures is in the dark."""
    used = {"00"} | set(re.findall(r"var\(--grey-([0-9a-f]{2}),", html)) - {"ff"}  # which is the page's
    return " ".join(f"--grey-{grey}: #{3 * f'{round(INK + (PAPER - INK) * int(grey, 16) / 255):02x}'};"
                    for grey in sorted(used))
