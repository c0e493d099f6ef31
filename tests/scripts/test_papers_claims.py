#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/claims tests what papers state: which files it refuses, what it runs, and its verdicts.

AL_BUILD names the build folder."""

import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

os.environ["AL_ACTORLAB"] = str(ACTORLAB)

from claims import command, evidence, report, verdict
from claims.claim import Claim, Need, combinations, natural_key, paths, read_all
from claims.evidence import NATIVE, cells_of
from claims.verdict import CONTRADICTED, HOLDS, INCONCLUSIVE, Finding, settle
from common.failure import Failure, exit_code

MACHINE = "epyc-7662-2s"
SWEEP = """
[sweep]
invocations = 5
warmup = 0
size = "paper"
clip = true
[axes]
benchmark = ["executor"]
scheduler = ["inverted", "central"]
workers = [1, 2, 4]
actors = [40]  # [parameters] would yield to the size
group = [4]
rounds = [5]
"""
# With four workers one queue for all is slower than a queue for each.
CLAIM = """
source = "chapter"
place = "a section"
statement = "A central queue is slower."
negation = "A central queue is not slower."
kind = "order"
reason = "As it says."
sweep = "own/small"
machines = ["epyc-7662-2s"]
engine = "sim"
at = {workers = 4}
minutes = 0.1
quick = true
[[need]]
over = {scheduler = "central"}
under = {scheduler = "inverted"}
least = 1
"""


def opposite(text):
    """The same with its bound on the other side."""
    return text.replace("least = 1", "most = 1")


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.configs = self.folder / "configs"
        (self.configs / "own").mkdir(parents=True)
        (self.configs / "claims").mkdir()
        (self.configs / "own" / "small.toml").write_text(SWEEP)

    def write(self, **files):
        for name, text in files.items():
            (self.configs / "claims" / f"{name}.toml").write_text(text)

    def claims(self, *words, code=0):
        """What the command prints."""
        out, errors = io.StringIO(), io.StringIO()
        out.reconfigure = lambda **given: None
        words = [*words, "--claims", self.configs / "claims", "--folder", self.folder / "records"]
        with redirect_stdout(out), redirect_stderr(errors), mock.patch.object(evidence, "CONFIGS", self.configs), \
                mock.patch.object(sys, "argv", ["claims", *map(str, words)]):
            try:
                found = exit_code(command.main)
            except SystemExit as ended:
                found = ended.code
        self.errors = errors.getvalue()
        self.assertEqual(found, code, out.getvalue() + self.errors)
        return out.getvalue()


class Files(Folder):
    def refused(self, text, *lines):
        """Each line of the refusal matches."""
        self.write(T1=text)
        self.claims("--plan", code=2)
        said = self.errors.splitlines()
        self.assertEqual(len(said), len(lines), self.errors)
        for line, pattern in zip(said, lines):
            self.assertRegex(line, pattern)

    def test_mistakes(self):
        for before, after, pattern in (
                ("kind =", "sort =", r"T1.toml:6: unknown key \"sort\""),
                ('"order"', '"taste"', r"T1.toml:6: kind = \"taste\": must be one of order, ratio"),
                ('source = "chapter"', 'source = "gossip"', r"T1.toml:2: source = \"gossip\": must be one of chapter"),
                ("least = 1", "", r"T1.toml:1\d: neither least nor most: nothing could contradict it"),
                ("least = 1", "least = 2\nmost = 1", r"T1.toml:1\d: least = 2 is larger than most = 1"),
                ("least = 1", 'least = "x"', r"T1.toml:1\d: least = \"x\": must be a number"),
                ("least = 1", "least = 1\nleats = 1", r"T1.toml:1\d: unknown key of \[\[need\]\] \"leats\"; did you mean \"least\""),
                ("under =", "spread =", r"T1.toml:1\d: it has over and spread of over, spread, value: give one"),
                ("minutes = 0.1", 'minutes = 0.1\nexpected = "holds"', "expected belongs to controls"),
                ("minutes = 0.1", 'minutes = 0.1\nmargin = 5', r"margin = 5: must be a share"),
                ('kind = "order"', 'kind = "crossover"', "a crossover needs two"),
                ('kind = "order"', 'kind = "equivalence"', "an equivalence needs most"),
                ("[[need]]", "[need]", r"need must be a list of tables: write \[\[need\]\]"),
                ("workers = 4", "workers = 3", r"T1.toml: own/small has no cell with .*workers = 3.*needs exactly one"),
                ('"central"', '"middle"', r"T1.toml: own/small has no cell with .*\"middle\""),
                ('{scheduler = "central"}', "{}", r"T1.toml: own/small has 2 cells, such as .* with {workers = 4}"),
                ("own/small", "own/large", r"large.toml: No such file: no sweep \"own/large\""),
                ("[[need]]", "[[need]\n", r"T1.toml:1\d: "),
                ("[[need]]", '[[cause]]\nchange = "never"\n[[need]]', "it needs change, and override or model"),
                ('"epyc-7662-2s"', '"abacus"', "abacus")):
            with self.subTest(after):
                self.write(T1=CLAIM.replace(before, after))
                self.claims("--plan", code=2)
                self.assertRegex(self.errors, pattern)

    def test_every_mistake_of_a_file(self):
        self.refused(CLAIM.replace('"order"', '"taste"').replace("least = 1", "least = true"),
                     "T1.toml:6: kind", "T1.toml:1[0-9]: least = true: must be a number")

    def test_every_mistake_of_predicates(self):
        self.write(T2=CLAIM.replace("workers = 4", "workers = 3"))
        self.refused(CLAIM.replace('"central"', '"middle"'), "T1.toml: own/small has no cell", "T2.toml: own/small has no cell")

    def test_unknown_claim(self):
        self.write(T1=CLAIM)
        self.claims("--only", "T2", code=2)
        self.assertRegex(self.errors, r'^unknown claim "T2" \(valid: T1\)\n$')
        self.claims("--quick", "--only", "T1", "--plan")

    def test_untestable(self):
        self.write(T1='source = "caf"\nplace = "p"\nstatement = "s"\nkind = "order"\nnot_testable = "nobody can"\n')
        self.assertRegex(self.claims(), r"1 claim: 1 not testable here\n\nT1  not testable here\n.*\n    found: nobody can")

    def test_order(self):
        names = ["C10", "C2", "L3A", "L10", "L3", "X1"]
        self.assertEqual(sorted(names, key=natural_key), ["C2", "C10", "L3", "L3A", "L10", "X1"])

    def test_combinations(self):
        self.assertEqual(combinations({"a": [1, 2], "b": 3}), [{"a": 1, "b": 3}, {"a": 2, "b": 3}])
        need = Need("over", [{"s": ["a", "b"]}], [{"s": "c"}], "message", "ratio", 1, math.inf)
        self.assertEqual(cells_of(None, need, {"w": 1}, None), [
            ([{"w": 1, "s": "a"}], [{"w": 1, "s": "c"}]), ([{"w": 1, "s": "b"}], [{"w": 1, "s": "c"}])])
        spread = need._replace(shape="spread", under=[])
        self.assertEqual(cells_of(None, spread, {}, None), [([{"s": "a"}, {"s": "b"}], [])])


def finding(need, over, under, machine=MACHINE, margin=0.1):
    """Of cells with these times per message in each block."""
    def runs(side):
        return [{block: {"time_ns": [value], "messages": 1} for block, value in enumerate(values)} for values in side]

    return Finding(SimpleNamespace(margin=margin), need, machine, {}, [[], []], [runs(over), runs(under)])


def judged(need, over, under=(), **more):
    found = finding(need, over, under, **more)
    settle([found], ACTORLAB)
    return found


ORDER = Need("over", [], [], "message", "ratio", 1, math.inf)
SPREAD = Need("spread", [], [], "message", "ratio", -math.inf, 1.5)


class Verdicts(unittest.TestCase):
    def test_simulated(self):
        for need, over, under, wanted in (
                (ORDER, [[12, 12, 13]], [[10, 10, 10]], HOLDS),
                (ORDER, [[12, 12, 10.5]], [[10, 10, 10]], INCONCLUSIVE),  # a seed within the margin
                (ORDER, [[12, 8, 12]], [[10, 10, 10]], INCONCLUSIVE),
                (ORDER, [[9.5, 9.5, 9.5]], [[10, 10, 10]], INCONCLUSIVE),
                (ORDER, [[8, 8, 8]], [[10, 10, 10]], CONTRADICTED),
                (SPREAD, [[10, 10], [12, 12], [13, 13]], [], HOLDS),
                (SPREAD, [[10, 10], [12, 12], [14, 14]], [], INCONCLUSIVE),
                (SPREAD, [[10, 10], [12, 12], [17, 17]], [], CONTRADICTED),
                (ORDER._replace(most=2), [[30, 30]], [[10, 10]], CONTRADICTED),
                (ORDER._replace(unit="ns", least=-math.inf, most=70), [[50, 50]], [[10, 10]], HOLDS),
                (ORDER._replace(unit="ns", least=-math.inf, most=70), [[150, 150]], [[10, 10]], CONTRADICTED),
                # The product of two numerators over that of two denominators.
                (ORDER, [[4, 4], [3, 3]], [[5, 5], [2, 2]], HOLDS),
                (Need("value", [], [], "message", "ns", 5, math.inf), [[6, 7]], [], HOLDS)):
            with self.subTest(need=need, over=over):
                self.assertEqual(judged(need, over, under).verdict, wanted)
        self.assertEqual(judged(ORDER, [[10.5, 10.5]], [[10, 10]], margin=0).verdict, HOLDS)

    def test_why_open(self):
        self.assertEqual(judged(ORDER, [[12, 8]], [[10, 10]]).why_open(), "seeds disagree")
        self.assertEqual(judged(ORDER, [[10.5, 10.6]], [[10, 10]]).why_open(), "a margin of less than 10%, so a better model")

    def test_native(self):
        noisy = [10 + block % 3 for block in range(15)]
        for need, over, under, wanted in (
                (ORDER, [[2 * value + block % 2 for block, value in enumerate(noisy)]], [noisy], HOLDS),
                (ORDER, [[value / 2 for value in noisy]], [noisy], CONTRADICTED),
                (ORDER, [noisy[1:] + noisy[:1]], [noisy], INCONCLUSIVE),
                (SPREAD, [noisy, [1.1 * value for value in noisy], [1.2 * value for value in noisy]], [], HOLDS),
                (SPREAD, [noisy, [1.1 * value for value in noisy], [3 * value for value in noisy]], [], CONTRADICTED),
                (ORDER._replace(unit="ns", least=-math.inf, most=70), [[value + 60 for value in noisy]], [noisy], HOLDS),
                (ORDER._replace(unit="ns", least=-math.inf, most=70), [[value + 80 for value in noisy]], [noisy], CONTRADICTED),
                (SPREAD._replace(unit="ns", most=70), [noisy, [value + 60 for value in noisy]], [], HOLDS),
                (SPREAD._replace(unit="ns", most=70), [noisy, [value + 90 for value in noisy]], [], CONTRADICTED),
                (Need("value", [], [], "message", "ns", -math.inf, 9), [noisy], [], CONTRADICTED)):
            with self.subTest(need=need, over=over):
                self.assertEqual(judged(need, over, under, machine=NATIVE).verdict, wanted)

    def test_native_level(self):
        """The more there is to judge, the wider are the intervals."""
        noisy = [10 + block % 4 for block in range(15)]
        values = [value * (1.2 + block % 5 / 10) for block, value in enumerate(noisy)]
        alone = judged(ORDER, [values], [noisy], machine=NATIVE)
        many = [finding(ORDER, [values], [noisy], machine=NATIVE) for _ in range(100)]
        settle(many, ACTORLAB)
        self.assertLess(many[0].low, alone.low)
        self.assertGreater(many[0].high, alone.high)

    def test_few_blocks_decide_nothing(self):
        self.assertEqual(judged(ORDER, [[20, 21]], [[10, 10]], machine=NATIVE).verdict, INCONCLUSIVE)

    def test_names(self):
        """Cells are called by what tells them apart."""
        for at, sides, wanted in (
                ({"workers": 4}, [[{"workers": 4, "scheduler": "inverted", "queue": "list"}], [{"workers": 4, "scheduler": "inverted"}]],
                 [["queue=list"], ["inverted"]]),
                ({}, [[{"scheduler": "las", "placement": "las_a"}], [{"scheduler": "deque"}]], [["las las_a"], ["deque"]]),
                ({}, [[{"scheduler": "las", "workers": 8}, {"scheduler": "las", "workers": 1}], []], [["8 workers", "1 worker"], []])):
            self.assertEqual(verdict.names_of(at, sides), wanted)

    def test_numbers(self):
        for value, unit, wanted in ((0.6234, "", "0.623"), (1240.0, "ns", "1.24 us"), (12.0, "ns", "12 ns"), (123456.0, "B", "123,456 B")):
            self.assertEqual(report.number(value, unit), wanted)


@unittest.skipUnless(ACTORLAB.with_name("actorlab-sim").exists(), "there is no simulator")
class Runs(Folder):
    def test_claim_and_its_negation(self):
        cause = '[[cause]]\nchange = "with one worker"\noverride = [{where = {workers = 4}, set = {batch = 2}}]\n'
        self.write(T1=CLAIM, T2=opposite(CLAIM) + cause,
                   X1=opposite(CLAIM).replace('"chapter"', '"control"').replace("quick", 'expected = "contradicted"\nquick'))
        said = self.claims()
        self.assertIn("2 claims: 1 holds in simulation, 1 contradicted in simulation\n1 contradicted without a known cause\n"
                      "1 of 1 control as known\n", said)
        self.assertRegex(said, r"T1  holds in simulation\n    the chapter, a section: A central queue is slower.\n"
                         rf"    found: central / inverted is [\d.]+ \([\d.]+ to [\d.]+\) with workers=4 on {MACHINE}, as claimed: at least 1")
        self.assertRegex(said, r"cause: no change found; tried, with one to three seeds of each cell: with one worker \(central / inverted is")
        records = list((self.folder / "records").rglob("records.jsonl"))
        self.assertEqual(len(records), 2)  # the sweep, and the changed one
        before = {path: path.read_bytes() for path in records}
        # Nothing runs again.
        data = json.loads(self.claims("--json"))
        self.assertEqual({path: path.read_bytes() for path in records}, before)
        self.assertEqual([one["verdict"] for one in data["results"]],
                         ["holds in simulation", "contradicted in simulation", "contradicted in simulation"])
        self.assertEqual(len(data["results"][0]["findings"][0]["values"]), 3)
        self.assertEqual(data["results"][1]["tried"][0]["verdict"], "contradicted in simulation")
        self.assertIn("3 claims, 0 trials to run", self.claims("--plan"))
        # A control with the other verdict fails the command.
        self.write(X1=CLAIM.replace('"chapter"', '"control"').replace("quick", 'expected = "contradicted"\nquick'))
        self.claims("--no-causes", code=1)
        self.assertIn("controls with another verdict than is known: X1", self.errors)
        # Equal trials are taken from elsewhere.
        first = next(path.parent for path in records if path.parent.parent.name == "own")
        elsewhere = self.folder / "elsewhere"
        first.rename(elsewhere)
        self.claims("--only", "T1", elsewhere)
        copies = [json.loads(line) for line in (first / "records.jsonl").read_text().splitlines()]
        self.assertEqual({record["sweep"]["copied_from"] for record in copies}, {"small"})
        # Those of another model are refused.
        path = elsewhere / "records.jsonl"
        path.write_text(re.sub(r'"model_hash": ?"\w+"', '"model_hash":"0123456789abcdef"', path.read_text()))
        self.claims("--only", "T1", elsewhere, code=2)
        self.assertRegex(self.errors, r"^.*records.jsonl: its records are of another model of epyc-7662-2s than this")
        self.claims("--only", "T1", self.folder / "nowhere", code=2)
        self.assertRegex(self.errors, "nowhere: no records.jsonl in it\n$")

    def test_changes_that_fail_with_one_seed_get_no_more(self):
        (self.folder / "configs" / "own" / "small.toml").write_text(SWEEP.replace('"central"', '"deque"'))
        claim = CLAIM.partition("[[need]]")[0] + '[[need]]\nvalue = {scheduler = "deque"}\nleast = 50_000\n'
        for name, ns in (("little", 1), ("much", 400_000)):
            claim += f'[[cause]]\nchange = "{name}"\noverride = [{{where = {{scheduler = "deque"}}, set = {{library = {ns}}}}}]\n'
        self.write(T1=claim)
        result, = json.loads(self.claims("--json"))["results"]
        self.assertEqual((result["verdict"], result["cause"]), ("contradicted in simulation", "much"))
        self.assertEqual([(one["change"], one["verdict"], len(one["findings"][0]["values"])) for one in result["tried"]],
                         [("little", "contradicted in simulation", 1), ("much", "holds in simulation", 3)])

    def test_existing(self):
        """Nothing runs; what has no records is not judged."""
        self.write(T1=CLAIM)
        self.assertRegex(self.claims("--existing"), r"^1 claim: 1 not run\n\nT1  not run\n.*\n    found: 0 records of .*executor central")
        self.claims()
        (self.folder / "records").rename(self.folder / "elsewhere")
        self.assertRegex(self.claims("--existing", self.folder / "elsewhere"), "T1  holds in simulation")
        self.assertFalse(list((self.folder / "records").rglob("records.jsonl")))
        path = next((self.folder / "elsewhere").rglob("records.jsonl"))
        path.write_text("".join(path.read_text().splitlines(True)[:-1]))
        self.assertRegex(self.claims("--existing", self.folder / "elsewhere"), "T1  not run\n.*\n    found: 2 records of")

    def test_another_model(self):
        """Where a locked instruction takes a microsecond, the many of `central` take longer."""
        self.write(T1=CLAIM)
        median = [json.loads(self.claims("--json", *words))["results"][0]["findings"][0]["median"]
                  for words in ((), ("--model", "locked=1000", "--model", "locked.amid=1000"))]
        self.assertNotEqual(*median)
        self.assertEqual(len(list((self.folder / "records").iterdir())), 2)
        self.claims("--model", "locked", code=2)
        self.assertEqual(self.errors, "--model locked: must be KEY=NUMBER, such as locked=7\n")
        self.claims("--model", "lock=7", code=2)
        self.assertRegex(self.errors, "lock")

    def test_document(self):
        self.write(T1=CLAIM)
        self.claims("--document", self.folder / "page.md")
        page = (self.folder / "page.md").read_text()
        self.assertRegex(page, r"### T1: holds in simulation\n\nA central queue is slower\. \(a section; order\)")
        self.assertIn("Again: `actorlab claims --only T1`; sweep `own/small`.", page)
        self.assertFalse([line for line in page.splitlines() if len(line) > 100])


class Command(unittest.TestCase):
    def test_of_actorlab(self):
        """`actorlab claims` is the same command."""
        done = subprocess.run([ACTORLAB, "claims", "--only", "nothing"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, '^unknown claim "nothing"')


class Shipped(unittest.TestCase):
    def test_all(self):
        claims = read_all()
        real = [claim for claim in claims if not claim.is_control]
        self.assertGreaterEqual(len(real), 60)
        self.assertGreaterEqual(len(claims) - len(real), 5)
        self.assertEqual(len({claim.statement for claim in claims}), len(claims))
        page = " ".join((ROOT / "docs/claims.md").read_text().split())
        for claim in claims:
            with self.subTest(claim.id):
                self.assertIn(f"### {claim.id}: ", page)
                self.assertIn(" ".join(claim.statement.split()), page)

    def test_cells(self):
        """Every predicate is over cells that its sweep makes."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        found = evidence.Evidence(Path(temporary.name))
        for claim in read_all():
            with self.subTest(claim.id):
                question = verdict.Question(claim, found)
                self.assertTrue(question.asked or question.reason)
                for cause in claim.causes:
                    changed = verdict.Question(claim, found, found.variant(cause))
                    self.assertEqual(bool(changed.asked), bool(question.asked))


if __name__ == "__main__":
    unittest.main()
