# SPDX-License-Identifier: MIT
"""Numbers and lists of things, and what LaTeX and BibTeX would take for commands."""

LATEX = str.maketrans({**{c: "\\" + c for c in "&%$#_{}"}, "~": r"\textasciitilde{}",
                       "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"})


def plural(count, word):
    """Such as "1 pair", "2 pairs", "3 processes"; "None pairs" if a record does not say."""
    number = f"{count:,}" if isinstance(count, (int, float)) else count
    return f"{number} {word}{'' if count == 1 else 'es' if word.endswith('s') else 's'}"


def listed(names, word="and"):
    """Such as "1, 2 and 3"."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def span(counts, word):
    """Such as "3 pairs", or "1 to 3 pairs"."""
    low, high = min(counts), max(counts)
    return plural(high, word) if low == high else f"{low:,} to {plural(high, word)}"
