#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The sentences at the top of `actorlab results`: what they say is what made-up records were made
to show."""

import random
import re
import unittest
from collections import Counter

from test_results import BLOCKS, Results, failed, record, sweep
from test_results_simulated import both

NUMBER = r"(?:(?P<{0}low>\d+) to )?(?P<{0}up>up to )?(?P<{0}high>\d+)"
AHEAD = re.compile(r", (?:up to |([\d.]+) to )?([\d.]+) times ahead")


def jittered(time, block, spread=0.002):
    """Times of equal cells differ a little, and never in the same direction."""
    return round(time * (1 + spread * ((block * 5 + time) % 7 - 3) / 3))


def rows_of(costs, blocks=BLOCKS, **more):
    """costs: {(benchmark, workers, scheduler): ns of 100 messages}"""
    return [record(scheduler, workers, block, jittered(time, block), benchmark, noise={"disturbed": []}, **more)
            for block in range(blocks) for (benchmark, workers, scheduler), time in costs.items()]


def covered(words, known):
    """The numbers of workers of "1 and 4 to 48 workers", of those known."""
    found = set()
    for part in re.split(", | and ", re.sub(" workers?$", "", words)):
        low, _, high = part.partition(" to ")
        found |= {count for count in known if int(low) <= count <= int(high or low)}
    return found


def limits(words, what):
    """(least, most) of "2", "1 to 2" or "up to 2" that this pattern finds before or after; or 0."""
    match = re.search(what.format(NUMBER.format("")), words)
    if not match:
        return 0, 0
    high = int(match["high"])
    return 0 if match["up"] else int(match["low"] or high), high


class Sentences(Results):
    def headline(self, rows, *words, **beside):
        return self.machine(rows, *words, **beside)["headline"]

    def test_any_truth(self):
        """Winners, ties, and what cannot be told: each number of workers is in one sentence, whose
        numbers are the least and the most of what is true with these."""
        random.seed(1)
        names = ["inverted", "deque", "las"]
        for _ in range(8):
            counts = random.sample([1, 2, 4, 8, 16], random.randint(1, 4))
            benchmarks = [f"b{i:02}" for i in range(random.choice([2, 3, 12]))]
            costs, truth, ahead = {}, {count: Counter() for count in counts}, {}
            favourite = random.choice(names)
            for count in counts:
                for benchmark in benchmarks:
                    order = random.sample(names, 3)
                    if random.random() < 0.7:
                        order.sort(key=lambda name: name != favourite)
                    tied = random.random() < 0.2
                    factors = [1, 1.0005 if tied else random.choice([1.2, 1.5, 3]), 4]
                    for name, factor in zip(order, factors):
                        costs[benchmark, count, name] = round(100_000 * factor)
                    truth[count]["tied" if tied else order[0]] += 1
                    if not tied:
                        ahead.setdefault((count, order[0]), []).append(factors[1])
            with self.subTest(counts=counts, benchmarks=len(benchmarks)):
                self.check(self.headline(rows_of(costs, 12)), truth, ahead, len(benchmarks))

    def check(self, headline, truth, ahead, n):
        *sentences, last = re.split(r"(?<=[a-z0-9%])\. ", headline)
        self.assertRegex(last, r"^None of \d+ trials was disturbed\.$")
        seen = Counter()
        for sentence in sentences:
            counts = covered(re.search(r" with ([\d, andto]+ workers?)", sentence)[1], truth)
            self.assertTrue(counts, sentence)
            seen.update(counts)
            leader = re.match(r"(\w+) is fastest on ", sentence)
            found = {}
            if leader:
                leader = leader[1]
                self.assertTrue(all(truth[count][leader] == max(value for key, value in truth[count].items() if key != "tied")
                                    for count in counts), sentence)
                found[leader] = (n, n) if f"on all {n} " in sentence else limits(sentence, "on {} of %d workloads" % n)
                for name in set("inverted deque las".split()) - {leader}:
                    found[name] = limits(sentence, name + " wins {}")
                found["tied"] = limits(sentence, "tied within 5% on {}(?: |$)")
                low, high = AHEAD.search(sentence).groups()
                known = [factor for count in counts for factor in ahead[count, leader]]
                self.assertAlmostEqual(float(high), max(known), delta=0.05)
                self.assertAlmostEqual(float(low or high), min(known), delta=0.05)
            else:
                self.assertRegex(sentence, f"^Tied within 5% on all {n} workloads")
                found["tied"] = (n, n)
            for name in ("inverted", "deque", "las", "tied"):
                values = [truth[count][name] for count in counts]
                self.assertEqual(found.get(name, (0, 0)), (min(values), max(values)), f"{name}: {sentence}")
        self.assertEqual(seen, Counter(truth.keys()))

    def test_undecided(self):
        """Where the noise is larger than the difference, nobody wins, whoever comes first."""
        rows = [record(name, 2, block, 1000 + 300 * ((block * 3 + rank) % 4), benchmark, noise=None)
                for block in range(12) for rank, name in enumerate(("inverted", "deque")) for benchmark in ("a", "b", "c")]
        self.assertEqual(self.headline(rows), "Undecided on all 3 workloads with 2 workers.")

    def test_too_few(self):
        """Without any verdict, it names who comes first, and states that nothing is decided."""
        costs = {("a", 2, "inverted"): 1000, ("a", 2, "deque"): 2000}
        self.assertEqual(self.headline(rows_of(costs, 3)),
                         "inverted comes first on a with 2 workers, 2 times ahead. None of this is decided: 3 blocks "
                         "are too few for 1 comparison. None of 6 trials was disturbed.")
        self.assertIn(": 1 block is too few for 1 comparison.", self.headline(rows_of(costs, 1)))

    def test_workers(self):
        """Numbers of workers that agree share a sentence, whichever lie between them."""
        costs = {("a", count, name): 1000 if (name == "inverted") == (count in (1, 4, 8, 16)) else 3000
                 for count in (1, 2, 4, 8, 16, 32) for name in ("inverted", "deque")}
        self.assertEqual(self.headline(rows_of(costs)).split(". "),
                         ["inverted is fastest on a with 1 and 4 to 16 workers, 3 times ahead",
                          "deque is fastest with 2 and 32 workers, 3 times ahead",
                          f"None of {12 * BLOCKS} trials was disturbed."])

    def test_one_strategy(self):
        for rows in ([record(workers=count, block=block, noise=None) for block in range(3) for count in (1, 2)],
                     [record(noise=None), failed("timeout", scheduler="deque", noise=None)]):
            self.assertTrue(self.headline(rows).startswith("Only one strategy has times, so there is nothing to compare."))
        costs = {("a", 1, "inverted"): 1000, ("a", 1, "deque"): 3000, ("b", 1, "deque"): 3000}
        self.assertIn(". Only one strategy has times in 1 more group. ", self.headline(rows_of(costs)))

    def test_failures(self):
        """They are counted, with the disturbed trials or alone."""
        rows = [record(noise=None), *(failed("timeout", block=block, noise=None) for block in (1, 2))]
        self.assertTrue(self.headline(rows).endswith("2 of 3 trials failed."))
        self.assertTrue(self.headline(sweep()).endswith(" 9 of 73 trials were disturbed; 1 failed."), self.headline(sweep()))
        self.assertEqual(self.headline([failed("timeout", noise=None)]),
                         "No trial ended well, so there is nothing to compare. 1 of 1 trial failed.")

    def test_next_failed(self):
        """It states how far ahead where trials ended; failures are no sign of too few blocks."""
        rows = rows_of({(name, 2, "inverted"): 1000 for name in "abc"} | {("a", 2, "las"): 2000})
        for benchmark, ended in (("b", 1), ("c", BLOCKS // 2)):
            rows += [record("las", 2, block, 800 + block, benchmark, noise={"disturbed": []}) if block < ended else
                     failed("timeout", scheduler="las", workers=2, block=block, benchmark=benchmark, noise={"disturbed": []})
                     for block in range(BLOCKS)]
        self.assertEqual(self.headline(rows), "inverted is fastest on 2 of 3 workloads with 2 workers, 2 times ahead; undecided "
                         f"on 1. None of {6 * BLOCKS} trials was disturbed; {3 * BLOCKS // 2 - 1} failed.")

    def test_simulated(self):
        self.assertEqual(self.headline(both()), "Simulated: inverted is fastest on alpha with 48 workers, 1.3 times ahead. "
                         "Intervals show the sensitivity to jitter in the model's costs.")

    def test_variants(self):
        """A scheduler wins with whichever preset or victim; variants compete if there is no other
        scheduler, and builds as such."""
        def rows(names, **fixed):
            return [record(**{"scheduler": "inverted", **fixed, **name}, workers=2, block=block, noise=None,
                           time=jittered(time, block)) for block in range(BLOCKS) for name, time in names]

        presets = [({"scheduler": "deque", "options": {"preset": preset}}, 1000) for preset in ("a", "b")]
        (group,) = self.machine(rows([*presets, ({}, 3000)]))["groups"]
        self.assertEqual((group["leaders"], len(group["fastest"])), (["deque"], 2))
        (group,) = self.machine(rows([presets[0], ({"scheduler": "deque", "options": {"preset": "b"}}, 2000), ({}, 3000)]))["groups"]
        self.assertEqual(group["leaders"], ["deque preset=a"])
        self.assertEqual(self.headline(rows([*presets, ({}, 3000)])), "deque is fastest on alpha with 2 workers, 3 times ahead.")
        victims = [({"victim": "longest"}, 1000), ({"victim": "random"}, 2000)]
        self.assertEqual(self.headline(rows(victims)), "victim longest is fastest on alpha with 2 workers, 2 times ahead.")

    def test_builds(self):
        """Of several programs each is compared with the first, cell by cell."""
        costs = {"inverted": (1000, 800), "deque": (1000, 1500), "las": (100000, 100100)}
        rows = [record(name, 2, block, jittered(cost, block), binary=build, noise=None) for block in range(12)
                for name, pair in costs.items() for build, cost in zip(("old", "new"), pair)]
        rows += [record("central", 2, block, 1000 + 300 * ((block * 3 + rank) % 4), binary=build, noise=None) for block in range(12)
                 for rank, build in enumerate(("old", "new"))]
        for axis, told in ((["old", "new"], "new against old: faster in 1 of 4 cells, 1.3 times; slower in 1, 1.5 times; "
                            "equivalent in 1; undecided in 1."),
                           (["new", "old"], "old against new: faster in 1 of 4 cells, 1.5 times; slower in 1, 1.3 times; "
                            "equivalent in 1; undecided in 1.")):
            self.assertEqual(self.headline(rows, sweep={"axes": {"binary": axis}}), told)

    def test_parameters(self):
        """The same workload with several parameters is no further workload."""
        rows = [record(name, 2, block, jittered(time * size, block), parameters={"size": size}, noise=None)
                for block in range(BLOCKS) for size in (1, 2) for name, time in (("inverted", 1000), ("deque", 2000))]
        self.assertEqual(self.headline(rows), "inverted is fastest on all 2 settings of alpha with 2 workers, 2 times ahead.")
        rows += [record(name, 2, block, jittered(time, block), "beta", noise=None)
                 for block in range(BLOCKS) for name, time in (("inverted", 2000), ("deque", 1000))]
        self.assertEqual(self.headline(rows), "inverted is fastest on 2 of 3 settings with 2 workers, 2 times ahead; deque wins 1.")

    def test_twins_and_peers(self):
        """A twin is no strategy; another system is one."""
        rows = rows_of({("a", 2, "inverted"): 1000})
        twins = [row | {"sweep": row["sweep"] | {"twin": True, "cell": "t"}} for row in rows_of({("a", 2, "inverted"): 1005})]
        self.assertIn("Only one strategy", self.headline([*rows, *twins]))
        peers = [row | {"peer": {"version": "plain 1"}} for row in rows_of({("a", 2, "plain"): 500})]
        self.assertIn("plain is fastest on a with 2 workers, 2 times ahead.", self.headline([*rows, *twins, *peers]))


class Counters(Results):
    def told(self, first, second, blocks=BLOCKS):
        """The counters of a winner, and those of the next, in words."""
        rows = [record(name, 2, block, jittered(time, block), counters=[{"messages_received": 100, **counters}], noise=None)
                for block in range(blocks) for name, time, counters in (("inverted", 1000, first), ("deque", 3000, second))]
        (group,) = self.machine(rows)["groups"]
        return group["counters"]

    def test_words(self):
        self.assertEqual(self.told({"steals": 1}, {"steals": 25}), "deque: a steal every 4.0 messages (inverted: every 100 messages)")
        self.assertEqual(self.told({"lock_waits": 0}, {"lock_waits": 250}), "deque: 2.5 waits for locks per message (inverted: none)")
        self.assertEqual(self.told({"gulps": 1}, {"gulps": 100}), "deque: a batch every message (inverted: every 100 messages)")
        self.assertEqual(self.told({"steal_attempts": 50, "steals_lost_swap": 47}, {"steal_attempts": 0}),
                         "inverted: an attempt to steal every 2.0 messages (deque: none), 94% of which lost swaps")

    def test_only_what_differs(self):
        """Not what differs by less than twice, is too rare to matter, or is not known of both."""
        for first, second in (({"steals": 15}, {"steals": 25}), ({"steals": 0}, {"steals": 0.5}), ({}, {"steals": 50})):
            whole = {key: round(value) for key, value in second.items()}
            self.assertIsNone(self.told(first, whole), (first, second))

    def test_spread(self):
        """Not what differs in the median, but is as frequent in many trials of the other."""
        rows = [record(name, 2, block, jittered(time, block), counters=[{"messages_received": 100, "steals": steals[block % 2]}])
                for block in range(BLOCKS) for name, time, steals in (("inverted", 1000, (1, 60)), ("deque", 3000, (80, 50)))]
        (group,) = self.machine(rows)["groups"]
        self.assertEqual((group["lead"], group["counters"]), ("won", None))

    def test_no_winner(self):
        """Where nobody is ahead, there is nothing to explain."""
        rows = [record(name, 2, block, 1000 + 300 * ((block * 3 + rank) % 4), counters=[{"messages_received": 100, "steals": 90 * rank}])
                for block in range(12) for rank, name in enumerate(("inverted", "deque"))]
        (group,) = self.machine(rows)["groups"]
        self.assertEqual((group["lead"], group["counters"]), ("undecided", None))


class Leads(Results):
    def test_next(self):
        """The next is the one that is closest; the lead follows from the verdicts."""
        costs = {("a", 2, "las"): 4000, ("a", 2, "inverted"): 1000, ("a", 2, "deque"): 1500, ("b", 2, "las"): 1000,
                 ("b", 2, "inverted"): 1001, ("c", 2, "inverted"): 1000}
        machine = self.machine(rows_of(costs))
        names = [cell["scheduler"] for cell in machine["cells"]]
        self.assertEqual([group["leaders"] for group in machine["groups"]][::2], [["inverted"], ["inverted"]])
        self.assertEqual(set(machine["groups"][1]["leaders"]), {"las", "inverted"})
        self.assertEqual([(machine["cells"][group["cells"][0]]["benchmark"], group["lead"], group["next"] and names[group["next"]])
                          for group in machine["groups"]],
                         [("a", "won", "deque"), ("b", "tied", names[machine["groups"][1]["next"]]), ("c", "alone", None)])


    def test_next_of_several(self):
        """Of those that are not told apart, even if another that is slower is closer."""
        rows = rows_of({("a", 2, "inverted"): 1000, ("a", 2, "deque"): 1100})
        rows += [record("las", 2, block, 600 + 400 * (block % 4), "a") for block in range(BLOCKS)]
        machine = self.machine(rows)
        (group,) = machine["groups"]
        self.assertEqual((group["lead"], machine["cells"][group["next"]]["scheduler"]), ("undecided", "las"))


class Warning(Results):
    def warned(self, disturbed, n):
        rows = [record(block=block, noise={"disturbed": ["steal"] if block < disturbed else []}) for block in range(n)]
        shown = self.run_it(self.write(rows)).stdout
        return self.machine(rows)["disturbance"]["warning"], shown

    def test_most(self):
        """Only if more than half were disturbed; it says by what, and what to do."""
        warning, shown = self.warned(5, 10)
        self.assertIsNone(warning)
        self.assertNotIn("Most trials", shown)
        warning, shown = self.warned(6, 10)
        self.assertIn("Most trials were disturbed, 6 of 10: what differs may be the noise. Against steal: use another machine: ", warning)
        self.assertIn(warning, shown.replace("\n", " "))


class Shown(Results):
    def test_first_lines(self):
        """The sentences, and a row for each group of several strategies, and one alone."""
        costs = {("a", 2, "inverted"): 1000, ("a", 2, "deque"): 1500, ("b", 2, "inverted"): 1000}
        lines = self.run_it(self.write(rows_of(costs))).stdout.splitlines()
        self.assertEqual(lines[:5], ["inverted is fastest on a with 2 workers, 1.5 times ahead. Only one strategy has times in 1 more",
                                     f"group. None of {3 * BLOCKS} trials was disturbed.",
                                     "workload  workers  fastest   ns/message  times as fast      as",
                                     "a               2  inverted        10.0  1.50 [1.50, 1.50]  deque",
                                     "b               2  inverted        10.0"])
        self.assertTrue(lines[5].startswith("CPU 1 (aa): 3 cells"))

    def test_not_told_apart(self):
        """Names of those that are not told apart, two at most, and how many more there are."""
        rows = [record(name, 2, block, 1000 + 300 * ((block * 3 + rank) % 4), noise=None) for block in range(12)
                for rank, name in enumerate(("inverted", "deque", "las", "central", "sharing"))]
        self.assertRegex(self.run_it(self.write(rows)).stdout, r"\nalpha +2  (\w+ ~ ){2}3 more  ")

    def test_machines(self):
        """Each has its own sentences, below its name."""
        rows = rows_of({("a", 2, "inverted"): 1000, ("a", 2, "deque"): 1500})
        other = [row | {"environment": row["environment"] | {"cpu": "CPU 2", "topology_hash": "z"}} for row in
                 rows_of({("a", 2, "inverted"): 3000, ("a", 2, "deque"): 1500})]
        shown = self.run_it(self.write([*rows, *other])).stdout
        self.assertIn("CPU 1 (aa):\ninverted is fastest", shown)
        self.assertIn("\n\nCPU 2 (z):\ndeque is fastest", shown)


if __name__ == "__main__":
    unittest.main()
