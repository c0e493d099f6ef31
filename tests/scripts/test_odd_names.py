#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Names that look like options when they become arguments of another program, and programs whose
exit codes must not be lost."""

import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.sweeping import SMALL, Bench

from common import actorlab
from report import reproduction


class Dashes(Bench):
    def setUp(self):
        super().setUp()
        (self.folder / "c.toml").write_text(SMALL.replace("invocations = 2", "invocations = 1"))
        (self.folder / "real-compare").write_text("yes")

    def script(self, name, *words, code=0):
        environment = self.environment if name == "sweep" else {**self.environment, "AL_ACTORLAB": str(ACTORLAB)}
        done = subprocess.run([ROOT / "scripts" / name, *words], cwd=self.folder, env=environment, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_folder(self):
        """A folder called -rf is one like any other."""
        self.assertIn("\nalpha", self.script("sweep", "--no-plot", "--results=-rf", "c.toml"))
        self.assertIn("alpha", self.script("sweep", "--no-plot", "--from=-rf"))
        self.assertEqual(self.script("report", "--", "-rf"), "-rf/report.html\n")
        self.assertIn("-rf/scaling.png\n", self.script("plot", "--kind", "scaling", "--format", "png", "--", "-rf"))
        self.assertEqual(self.script("bundle", "--", "-rf"), "-rf.tar.gz\n")
        text = (self.folder / "-rf" / "report.html").read_text()
        self.assertIn("scripts/sweep ./-rf.toml", text)

    def test_comparison_fails(self):
        """Its exit code is the sweep's."""
        self.script("sweep", "--no-plot", "--results=-rf", "c.toml")
        (self.folder / "fails").write_text("no")
        fake = (ROOT / "tests" / "support" / "fake_actorlab.py").read_text().replace('elif command == "compare" and', 'elif command == "compare":\n    sys.exit(2)\nelif')
        self.fake.write_text(fake)
        self.script("sweep", "--no-plot", "--from=-rf", code=2)


class Words(unittest.TestCase):
    def test_paths_alone(self):
        self.assertEqual(actorlab.words("-x", Path("-"), Path("-a/b"), Path("/-a"), 3), ["-x", "./-", "./-a/b", "/-a", "3"])

    def test_killed(self):
        self.assertEqual([actorlab.status(code) for code in (0, 3, -9)], [0, 3, 137])

    def test_choices(self):
        """A pattern may begin with a dash."""
        self.assertEqual(reproduction.given({"filter": "-x y", "seed": 0}), ["--seed=0", "--filter='-x y'"])


if __name__ == "__main__":
    unittest.main()
