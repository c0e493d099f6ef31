#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a valid record is: actorlab says it once, the scripts ask, and nothing that it lets pass
ends them."""

import copy
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.sweeping import SMALL, Bench

from results import records

RECORD = {
    "schema_version": 1, "started_at": "2026-01-01T00:00:00Z", "benchmark": "alpha", "parameters": {"size": 3},
    "scheduler": "inverted", "victim": "longest", "idle": "spin", "options": {"shards": 16}, "workers": 2, "pus": [0, 1],
    "bound": [0, None], "nodes": [0, 0], "pin": "close", "topology": "this machine", "locality": "root",
    "oversubscribed": False, "seed": 1, "engine": "native", "warmup": 1, "iterations": 2, "time_ns": [1000, 1010],
    "warmup_rule": "auto", "warmup_steady": False, "steady": None,
    "messages": 100, "counters": [{"gulps": 3, "steals_by_level": {"root": 1}}, {"gulps": 0}],
    "latencies": {"n": 3, "min_ns": 1.5, "mean_ns": 2.0, "max_ns": 4.0, "p50": 2.0, "p99": 4.0,
                  "buckets": [[1.5, 1], [2.0, 2]]},
    "placement": None, "trace": None, "peak_rss_bytes": 4096,
    "memory": {"allocated_bytes": 10, "resident_bytes": None, "queue_bytes": 0},
    "environment": {"cpu": "C", "kernel": "6", "cpus_allowed": "0-1", "topology_hash": "t", "compiler": "cc", "turbo": None,
                    "aslr": True, "binary_hash": "b", "revision": "r", "load": 0.5},
    "noise": {"before": {"load": 0.1, "procs_running": 1}, "elapsed_ns": 5, "watched_pus": 2, "frequencies_khz": [None, 7],
              "governors": [None], "gate": {"others_running": 0, "waited_s": 0.1}, "disturbed": ["busy"]},
    "hardware": [{"cycles": 5, "instructions": None, "cache_misses": 0, "context_switches": 1, "page_faults": 0, "waited_ns": 7, "ran_ns": 9}, {}],
    "handoff": {"from": 0, "to": [1, 3], "ns": [80.5, None], "median_ns": 80.5, "took_ns": 7},
    "peer": {"version": "v 1", "program_hash": "p"}, "outcome": "ok", "error": None,
    "sweep": {"name": "s", "cell": "c", "block": 0, "position": 3, "elapsed_s": 0.5, "twin": False},
}
HANDOFF = RECORD["handoff"]
NESTED = []
for _ in range(300):
    NESTED = [NESTED]
# Where a record is damaged, and by which values.
DAMAGE = {
    "time_ns": (None, [], [-1], [0], [1.5], ["1000"], "1000", 1000, [10**19]),
    "outcome": (None, "fine", 1, [], {}),
    "messages": (None, 0, -1, "100", 1.5, True),
    "workers": (None, 0, -1, "2", 1.5, True, [2], 4097),
    "peak_rss_bytes": (None, -1, "1"),
    "schema_version": (None, 0, 3, 1.0, "1", True),
    "benchmark": (None, 1, ["x"]), "scheduler": (None, {},), "parameters": (None, [], {"a": []}, {"a": {}}),
    "options": (None, 5, {"a": [1]}), "victim": (5, []), "started_at": (5,), "stderr": ({},), "signal": (9,),
    "exit_code": ("1",), "pus": (0, ["0"]), "oversubscribed": (1,), "iterations": (-1, [], "1"), "trace": (1,),
    "counters": (5, {}, [5], [None], [{"gulps": -1}], [{"gulps": "3"}], [{"gulps": None}], [{"gulps": 1.5}],
                 [{"steals_by_level": {"root": "1"}}]),
    "latencies": (5, [], {"n": "3"}, {"buckets": 3}, {"buckets": [1]}, {"buckets": [[1]]}, {"buckets": [[1, 2, 3]]},
                  {"buckets": [[1, 0]]}, {"buckets": [[-1, 1]]}, {"p50": "2"}, {"min_ns": -1}),
    "memory": (5, [], {"queue_bytes": "1"}, {"allocated_bytes": -1}),
    "environment": (5, [], {"cpu": 5}, {"kernel": ["6"]}, {"aslr": "yes"}, {"load": []}),
    "noise": (5, [], {"gate": 5}, {"gate": {}}, {"gate": {"waited_s": "0"}}, {"disturbed": 1}, {"disturbed": [1]},
              {"before": []}, {"others_ns": "1"}, {"frequencies_khz": [""]}),
    "hardware": (5, {}, [5], [None], [{"cycles": -1}], [{"cycles": 0.5}], [{"instructions": "1"}], [{"cache_misses": []}],
                 [{"context_switches": 10**16}], [{"page_faults": True}], [{"waited_ns": 0.5}], [{"ran_ns": -1}]),
    "warmup_rule": (1, True, []), "warmup_steady": ("yes", 0), "steady": ("no", 1, []),
    "handoff": (5, [], {}, {"from": 0, "to": [], "ns": [], "median_ns": None}, HANDOFF | {"from": None},
                HANDOFF | {"to": list(range(9))}, HANDOFF | {"to": ["1"]}, HANDOFF | {"ns": [-1]}, HANDOFF | {"ns": ["1"]},
                HANDOFF | {"median_ns": "1"}, HANDOFF | {"took_ns": 0.5}),
    "peer": (5, [], {"version": 1}, {"program_hash": []}),
    "sweep": (5, [], {"cell": []}, {"cell": 1}, {"block": "0"}, {"block": -1}, {"block": []}, {"block": 0.5},
              {"position": "0"}, {"elapsed_s": "1"}, {"elapsed_s": -1}, {"twin": 1}, {"name": {}}),
    "further": (NESTED, {"a": [[[[[[[[[1]]]]]]]]]}),
}


def changed(key, value):
    return {name: old for name, old in RECORD.items() if name != key} | ({} if value is None else {key: value})


def damaged():
    """(what, the line) of lines that are no records."""
    for key, values in DAMAGE.items():
        for value in values:
            yield f"{key} = {str(value)[:60]}", json.dumps(changed(key, value)).encode()
    good = json.dumps(RECORD).encode()
    for what, old, new in (
            ("NaN", b"[1000, 1010]", b"[NaN]"), ("infinity", b"[1000, 1010]", b"[Infinity]"), ("2^63", b": 100,", b": %d," % 2**63),
            ("a large real", b"0.5", b"1e999"), ("a key twice", b'"messages"', b'"workers": 2, "messages"'),
            ("a key of an object twice", b'"shards": 16', b'"shards": 16, "shards": 16'),
            ("a lone surrogate", b'"close"', b'"\\ud800"'), ("a surrogate in UTF-8", b"close", b"\xed\xa0\x80"),
            ("not UTF-8", b"close", b"\xff"), ("NUL", b"close", b"\\u0000"), ("a bare NUL", b"close", b"\0"),
            ("more behind", b"}}", b"}} {}"), ("torn", b', "sweep"', b"")):
        line = good.replace(old, new, 1)
        assert line != good, what
        yield what, line[:-1] if what == "torn" else line
    yield "a byte order mark", b"\xef\xbb\xbf" + good
    yield "a list", b"[]"
    yield "deep", b"[" * 100000 + b"]" * 100000


def check(lines, code):
    done = subprocess.run([ACTORLAB, "results", "--check", "-"], input=b"".join(line + b"\n" for line in lines),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == code and not done.stderr, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Gate(Bench):
    def test_good(self):
        for record in (RECORD, {key: RECORD[key] for key in (
                "schema_version", "benchmark", "scheduler", "parameters", "options", "workers", "time_ns", "messages",
                "peak_rss_bytes", "outcome")}):
            verdict, = check([json.dumps(record).encode()], 0)
            self.assertEqual(verdict.keys(), {"line", "trial", "session"} if "sweep" in record else {"line", "trial"})
            self.assertRegex(verdict["trial"], "^[0-9a-f]{32}$")

    def test_failed_trials_lack_what_they_never_had(self):
        for outcome in ("wrong", "crashed", "timeout", "missing", "nonsense"):
            failed = {key: value for key, value in RECORD.items() if key not in ("time_ns", "messages", "peak_rss_bytes")}
            check([json.dumps(failed | {"outcome": outcome} | more).encode()
                   for more in ({}, {"time_ns": [], "messages": None, "peak_rss_bytes": None}, {"messages": 0})], 0)

    def test_each_damage(self):
        """Also where it is read for a summary: C and Python ask the same."""
        good, last = (json.dumps({**RECORD, "seed": seed}).encode() for seed in (1, 2))
        lines = [line for _, line in damaged()]
        path = self.folder / "records.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in [good, *lines, b"", last]))
        verdicts = check([good, *lines, b"", last], 1)
        self.assertEqual([verdict["line"] for verdict in verdicts], [*range(1, len(lines) + 2), len(lines) + 3])
        for (what, _), verdict in zip(damaged(), verdicts[1:]):
            self.assertIn("problem", verdict, what)
        told = subprocess.run([ACTORLAB, "summarize", path, "--json"], capture_output=True, text=True, check=False)
        self.assertEqual((told.returncode, told.stderr.count("\n")), (1, len(lines)))
        # A later version is no damage: a sweep moves none of it away.
        path.write_bytes(b"".join(
            line + b"\n" for line, verdict in zip([good, *lines], verdicts) if not verdict.get("newer")))
        found, bad = records.parse(path)
        self.assertEqual((len(found), len(bad)), (1, len(lines) - 1))

    def test_says_what_is_wrong(self):
        for key, value, words in (
                ("workers", "2", "workers, an integer from 1"), ("time_ns", [], "time_ns, a list of positive integers"),
                ("outcome", "fine", "outcome, ok, wrong"), ("sweep", {"block": "0"}, "sweep.block, an integer"),
                ("noise", {"gate": {}}, "noise.gate.waited_s"), ("further", NESTED, "nested")):
            verdict, = check([json.dumps(changed(key, value)).encode()], 1)
            self.assertIn(words, verdict["problem"])

    def test_control_characters(self):
        """The parser quotes what it could not read, and terminals obey it."""
        line = b'{"schema_version": 1, \x1bx": 2}'
        verdict, = check([line], 1)
        self.assertIn("near '\\x1b'", verdict["problem"])
        told = subprocess.run([ACTORLAB, "summarize", "-"], input=line, capture_output=True, check=False)
        self.assertNotIn(b"\x1b", told.stderr)

    def test_many(self):
        """Ten thousand take a few times as long as Python's JSON parser does: the work per line
        does not grow."""
        lines = [json.dumps({**RECORD, "seed": seed}).encode() for seed in range(10000)]
        began = os.times()
        check(lines, 0)
        checked = os.times()
        for line in lines:
            json.loads(line)
        parsed = os.times()
        self.assertLess(checked.children_user - began.children_user, 20 * (parsed.user - checked.user) + 0.1)

    def test_path_that_is_not_utf8(self):
        path = self.folder / os.fsdecode(b"\xff.jsonl")
        path.write_text(2 * (json.dumps(RECORD) + "\n"))
        done = subprocess.run([ACTORLAB, "results", "--check", path], stdout=subprocess.PIPE, check=False)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(line["line"], "problem" in line) for line in said], [(1, False), (2, True)])

    def test_command_line(self):
        for words in ([], ["--check"], ["--chek", "x"], ["--check", "x", "y"], ["--check", str(self.folder / "absent")]):
            done = subprocess.run([ACTORLAB, "results", *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), words)


class Twice(Bench):
    """A trial counts once, however often it is read."""

    def setUp(self):
        super().setUp()
        self.old = [{**RECORD, "seed": seed} for seed in range(6)]
        self.new = [{**RECORD, "seed": seed, "schema_version": 2, "trial": f"{seed:032x}"} for seed in range(6)]

    def write(self, made, name="records.jsonl"):
        (self.folder / name).write_text("".join(json.dumps(record) + "\n" for record in made))
        return self.folder / name

    def run_it(self, *words, code):
        done = subprocess.run([ACTORLAB, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def n(self, *paths, code):
        done = self.run_it("summarize", "--json", *paths, code=code)
        cell, = json.loads(done.stdout)["cells"]
        return cell["n"], done.stderr

    def test_given_twice(self):
        for made in (self.old, self.new):
            path = self.write(made)
            self.assertEqual(self.n(path, code=0), (6, ""))
            self.assertEqual(self.n(path, path, code=1), (
                6, f"actorlab summarize: {path}:1: the same trial as {path}:1, left out, and 5 more lines read before\n"))
            again = self.write(made[3:4], "again")
            self.assertEqual(self.n(path, again, code=1), (
                6, f"actorlab summarize: {again}:1: the same trial as {path}:4, left out\n"))

    def test_concatenated(self):
        for made in (self.old, self.new):
            path = self.write(made + made)
            n, said = self.n(path, code=1)
            self.assertEqual((n, said.count("\n")), (6, 1))
            self.assertIn(f"{path}:7: the same trial as {path}:1, left out", said)
            rows = self.run_it("export", path, "--format", "csv", code=1).stdout.splitlines()
            self.assertEqual(len(rows), 7)

    def test_compare(self):
        """Within each of the two files."""
        once = self.write(self.old, "once")
        path = self.write(self.new + self.new)
        answer = self.run_it("compare", once, path, "--csv", code=1)
        self.assertIn(f"{path}:7: the same trial as {path}:1, left out, and 5 more", answer.stderr)
        self.run_it("compare", once, once, code=0)

    def test_scripts(self):
        """A resume moves duplicates away, and does not run their trials again."""
        self.sweep(SMALL)
        path = self.results / "records.jsonl"
        once = path.read_bytes()
        path.write_bytes(once + once)
        report = subprocess.run([ROOT / "scripts" / "report", self.results], capture_output=True, text=True, check=False,
                                env={**self.environment, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual(report.returncode, 1, report.stderr)
        self.assertIn(":9: the same trial as ", report.stderr)
        output = self.sweep(SMALL, code=1)
        self.assertIn(f"records.jsonl:9: the same trial as {path}:1, moved to records.quarantine", output)
        self.assertEqual(path.read_bytes(), once)
        self.assertEqual(len(self.log("begin")), 8)
        self.sweep(SMALL)

    def test_version_2_says_which_trial(self):
        for trial in (None, 5, "", "0" * 31, "0" * 33, "G" * 32):
            verdict, = check([json.dumps({**changed("trial", trial), "schema_version": 2}).encode()], 1)
            self.assertEqual(verdict["problem"], "expected trial, 32 hexadecimal digits")

    def test_many_lines(self):
        """Each line counts once, wherever it lies in the file: they are read and parsed some
        hundred at a time, by several threads."""
        lines, expected = [], []
        for number in range(1, 3001):
            record = {**RECORD, "seed": number, "stderr": "x" * (number * 7919 % 3000)}
            lines.append(b"  " if number % 7 == 0 else b"{" if number % 11 == 0 else json.dumps(record).encode())
            if number % 7 != 0:
                expected.append((number, number % 11 == 0))
        text = b"\n".join(lines)  # the last has no newline
        command = [ACTORLAB, "results", "--check", "-"]
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False)
        verdicts = list(map(json.loads, done.stdout.splitlines()))
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(verdict["line"], "problem" in verdict) for verdict in verdicts], expected)

    def test_endless_line(self):
        """A line of more than 64 MiB is left out, and no other. The memory that it takes has a
        bound, in both languages."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "records.jsonl")
            path.write_text(json.dumps(RECORD) + "\n")
            os.truncate(path, 600 << 20)
            with open(path, "a", encoding="utf-8") as file:
                file.write("\n" + json.dumps({**RECORD, "seed": 2}) + "\n")
            for command, problems in ((path, [False, True, False]), ("/dev/zero", [True])):
                done = subprocess.run([ACTORLAB, "results", "--check", command], capture_output=True, check=False,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29)))
                verdicts = list(map(json.loads, done.stdout.splitlines()))
                self.assertEqual((done.returncode, ["problem" in verdict for verdict in verdicts]), (1, problems))
                self.assertIn("at most 64 MiB", verdicts[problems.index(True)]["problem"])
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            good, (bad,) = records.parse(path)
            self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 400 << 10)
            self.assertEqual(([record["seed"] for record in good], bad.number), ([1, 2], 2))
            self.assertLess(len(bad.text), 5 << 20)
            done = subprocess.run([ACTORLAB, "summarize", path], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(f"{path}:2: not a record, left out: expected a line of at most 64 MiB", done.stderr)

    def test_placement(self):
        """Two words; older records have a sentence instead of the second."""
        for said in ("verified", "untied", "the strategy ties no actor to a worker", None):
            check([json.dumps(changed("placement", said)).encode()], 0)
        verdict, = check([json.dumps(changed("placement", "nowhere")).encode()], 1)
        self.assertEqual(verdict["problem"], "expected placement, verified, untied or null")

    def test_own_records(self):
        lines = [subprocess.run([ACTORLAB, "run", "send-static", "--size", "small", "--workers", "1", "--json", "-"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.splitlines()[-1]
                 for _ in range(2)]
        verdicts = check(lines, 0)
        self.assertEqual([verdict["trial"] for verdict in verdicts], [json.loads(line)["trial"] for line in lines])


class Sweeps(Bench):
    def test_a_long_one_can_be_recovered(self):
        """As long as a record of a million iterations may be."""
        self.sweep(SMALL)
        path = self.results / "records.jsonl"
        first, *others = path.read_bytes().splitlines(keepends=True)
        damaged = json.dumps({**json.loads(first), "outcome": "fine", "time_ns": [123456789] * 10**6})
        path.write_bytes(damaged.encode() + b"\n" + b"".join(others))
        self.sweep(SMALL, code=1)
        moved, = map(json.loads, (self.results / "records.quarantine").read_text().splitlines())
        self.assertTrue(moved["text"] == damaged, len(moved["text"]))

    def test_each_damage_runs_again(self):
        """Whatever has become of its record, a trial runs again, and the exit code says so. A sweep
        reads records as Gate.test_each_damage does with all that can be wrong: one line of each key
        and of each thing that is no record will do here."""
        kinds = {what.split(" = ")[0]: line for what, line in damaged() if "schema_version" not in what}
        damage = list(kinds.values())
        text = SMALL.replace("invocations = 2", f"invocations = {len(damage) // 4 + 1}")
        self.sweep(text)
        path = self.results / "records.jsonl"
        lines = path.read_bytes().splitlines()
        path.write_bytes(b"".join(line + b"\n" for line in [*damage, *lines[len(damage):]]))
        self.assertEqual(self.sweep(text, "plan").count("not a record"), len(damage))
        begun = len(self.log("begin"))
        self.assertEqual(self.sweep(text, code=1).count("not a record"), len(damage))
        self.assertEqual(len(self.log("begin")) - begun, len(damage))
        self.assertEqual(len(set(self.places())), len(lines))
        self.sweep(text)
        self.assertEqual(len(self.log("begin")) - begun, len(damage))


def parts(value, path=()):
    """The paths to everything in it."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from parts(inner, (*path, key))


def with_part(path, value):
    """A copy of the record with another value there; without it, for Ellipsis."""
    record = copy.deepcopy(RECORD)
    inner = record
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return record


class Odd(Bench):
    def test_what_passes_ends_no_script(self):
        """Each part of a record replaced by each of these: what the gate lets pass, plan, resume,
        and report read."""
        values = (..., None, True, 0, -1, 0.5, 2**62, 1e300, "", "a/b\u2028<", [], [None], ["x"], {}, {"a": 1}, {"a": "x"})
        made = [with_part(path, value) for path in parts(RECORD) if path for value in values]
        made += [changed(key, {name: "x"}) for key in ("parameters", "options", "environment")
                 for name in (*RECORD, *RECORD["environment"], "label", "")]
        lines = [json.dumps({**record, "further": number}).encode() for number, record in enumerate(made)]
        verdicts = subprocess.run([ACTORLAB, "results", "--check", "-"], input=b"\n".join(lines), stdout=subprocess.PIPE,
                                  check=False).stdout.splitlines()
        good = [line for line, verdict in zip(lines, map(json.loads, verdicts)) if "trial" in verdict]
        self.assertGreater(len(good), 300)
        self.results.mkdir()
        (self.results / "records.jsonl").write_bytes(b"".join(line + b"\n" for line in good))
        environment = {**self.environment, "AL_ACTORLAB": str(ACTORLAB), "MPLBACKEND": "agg"}
        # with all figures
        done = subprocess.run([ROOT / "scripts" / "report", self.results], capture_output=True, text=True, check=False,
                              env=environment)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in (["plan"], [], ["--quick"]):
            process = self.start(SMALL, *words)
            _, errors = process.communicate()
            self.assertNotIn("Traceback", errors)
            self.assertEqual((process.returncode, errors.count("\n")), (2, 1), errors)


if __name__ == "__main__":
    unittest.main()
