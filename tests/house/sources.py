# SPDX-License-Identifier: MIT
"""The files of the project, and what is code, comment or prose in them."""

import functools
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (".ci", "benchmarks", "configs", "core", "docs", "results/reference", "schedulers", "scripts", "tests")
TOP = ("CHANGELOG.md", "README.md", "meson.build", "meson_options.txt", "results/README.md")
C = (".c", ".h", ".cpp", ".hpp")


@functools.cache
def files():
    """Every file, by its path from the root."""
    inside = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))
    return [str(path.relative_to(ROOT)) for path in (*inside, *(ROOT / name for name in TOP))
            if path.is_file() and "__pycache__" not in path.parts and path.stat().st_size < 1 << 20]


@functools.cache
def text(path):
    return (ROOT / path).read_text(errors="replace")


@functools.cache
def language(path):
    """'c', 'python', 'shell', 'markdown', 'other'."""
    suffix = Path(path).suffix
    if suffix in C:
        return "c"
    if suffix == ".md":
        return "markdown"
    if suffix in (".toml", ".build") or path == "meson_options.txt":
        return "settings"
    first = text(path).partition("\n")[0] if suffix in ("", ".py") else ""
    if suffix == ".py" or "python" in first:
        return "python"
    return "shell" if first.startswith("#!") else "other"


def written_in(*languages):
    return [path for path in files() if language(path) in languages]


@functools.cache
def comments(path):
    """The comments of a source as [(first line, text)], Python's docstrings among them."""
    if language(path) == "c":
        return [(line, word) for line, word in c_parts(text(path)) if word[:2] in ("/*", "//")]
    if language(path) == "python":
        return python_comments(text(path))
    return [(number, line[line.index("#"):]) for number, line in enumerate(text(path).splitlines(), 1)
            if re.match(r"\s*#(?!!)", line)]


@functools.cache
def code(path):
    """A C source without its comments; strings are kept."""
    return "".join(word for _, word in c_parts(text(path)) if word[:2] not in ("/*", "//"))


def c_parts(source):
    """A C source in pieces, each with its first line: a comment, a string, or what lies between."""
    line = 1
    for word in re.findall(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[^/"\']+|.', source, re.DOTALL):
        yield line, word
        line += word.count("\n")


def python_comments(source):
    found, statement_begins = [], True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            found.append((token.start[0], token.string))
        elif token.type == tokenize.STRING and statement_begins:
            found.append((token.start[0], token.string))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            statement_begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    return found


def prose(path):
    """The lines of a page that are neither code nor table, as [(number, line)]."""
    found, fenced = [], False
    for number, line in enumerate(text(path).splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "|")):
            found.append((number, line))
    return found
