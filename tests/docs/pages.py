# SPDX-License-Identifier: MIT
"""Reads the pages of the documentation as their readers do: writes the files that they describe,
makes the changes, and runs the commands.

    `path/of/a/file`:                 then a block of code: a new file
    `path/of/a/file`, before `text`:  then a block of code, for the place before the line with text
    ```sh                             commands, one on a line; in ```console, after a $

What a test cannot run as it stands says so in a comment before the block, whose parts are separated
by semicolons: <!-- test: skip: why --> (all commands of the block), skip START: why (those that
begin so), small (runs and sweeps get --size small, runs one iteration, sweeps --quick, the
conformance suite fewer seeds or rounds, and plots draw one figure), filter TEXT (of small sweeps,
and after --case TEXT of conformance-native), exit N (allowed beside 0).
"""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"(?:<!-- test: (?P<marker>[^>]*) -->\n)?"
                   r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(?P<path>[\w./-]+)`(?:, before `(?P<anchor>[^`]+)`)?:\n\n\Z")


@dataclass
class Block:
    language: str
    text: str
    line: int
    path: str | None = None    # of the file that the text is, or goes into
    anchor: str | None = None  # what the line says that it goes before; None: the text is all of it
    marker: str = ""

    def commands(self):
        """What there is to run, with the reason if it is not to be."""
        if self.language == "console":
            lines = re.findall(r"^\$ (.*)$", self.text, re.MULTILINE)
        elif self.language == "sh":
            lines = self.text.replace("\\\n", " ").splitlines()
        else:
            lines = []
        for line in lines:
            words = shlex.split(line, comments=True)
            if words:
                yield self.adapt(words), self.skipped(line)

    def runs(self):
        return any(why is None for _, why in self.commands())

    def parts(self):
        return [part.strip() for part in self.marker.split(";") if part.strip()]

    def skipped(self, line):
        for part in self.parts():
            found = re.fullmatch(r"skip ?(.*?): (.+)", part)
            if found and line.startswith(found[1]):
                return found[2]
        return None

    def adapt(self, words):
        if "small" not in self.parts():
            return words
        filtered = "".join(part[7:] for part in self.parts() if part.startswith("filter "))
        if words[0] == "scripts/sweep" and "--from" in words:
            return [*words, "--no-plot"]
        if words[0] == "scripts/sweep" and "plan" not in words:
            return [*words, "--quick", "--size", "small", *(["--filter", filtered] if filtered else [])]
        if words[0] == "scripts/plot":
            return [*words, "--kind", "scaling"]
        if words[:2] in (["actorlab", "run"], ["build/actorlab", "run"]):
            return [*words, *([] if "--size" in words else ["--size", "small"]), "--iterations", "1", "--warmup", "0"]
        if words[:2] == ["actorlab", "conform"]:
            return [*words, "--times", "1"]
        if words[0].endswith("conformance-virtual"):
            return [*words, "--seeds", "10"]
        if words[0].endswith("conformance-jitter"):
            return [*words, "--rounds", "1"]
        if words[0].endswith("conformance-native"):
            return [*words[:-1], words[-1] + filtered, "--rounds", "1"]
        return words

    def codes(self):
        return {0, *(int(part[5:]) for part in self.parts() if part.startswith("exit "))}


def blocks(text):
    """The blocks of code of a page, in order."""
    for found in FENCE.finditer(text):
        before = text[:found.start()]
        file = FILE.search(before)
        yield Block(found["language"], found["text"], before.count("\n") + 1, file and file["path"],
                    file and file["anchor"], found["marker"] or "")


def tree(folder, *names):
    """A copy of these parts of the sources, with what Python has compiled of them."""
    copy = Path(folder, "tree")
    copy.mkdir()
    for name in names:
        if (ROOT / name).is_dir():
            # Python names a compiled file so until it is complete.
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


class Wrong(Exception):
    """The page says what does not work."""


def write(block, root):
    path = root / block.path
    if block.anchor is None:
        path.write_text(block.text)
        return
    lines = path.read_text().splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if block.anchor in line]
    if len(places) != 1:
        raise Wrong(f"{block.path} has {len(places)} lines with {block.anchor!r}")
    lines.insert(places[0], block.text)
    path.write_text("".join(lines))


def run(words, root, codes=(0,), timeout=400, **environment):
    done = subprocess.run(["bash", "-c", shlex.join(words)], cwd=root, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    if done.returncode not in codes:
        raise Wrong(f"{shlex.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def follow(page, root, until=None, **environment):
    """Does what a page says, to the end or to this heading. Returns the commands that ran, each
    with what it printed."""
    ran = []
    text = page.read_text()
    for block in blocks(text.partition(f"\n{until}\n")[0] if until else text):
        try:
            if block.path:
                write(block, root)
            for words, why in block.commands():
                if why is None:
                    ran.append((shlex.join(words), run(words, root, block.codes(), **environment)))
        except Wrong as wrong:
            raise Wrong(f"{page.name}:{block.line}: {wrong}") from None
    return ran
