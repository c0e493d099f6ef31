#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Machines that mix kinds of cores (P and E cores): `topo` and `env` name them, pin policies keep
to one, records hold each worker's kind, and a mix is marked.

AL_BUILD names the build folder."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts/lib")]
from results.marks import caption_note, mark, sentences
from support import ACTORLAB, SIMULATOR

KINDS = ROOT / "tests/topologies/two-kinds.xml"  # two P cores with two PUs each, then four E cores


def actorlab(*words, **more):
    done = subprocess.run([ACTORLAB, *map(str, words)], capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, done
    return done.stdout


class Kinds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def machine(self, kinds):
        """A machine to simulate, with these kinds of cores."""
        text = (ROOT / "tests/machines/two-sockets.xml").read_text()
        path = self.folder / "mixed.xml"
        path.write_text(text.replace("</topology>", kinds + "</topology>"))
        return path

    def test_topo(self):
        order = json.loads(actorlab("topo", "--json", "--topology", KINDS))["order"]
        self.assertEqual([(place["pu"], place["kind"]) for place in order],
                         [(0, "IntelCore"), (2, "IntelCore"), *((pu, "IntelAtom") for pu in (4, 5, 6, 7)),
                          (1, "IntelCore"), (3, "IntelCore")])
        rows = [line.split() for line in actorlab("topo", "--topology", KINDS).splitlines()]
        self.assertEqual([row[-1] for row in rows if len(row) == 7 and row[0].isdigit()],
                         [place["kind"] for place in order])
        plain = json.loads(actorlab("topo", "--json", "--topology", "core:2 pu:1"))["order"]
        self.assertEqual([place["kind"] for place in plain], [None, None])
        self.assertNotIn("kind", actorlab("topo", "--topology", "core:2 pu:1"))

    def test_pins(self):
        for policy, pus in (("fast", [0, 2, 1, 3]), ("slow", [4, 5, 6, 7])):
            order = json.loads(actorlab("topo", "--json", "--topology", KINDS, "--pin", policy))["order"]
            self.assertEqual([place["pu"] for place in order], pus, policy)
            self.assertEqual(len({place["kind"] for place in order}), 1)
            self.assertIn(policy, json.loads(actorlab("list", "--json"))["pin"])

    def test_absent_kinds(self):
        """A file may name kinds whose PUs its machine lacks; they count for nothing."""
        absent = ('<cpukind cpuset="0xff0000" forced_efficiency="{}"><info name="CoreType" value="Absent"/></cpukind>')
        slow, fast = ('<cpukind cpuset="0x00ff" forced_efficiency="2"/>', '<cpukind cpuset="0xff00" forced_efficiency="3"/>')
        for efficiency, policy in ((1, "slow"), (4, "fast")):
            machine = self.machine(slow + absent.format(efficiency))
            self.assertNotIn("Absent", actorlab("topo", "--topology", machine))
            order = json.loads(actorlab("topo", "--json", "--topology", machine, "--pin", policy))["order"]
            self.assertEqual([place["kind"] for place in order], [None] * 16)
            actorlab("run", "repeat", "--size", "small", "--topology", machine, "--pin", policy, "--workers", 1)
            machine = self.machine(slow + fast + absent.format(efficiency))
            order = json.loads(actorlab("topo", "--json", "--topology", machine, "--pin", policy))["order"]
            kind, first = {"slow": ("kind 0", 0), "fast": ("kind 1", 8)}[policy]
            self.assertEqual({place["kind"] for place in order}, {kind})
            self.assertEqual({place["pu"] for place in order}, set(range(first, first + 8)))

    def test_docs(self):
        """The reference defines each policy."""
        text = (ROOT / "docs/reference/sweeps.md").read_text()
        _, _, section = text.partition("## Pin policies\n")
        defined = re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.M)
        self.assertEqual(defined, [*json.loads(actorlab("list", "--json"))["pin"], "0,2,4-7"])

    def test_env(self):
        said = actorlab("env", env=os.environ | {"HWLOC_XMLFILE": str(KINDS)})
        self.assertRegex(said, r"topology +1 node, 6 cores, 8 usable PUs: 4 of IntelCore, 4 of IntelAtom +note\n"
                               " +cores of several kinds: --pin fast or slow keeps to one\n")

    @unittest.skipUnless(SIMULATOR, "no simulator in this build")
    def test_records(self):
        """Two kinds, the second package's cores being slow."""
        machine = self.machine('<cpukind cpuset="0x00ff" forced_efficiency="1"/>'
                               '<cpukind cpuset="0xff00" forced_efficiency="0"/>')
        records = self.folder / "records.jsonl"
        for workers, pin in ((2, "close"), (2, "spread"), (6, "close"), (2, "slow")):
            actorlab("run", "repeat", "--size", "small", "--engine", "sim", "--machine", machine,
                     "--workers", workers, "--pin", pin, "--json", records)
        kinds = [json.loads(line)["kinds"] for line in records.read_text().splitlines()]
        self.assertEqual(kinds, [["kind 1"] * 2, ["kind 1", "kind 0"], ["kind 1"] * 4 + ["kind 0"] * 2,
                                 ["kind 0"] * 2])
        cells = [cell for machine in json.loads(actorlab("results", "--json", records))["machines"]
                 for cell in machine["cells"]]
        self.assertEqual({(cell["workers"], cell["pin"]): cell["mixed_kinds"] for cell in cells},
                         {(2, "close"): False, (2, "spread"): True, (6, "close"): True, (2, "slow"): False})
        text = actorlab("results", records)
        self.assertEqual(sorted(re.findall(r"(?m)^repeat .*? ([26]\+?)°? ", text)), ["2+", "6+"], text)
        self.assertIn("\n+ workers on cores of several kinds\n", text)
        text = actorlab("compare", records, "--against", "pin=close")
        self.assertIn("\n+ workers on cores of several kinds\n", text)
        self.assertEqual([mark(cell) for cell in cells if cell["pin"] == "spread"], ["+"])
        self.assertIn(" +: workers on cores of several kinds.", sentences(cells))
        self.assertIn(" Workers are on cores of several kinds with 2, 6 workers.", caption_note(cells))
        self.assertNotIn("kinds", caption_note([cell for cell in cells if not cell["mixed_kinds"]]))

    @unittest.skipUnless(SIMULATOR, "no simulator in this build")
    def test_one_kind(self):
        record = json.loads(actorlab("run", "repeat", "--size", "small", "--engine", "sim", "--workers", 2,
                                     "--machine", "xeon-5220r-2s", "--json", "-"))
        self.assertIsNone(record["kinds"])

    def test_unranked(self):
        """Without efficiency, frequency or type nothing says which kind is fast."""
        machine = self.machine('<cpukind cpuset="0x00ff"><info name="Colour" value="red"/></cpukind>'
                               '<cpukind cpuset="0xff00"><info name="Colour" value="blue"/></cpukind>')
        done = subprocess.run([ACTORLAB, "topo", "--topology", machine, "--pin", "fast"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "actorlab topo: pin policy 'fast': hwloc does not know which of the 2 kinds of cores "
                             f"of {machine} is the fastest; valid: a list of PUs\n"))
        said = actorlab("env", env=os.environ | {"HWLOC_XMLFILE": str(machine)})
        self.assertIn(" cores of several kinds: --pin with a list of PUs keeps to one\n", said)


if __name__ == "__main__":
    unittest.main()
