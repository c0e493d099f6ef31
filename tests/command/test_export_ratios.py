#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ratios and verdicts for LaTeX: those of `actorlab results`."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.exporting import Export, record, sample


class Ratios(Export):
    def told(self, records):
        """The text, and by scheduler, options and workers the fields of its cells."""
        text = self.run_it(self.write(records), "--format", "latex", "--ratios")
        rows = [row.removesuffix(" \\\\").split(" & ") for row in text.splitlines() if "scriptsize" in row or row.startswith("inverted")]
        return text, {row[0]: list(zip(row[1::2], row[2::2])) for row in rows}

    def test_values(self):
        text, rows = self.told([{**one, "sweep": {"block": 10 * more + one["seed"]}} for more in (0, 1) for one in sample()])
        machine, = json.loads(subprocess.run([ACTORLAB, "results", self.folder, "--json"], check=True, stdout=subprocess.PIPE).stdout)["machines"]
        family, seen = machine["comparisons"]["baseline"], 0
        for pair in family["pairs"]:
            cell = machine["cells"][pair["cell"]]
            fields = rows[f"{cell['scheduler']} {cell['options'].get('deque', '')}".strip()][(1, 2, 10).index(cell["workers"])]
            sign = "$^\\ddagger$\\,?" if pair["failed"] else {"slower": "\\,$>$", "equivalent": "\\,$\\approx$"}[pair["verdict"]]
            low, high = (f"{pair['ratio'][end]:.2f}" for end in ("low", "high"))
            self.assertEqual(fields, (f"{pair['ratio']['median']:.2f}{sign}", f"{{\\scriptsize [{low}, {high}]}}"))
            seen += 1
        self.assertEqual((seen, rows["inverted"]), (6, [("1", "")] * 3))
        self.assertIn(f"with {100 * family['level']:.4g}\\% intervals, corrected for {family['m']} comparisons\n", text)
        self.assertIn("divided by that of inverted (lower is better)", text)
        self.assertIn("equivalent, within 5\\%;", text)
        self.assertNotIn("send-static", text)  # has nothing to compare with

    def test_verdicts(self):
        """One of each kind; failures and disturbances are marked."""
        def rows(scheduler, times, **changes):
            return [record((time,), scheduler=scheduler, sweep={"block": block}, **changes) for block, time in enumerate(times)]

        base = [1000 + 10 * block for block in range(10)]
        failed = {key: value for key, value in record(scheduler="e", outcome="timeout", sweep={"block": 10}).items() if key != "time_ns"}
        text, cells = self.told([
            *rows("inverted", base), *rows("a", [time // 2 for time in base]), *rows("b", [time + block % 3 for block, time in enumerate(base)]),
            *rows("c", [time * (4 if block % 2 else 1) // 2 for block, time in enumerate(base)]),
            *rows("d", [time * 2 for time in base], noise={"disturbed": ["busy"]}), *rows("e", [time * 3 for time in base]), failed])
        found = {name: re.sub(r"[0-9.]+", "N", fields[0][0]) for name, fields in cells.items()}
        self.assertEqual(found, {"inverted": "N", "a": "\\textbf{N}\\,$<$", "b": "N\\,$\\approx$", "c": "N\\,?", "d": "N$^\\dagger$\\,$>$",
                                 "e": "N$^\\ddagger$\\,$>$"})
        self.assertIn("\n$^\\dagger$: more than half of the processes of either were disturbed.\n$^\\ddagger$: trials failed, and "
                      "count as the slowest.}", text)

    def test_baseline(self):
        """The sweep's, and of several builds the first of its axis."""
        records = sample()
        self.write(records)
        (self.folder / "sweep.json").write_text(json.dumps({"baseline": "deque"}))
        self.assertIn("divided by that of deque ", self.run_it(self.folder, "--format", "latex", "--ratios"))
        self.write([{**one, "binary": name, "environment": {"binary_hash": name}} for one in records for name in ("new", "old")])
        (self.folder / "sweep.json").write_text(json.dumps({"axes": {"binary": ["old", "new"]}}))
        self.assertIn("divided by that of old ", self.run_it(self.folder, "--format", "latex", "--ratios"))

    def test_simulated(self):
        machine = {"name": "big", "title": "Big", "model_hash": "0" * 16, "overridden": {}}
        text, _ = self.told([record((time + seed,), engine="sim", seed=seed, machine=machine, noise=None, scheduler=str(time))
                             for time in (100, 200) for seed in range(6)])
        self.assertIn(", simulated on big: ", text)
        self.assertIn("\nIntervals of simulated trials are those of sensitivity to jitter in the model's costs.", text)

    def test_alone(self):
        self.run_it(self.write([record()]), "--format", "latex", "--ratios", code=1, said="has no two cells to compare")


if __name__ == "__main__":
    unittest.main()
