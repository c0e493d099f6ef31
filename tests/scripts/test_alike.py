#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What cannot make a difference: `plan`, the table and the report say so.

AL_BUILD names the build folder."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts/lib")]
from support.reporting import ACTORLAB, Page, Reports, record
from support.sweeping import Checking

from common import actorlab
from machine.topology import pus_in_order
from results.summary import Summary
from sweep import plan, registry, simulated

PLAN = """
[axes]
scheduler = ["inverted", "deque"]
victim = ["none", "random", "longest", "hierarchical"]
workers = [{workers}]
pin = [{pins}]
[set]
benchmark = "repeat"
"""


class Plans(Checking):
    def alike(self, workers, *pins, more=""):
        """The lines of a sweep of the real actorlab."""
        self.registry = registry.Registry(
            actorlab.ask(ACTORLAB, "list", "--json"), lambda *place: None, None, lambda topology: 16,
            simulated.Machines(ACTORLAB), lambda *place: pus_in_order(ACTORLAB, *place))
        self.registry.pus = 16
        pins = ", ".join(f'"{pin}"' for pin in pins)
        return self.plan(PLAN.format(workers=workers, pins=pins) + more).alike()

    def test_victims(self):
        self.assertEqual(self.alike("1, 2, 3", "close"), [
            "victim cannot make a difference with 1 worker, where there is nobody to steal from: hierarchical, longest, "
            "none, random (8 cells of inverted, deque)",
            "victim cannot make a difference with 2 workers, where a thief has one possible victim: longest, random "
            "(4 cells of inverted, deque)"])
        self.assertEqual(self.alike("3, 4", "close"), [])

    def test_pins(self):
        """Two packages of two cores with two PUs each."""
        machine = 'topology = "package:2 l3:1 core:2 pu:2"\n'
        self.assertEqual(self.alike("3, 8", "close", "smt", more=machine), [])
        self.assertEqual(self.alike("3, 4, 8", "close", "fast", "none", "0-7", "spread", more=machine), [
            "pin cannot make a difference with 3, 4 and 8 workers, which get the same PUs in the same order: close, fast "
            "(48 cells of inverted, deque)"])

    def test_simulated(self):
        machine = 'engine = "sim"\nmachine = "opteron-6276-4s"\n'
        self.assertEqual(self.alike("8", "close", "smt", "spread", more=machine), [
            "pin cannot make a difference with 8 workers, which get the same PUs in the same order: close, smt "
            "(16 cells of inverted, deque)"])


class Recorded(Reports):
    def test_report(self):
        """From the records, whatever the sweep's notes say."""
        self.write([record(victim=victim, workers=workers, block=block, pin=pin)
                    for victim in ("random", "longest") for workers in (2, 4) for block in range(3)
                    for pin in ("close", "package")])
        said = ["victim cannot make a difference with 2 workers, where a thief has one possible victim: longest, random "
                "(4 cells of inverted)",
                "pin cannot make a difference with 2 and 4 workers, which get the same PUs in the same order: close, "
                "package (8 cells of inverted)"]
        self.assertEqual(Summary(ACTORLAB, self.folder / "records.jsonl").alike, said)
        self.report()
        text = Page((self.folder / "report.html").read_text()).text
        for line in said:
            self.assertIn(line, " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
