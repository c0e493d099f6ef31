# SPDX-License-Identifier: MIT
"""A figure that can be drawn."""

from collections import namedtuple

# name: of its file. caption: what it shows, without where it was measured. draw(foot=""): a
# matplotlib figure with the foot as text below. Whatever shows the median of a cell has the gid
# "cell-<index in summary.cells>"; if a figure shows a cell twice, both have it.
Figure = namedtuple("Figure", "name title caption draw")
