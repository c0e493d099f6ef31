#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The cells that a sweep's file stands for."""

import itertools
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import Checking

from common.failure import Failure
from results import records
from sweep import agenda, plan, registry


def measured(*places):
    """Records of one session, each of a cell and a block."""
    return [records.Record(sweep={"cell": cell, "block": block}) for cell, block in places]


class Cells(Checking):
    def test_product(self):
        cells = self.plan('[axes]\nbenchmark = ["alpha", "beta"]\nrounds = [1, 2]\nworkers = [1, 2]\n[set]\nsize = 5\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "alpha workers=1", "alpha workers=2", "beta workers=1 rounds=1", "beta workers=2 rounds=1",
            "beta workers=1 rounds=2", "beta workers=2 rounds=2"])
        self.assertEqual(cells[2].arguments(), ["beta", "--workers", "1", "--set", "size=5", "--set", "rounds=1"])
        # A scheduler that does not steal has one cell, whatever the victims.
        cells = self.plan('[axes]\nscheduler = ["inverted", "central"]\nvictim = ["none", "random"]\nshards = [1, 2]\n'
                          '[set]\nbenchmark = "gamma"\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "gamma inverted none shards=1", "gamma inverted none shards=2", "gamma inverted random shards=1",
            "gamma inverted random shards=2", "gamma central"])
        self.assertEqual(cells[4].arguments(), ["gamma", "--scheduler", "central"])
        # With idle policies it is the same: one that sleeps in its own way alone has one cell, and
        # one that cannot has its own policy instead of `own`.
        cells = self.plan('[axes]\nscheduler = ["inverted", "mercury", "sharing"]\nvictim = ["none", "random"]\n'
                          'idle = ["spin", "own"]\n[set]\nbenchmark = "gamma"\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "gamma inverted none spin", "gamma inverted random spin", "gamma mercury none spin",
            "gamma mercury none own", "gamma mercury random spin", "gamma mercury random own", "gamma sharing"])
        self.assertEqual([cell.identity["idle"] for cell in cells[::3]], ["spin", "own", "own"])
        cell, = self.plan('[set]\nbenchmark = "gamma"\nscheduler = "central"\nvictim = "random"\nidle = "own"\n'
                          'spins = 5\n').cells
        self.assertEqual(cell.arguments(), ["gamma", "--scheduler", "central", "--set", "spins=5"])
        self.assertEqual((cell.identity["victim"], cell.identity["idle"]), ("none", "park"))
        # A default that is written out is the same cell.
        short = self.plan('[set]\nbenchmark = "alpha"\nworkers = 1\n').cells[0]
        long = self.plan('[set]\nbenchmark = "alpha"\nworkers = 1\nscheduler = "inverted"\nvictim = "longest"\n'
                         'idle = "spin"\npin = "close"\ninverted.shards = 16\n[parameters.alpha]\nsize = 10\n').cells[0]
        self.assertEqual(short.id, long.id)
        self.assertNotEqual(short.id, self.plan('[set]\nbenchmark = "alpha"\nworkers = 2\n').cells[0].id)
        oversubscribed = self.plan('[sweep]\noversubscribe = true\n[set]\nbenchmark = "alpha"\nworkers = 9\n').cells[0]
        self.assertIn("--oversubscribe", oversubscribed.arguments())

    def test_sizes(self):
        """A size gives way to what the file sets; one of the command line, to the axes alone."""
        def words(sweep, rest="", size=None):
            settings = self.check(f'[sweep]\ntwin = false\n{sweep}\n[set]\nbenchmark = "alpha"\n{rest}')
            if size is not None:
                settings.size, settings.resized = size, True
            return [word for cell in plan.Plan(settings, self.registry).cells for word in cell.arguments()[1:]
                    if word != "--set"]

        self.assertEqual(words(""), [])
        self.assertEqual(words('size = "small"'), ["alpha.size=1", "alpha.sleep_ms=2"])
        self.assertEqual(words('size = "paper"'), [])  # none: the default is the paper's
        self.assertEqual(words('size = "sim"'), ["alpha.size=3", "alpha.sleep_ms=1"])
        other = self.check('[sweep]\nsize = "sim"\n[set]\nbenchmark = "beta"\n')  # which has no sim
        self.assertEqual(plan.Plan(other, self.registry).cells[0].options, {"beta.rounds": 1})
        self.assertEqual(words('size = "small"', "[parameters.alpha]\nsize = 7\n"), ["alpha.size=7", "alpha.sleep_ms=2"])
        self.assertEqual(words("", "size = 7\n", "small"), ["size=1", "alpha.sleep_ms=2"])
        self.assertEqual(words("", "[parameters.alpha]\nsize = 7\n[axes]\nsleep_ms = [3, 4]\n", "small"),
                         ["alpha.size=1", "sleep_ms=3", "alpha.size=1", "sleep_ms=4"])

    def test_exclude(self):
        text = ('[sweep]\nexclude = [{}]\n[axes]\nbenchmark = ["alpha", "beta"]\nworkers = [1, 2]\nsize = [1, 2]\n')

        def names(entry):
            return [cell.name for cell in self.plan(text.replace("{}", entry)).cells]

        self.assertEqual(len(names('{benchmark = "beta"}')), 4)
        self.assertEqual(names('{benchmark = "alpha"}, {workers = 2, size = 2}, {size = 1}'), ["beta workers=1 size=2"])
        self.assertEqual(len(names('{benchmark = "beta", workers = 2}')), 6)
        notes = self.plan(text.replace("{}", '{benchmark = "beta"}, {benchmark = "beta", size = 1}, {size = 2, workers = 2}')).notes
        self.assertEqual(notes, ['exclude {benchmark = "beta"}: 4 cells left out',
                                 'exclude {benchmark = "beta", size = 1} removes nothing: an earlier entry left out all its cells',
                                 "exclude {size = 2, workers = 2}: 1 cell left out"])
        for entry, said in (('{workers = 3}', "exclude {workers = 3}: matches no cell"),
                            ('{benchmark = "alpha", rounds = 2}', 'exclude {benchmark = "alpha", rounds = 2}: matches no cell'),
                            ('{workers = 1}, {workers = 2}', "exclude leaves no cell")):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                names(entry)

    def test_a_billion_trials(self):
        """They are counted, not made; a sweep makes them one after the other."""
        text = ('[sweep]\ninvocations = 1000000\n[axes]\nsize = ['
                + ", ".join(map(str, range(1, 1001))) + ']\n[set]\nbenchmark = "alpha"\n')
        planned = self.plan(text)
        some = [cell.id for cell in planned.cells[:2]]
        todo = agenda.Agenda(planned, measured((some[0], 0), (some[0], 1), (some[1], 5), ("other", 0)))
        self.assertEqual(sum(todo.left.values()), 10**9 - 3)
        whole, trials = next(todo.rounds())
        self.assertEqual((whole, {trial.block for trial in trials}), (0, {0}))
        self.assertEqual(next(planned.trials()).block, 0)
        self.assertEqual({trial.block for trial in planned.trials(999999)}, {999999})
        self.assertIn("1,000 cells x 1,000,000 blocks = 1,000,000,000 trials, 0 recorded, "
                      "1,000,000,000 to run", self.sweep(text, "plan"))
        one = '[sweep]\ninvocations = 1000000\n[set]\nbenchmark = "alpha"\n'
        self.assertNotIn("unfinished", self.sweep(one, "--block", "0"))

    def test_order(self):
        """The cells of a group, which do the same work with as many workers, and its twin run one
        after the other. Each group can come first in a block, and each cell in its group."""
        planned = self.plan('[sweep]\ninvocations = 60\ntwin = true\n[axes]\nbenchmark = ["alpha", "beta"]\n'
                            'workers = [1, 2]\nsize = [1, 2]\nscheduler = ["inverted", "sharing"]\n')
        self.assertEqual(len(planned.cells), 2 * 2 * 2 * (2 + 1))
        work = lambda trial: tuple(str(trial.cell.identity[key]) for key in ("benchmark", "workers", "parameters"))
        begins, first = set(), set()
        for block in range(60):
            trials = list(planned.trials(block))
            self.assertEqual([trial.position for trial in trials], list(range(24)))
            groups = [list(group) for _, group in itertools.groupby(trials, work)]
            self.assertEqual([len({trial.cell.id for trial in group}) for group in groups], [3] * 8)
            begins.add(work(trials[0]))
            first |= {group[0].cell.id for group in groups}
        self.assertEqual((len(begins), len(first)), (8, 24))
        self.assertEqual(list(planned.trials(7)), [trial for trial in planned.trials() if trial.block == 7])

    def test_one_of_each(self):
        text = '[sweep]\ninvocations = 1\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
        self.assertIn("1 cell x 1 block = 1 trial, 0 recorded, 1 to run", self.sweep(text, "plan"))

    def test_blocks_left(self):
        """Those without a trial yet, from the lowest."""
        planned = self.plan('[sweep]\ninvocations = 3\n[set]\nbenchmark = "alpha"\n')
        cell = planned.cells[0].id
        for done, left in (((0, 1, 2), []), ((0, 2), [1]), ((), [0, 1, 2]), ((1, 2), [0]), ((0, 1), [2]), ((7,), [0, 1])):
            todo = agenda.Agenda(planned, measured(*((cell, block) for block in done)))
            self.assertEqual([(trial.block, whole) for whole, trials in todo.rounds() for trial in trials],
                             list(zip(left, range(len(done), 3))))
            self.assertEqual((todo.left, todo.whole, todo.total), ({cell: len(left)}, len(done), 3))

    def test_work_per_cell(self):
        """What all cells have in common is looked up once."""
        text = '[axes]\nsize = [{}]\n[set]\nbenchmark = "alpha"\nshards = 2\nworkers = 1\n'
        looks = []
        for n in (2, 200):
            checked = self.check(text.format(", ".join(map(str, range(1, n + 1)))))
            with mock.patch.object(registry.Registry, "_options", autospec=True, side_effect=registry.Registry._options) as look:
                cells = plan.Plan(checked, registry.Registry(self.listing(), None)).cells
                self.assertEqual(len(cells), 2 * n)  # each has a twin
            looks.append(look.call_count)
        self.assertEqual(looks[0], looks[1])

    def test_include(self):
        """Further cells, of their own values and of [set], not of the axes."""
        text = ('[set]\nworkers = 2\n[axes]\nbenchmark = ["alpha"]\nsize = [1, 2]\n'
                '[[include]]\nbenchmark = ["beta", "alpha"]\nsize = 3\n[[include]]\nbenchmark = "gamma"\nworkers = 1\n')
        self.assertEqual([cell.name for cell in self.plan(text).cells],
                         ["alpha workers=2 size=1", "alpha workers=2 size=2", "beta workers=2 size=3",
                          "alpha workers=2 size=3", "gamma workers=1"])
        registry_of_four = registry.Registry(self.listing(), lambda *place: None,
                                             pus_of={"four": 4, "one": 1}.get)
        registry_of_four.pus = 3
        checked = self.check('[sweep]\nclip = true\n[axes]\nbenchmark = ["alpha"]\ntopology = ["four", "one"]\n'
                             'workers = [2, 3, 4]\n[[include]]\nbenchmark = "gamma"\n')
        self.assertEqual([cell.name for cell in plan.Plan(checked, registry_of_four).cells if not cell.twin], [
            "alpha workers=2 topology=four", "alpha workers=3 topology=four", "alpha workers=1 topology=one", "gamma"])
        self.assertEqual(plan.Plan(checked, registry_of_four).notes, [
            'left out: 4 workers; topology "four" here has 3 PUs', 'left out: 2, 3, 4 workers; topology "one" here has 1 PU'])
        self.assertEqual(plan.Plan(self.check('[set]\nbenchmark = "alpha"\ntopology = "one"\n'),
                                   registry_of_four).cells[0].identity["workers"], 1)
        registry_of_four.order = lambda topology, pin: {"smt": [0, 1, 2], "spread": [0]}.get(pin)
        checked = self.check('[sweep]\nclip = true\n[axes]\nbenchmark = ["gamma"]\npin = ["smt", "spread"]\n'
                             'workers = [1, 2, 4]\n')
        of_a_kind = plan.Plan(checked, registry_of_four)
        self.assertEqual([cell.name for cell in of_a_kind.cells if not cell.twin],
                         ["gamma workers=1 pin=smt", "gamma workers=2 pin=smt", "gamma workers=1 pin=spread"])
        self.assertEqual(of_a_kind.notes, [
            "left out: 4 workers; this machine has 3 PUs", 'left out: 2, 4 workers; this machine with pin "spread" has 1 PU'])
        self.assertEqual(plan.Plan(self.check('[set]\nbenchmark = "gamma"\npin = "spread"\n'),
                                   registry_of_four).cells[0].identity["workers"], 1)
        self.assertEqual(len(self.plan('[[include]]\nbenchmark = "gamma"\n').cells), 1)
        clipped = self.plan('[sweep]\nclip = true\n[[include]]\nbenchmark = "gamma"\nworkers = [2, 8]\n')
        self.assertEqual(([cell.name for cell in clipped.cells], clipped.notes),
                         (["gamma workers=2"], ["left out: 8 workers; this machine has 2 PUs"]))

    def test_variant(self):
        """The cells of [axes] with other values, also in place of those of an axis or of [set]; one
        that is there already is no other."""
        text = ('[set]\nworkers = 2\n[axes]\nbenchmark = ["alpha", "beta"]\nscheduler = ["inverted", "central"]\n'
                '[[include]]\nbenchmark = "gamma"\nscheduler = "central"\n[[variant]]\nshards = [4, 16]\n'
                '[[variant]]\nscheduler = "mercury"\nworkers = 1\n')
        self.assertEqual([cell.name for cell in self.plan(text).cells], [
            "alpha inverted workers=2", "alpha central workers=2", "beta inverted workers=2", "beta central workers=2",
            "gamma central workers=2", "alpha inverted workers=2 shards=4", "beta inverted workers=2 shards=4",
            "alpha mercury workers=1", "beta mercury workers=1"])

    def test_whose_twins(self):
        """The baseline's, of each workload and number of workers; the first cell's where there is
        no baseline."""
        def twins(text, filtered=None):
            planned = plan.Plan(self.check(text), self.registry)
            if filtered:
                planned.keep(re.compile(filtered))
            return [cell.name for cell in planned.cells if cell.twin]

        text = ('[sweep]\nbaseline = "central"\n[axes]\nscheduler = ["inverted", "central"]\ncentral.capacity = [1, 2]\n'
                'size = [1, 2]\nworkers = [1, 2]\n[set]\nbenchmark = "alpha"\n')
        self.assertEqual(twins(text), [f"alpha central workers={workers} central.capacity=1 size={size} (twin)"
                                       for size in (1, 2) for workers in (1, 2)])
        self.assertEqual(twins(text, "capacity=2 size=1|inverted.*size=2"),
                         [f"alpha central workers={workers} central.capacity=2 size=1 (twin)" for workers in (1, 2)]
                         + [f"alpha inverted workers={workers} size=2 (twin)" for workers in (1, 2)])
        self.assertEqual(twins(text.replace("baseline", "#")), [f"alpha inverted workers={workers} size={size} (twin)"
                                                                for size in (1, 2) for workers in (1, 2)])
        self.assertEqual(twins(text.replace("[sweep]", '[sweep]\nexclude = [{scheduler = "central", size = 2}]')),
                         [f"alpha {kind} (twin)" for kind in (
                             "central workers=1 central.capacity=1 size=1", "central workers=2 central.capacity=1 size=1",
                             "inverted workers=1 size=2", "inverted workers=2 size=2")])
        self.assertEqual(twins(text.replace("[sweep]", "[sweep]\ntwin = false")), [])

    def test_grows_with_workers(self):
        """A value may be an expression of the workers: of [parameters], [set], axes, overrides."""
        def sizes(text, workers="[1, 2]"):
            made = self.plan(f"[sweep]\ntwin = false\n[axes]\nbenchmark = [\"alpha\", \"beta\"]\nworkers = {workers}\n" + text)
            return [cell.identity["parameters"].get("rounds", cell.identity["parameters"]["size"]) for cell in made.cells]

        self.assertEqual(sizes('[parameters.alpha]\nsize = "20 * workers"\n'), [20, 40, 2, 2])
        self.assertEqual(sizes('[parameters.beta]\nrounds = "5 - 1.5 * (workers - 1) + workers // 2 / 2"\n'), [10, 10, 5, 4])
        self.assertEqual(sizes('[set]\nsize = "min(workers + 5, 7, max(workers, 9))"\n'), [6, 7, 2, 2])
        self.assertEqual(sizes('alpha.size = [3, "workers"]\n'), [3, 1, 3, 2, 2, 2])
        self.assertEqual(sizes('[[override]]\nwhere = {workers = 2, benchmark = "beta"}\nset = {rounds = "workers + 1"}\n'),
                         [10, 10, 2, 3])
        cells = self.plan('[set]\nbenchmark = "beta"\nworkers = 2\nshare = "workers / 8"\nrounds = "workers"\n').cells
        self.assertEqual(cells[0].arguments(), ["beta", "--workers", "2", "--set", "share=0.25", "--set", "rounds=2"])
        # What is not given has as many workers as the machine has PUs.
        self.assertEqual(self.plan('[set]\nbenchmark = "beta"\nrounds = "3 * workers"\n').cells[0].options, {"rounds": 6})
        for text, said in (("5 * workers", "10: beta wants a whole number from 1 to 9"),
                           ("workers / 3", "0.6666666666666666: beta wants a whole number"),
                           ("workers * " + "9" * 150, f"{2 * int('9' * 150)}: beta wants a whole number")):
            with self.assertRaises(Failure) as caught:
                self.plan(f'[set]\nbenchmark = "beta"\nworkers = 2\nrounds = "{text}"\n')
            self.assertIn(f'x.toml: rounds = "{text}" with 2 workers: rounds = {said}', str(caught.exception))
        for text, said in (("1 / (workers - 1)", "divides by 0"), ("1e300 * 1e300 / workers", "is beyond all numbers")):
            with self.assertRaisesRegex(Failure, re.escape(f'share = "{text}" with 1 worker {said}')):
                self.plan(f'[set]\nbenchmark = "beta"\nworkers = 1\nshare = "{text}"\n')

    def test_nothing_meant(self):
        """What looks for cells that are not there is a mistake."""
        for text, said in (('[set]\nbenchmark = "alpha"\nworkers = 1\n[[override]]\nwhere = {workers = 2}\nset = {size = 2}\n',
                            "x.toml: override where {workers = 2}: matches no cell"),
                           ('[sweep]\nbaseline = "central"\n[set]\nbenchmark = "alpha"\nscheduler = "inverted"\n',
                            'x.toml: baseline = "central": no cell has it; valid: inverted')):
            with self.assertRaises(Failure) as caught:
                self.plan(text)
            self.assertEqual(str(caught.exception), said)

    def test_override(self):
        """Options of some cells: where means what a cell is given and the names it stands for."""
        text = ('[set]\nbenchmark = "alpha"\n[axes]\nscheduler = ["inverted", "central"]\nsize = [1, 2]\n'
                '[[override]]\nwhere = {scheduler = "inverted", size = 2}\nset = {shards = 4, sleep_ms = 5}\n'
                '[[override]]\nwhere = {victim = "longest"}\nset = {queue = "list"}\n')
        self.assertEqual([cell.options for cell in self.plan(text).cells],
                         [{"size": 1, "queue": "list"}, {"size": 2, "shards": 4, "sleep_ms": 5, "queue": "list"},
                          {"size": 1}, {"size": 2}])

    def test_clip(self):
        def clipped(workers):
            made = self.plan(f'[sweep]\nclip = true\n[set]\nbenchmark = "alpha"\n[axes]\nworkers = {workers}\n')
            return [cell.flags["workers"] for cell in made.cells], made.notes

        self.assertEqual(clipped([1, 2]), ([1, 2], []))
        self.assertEqual(clipped([1, 4, 2, 48]), ([1, 2], ["left out: 4, 48 workers; this machine has 2 PUs"]))
        self.assertEqual(clipped([48]), ([2], ["left out: 48 workers; this machine has 2 PUs"]))


if __name__ == "__main__":
    unittest.main()
