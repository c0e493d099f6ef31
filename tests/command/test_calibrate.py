#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calibrating: a simulated machine has the parameters of its file, measured back; this machine gets
a file that the simulator can use.

AL_BUILD names the build folder. AL_TEST_DEEP=1: one more machine."""

import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import BUILD, DEEP

CACHES = "l2:2(size=524288) l1d:1(size=32768) core:1"
TWO_PACKAGES = f"package:2 [numa] l3:2(size=4194304) {CACHES} pu:1"
ONE_L3 = "package:1 [numa] l3:1(size=8388608) l2:8(size=524288) l1d:1(size=32768) core:1 pu:1"
SIBLINGS = ONE_L3.replace("l2:8", "l2:2").replace("pu:1", "pu:2")
# Where hand-offs are measured: class -> ns.
HANDOFFS = {"handoff.l3": 25, "handoff.package": 110, "handoff.machine": 250, "handoff.away": 130}
PARAMETERS = {
    "access": "0 ns", "instruction": "0.05 ns", "l1.hit": "1.6 ns", "l2.hit": "4 ns", "l3.hit": "15 ns", "memory.node": "90 ns",
    "memory.machine": "150 ns",
    **{key: f"{ns} ns" for key, ns in HANDOFFS.items()},
    "read": "90 %", "invalidate": "80 %", "line.busy": "6 ns", "line.kept": "60 %", "stream": "30 %", "overlap": "40 %",
    "store.buffer": "40 entries", "locked": "6 ns", "locked.amid": "3 ns", "fence": "7 ns", "pause": "30 ns", "yield": "400 ns", "clock": "22 ns",
    "counter": "9 ns", "frequency": "2500 MHz", "sleep.slack": "52000 ns", "park": "900 ns", "wake": "1200 ns",
    "park.refused": "400 ns", "wake.nobody": "300 ns", "wake.latency": "6000 ns", "thread.start": "9000 ns", "switch": "1100 ns",
    "idle.poll": "30000 ns", "wake.halted": "4000 ns", "wake.halted.latency": "20000 ns",
    "slice": "3000000 ns", "page.fault": "900 ns", "malloc": "8 ns", "free": "6 ns", "malloc.flush": "5 ns",
    "cores.all": "80 %", "memory.bandwidth": "6 GB/s",
}
# What one package has no use for.
OF_TWO = {"memory.machine", "handoff.package", "handoff.machine", "handoff.away"}


def actorlab(*arguments):
    return subprocess.run([BUILD / "actorlab", *arguments], capture_output=True, text=True, timeout=280)


def calibrate(*arguments):
    return actorlab("calibrate", *arguments)


def simulated(machine):
    """Once each, since all runs are alike."""
    return calibrate("--engine", "sim", "--machine", machine, "--repeats", "1")


def number(text):
    return float(text.split()[0])


class Calibrate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def machine(self, changes=None, topology=TWO_PACKAGES):
        """A machine file with these parameters; None: without this one."""
        path = self.folder / "machine.xml"
        parameters = {key: text for key, text in (PARAMETERS | (changes or {})).items() if text}
        xml = subprocess.run(["lstopo-no-graphics", "-i", topology, "--of", "xml"], capture_output=True, check=True).stdout
        tree = ElementTree.ElementTree(ElementTree.fromstring(xml))
        whole = tree.getroot().find("object")
        for at, (key, text) in enumerate(parameters.items()):
            value, unit = text.split()
            whole.insert(at, ElementTree.Element("info", name=f"actorlab.{key}",
                                                 value=f"{value} {unit} [{value}, {value}] estimated: a test"))
        text = ElementTree.tostring(tree.getroot(), encoding="unicode")
        path.write_text(f'<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n{text}')
        return path

    def measured(self, done):
        """What a comparison shows: parameter -> (of the file, measured, ratio)."""
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        return {row[0]: (row[1], row[2], row[4]) for row in rows}

    def check(self, parameters, done, without=("line.busy",), differs=None):
        """The parameters are measured back, except for these."""
        self.assertEqual(done.returncode, 1 if differs else 0, done.stdout)
        self.assertRegex(done.stderr, r"^actorlab calibrate: 1 parameter differs from \S+ by more than 10%\n$" if differs else "^$")
        rows = self.measured(done)
        self.assertEqual(set(rows), set(parameters))
        for key, (of_file, found, ratio) in rows.items():
            with self.subTest(parameter=key):
                self.assertAlmostEqual(float(of_file), number(parameters[key]), delta=0.005 * number(parameters[key]))
                if key in (*without, "access"):  # estimated
                    self.assertEqual((found, ratio), ("-", "-"))
                elif key != differs:
                    self.assertAlmostEqual(float(found) / number(parameters[key]), 1, delta=0.1)
                    self.assertAlmostEqual(float(ratio), float(found) / float(of_file), delta=0.01)

    @unittest.skipUnless(DEEP, "--deep: 50 s, for what test_two_packages has as well but for line.busy")
    def test_one_l3(self):
        """Several readers, which share an L3."""
        changes = dict.fromkeys(OF_TWO)
        parameters = {key: text for key, text in PARAMETERS.items() if key not in OF_TWO}
        # A store buffer that does not fill while a line comes from a near core is not found out.
        done = simulated(self.machine(changes, ONE_L3))
        self.check(parameters, done, without=())

    def test_siblings(self):
        """Two busy PUs of a core, whose hand-offs take no longer than the instruction. The clock is
        that of one core alone, by which line.kept counts additions. A parameter
        that the simulator cannot have, since other steps take longer, is named."""
        changes = dict.fromkeys(OF_TWO) | {"smt": "70 %", "cores.all": "100 %", "memory.bandwidth": "3 GB/s", "handoff.core": "5 ns", "wake.latency": "0.001 ns"}
        parameters = {key: text for key, text in (PARAMETERS | changes).items() if text}
        done = simulated(self.machine(changes, SIBLINGS))
        self.check(parameters, done, differs="wake.latency")
        self.assertEqual(re.findall(r"(?m)^(\S+) .* beyond 10%$", done.stdout), ["wake.latency"])

    def test_one_pu(self):
        """What needs two PUs is not measured."""
        without = {"read", "invalidate", "line.busy", "line.kept", "stream", "overlap", "store.buffer", "wake", "wake.latency",
                   "idle.poll", "wake.halted", "wake.halted.latency", "memory.bandwidth"}
        changes = dict.fromkeys([*OF_TWO, "handoff.l3", "cores.all"])
        parameters = {key: text for key, text in PARAMETERS.items() if key not in changes}
        done = simulated(self.machine(changes, ONE_L3.replace("l2:8", "l2:1")))
        self.check(parameters, done, without=without)

    def test_two_packages(self):
        """Their parameters are none that the other machines have."""
        changes = {key: f"{number(text) * factor:g} {text.split()[1]}" for factor, (key, text) in
                   zip(PARAMETERS_FACTORS, PARAMETERS.items()) if key not in ("overlap", "store.buffer", "line.busy")}
        changes["memory.bandwidth"] = "4 GB/s"  # less than what its four cores ask for
        self.check(PARAMETERS | changes, simulated(self.machine(changes)))

    def test_native(self):
        """The file of this machine can be simulated."""
        path = self.folder / "here.xml"
        done = calibrate("--gate", "off", "--repeats", "3", "--rounds", "1", "--out", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
        root = ElementTree.parse(path).getroot().find("object")
        infos = {info.get("name").removeprefix("actorlab."): info.get("value") for info in root.iter("info")
                 if info.get("name").startswith("actorlab.")}
        self.assertIn("PU", infos.pop("title"))
        self.assertEqual(set(infos), set(rows) & set(infos))
        for key, text in infos.items():
            with self.subTest(parameter=key):
                value, low, high = map(float, re.match(r"(\S+) \S+ \[(\S+), (\S+)\] (measured|estimated): ", text).groups()[:3])
                self.assertTrue(low <= value <= high, text)
                self.assertAlmostEqual(float(rows[key][0]), value, delta=0.001 * value)
        self.assertTrue(100 < number(infos["frequency"]) < 10000, infos["frequency"])
        self.assertIn("fitted to send-static", infos["instruction"])
        ran = actorlab("run", "send-static", "--size", "small", "--engine", "sim", "--machine", path, "--workers", "1")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_mistakes(self):
        bare = self.folder / "bare.xml"
        bare.write_bytes(subprocess.run(["lstopo-no-graphics", "-i", "core:2 pu:1", "--of", "xml"], capture_output=True).stdout)
        machine = self.machine()
        for arguments, code, said in (
                (["--engine", "sim"], 2, "--engine sim without --machine; valid: both or neither"),
                (["--machine", machine], 2, "--machine without --engine sim; valid: both or neither"),
                (["--engine", "sim", "--machine", machine, "--out", "x"], 2, "--out with --engine sim"),
                (["--engine", "sim", "--machine", machine, "--rounds", "2"], 2, "--rounds with --engine sim"),
                (["--engine", "sim", "--machine", bare], 2, "it has no latencies"),
                (["--engine", "sim", "--machine", self.folder / "none.xml"], 2, "none.xml"),
                (["--gate", "mark"], 2, "valid: wait, off"), (["--repeats", "0"], 2, "--repeats"),
                (["--rounds", "0"], 2, "valid: 1 to 100"), (["--rounds", "101"], 2, "valid: 1 to 100"),
                (["--out", self.folder / "none" / "x"], 3, "could not write")):
            with self.subTest(arguments=arguments):
                done = calibrate(*arguments)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
                self.assertIn(said, done.stderr)


# Not all alike, so that no parameter can take another's place.
PARAMETERS_FACTORS = [1, 0.7, 0.8, 1.5, 1.3, 1.2, 1.4, 1.6, 0.8, 1.1, 0.9, 1.2, 0.7, 0.6, 0.75, 1.5, 0.7, 1, 1, 1.2, 1.4, 1.6,
                      0.5, 1.9, 1.3, 1.4, 1.2, 0.8, 0.6, 0.7, 1.5, 1.3, 2, 1.7, 0.6, 1.9, 1.4, 1.7, 1, 1, 1, 1, 0.9, 0.8]


if __name__ == "__main__":
    unittest.main()
