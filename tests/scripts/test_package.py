#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/package: the source package is what is committed, and needs what scripts/setup installs.
A deep run builds the packages, and tries them in a fresh Debian."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import DEEP, ROOT

DEBIAN = ROOT / "scripts/lib/packages/debian"
# What each Debian has that builds packages, or what only a clone needs.
APART = {"gcc", "libc6-dev", "git"}


def run(*words, folder, code=0, **environment):
    done = subprocess.run([str(word) for word in words], cwd=folder, text=True, capture_output=True, timeout=3000,
                          env={**os.environ, **environment})
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def packages(field):
    """Those that the fields of this name list, without versions and substitutions."""
    listed = re.findall(rf"(?m)^{field}:((?:\n .*)+)", (DEBIAN / "control").read_text())
    return {re.split(r"[ (,]", line.strip())[0] for text in listed for line in text.splitlines() if line.strip() and "$" not in line}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A repository whose only commit has the files as they are here."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.clone = cls.folder / "clone"
        run("git", "init", "--quiet", cls.clone, folder=cls.folder)
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                                capture_output=True, text=True).stdout.rstrip("\0").split("\0")
        names = "\0".join(name for name in listed if not name.startswith("results/reference/simulated") and (ROOT / name).exists())
        tar = subprocess.run(["tar", "--create", "--null", "--exclude=records.jsonl", "--files-from=-"], cwd=ROOT, input=names.encode(),
                             check=True, capture_output=True)
        subprocess.run(["tar", "--extract"], cwd=cls.clone, input=tar.stdout, check=True)
        run("git", "add", "--all", folder=cls.clone)
        run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=all", folder=cls.clone)
        cls.commit = run("git", "rev-parse", "HEAD", folder=cls.clone).strip()

    def package(self, *words, **options):
        return run(self.clone / "scripts/package", *words, folder=self.folder, **options)

    def test_source(self):
        """It is unpacked to the committed files, and the same commit makes the same bytes."""
        for out, umask in (("first", 0o022), ("second", 0o077)):
            before = os.umask(umask)
            said = self.package("--source", "--out", out)
            os.umask(before)
        made = [{path.name: path.read_bytes() for path in (self.folder / out).iterdir() if path.is_file()} for out in ("first", "second")]
        self.assertEqual(sorted(path.rpartition(".")[2] for path in made[0]), ["dsc", "gz", "xz"])
        self.assertTrue(made[0] == made[1])
        for name in made[0]:
            self.assertIn(str(self.folder / "second" / name), said)
        source, = (name for name in made[0] if name.endswith(".dsc"))
        run("dpkg-source", "--extract", f"first/{source}", "sources", folder=self.folder)
        sources = self.folder / "sources"
        self.assertEqual((sources / ".revision").read_text(), f"{self.commit}\n")
        self.assertEqual((sources / "scripts/sweep").read_bytes(), (ROOT / "scripts/sweep").read_bytes())
        self.assertFalse((sources / "results/reference").exists())
        self.assertTrue(os.access(sources / "debian/rules", os.X_OK))
        parsed = run("dpkg-parsechangelog", folder=sources)
        self.assertRegex(parsed, rf"(?m)^Version: 0\.1\.0~git\d{{8}}\.\d{{6}}\.{self.commit[:12]}-1$")
        self.assertIn("THE SOFTWARE IS PROVIDED", (sources / "debian/copyright").read_text())
        # What it is built from is known without git, and in a folder of another repository.
        run("git", "init", "--quiet", folder=self.folder)
        (self.folder / "revision.h").write_text("")
        revision = sources / "benchmarks/harness/measure/revision.sh"
        run(revision, sources, "revision.h", folder=self.folder)
        self.assertIn(f'#define AL_REVISION "{self.commit[:12]}"', (self.folder / "revision.h").read_text())
        (sources / ".revision").unlink()
        run(revision, sources, "revision.h", folder=self.folder)
        self.assertIn('#define AL_REVISION "unknown"', (self.folder / "revision.h").read_text())

    def test_before(self):
        """What it made of another commit goes, and nothing else does."""
        out = self.folder / "used"
        out.mkdir()
        for name in ("libactorlab0_0.0-1_amd64.deb", "actorlab_notes.txt", "mine_actorlab_1.deb"):
            (out / name).touch()
        self.package("--source", "--out", "used")
        self.assertEqual({path.name for path in out.iterdir() if path.name.startswith(("lib", "mine", "actorlab_n"))},
                         {"actorlab_notes.txt", "mine_actorlab_1.deb"})

    def test_maker(self):
        self.package("--source", "--out", "own", DEBFULLNAME="Ada", DEBEMAIL="ada@example.org")
        text = next((self.folder / "own").glob("actorlab-*/debian/changelog")).read_text()
        self.assertIn(" -- Ada <ada@example.org>  ", text)

    def test_mistakes(self):
        self.assertEqual(self.package("--source", "--try", code=2), "scripts/package: --source builds no packages that --try could install\n")
        (self.folder / "file").touch()
        self.assertRegex(self.package("--source", "--out", "file/out", code=3), r"^.*/file/out: cannot write: Not a directory\n$")

    def test_needs(self):
        """The packages' lists and scripts/setup's say the same."""
        listed = set(run(ROOT / "scripts/setup", "--list", folder=ROOT).split())
        helpers = {"debhelper-compat", "dh-sequence-python3"}
        self.assertEqual((packages("Build-Depends") | packages("Depends")) - helpers - {"libactorlab0"}, listed - APART)

    def test_container(self):
        described = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())["build"]
        text = (ROOT / ".devcontainer" / described["dockerfile"]).read_text()
        copied, = re.findall(r"(?m)^COPY (\S+) ", text)
        self.assertTrue((ROOT / ".devcontainer" / described["context"] / copied).is_file())
        self.assertRegex(text, r"(?m)^RUN sh /tmp/setup --dev ")

    if DEEP and os.geteuid() == 0:
        def test_installed(self):
            said = self.package("--try", "--out", "tried")
            for name in ("quick-sweep", "stranger", "library"):
                self.assertRegex(said, rf"(?m)^{name} +PASS$")


if __name__ == "__main__":
    unittest.main()
