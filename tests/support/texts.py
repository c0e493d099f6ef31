# SPDX-License-Identifier: MIT
"""Texts of a drawing that lie over one another, or beyond its edge."""

import math
from itertools import combinations
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

SHARED = 1.0  # points that boxes may share, as they are larger than the letters in them


def rectangle(text, renderer):
    """(middle, directions, halves) of the box around a text, turned as the text is, in points."""
    turned, angle = text.get_window_extent(renderer), text.get_rotation()
    text.set_rotation(0)
    flat = text.get_window_extent(renderer)
    text.set_rotation(angle)
    along = (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    return (((turned.x0 + turned.x1) / 2, (turned.y0 + turned.y1) / 2), (along, (-along[1], along[0])),
            (max(0, flat.width - SHARED) / 2, max(0, flat.height - SHARED) / 2))


def reach(box, way):
    return sum(half * abs(one[0] * way[0] + one[1] * way[1]) for half, one in zip(box[2], box[1]))


def overlap(a, b):
    """Whether two boxes do: no direction of either parts them."""
    between = (b[0][0] - a[0][0], b[0][1] - a[0][1])
    return all(abs(between[0] * way[0] + between[1] * way[1]) < reach(a, way) + reach(b, way) for way in a[1] + b[1])


def drawn_texts(drawing):
    """[(words, box)] of all that is drawn."""
    drawing.set_dpi(72)
    found, draw = [], Text.draw

    def recorded(text, renderer, *more, **named):
        if text.get_visible() and text.get_text().strip():
            found.append((text.get_text(), rectangle(text, renderer)))
        return draw(text, renderer, *more, **named)

    with patch.object(Text, "draw", recorded):
        FigureCanvasAgg(drawing).draw()
    return found


def collisions(drawing):
    """Pairs of texts that overlap, and texts that are not wholly on the paper."""
    texts, (width, height) = drawn_texts(drawing), drawing.get_size_inches() * 72
    found = [(a, b) for (a, box), (b, other) in combinations(texts, 2) if overlap(box, other)]
    for words, box in texts:
        (x, y), beside, above = box[0], reach(box, (1, 0)), reach(box, (0, 1))
        if x < beside or x > width - beside or y < above or y > height - above:
            found.append((words, "the edge"))
    return found
