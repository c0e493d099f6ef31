# SPDX-License-Identifier: MIT
"""How long files, functions and lines of prose may be."""

import ast
import re

from sources import comments, language, prose, text, written_in

FILE_LINES = 400
FUNCTION_LINES = 60
PROSE_COLUMNS = 100


def long_files():
    """No source has more than 400 lines."""
    for path in written_in("c", "python", "shell"):
        n = len(text(path).splitlines())
        if n > FILE_LINES:
            yield f"{path}: {n} lines"


def long_functions():
    """No function has more than 60 lines."""
    for path in written_in("c", "python", "shell"):
        functions = {"c": c_functions, "python": python_functions, "shell": shell_functions}[language(path)]
        for first, last, name in functions(text(path)):
            if last - first + 1 > FUNCTION_LINES:
                yield f"{path}:{first}: {name} has {last - first + 1} lines"


def c_functions(source):
    """(first line, last line, name) of each; as clang-format leaves them, only their braces stand
    alone on a line."""
    lines = source.splitlines()
    for opened, line in enumerate(lines):
        if line.strip() != "{" or re.match(r"\s*(template <.*> )?(class|struct|namespace)\b", lines[opened - 1]):
            continue
        first = opened
        while first > 0 and not re.search(r"[;}]$|\*/$|^\s*(#.*|//.*)?$", lines[first - 1]):
            first -= 1
        closing = line.replace("{", "}")
        last = next(number for number in range(opened, len(lines)) if lines[number].startswith(closing))
        names = re.findall(r"(\w+)\(", re.sub(r"__attribute__\(\(.*?\)\)", "", " ".join(lines[first:opened])))
        yield first + 1, last + 1, names[0] if names else "a function"


def python_functions(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def shell_functions(source):
    lines = source.splitlines()
    for first, line in enumerate(lines):
        name = re.match(r"(?:function )?([\w-]+) ?\(\) ?\{$", line)
        if name:
            yield first + 1, lines.index("}", first) + 1, name[1]


def wide_prose():
    """No line of prose has more than 100 columns."""
    for path in written_in("markdown"):
        for number, line in prose(path):
            if len(line) > PROSE_COLUMNS and " " in line.strip():
                yield f"{path}:{number}: {len(line)} columns"
    for path in written_in("c", "python", "shell", "settings"):
        if path.startswith("results/"):
            continue  # as it was measured
        lines = text(path).splitlines()
        for first, comment in comments(path):
            for number in range(first, first + len(comment.splitlines())):
                if len(lines[number - 1]) > PROSE_COLUMNS:
                    yield f"{path}:{number}: {len(lines[number - 1])} columns"
