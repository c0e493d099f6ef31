#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab results`: who is compared with whom, and who is fastest."""

import json
import statistics
import subprocess
import unittest

from test_results import BLOCKS, Results, failed, record, sweep
from support import ACTORLAB, ranks


class Comparisons(Results):
    def test_families(self):
        rows = sweep()
        machine = self.machine(rows, sweep={"baseline": "inverted"})
        cells, compared = machine["cells"], machine["comparisons"]
        pairs = {family: found["pairs"] for family, found in compared.items()}
        self.assertEqual([(one["cell"], one["base"]) for one in pairs["baseline"]],
                         [(2, 0), (3, 1), (6, 4), (7, 5)])
        self.assertEqual([(one["cell"], one["base"]) for one in pairs["one_worker"]],
                         [(1, 0), (3, 2), (5, 4), (7, 6)])
        self.assertEqual([(one["cell"], one["base"]) for one in pairs["best_one_worker"]],
                         [(1, 0), (2, 0), (3, 0), (5, 4), (6, 4), (7, 4)])
        self.assertEqual([group["cells"] for group in machine["groups"]],
                         [[0, 2], [1, 3], [4, 6], [5, 7]])
        self.assertEqual([group["baseline"] for group in machine["groups"]], [0, 1, 4, 5])
        self.assertEqual([(one["cell"], one["base"]) for one in pairs["fastest"]],
                         [(2, 0), (3, 1), (6, 4), (7, 5)])
        for one in pairs["baseline"]:
            above, below = (cells[one[side]]["ns_per_message"]["values"] for side in ("cell", "base"))
            ratios = [a / b for a, b in zip(above, below)]
            for told, expected in zip(one["ratios"], ratios):
                self.assertAlmostEqual(told, expected, places=12)
            self.assertAlmostEqual(one["ratio"]["median"], ranks.paired(above, below)[0], places=9)
            self.assertEqual((one["verdict"], one["paired"], one["n"]), ("slower", True, BLOCKS))
            self.assertLessEqual(one["p"], one["p_bh"])
        told = json.loads(subprocess.run(
            [ACTORLAB, "compare", self.folder / "one", "--against", "scheduler=inverted", "--json"],
            capture_output=True, text=True, check=True).stdout)
        for mine, theirs in zip(pairs["baseline"], told["comparisons"], strict=True):
            same = set(mine) - {"cell", "base", "ratios"}
            self.assertEqual({key: mine[key] for key in same}, {key: theirs[key] for key in same})
        self.assertEqual({key: told["family"][key] for key in ("m", "rejected", "level")},
                         {key: compared["baseline"][key] for key in ("m", "rejected", "level")})
        self.assertEqual(([machine["twins"]], machine["margin_percent"]), (told["twins"], told["margin_percent"]))
        self.assertEqual([mean["ratio"]["n"] for mean in machine["averages"]], [2, 2])
        self.assertAlmostEqual(
            machine["averages"][0]["ratio"]["median"],
            statistics.geometric_mean([pairs["baseline"][i]["ratio"]["median"] for i in (0, 2)]))

    def test_winners(self):
        """The ratios, block by block, decide who is first, not the medians; and those that no
        verdict shows to be slower are as fast."""
        drift = [1, 1, 1, 1, 8, 8, 8, 8, 8]
        quick = [1000, 1000, 1000, 1000, 8000, 1900, 1900, 1900, 1900]  # by the median the fastest
        steady = [round(900 * factor) for factor in drift]
        level = [round(902 * factor) for factor in drift]
        slow = [round(2000 * factor) for factor in drift]
        rows = [record(name, block=block, time=time) for name, times in (
            ("inverted", quick), ("deque", steady), ("las", level), ("central", slow)) for block, time in enumerate(times)]
        machine = self.machine(rows)
        names = [cell["scheduler"] for cell in machine["cells"]]
        medians = {cell["scheduler"]: cell["ns_per_message"]["median"] for cell in machine["cells"]}
        self.assertEqual(min(medians, key=medians.get), "inverted")
        (group,) = machine["groups"]
        self.assertEqual([names[place] for place in group["cells"]], ["inverted", "deque", "las", "central"])
        # Without the blocks in which it was quick by luck, inverted is behind.
        rows = [row for row in rows if not (row["scheduler"] == "inverted" and row["sweep"]["block"] in (5, 6, 7))]
        (group,) = self.machine(rows)["groups"]
        self.assertEqual([names[place] for place in group["cells"]], ["deque", "las", "inverted", "central"])
        family = machine["comparisons"]["fastest"]
        self.assertEqual((family["m"], len(family["pairs"])), (6, 3))
        self.assertEqual([names[place] for place in group["fastest"]][:2], ["deque", "las"])
        self.assertNotIn("central", [names[place] for place in group["fastest"]])

    def test_failed_trials(self):
        """Who fails in half of the blocks is not first, however fast the other half is."""
        rows = [record(name, block=block, time=time + 3 * block) if name != "las" or block % 2 else
                failed("timeout", scheduler=name, block=block) for block in range(20)
                for name, time in (("inverted", 1000), ("deque", 1100), ("las", 500))]
        machine = self.machine(rows)
        names = [cell["scheduler"] for cell in machine["cells"]]
        group, = machine["groups"]
        self.assertEqual([names[place] for place in group["cells"]], ["inverted", "deque", "las"])
        one = {names[pair["cell"]]: pair for pair in machine["comparisons"]["fastest"]["pairs"]}["las"]
        self.assertEqual((one["verdict"], one["failed"], one["ratio"]["median"], one["ratio"]["high"]), (
            "inconclusive", {"cell": 10, "base": 0, "more": True, "text": "10 of 20 failed"}, None, None))
        self.assertAlmostEqual(one["ratio"]["low"], 0.5, delta=0.03)
        self.assertEqual([ratio is None for ratio in one["ratios"]], [True, False] * 10)
        text = subprocess.run([ACTORLAB, "results", self.folder / "one"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(text, r"inverted ~ las +.* ∞ \[0\.\d+, ∞\] +las \(10 of 20 failed\)\n")
        self.assertIn("failed: alpha, las, workers 1: timeout, 10 times\n", text)

    def test_turned(self):
        """A comparison with the first reads the same whichever of the two the pair began with."""
        times = {"inverted": [1100 + 7 * block for block in range(9)], "deque": [1000 + 9 * block for block in range(9)]}
        machine = self.machine([record(name, block=block, time=time) for name in times
                                for block, time in enumerate(times[name])])
        (one,) = machine["comparisons"]["fastest"]["pairs"]
        self.assertEqual((machine["cells"][one["base"]]["scheduler"], one["verdict"]), ("deque", "slower"))
        estimate, low, high, p = ranks.paired(times["inverted"], times["deque"])
        for told, expected in zip([*(one["ratio"][key] for key in ("median", "low", "high")), one["p"]],
                                  (estimate, low, high, p)):
            self.assertAlmostEqual(told, expected, places=12)
        self.assertAlmostEqual(one["ratios"][0], 1.1)

    def test_several_binaries(self):
        """Each cell is compared with that of the first program, in the order of the axis."""
        rows = [record(name, block=block, time=time + block, binary=binary, workers=workers)
                for binary, time in (("new", 1500), ("old", 1000)) for name in ("inverted", "deque")
                for workers in (1, 2) for block in range(9)]
        for axes, bases, verdict in (({"binary": ["old", "new"]}, "old", "slower"), ({"binary": ["new", "old"]}, "new", "faster")):
            machine = self.machine(rows, sweep={"axes": axes, "baseline": "inverted"})
            cells, pairs = machine["cells"], machine["comparisons"]["baseline"]["pairs"]
            self.assertEqual((len(pairs), machine["first_binary"]), (4, bases))
            for one in pairs:
                cell, base = cells[one["cell"]], cells[one["base"]]
                self.assertEqual((base["binary"], one["verdict"]), (bases, verdict))
                self.assertEqual([cell[key] for key in ("scheduler", "workers")], [base[key] for key in ("scheduler", "workers")])

    def test_one_baseline(self):
        """Of several strategies of the baseline's scheduler, and of programs, the first counts."""
        rows = [record("inverted", block=block, time=1000 + 7 * block + 100 * len(victim), victim=victim, workers=workers,
                       binary=binary)
                for victim in ("longest", "random") for workers in (1, 2) for binary in (None, "old", "new")
                for block in range(12)]
        for kept in (lambda row: "binary" not in row or row["binary"] is None, lambda row: row.get("binary") is not None):
            machine = self.machine([row for row in rows if kept(row)], sweep={"baseline": "inverted"})
            pairs = {one["cell"]: one for one in machine["comparisons"]["baseline"]["pairs"]}
            self.assertGreaterEqual(len(pairs), 2)
            for place, pair in pairs.items():
                cell, base = machine["cells"][place], machine["cells"][pair["base"]]
                self.assertEqual((base["workers"], base["binary"]), (cell["workers"], machine["first_binary"]))
                self.assertEqual(base["victim"], cell["victim"] if cell["binary"] else "longest")

    def test_baseline(self):
        """As asked for, else the configuration's, else the first; a former name is known."""
        self.assertEqual(self.machine(sweep())["baseline"], "inverted")
        machine = self.machine(sweep(), "--baseline", "central", sweep={"baseline": "inverted"})
        self.assertEqual((machine["baseline"], machine["comparisons"]["baseline"]["pairs"][0]["verdict"]),
                         ("central", "faster"))
        machine = self.machine([record("engines"), record()], sweep={"baseline": "engines"})
        self.assertEqual([cell["scheduler"] for cell in machine["cells"]], ["inverted", "mercury"])
        self.assertEqual(machine["baseline"], "mercury")

    def test_twins(self):
        machine = self.machine(sweep())
        (twin,) = machine["aa"]
        self.assertEqual((twin["benchmark"], twin["ratio"]["n"], twin["cell"]), ("beta", BLOCKS, 4))
        self.assertEqual(machine["cells"][4]["n"], BLOCKS)
        self.assertEqual(machine["twins"]["n"], 1)
        self.assertIn(machine["twins"]["text"] + ".\n", subprocess.run(
            [ACTORLAB, "results", self.folder / "one"], capture_output=True, text=True, check=True).stdout)

    def test_one_binary_and_a_peer(self):
        """A peer runs no build of ours, and is no second one."""
        rows = [record(name, block=block, time=time, **more) for block in range(8) for name, time, more in (
            ("inverted", 1000, {"binary": "here"}), ("plain", 1500, {"peer": {"version": "plain 1"}}))]
        machine = self.machine(rows, sweep={"baseline": "inverted"})
        (one,) = machine["comparisons"]["baseline"]["pairs"]
        self.assertEqual((machine["first_binary"], one["verdict"]), (None, "slower"))

    def test_nothing_to_compare(self):
        families = self.machine([record()])["comparisons"]
        self.assertEqual([(family["m"], family["level"], family["pairs"]) for family in families.values()],
                         [(0, 0.95, [])] * 4)


if __name__ == "__main__":
    unittest.main()
