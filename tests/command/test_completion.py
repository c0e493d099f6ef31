#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Completion: what `actorlab completion` offers, and that bash, zsh and fish offer it.

AL_BUILD names the build folder."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build"))
SCRIPTS = ROOT / "benchmarks/harness/commands/completion"
ENVIRONMENT = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
# Lines as they are typed, and the words that are offered.
LINES = {
    "actorlab r": ["ratio", "results", "run"],
    "actorlab help co": ["compare", "completion", "conform"],
    "actorlab run --si": ["--size"],
    "actorlab run fib --size p": ["paper"],
    "actorlab run fib --size=p": ["--size=paper"],
    "actorlab run synth": ["synthetic"],
    "actorlab run executor --scheduler cus": ["custody"],
    "actorlab run executor --machine xeon-5": ["xeon-5220r-2s"],
    "actorlab run bystander --set bes": ["beside="],
    "actorlab run bystander --set beside=wa": ["beside=wait"],
    "actorlab run fib --scheduler deque --set pre": ["preset="],
}


def lines_of(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=ENVIRONMENT, **options)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stderr}")
    return sorted(done.stdout.split())


def offered(line):
    words = line.split(" ")[1:]
    return lines_of(["actorlab", "completion", "--", *words])


class Completion(unittest.TestCase):
    maxDiff = None

    def test_offered(self):
        for line, words in LINES.items():
            with self.subTest(line):
                self.assertEqual(offered(line), words)

    def test_complete(self):
        """All commands, workloads, strategies and options."""
        listing = json.loads(subprocess.run([BUILD / "actorlab", "list", "--json"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(offered("actorlab run "), sorted(entry["name"] for entry in listing["benchmarks"]))
        self.assertEqual(offered("actorlab run --scheduler "), sorted(entry["name"] for entry in listing["schedulers"]))
        usage = subprocess.run([BUILD / "actorlab", "--help"], capture_output=True, text=True, check=True).stdout
        commands = [line.split()[0] for line in usage.splitlines() if line.startswith("  ")]
        self.assertEqual(offered("actorlab "), sorted([*commands, "help", "--version"]))
        for command in commands:
            help_text = subprocess.run([BUILD / "actorlab", command, "--help"], capture_output=True, text=True, check=True).stdout
            options = {line.split()[0].partition("[")[0] for line in help_text.splitlines() if line.startswith("  --")}
            if command == "claims":  # another program, which has no tables
                options = set()
            self.assertEqual(set(offered(f"actorlab {command} --")), options, command)

    def test_nothing(self):
        """Where files, numbers or nothing known may stand."""
        for line in ("actorlab run fib --json ", "actorlab compare ", "actorlab nosuch ", "actorlab run fib --workers ",
                     "actorlab run fib --set nosuch", "actorlab run --size nosuch"):
            with self.subTest(line):
                self.assertEqual(offered(line), [])

    def test_bash(self):
        for line, words in LINES.items():
            with self.subTest(line):
                typed = line.rpartition(" ")[2]
                shown = [word.removeprefix(typed.rpartition("=")[0] + "=") for word in words]
                script = (f"source {shlex.quote(str(SCRIPTS / 'actorlab.bash'))}; compopt() {{ :; }}; COMP_LINE={shlex.quote(line)}; "
                          f"COMP_POINT=${{#COMP_LINE}}; _actorlab; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
                self.assertEqual(lines_of(["bash", "-c", script]), shown)

    def test_zsh(self):
        program = """
            compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
            _files() { print files }
            words=("${(@s: :)1}") CURRENT=${#words}
            source "$2"
        """
        for line, words in {**LINES, "actorlab compare x": ["files"]}.items():
            with self.subTest(line):
                self.assertEqual(lines_of(["zsh", "-fc", f"f() {{ {program} }}; f \"$@\"", "zsh", line, SCRIPTS / "_actorlab"]), words)

    def test_fish(self):
        for line, words in LINES.items():
            with self.subTest(line):
                script = f"source {shlex.quote(str(SCRIPTS / 'actorlab.fish'))}; complete -C {shlex.quote(line)}"
                with tempfile.TemporaryDirectory() as empty:  # it completes names of files, too
                    self.assertEqual(lines_of(["fish", "--no-config", "-c", script], cwd=empty), words)


class Installed(unittest.TestCase):
    def test_shells(self):
        """These tests need all of them."""
        self.assertEqual([shell for shell in ("bash", "zsh", "fish") if shutil.which(shell) is None], [])


if __name__ == "__main__":
    unittest.main()
