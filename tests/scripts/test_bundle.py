#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/bundle: an archive that can be read, repeated and cited, and always has the same bytes.

AL_BUILD names the build folder."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

from results.records import superseded
from sweep import sources

QUICK = ROOT / "results" / "reference" / "quick"
RECORDS = [json.loads(line) for line in (QUICK / "records.jsonl").read_text().splitlines()]
TRIALS = len(RECORDS) - len(superseded(RECORDS))


class Bundle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.results = self.folder / "results" / "quick"
        shutil.copytree(QUICK, self.results)

    def bundle(self, *arguments, code=0, said=""):
        done = subprocess.run([ROOT / "scripts" / "bundle", *arguments], capture_output=True,
                              text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1 if code else 0),
                         done.stderr)
        self.assertIn(said, done.stderr)
        return done.stdout

    def unpack(self, path):
        into = self.folder / "unpacked"
        with tarfile.open(path) as tar:
            names = tar.getnames()
            tar.extractall(into)
        return into, names

    def test_round_trip(self):
        (self.results / ".lock").write_text("1")
        (self.results / "more").mkdir()
        (self.results / "more" / "a.svg").write_text("<svg/>")
        self.assertEqual(self.bundle("results/quick"), "quick.tar.gz\n")
        into, names = self.unpack(self.folder / "quick.tar.gz")
        self.assertEqual(names, sorted(names))
        copied = {f"quick/results/quick/{path.name}" for path in QUICK.iterdir()}
        self.assertEqual(sorted(set(names) - copied), [
            "quick/CITATION.cff", "quick/README.md", "quick/citation.bib", "quick/environment.json",
            "quick/results/quick/more/a.svg"])
        unpacked = into / "quick" / "results" / "quick"
        for path in QUICK.iterdir():
            self.assertEqual((unpacked / path.name).read_bytes(), path.read_bytes())
        answers = [json.loads(subprocess.run([ACTORLAB, "results", path, "--json"],
                                             stdout=subprocess.PIPE, check=True).stdout)
                   for path in (QUICK, unpacked)]
        for answer in answers:
            del answer["sources"]
        self.assertEqual(*answers)

    def test_same_bytes(self):
        """Whenever, in whatever order and by whomever the files were written."""
        self.bundle("results/quick")
        first = (self.folder / "quick.tar.gz").read_bytes()
        other = self.folder / "elsewhere" / "quick"
        other.mkdir(parents=True)
        for path in sorted(QUICK.iterdir(), reverse=True):
            shutil.copyfile(path, other / path.name)
            os.utime(other / path.name, (0, 0))
        other.joinpath("config.toml").chmod(0o600)
        self.bundle(other, "--out", "again.tar.gz")
        self.assertEqual((self.folder / "again.tar.gz").read_bytes(), first)

    def test_description(self):
        records = (self.results / "records.jsonl").read_text().splitlines()
        environment = json.loads(records[0])["environment"]
        (self.results / "sweep.json").write_text('{"quick": true, "seed": 7, "filter": "a b"}')
        self.bundle("results/quick", "--author", "Ada Lovelace", "--author", "B & Söhne",
                    "--title", 'All: "quick" {x}')
        into = self.unpack(self.folder / "quick.tar.gz")[0] / "quick"
        readme = (into / "README.md").read_text()
        revision = environment["revision"].removesuffix("-dirty")
        for said in (f"{TRIALS} trials from 2026-", f"  - cpu: {environment['cpu']}\n",
                     f"git checkout {revision}\n",
                     f"  - binary_hash: {environment['binary_hash']}\n",
                     "    scripts/sweep results/quick/config.toml --quick --seed=7 --filter='a b' "
                     "--results results/quick-again\n", "    build/actorlab results results/quick\n"):
            self.assertIn(said, readme)
        citation = (into / "CITATION.cff").read_text()
        self.assertIn('\ntitle: "All: \\"quick\\" {x}"\nauthors:\n  - name: "Ada Lovelace"\n'
                      '  - name: "B & Söhne"\n', citation)
        self.assertRegex(citation, r"\ndate-released: \d{4}-\d\d-\d\d\n$")
        bibtex = (into / "citation.bib").read_text()
        self.assertIn("  author = {{Ada Lovelace} and {B \\& Söhne}},\n", bibtex)
        self.assertIn("  title = {{All: \"quick\" \\{x\\}}},\n", bibtex)
        machine, = json.loads((into / "environment.json").read_text())
        self.assertIn(environment["cpu"], json.dumps(machine))

    def test_changes(self):
        """A sweep of changed sources keeps the changes, and the bundle says how to apply them."""
        tree, git = self.folder / "tree", ("git", "-c", "user.name=a", "-c", "user.email=a@b.c")
        (tree / "core").mkdir(parents=True)
        for name, text in (("core/a.c", "1\n"), ("README.md", "1\n"), (".gitignore", "*.o\n")):
            (tree / name).write_text(text)
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"]):
            subprocess.run([*git, *words], cwd=tree, check=True)
        revision = subprocess.run([*git, "describe", "--always", "--abbrev=12"], cwd=tree, capture_output=True, text=True).stdout.strip()
        said, kept = [], {}
        keep = types.SimpleNamespace(keep_copy=kept.__setitem__)
        sources.keep(keep, revision, said.append, tree)
        self.assertEqual((said, kept), ([], {}))
        changed = {"core/a.c": b"2\n", "core/new.c": b"3\n\xff\0", "core/b.o": b"4", "README.md": b"5\n"}
        for name, content in changed.items():
            (tree / name).write_bytes(content)
        staged = partial(subprocess.run, [*git, "ls-files", "--stage"], cwd=tree, capture_output=True, check=True)
        before = staged().stdout
        sources.keep(keep, f"{revision}-dirty", said.append, tree)
        (name, changes), = kept.items()
        self.assertEqual(staged().stdout, before)
        self.assertEqual(said, [f"note: the sources have uncommitted changes, kept in {name}"])
        (self.results / name).write_bytes(changes)
        records = (self.results / "records.jsonl").read_text().splitlines()
        record = json.loads(records[0])
        record["environment"]["revision"] = f"{revision}-dirty"
        (self.results / "records.jsonl").write_text(json.dumps(record) + "\n")
        self.bundle("results/quick")
        into = self.unpack(self.folder / "quick.tar.gz")[0] / "quick"
        readme = (into / "README.md").read_text()
        self.assertIn(f"    git checkout {revision}\n    git apply results/quick/{name}\n    scripts/setup\n", readme)
        subprocess.run([*git, "clone", "-q", tree, into / "clone"], check=True)
        subprocess.run([*git, "apply", into / "results" / "quick" / name], cwd=into / "clone", check=True)
        self.assertEqual([(into / "clone" / path).read_bytes() for path in ("core/a.c", "core/new.c", "README.md")],
                         [b"2\n", b"3\n\xff\0", b"1\n"])
        self.assertFalse((into / "clone/core/b.o").exists())
        (tree / "core/large.c").write_bytes(os.urandom(2 << 20))
        for told, expected in ((f"{revision}-dirty", "of 2 MiB, which are not kept; valid: up to 1 MiB"),
                               ("0123-dirty", "which are not at hand")):
            sources.keep(keep, told, said.append, tree)
            self.assertIn(expected, said[-1])
        self.assertEqual(len(kept), 1)

    def test_several(self):
        """Folders lie side by side; one without a configuration says so."""
        shutil.copytree(QUICK.parent / "batching", self.folder / "slow")
        (self.folder / "slow" / "config.toml").unlink()
        self.assertEqual(self.bundle("results/quick", "slow"), "actorlab-bundle.tar.gz\n")
        into, names = self.unpack(self.folder / "actorlab-bundle.tar.gz")
        self.assertIn("actorlab-bundle/results/slow/records.jsonl", names)
        readme = (into / "actorlab-bundle" / "README.md").read_text()
        self.assertIn("# results/slow has no config.toml", readme)

    def test_times(self):
        """Records may say none, or anything."""
        path = self.results / "records.jsonl"
        record = json.loads(path.read_text().splitlines()[0])
        for started, said in ((None, "- 1 trial\n"),
                              ("\x1b[2J\n# x", "- 1 trial from \\x1b[2J\\x0a# x to ")):
            path.write_text(json.dumps(record | {"started_at": started}) + "\n")
            self.bundle("results/quick")
            into = self.unpack(self.folder / "quick.tar.gz")[0] / "quick"
            self.assertIn(said, (into / "README.md").read_text())

    def test_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.bundle(empty, code=2, said=f"{empty}: no records.jsonl in it")
        self.bundle("absent", code=2, said="absent: no records.jsonl in it")
        (empty / "records.jsonl").touch()
        self.bundle(empty, code=2, said=f"{empty}: no line is a record")
        self.bundle("results/quick", QUICK, code=2, said="both are called quick")
        for out, code, said in (("results/quick/x", 2, "inside results/quick"),
                                ("absent/x", 3, "absent/x: cannot write")):
            self.bundle("results/quick", "--out", out, code=code, said=said)
        for text in ("nothing", "[1]", "5", "null", "[" * 100_000):
            (self.results / "sweep.json").write_text(text)
            self.bundle("results/quick", code=2, said="sweep.json: not written by scripts/sweep")
        (self.results / "sweep.json").unlink()
        (self.results / "unreadable").symlink_to("/proc/self/mem")
        self.bundle("results/quick", code=2, said="unreadable: a link to /proc/")
        (self.results / "unreadable").unlink()
        with open(self.results / "records.jsonl", "a", encoding="utf-8") as file:
            file.write("{}\n")
        self.assertEqual(self.bundle("results/quick", code=1, said=f"jsonl:{len(RECORDS) + 1}: not a record"),
                         "quick.tar.gz\n")


if __name__ == "__main__":
    unittest.main()
