# SPDX-License-Identifier: MIT
"""Pieces of an HTML page. All text given to them may come from records: it is escaped here."""

import json
import re
from html import escape

NONE = "–"


class Cell:
    """Of a table. value: a number to sort by instead of the text; kind: classes; code: HTML instead of the text."""

    def __init__(self, text, value=None, kind=None, code=None):
        self.text, self.value, self.kind, self.code = text, value, kind, code

    def html(self, numeric):
        kinds = " ".join(filter(None, ("n" if numeric else None, self.kind)))
        kind = f' class="{kinds}"' if kinds else ""
        exact = f"{self.value:.10g}" if isinstance(self.value, float) else repr(self.value)
        value = f' data-v="{exact}"' if self.value is not None else ""
        return f"<td{kind}{value}>{self.code or escape(self.text)}</td>"


NOTHING = Cell(NONE, kind="none")


def number(value, form):
    """A cell that is sorted by the number, to ten digits; None is not known. Whatever else a record may have there is
    text."""
    return NOTHING if value is None else Cell(form(value), value if isinstance(value, (int, float)) else None)


def table(name, title, heads, rows, note=None):
    """rows: lists of Cells. A column can be sorted if there is a choice; it is one of numbers if its cells have
    values. A rule goes between rows that differ in their first cell."""
    numbers = [any(row[index].value is not None for row in rows) for index in range(len(heads))]
    parts = [f'<h3 id="{name}-title">{escape(title)}</h3>\n'
             f'<div class="box" role="region" tabindex="0" aria-labelledby="{name}-title">\n'
             f'<table id="{name}" aria-labelledby="{name}-title">\n<thead><tr>']
    for head, numeric in zip(heads, numbers):
        kind = ' class="n"' if numeric else ""
        inner = f'<button type="button">{escape(head)}</button>' if len(rows) > 1 else escape(head)
        parts.append(f'<th scope="col"{kind}>{inner}</th>')
    parts.append("</tr></thead>\n<tbody>\n")
    before = rows[0][0].text
    for row in rows:
        parts.append("<tr>" if row[0].text == before else '<tr class="next">')
        parts += [cell.html(numeric) for cell, numeric in zip(row, numbers)]
        parts.append("</tr>\n")
        before = row[0].text
    parts.append("</tbody>\n</table>\n</div>\n")
    return "".join(parts) + (paragraph(note, "note") if note else "")


def section(name, title, content):
    return f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{content}</section>\n'


def figure(count, title, caption, svg):
    return (f'<figure>\n<div class="drawing"><div class="sheet">{svg}</div></div>\n'
            '<button type="button" class="enlarge" aria-pressed="false">Enlarge</button>\n'
            f"<figcaption><b>Figure {count}. {escape(title)}.</b> {escape(caption)}</figcaption>\n</figure>\n")


def paragraph(text, kind=None):
    return f'<p class="{kind}">{escape(text)}</p>\n' if kind else f"<p>{escape(text)}</p>\n"


def prose(text, kind):
    """A paragraph in which `this` is code."""
    code = re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
    return f'<p class="{kind}">{code}</p>\n'


def bullets(lines):
    return "<ul>\n" + "".join(f"<li>{escape(line)}</li>\n" for line in lines) + "</ul>\n"


def verbatim(text):
    return f'<pre tabindex="0">\n{escape(text)}</pre>\n'  # the first line break is not part of it


def definitions(pairs):
    return "<dl>\n" + "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>\n" for key, text in pairs) + "</dl>\n"


def in_script(value):
    """JSON that cannot end the element around it."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")
