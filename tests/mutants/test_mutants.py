#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_mutants.py FOLDER [NAME…]: do the tests notice when the runtime is broken?

Each patch in FOLDER breaks the runtime in one place; README.md says what such a file looks like.
The test that it names is built with the patch applied to a copy, and must fail with the words that
the patch expects. A failure of the conformance suite must also happen again when the command that
it prints is run. Of a large folder each third mutant is tested, and the others must apply, unless
AL_TEST_DEEP=1."""

import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build")).resolve()
OUTPUT = Path("tests/mutants")  # in BUILD

# What is run of the virtual suite until something fails: AL_TEST_SUBSET and the number of seeds.
# Most mutants are found at once; the subset leaves out idle policies that are not a strategy's own,
# which a mutant may ask for by --case.
ROUNDS = (("1", 5), ("0", 5), ("1", 200), ("0", 200), ("0", 1000))

# Fewer mutants than FEW are all tested; of more, each EVERYth one.
FEW, EVERY = 50, 3

# How often another test is run until it fails and says what it should: where threads meet as they
# please, the same mistake can first show as a crash.
ATTEMPTS = 5

# How often a failure is replayed until it happens again. The virtual engine repeats it exactly;
# threads of the operating system meet as they please.
REPLAYS, REPLAYS_OF_THREADS = 1, 200


class Broken(Exception):
    """What is wrong with a mutant, or with the test that should have found it."""


class Mutant:
    def __init__(self, path):
        head, found, diff = path.read_text().partition("\n--- a/")
        fields = re.findall(r"^(Breaks|Found by|Says): (.+)$", head, re.MULTILINE)
        self.name = path.stem
        self.says = [text for key, text in fields if key == "Says"]
        fields = dict(fields)
        if not found or fields.keys() != {"Breaks", "Found by", "Says"}:
            raise Broken(f"{path.name}: wants the lines 'Breaks: …', 'Found by: …', 'Says: …', then a diff")
        self.test, _, self.arguments = fields["Found by"].partition(" ")
        self.file = diff.partition("\n")[0]
        self.hunks = re.split(r"^@@ .*\n", diff, flags=re.MULTILINE)[1:]
        self.program, self.folder = OUTPUT / self.name, OUTPUT / (self.name + ".copy")

    def build(self):
        """Build the test with the broken copy; only what includes the copy is compiled again."""
        # The patch may have been to another file.
        shutil.rmtree(BUILD / self.folder, ignore_errors=True)
        copy = BUILD / self.folder / self.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(self.broken())
        *commands, link = commands_of(self.test)
        objects = []
        for number, command in enumerate(commands):
            source, output = command[-1], command[command.index("-o") + 1]
            if self.file not in includes(os.path.relpath(BUILD / source, ROOT)) or not is_linked(self.test, output):
                continue
            broken = f"{self.folder}/{number}.o"
            if (BUILD / source).samefile(ROOT / self.file):
                source = str(self.folder / self.file)
            compiler = command[:command.index("-o")]
            first = next(i for i, word in enumerate(compiler) if word.startswith("-I"))
            # Compiling takes longer than the few tests until the mistake is found.
            run([*compiler[:first], f"-I{self.folder}", *compiler[first:], "-w", "-O0", "-o", broken, "-c", source])
            objects += [] if output in link else [broken]
            link = [broken if word == output else word for word in link]
        place = link.index("-o") + 2
        # Of what is there twice, since a library is linked whole, the linker takes the first.
        run([*link[:place - 1], str(self.program), "-Wl,-z,muldefs", *objects, *link[place:]])

    def broken(self):
        """The file with the mistake."""
        text = (ROOT / self.file).read_text()
        for hunk in self.hunks:
            lines = [line for line in hunk.splitlines(keepends=True) if line[0] in " +-"]
            old = "".join(line[1:] for line in lines if line[0] != "+")
            new = "".join(line[1:] for line in lines if line[0] != "-")
            if ("\n" + text).count("\n" + old) != 1:
                raise Broken(f"the patch no longer applies: {self.file} has {text.count(old)} times, wanted once: {old!r}")
            text = text.replace(old, new)
        return text

    def check(self):
        """Raise Broken unless the test fails as it should."""
        rounds = [("0", self.arguments)] * ATTEMPTS
        if self.test == "conformance-virtual":
            rounds = [(subset, f"{self.arguments} --seeds {n}") for subset, n in ROUNDS if not (self.arguments and int(subset))]
        silent = None  # what a failure printed that did not say what it should
        for subset, arguments in rounds:
            code, output = execute(f"{self.program} {arguments}", subset)
            # A case that passed says nothing of the mistake, whatever its name.
            if code != 0 and any(text in re.sub(r"(?m)^ok .*", "", output) for text in self.says):
                break
            silent = output if code != 0 else silent
        else:
            if silent is None:
                raise Broken(f"survived {self.test} {self.arguments}")
            raise Broken(f"the test failed, but did not say {' or '.join(self.says)}: …{silent[-300:]}")
        replay = re.search(r"replay: (.*)", output)
        if self.test.startswith("conformance") and not replay:
            raise Broken(f"the suite failed without a command to replay it: …{output[-300:]}")
        if not replay:
            return ""
        replays = REPLAYS_OF_THREADS if self.test == "conformance-native" else REPLAYS
        for _ in range(replays):
            again, _ = execute(replay[1], "0")
            if again == code:
                return replay[1]
        raise Broken(f"exit {code}, but {again} when replayed {replays} times: {replay[1]}")


def run(command):
    done = subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Broken(f"does not build: {shlex.join(command)}\n{done.stdout}")
    return done.stdout


def execute(command, subset):
    """The exit code and the output, with the name of the signal that ended the program."""
    # A race ends the program there, so that it is reported with its seed.
    environment = {"TSAN_OPTIONS": "halt_on_error=1:abort_on_error=1", **os.environ, "AL_TEST_SUBSET": subset}
    try:
        done = subprocess.run(f"exec {command}", shell=True, cwd=BUILD, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
    except subprocess.TimeoutExpired:
        raise Broken(f"does not end within 600 s: {command}") from None
    name = signal.Signals(-done.returncode).name if done.returncode < 0 else ""
    return done.returncode, f"{done.stdout}\n{name}"


@functools.cache
def commands_of(test):
    """How ninja compiles what a mutant of this test may replace, as lists of words; last how it
    links the test."""
    tests = json.loads((BUILD / "meson-info/intro-tests.json").read_text())
    programs = [entry["cmd"][0] for entry in tests if entry["name"] == test]
    if not programs:  # run by another test
        targets = json.loads((BUILD / "meson-info/intro-targets.json").read_text())
        programs = [entry["filename"][0] for entry in targets if entry["name"] == test and entry["type"] == "executable"]
    if not programs:
        raise Broken(f"there is no test or program '{test}' in this build")
    commands = [shlex.split(line) for line in
                run(["ninja", "-t", "commands", os.path.relpath(programs[0], BUILD)]).splitlines()]
    # The suite's own cases are as they are: a mistake is in what they test.
    return [words for words in commands[:-1] if "-c" in words and "conformance-cases" not in shlex.join(words)] + commands[-1:]


@functools.cache
def linked(test):
    """What the linker says of each file that it takes for a test."""
    link = commands_of(test)[-1]
    place = link.index("-o") + 1
    return run([*link[:place], str(OUTPUT / "linked"), "-Wl,--trace", *link[place + 1:]])


def is_linked(test, output):
    """Whether a test has this object, if only from a library. Others would need more of them."""
    return re.search(rf"(?<![\w.]){re.escape(os.path.basename(output))}\b", linked(test)) is not None


@functools.cache
def includes(path):
    """The sources that a source is made of: itself and what it includes, each by its path from the
    root."""
    if not (ROOT / path).exists():
        return {path}
    named = re.findall(r'^#include "(.*)"', (ROOT / path).read_text(), re.MULTILINE)
    return {path}.union(*(includes(name) for name in named))


def main():
    folder, *names = sys.argv[1:]
    paths = [path for path in sorted(Path(folder).glob("*.patch")) if not names or path.stem in names]
    print(f"1..{len(paths)}")
    failed, every = 0, 1 if names or os.environ.get("AL_TEST_DEEP") == "1" or len(paths) < FEW else EVERY
    for number, path in enumerate(paths, 1):
        problem = None
        try:
            mutant = Mutant(path)
            if number % every == 0:
                mutant.build()
                print("#", mutant.check())
            else:
                mutant.broken()
                print("# applies")
        except Broken as broken:
            problem = broken
        failed += problem is not None
        print(f"{'not ' if problem else ''}ok {number} - {path.stem}{f': {problem}' if problem else ''}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
