# SPDX-License-Identifier: MIT
"""Do the names in comments and pages exist?"""

import functools
import os
import re

from sources import FOLDERS, ROOT, code, comments, files, language, prose, written_in

FILE = r"[\w.-]+(?:/[\w.-]+)*\.(?:c|h|cpp|hpp|py|md|toml|xml|patch|build)\b"


def written():
    """Every comment of the project and every line of its pages, as (path, line, text)."""
    for path in written_in("c", "python", "shell", "settings"):
        if path.startswith("results/"):
            continue  # as it was measured
        yield from ((path, number, " ".join(re.sub(r"\n\s*(\*|#|//)?", "\n", comment).split()))
                    for number, comment in comments(path))
    for path in written_in("markdown"):
        if path != "CHANGELOG.md":
            yield from ((path, number, line) for number, line in prose(path))


@functools.cache
def identifiers():
    """All words of the C code, its strings and macros included."""
    return {word for path in written_in("c") for word in re.findall(r"\w+", code(path))}


@functools.cache
def shown(path):
    """All words of a page's blocks of code."""
    blocks = re.findall(r"(?ms)^```.*?^```$", (ROOT / path).read_text()) if language(path) == "markdown" else []
    return {word for block in blocks for word in re.findall(r"\w+", block)}


def names():
    """A function or struct al_… that a comment or page names exists, or the page shows it."""
    for path, number, words in written():
        for name in re.findall(r"\bal_\w+(?!\w|\*|…)", words):
            if name not in identifiers() | shown(path) and not name.endswith("_"):
                yield f"{path}:{number}: there is no {name}"


def paths():
    """A file that a comment names exists: by its path from the root or from there, or by its name
    alone."""
    there = {*files(), *(os.path.basename(path) for path in files())}
    there |= {name.removesuffix(".in") for name in there}  # meson makes it
    for path, number, words in written():
        if language(path) == "markdown":
            continue  # tests/docs looks at pages
        for name in re.findall(rf"(?<![\w/<.-]){FILE}", words):
            ours = ("/" not in name or name.partition("/")[0] in FOLDERS) and "NAME" not in name
            if ours and not {name, os.path.normpath(os.path.join(os.path.dirname(path), name))} & there:
                yield f"{path}:{number}: there is no {name}"


def meant(path, name):
    """The file that a comment of `path` means by a name: from the root, from there, or the only one
    of this name. None if there is none, or several."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    for file in (name, beside):
        if (ROOT / file).is_file():
            return file
    same = [file for file in files() if os.path.basename(file) == name]
    return same[0] if len(same) == 1 else None


def placed_names():
    """A function that a comment names with its file is in that file."""
    for path, number, words in written():
        for name, file in re.findall(rf"\b(\w+)(?:\(\))? \(({FILE})\)", words):
            place = meant(path, file) if "_" in name or f"{name}()" in words else None
            if place is not None and not re.search(rf"\b{name}\b", code(place)):
                yield f"{path}:{number}: there is no {name} in {place}"
