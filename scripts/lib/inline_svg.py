# SPDX-License-Identifier: MIT
"""A matplotlib figure as an SVG element of a page, for light and dark."""

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
    turns = not VALUES.search(svg)
    svg = TAG.sub(lambda tag: rewritten(tag[0], figure.name, turns), svg)
    kind = "turns" if turns else "stays"
    return svg.replace("<svg", f'<svg class="{kind}" role="group" aria-label="{escape(figure.title)}"', 1)


def rewritten(tag, name, turns):
    """With identifiers that no other figure of the page has, and greys that the style can turn."""
    tag = IDENTIFIER.sub(rf"\g<1>{name}-", CELL.sub(r'data-cell="\1"', tag))
    return GREY.sub(lambda grey: f"var(--grey-{grey[1]}, {grey[0]})", tag) if turns else tag


def turned(html):
    """CSS: what each grey of the page's figures is in the dark."""
    used = {"00"} | set(re.findall(r"var\(--grey-([0-9a-f]{2}),", html)) - {"ff"}  # which is the page's
    return " ".join(f"--grey-{grey}: #{3 * f'{round(INK + (PAPER - INK) * int(grey, 16) / 255):02x}'};"
                    for grey in sorted(used))
