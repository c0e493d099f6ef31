# SPDX-License-Identifier: MIT
"""Where names stand beside points, so that they cover neither each other nor what is drawn."""

import math
from collections import namedtuple

# In inches from the lower left corner of a panel.
Box = namedtuple("Box", "left bottom right top")
# Directions from the point, in degrees: right and left of it first, then above and below.
SIDES = (0, 180, 45, -45, 135, -135, 90, -90, 22, -22, 158, -158, 67, -67, 113, -113)
DISTANCES = (0.055, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4)
NEAR = 0.08  # from farther away, a line leads to the point
# What it costs to cover another name, and to leave the panel; to cover anything else costs 1.
NAME, OUTSIDE = 20, 400
EDGE = 0.05  # of the panel, which names leave free


def covered(one, other):
    """Whether two boxes have a part in common."""
    return (one.left < other.right and other.left < one.right
            and one.bottom < other.top and other.bottom < one.top)


def inside(box, size):
    return (box.left >= EDGE and box.bottom >= EDGE
            and box.right <= size[0] - EDGE and box.top <= size[1] - EDGE)


def candidates(x, y, width, height):
    """(distance, box): those on the right and near to the point come first."""
    for distance in DISTANCES:
        for degrees in SIDES:
            dx, dy = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            left = x + distance * dx + width * (round(dx) - 1) / 2
            bottom = y + distance * dy + height * (round(dy) - 1) / 2
            yield distance, Box(left, bottom, left + width, bottom + height)


def leader(x, y, distance, box):
    """Points of the line from a point to its name, as boxes; none if the name is near."""
    if distance <= NEAR:
        return []
    ways = (box.left + box.right) / 2 - x, (box.bottom + box.top) / 2 - y
    shares = [step / 12 for step in range(2, 13)]
    dots = [(x + share * ways[0], y + share * ways[1]) for share in shares]
    return [Box(a, b, a, b) for a, b in dots if not covered(Box(a, b, a, b), box)]


def place(points, sizes, obstacles, panel):
    """(box, whether a line leads there) of the name of each point, in their order. sizes: of the
    names; obstacles: boxes of what is drawn; panel: its width and height."""
    names, found = [], []
    for (x, y), (width, height) in zip(points, sizes):
        def cost(candidate):
            parts = [candidate[1], *leader(x, y, *candidate)]
            hit = [sum(any(covered(part, other) for part in parts) for other in others)
                   for others in (obstacles, names)]
            return (hit[0] + NAME * hit[1]
                    + OUTSIDE * (not inside(candidate[1], panel)))

        distance, box = min(candidates(x, y, width, height), key=cost)
        names += [box, *leader(x, y, distance, box)]
        found.append((box, distance > NEAR))
    return found
