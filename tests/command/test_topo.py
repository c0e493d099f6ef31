#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The order of workers as JSON and as a picture.

AL_BUILD names the build folder."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build")).absolute()
MACHINE = ["--topology", "package:2 l3:1 core:2 pu:2"]


def topo(*arguments, **options):
    return subprocess.run([BUILD / "actorlab", "topo", *arguments], capture_output=True, text=True, timeout=60, **options)


class Topo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.svg = Path(folder.name) / "machine.svg"

    def test_json(self):
        said = json.loads(topo("--json", *MACHINE, "--pin", "spread").stdout)
        self.assertEqual([said[key] for key in ("topology", "pin", "pus")], [MACHINE[1], "spread", 8])
        self.assertRegex(said["topology_hash"], "^[0-9a-f]{16}$")
        self.assertEqual([tuple(worker.values())[:6] for worker in said["order"]], [
            # worker, PU, core, L3, node, package
            (0, 0, 0, 0, 0, 0), (1, 4, 2, 1, 0, 1), (2, 2, 1, 0, 0, 0), (3, 6, 3, 1, 0, 1),
            (4, 1, 0, 0, 0, 0), (5, 5, 2, 1, 0, 1), (6, 3, 1, 0, 0, 0), (7, 7, 3, 1, 0, 1)])
        self.assertEqual(list(said["order"][0]), ["worker", "pu", "core", "l3", "node", "package", "kind"])
        order = json.loads(topo("--json", "--topology", "numa:4 core:2 pu:1", "--pin", "5,0").stdout)["order"]
        self.assertEqual([(worker["core"], worker["node"]) for worker in order], [(5, 2), (0, 0)])
        self.assertEqual(json.loads(topo("--json", "--topology", "core:1 pu:2").stdout)["order"][1]["l3"], None)

    def test_same_as_text(self):
        for arguments in ([], MACHINE, ["--topology", "numa:4 core:2 pu:1", "--pin", "5,0"]):
            rows = [line.split() for line in topo(*arguments).stdout.splitlines() if re.match(r" +[0-9]+ +[0-9]+ ", line)]
            order = json.loads(topo("--json", *arguments).stdout)["order"]
            self.assertEqual([["-" if value is None else str(value) for value in list(worker.values())[:6]]
                              for worker in order], rows)

    def test_svg(self):
        """Every PU is called by its worker; one that no worker takes is not."""
        done = topo("--svg", self.svg, *MACHINE, "--pin", "6,0,1")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        texts = {(node.get("id") or ""): node.text for node in xml.etree.ElementTree.parse(self.svg).iter()
                 if node.tag.endswith("text")}
        self.assertEqual([texts[f"PU_{pu}_text"].rpartition(" ")[0] for pu in range(8)],
                         ["worker 1", "worker 2", "PU", "PU", "PU", "PU", "worker 0", "PU"])
        self.assertIn("policy 6,0,1.", "".join(filter(None, texts.values())))
        self.assertEqual(topo("--svg", self.svg).returncode, 0)  # of this machine, over the other

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one usable PU")
    def test_not_allowed(self):
        """A PU that the affinity mask excludes is told from one that the machine lacks."""
        first, *others = sorted(os.sched_getaffinity(0))
        for pu, why in ((others[0], "this process may not use, by its affinity mask or cgroup"),
                        (999999, "this machine does not have")):
            done = topo("--pin", str(pu), preexec_fn=lambda: os.sched_setaffinity(0, {first}))
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"actorlab topo: pin policy '{pu}' names PU {pu}, which {why}; valid: {first}\n"))

    def test_view_box(self):
        """Four numbers, as SVG wants them, that are the picture's size; renderers other than
        browsers insist."""
        for arguments in ([], MACHINE, ["--topology", "numa:8 core:16 pu:2"]):
            self.assertEqual(topo("--svg", self.svg, *arguments).returncode, 0)
            root = xml.etree.ElementTree.parse(self.svg).getroot()
            left, top, width, height = map(float, root.get("viewBox").split())
            self.assertEqual((left, top, root.get("width"), root.get("height")), (0, 0, f"{width:g}px", f"{height:g}px"))
            self.assertTrue(width > 100 and height > 100)

    def test_mistakes(self):
        for arguments, code, said in (
                (["--svg"], 2, "no value after '--svg'"), (["--json", "--svg", "x"], 2, "one of them"),
                (["--jsn"], 2, "unknown option '--jsn'; did you mean '--json'?; valid: --topology, --pin, --json, --svg, --help"),
                (["--json", "--pin", "0,4999"], 2, "names PU 4999"), (["--svg", self.svg, "--pin", "0,4999"], 2, "names PU 4999"),
                (["--svg", "/dev/full"], 3, "No space left"), (["--svg", self.svg / "x"], 3, "No such file")):
            with self.subTest(arguments=arguments):
                done = topo(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (code, "", 1), done.stderr)
                self.assertIn(said, done.stderr)
        done = topo("--svg", self.svg, env={"PATH": "/nonexistent"})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("package is hwloc", done.stderr)
        self.assertFalse(self.svg.exists())


if __name__ == "__main__":
    unittest.main()
