# SPDX-License-Identifier: MIT
"""What a page consists of. The templates turn it into HTML, and escape every text on the way."""

import math
import re
from dataclasses import dataclass
from functools import cached_property

NONE = "–"


@dataclass
class Cell:
    """A cell of a table."""

    text: str
    value: int | float | None = None  # to sort by instead of the text
    kind: str | None = None  # classes of the style
    verbatim: bool = False
    small: str | None = None  # further text, in small letters
    link: str | None = None  # within the page

    @property
    def sort_key(self):
        """The value as an attribute, to ten digits, as a script reads numbers."""
        if self.value == math.inf:
            return "Infinity"
        return f"{self.value:.10g}" if isinstance(self.value, float) else repr(self.value)


NOTHING = Cell(NONE, kind="none")


def number(value, form):
    """A cell that is sorted by a number. None is shown as not known, and whatever else a record may
    have there is sorted as text."""
    if value is None:
        return NOTHING
    return Cell(form(value), value if isinstance(value, (int, float)) else None)


@dataclass
class Table:
    """Readers can sort it by any column if there are several rows. A rule separates rows that
    differ in their first cell."""

    name: str
    title: str
    heads: list
    rows: list  # of lists of cells
    note: str | None = None
    about: list | None = None  # for each row the sweep's cells that it is about, to filter by
    block: str = "table"

    @cached_property
    def numeric(self):
        """For each column: whether it holds numbers."""
        return [any(row[column].value is not None for row in self.rows)
                for column in range(len(self.heads))]


@dataclass
class Grid:
    """A small table with a head for each row, whose cells may be coloured."""

    name: str
    title: str | None  # None: it stands at the top and needs none
    heads: list  # the first is that of the rows' heads
    rows: list  # of lists of cells, of which the first is the row's head
    note: str | None = None
    about: list | None = None  # as of a Table
    block: str = "grid"


@dataclass
class Paragraph:
    text: str
    kind: str | None = None
    block: str = "paragraph"

    @property
    def parts(self):
        """Plain text and `code` in turn."""
        return re.split("`([^`]+)`", self.text) if self.kind in ("lead", "banner", "hint") else [self.text]


@dataclass
class Bullets:
    lines: list
    block: str = "bullets"


@dataclass
class Verbatim:
    text: str
    block: str = "verbatim"


@dataclass
class Definitions:
    pairs: list  # of (term, text)
    block: str = "definitions"


@dataclass
class Figure:
    title: str
    caption: str
    drawing: object  # an inline_svg.Svg
    name: str | None = None  # for links to it
    block: str = "figure"


@dataclass
class Section:
    name: str
    title: str
    blocks: list
