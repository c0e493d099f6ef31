# SPDX-License-Identifier: MIT
"""The line numbers of a TOML file's values, which tomllib does not report."""

import re

TOKEN = re.compile(
    r'''(?P<comment>\#[^\n]*)
      | (?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<newline>\n)
      | (?P<space>[ \t\r]+)
      | (?P<mark>[\[\]{}=,.])
      | (?P<bare>[^\s\[\]{}=,."'\#]+)''',
    re.VERBOSE | re.DOTALL,
)


class TomlLines:
    """Maps a path, such as ("axes", "workers", 1) for the second worker count, to its line. The
    tables of a list of tables are numbered: ("include", 0, "workers")."""

    def __init__(self, text):
        self._lines = {}
        self._tables = {}  # name of a list of tables -> how many so far
        self._scan(text)

    def of(self, *path):
        """The line of the path, or of the nearest thing around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _note(self, path, line):
        for length in range(1, len(path) + 1):
            self._lines.setdefault(tuple(path[:length]), line)

    def _scan(self, text):
        """Expects a text that tomllib has accepted."""
        table, key, line = [], [], 1
        in_value = in_header = in_list = fresh = False
        depth = index = 0
        for token in TOKEN.finditer(text):
            kind, word = token.lastgroup, token.group()
            if kind == "newline" and depth == 0:
                in_value, key = False, []
            elif kind in ("comment", "space", "newline"):
                pass
            elif in_value:
                if fresh and word != "]":
                    self._note(table + key + [index], line)
                    fresh = False
                if word in ("[", "{"):
                    depth += 1
                    if depth == 1:
                        fresh, index = word == "[", 0
                elif word in ("]", "}"):
                    depth -= 1
                elif word == "," and depth == 1:
                    fresh, index = True, index + 1
            elif word == "[":
                in_list, in_header, key = in_header, True, []
            elif word == "]":
                if in_header:
                    table, in_header = key, False
                    if in_list:
                        number = self._tables.get(tuple(key), 0)
                        self._tables[tuple(key)] = number + 1
                        table = [*key, number]
                    self._note(table, line)
            elif word == "=":
                in_value, fresh = True, False
                self._note(table + key, line)
            elif kind in ("bare", "string"):
                key.append(word.strip("\"'"))
            line += word.count("\n")
