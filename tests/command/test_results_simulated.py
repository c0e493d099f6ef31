#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Records of simulated runs in results and comparisons: which machine they are of, that they pair
by seed in whatever session and file, and that nothing compares them with native ones unasked."""

import itertools
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from test_results import HERE, Results, record

TWIN_SEED = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)["limits"]["twin_seed"]
TIMES = {"inverted": 1000, "central": 1300}
SEEDS = range(5, 13)
COUNT = itertools.count()


def machine(name="big", hash="0123456789abcdef", **overridden):
    return {"name": name, "title": f"The {name} one", "hypothetical": name == "none", "model_hash": hash,
            "overridden": overridden, "binary_hash": "00000000000000bb"}


def simulated(scheduler="inverted", seed=1, session="s", twin=False, **more):
    """Its time depends on strategy and seed alone; twins have those of another seed."""
    own = seed + TWIN_SEED if twin else seed
    made = record(scheduler, 48, seed, TIMES[scheduler] * (100 + (3 if twin else 1) * seed % 7) // 100,
                  engine="sim", seed=own, machine=machine(), topology="big", noise=None, starter_busy=seed / 100,
                  sweep={"name": "s", "cell": "c", "block": seed, **({"twin": True} if twin else {})})
    made["sweep"]["session"] = f"{ord(session):016x}"
    return {**made, "schema_version": 2, "trial": f"{next(COUNT):032x}", **more}


def both(session="s", seeds=SEEDS, **more):
    return [simulated(scheduler, seed, session, **more) for seed in seeds for scheduler in TIMES]


class Simulated(Results):
    def compare(self, *words, code=0):
        done = subprocess.run([ACTORLAB, "compare", *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def pairs(self, *words):
        return json.loads(self.compare(*words, "--json").stdout)["comparisons"]

    def test_machine(self):
        """A simulated machine is one of its own, whatever host simulated it; so is each model."""
        other = HERE | {"cpu": "another host", "topology_hash": "dd", "kernel": "7.0"}
        path = self.write([*both(seeds=range(4)), *both(seeds=range(4, 6), environment=other),
                           *both(machine=machine(hash="f" * 16, locked=7.0)), record(), *both(machine=machine("none", "e" * 16))])
        found = self.results(path)["machines"]
        self.assertEqual([entry["machine"]["cpu"] for entry in found],
                         ["The big one (simulated)", "The big one (simulated, locked=7)", "CPU 1", "The none one (simulated, hypothetical)"])
        self.assertEqual([entry["machine"]["topology_hash"] for entry in found], ["0123456789abcdef", "f" * 16, "aa", "e" * 16])
        self.assertEqual(found[0]["machine"]["simulated"], machine())
        self.assertIsNone(found[2]["machine"]["simulated"])
        self.assertEqual([cell["n"] for cell in found[0]["cells"]], [6, 6])
        self.assertEqual({cell["machine"] for cell in found[1]["cells"]}, {"big locked=7"})
        self.assertEqual([row["key"] for row in found[0]["environment"]], ["cpu", "topology_hash", "compiler", "revision", "binary_hash"])
        self.assertAlmostEqual(found[0]["cells"][0]["starter_busy"], 0.025)
        self.assertIsNone(found[2]["cells"][0]["starter_busy"])
        text = subprocess.run([ACTORLAB, "results", path], capture_output=True, text=True, check=True).stdout
        self.assertIn("Intervals show the sensitivity to jitter", " ".join(text.split()))

    def test_pairs_by_seed(self):
        """Across sessions and files; a seed that is there twice counts once."""
        central = [simulated("central", seed, "t") for seed in SEEDS]
        inverted = [simulated("inverted", seed, "u") for seed in reversed(SEEDS)]
        again = [simulated("inverted", seed, "v") for seed in SEEDS]
        results = self.results(self.write([*central, *inverted, *again]))["machines"][0]
        self.assertEqual([cell["n"] for cell in results["cells"]], [8, 8])
        pair, = results["comparisons"]["baseline"]["pairs"]
        self.assertEqual([round(ratio, 6) for ratio in pair["ratios"]], [1.3] * 8 if pair["base"] == 0 else [round(1 / 1.3, 6)] * 8)
        slower = [row | {"time_ns": [2 * row["time_ns"][0]]} for row in central]
        found, = self.pairs(self.write(central, "old"), self.write([row | {"trial": f"{next(COUNT):032x}"} for row in slower[::-1]], "new"))
        self.assertEqual((found["n"], found["verdict"]), (8, "slower"))
        self.assertEqual(found["ratio"]["median"], 2)

    def test_twins(self):
        """A twin pairs with the cell of its block, although its seed is another."""
        twins = [simulated(seed=seed, twin=True) for seed in SEEDS]
        found, = self.results(self.write([*both(), *twins]))["machines"]
        twin, = found["aa"]
        self.assertEqual(twin["ratio"]["n"], len(SEEDS))

    def test_not_with_native(self):
        native, sim = self.write([record(workers=48), record("central", 48)], "native"), self.write(both(), "sim")
        for words in ((native, sim), (sim, native)):
            done = self.compare(*words, code=2)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
            self.assertIn(f"'{native}' is native and '{sim}' simulated, which are not compared unless asked for; valid: ", done.stderr)
        mixed = self.write([record(workers=48), *both()], "mixed")
        found = self.results(mixed)["machines"]
        self.assertEqual([len(entry["cells"]) for entry in found], [1, 2])
        found, = self.pairs(mixed, "--against", "engine=native")
        self.assertEqual((found["differs"]["engine"], found["verdict"]), (["native", "sim"], None))
        more = both(machine=machine("small", "d" * 16), topology="small")
        found = self.pairs(self.write([*both(), *more], "two"), "--against", "machine=big")
        self.assertEqual([entry["differs"]["machine"] for entry in found], [["big", "small"]] * 2)
        self.assertEqual({entry["n"] for entry in found}, {8})

    def doubted(self, name, busy=0.1, took_part=12, ms=1, rows=768, idle="spin", slow=1, slow_seeds=(0,), **options):
        """A cell of matrix on inverted with 48 workers, of which so many run the messages. Some
        seeds take so many times as long."""
        rest = [{"messages_received": 100 if worker < took_part else 0} for worker in range(48)]
        options = {"shards": 16, "mailboxes": 768, **options}
        rows = [simulated(seed=seed, starter_busy=busy, oversubscribed=False, counters=[*rest, {"messages_received": 0}],
                          time_ns=[int(ms * 1e6 * (slow if seed in slow_seeds else 1))],
                          benchmark="matrix", parameters={"rows": rows, "kernel": "naive"}, idle=idle, options=options) for seed in SEEDS]
        path = self.write(rows, name)
        cell, = self.results(path)["machines"][0]["cells"]
        return path, cell["doubts"]

    def test_doubts(self):
        """Each rule at its boundary and beyond it; tables have a mark and its meaning."""
        few, short = "fewer than a quarter of the workers ran", "shorter than 1 ms"
        for name, given, said in (
                ("sound", {}, []),
                ("busy", {"busy": 0.11}, ["the starting thread was busy for more than 10% of the time"]),
                ("few", {"took_part": 11}, [few]),
                ("short", {"ms": 0.999}, [short]),
                ("asleep", {"ms": 9.99, "idle": "polling", "relaxed_sleep": 10000}, [short]),
                ("awake", {"ms": 10, "idle": "polling", "relaxed_sleep": 10000}, []),
                ("nobody sleeps", {"ms": 9.99, "idle": "polling", "took_part": 48, "relaxed_sleep": 10000}, []),
                ("uneven", {"rows": 672}, ["actors fill the mailboxes unevenly"]),
                ("two states", {"slow": 1.51, "slow_seeds": SEEDS[:3]}, ["seeds find two states"]),
                ("one odd seed", {"slow": 30, "slow_seeds": SEEDS[-1:]}, ["seeds find two states"]),
                ("one state", {"slow": 1.49, "slow_seeds": SEEDS[:3]}, []),
                ("all even", {"rows": 672, "shards": 14, "mailboxes": 672}, [])):
            with self.subTest(name):
                path, doubts = self.doubted(name, **given)
                self.assertEqual(len(doubts), len(said))
                for doubt, words in zip(doubts, said):
                    self.assertTrue(doubt.startswith(words), doubt)
                for command in (["summarize"], ["results"], ["export", "--format", "latex"]):
                    text = subprocess.run([ACTORLAB, command[0], path, *command[1:]], capture_output=True, text=True, check=True).stdout
                    sign, legend = ("$^\\circ$", "$^\\circ$: ") if "latex" in command else ("48°", "° ")
                    text = text.replace("\\%", "%")
                    self.assertEqual((sign in text, all(legend + doubt in text for doubt in doubts)), (bool(said), True), text)

    def test_few_seeds(self):
        """One or two may be an accident; tables tell how many cells have so few."""
        for n, said in ((2, "Fewer than three seeds: 2 cells."), (3, "")):
            path = self.write(both(seeds=range(n)), f"seeds-{n}")
            found, = self.results(path)["machines"]
            self.assertEqual(found["few_seeds"], said)
            for words in (["summarize", path], ["results", path], ["export", path, "--format", "latex"]):
                text = subprocess.run([ACTORLAB, *words], capture_output=True, text=True, check=True).stdout
                self.assertEqual("Fewer than three seeds: 2 cells." in " ".join(text.split()), bool(said), text)
        native = [record(workers=48), record("central", 48)]
        self.assertEqual(self.results(self.write(native, "few"))["machines"][0]["few_seeds"], "")

    def test_native(self):
        """Its sizes are not cut down; what is short there has other remarks."""
        cell, = self.results(self.write([record(workers=48)], "native"))["machines"][0]["cells"]
        self.assertEqual(cell["doubts"], [])

    def test_labels(self):
        path = self.write(both())
        for words, said in ((("export", path, "--format", "latex"), "simulated on big"),
                            (("export", path, "--format", "csv"), ",sim,big,"),
                            (("summarize", path), "sensitivity to jitter"),
                            (("compare", path, "--against", "scheduler=central"), "pair by seed")):
            with self.subTest(words[0]):
                done = subprocess.run([ACTORLAB, *words], capture_output=True, text=True, check=True)
                self.assertIn(said, done.stdout)


if __name__ == "__main__":
    unittest.main()
