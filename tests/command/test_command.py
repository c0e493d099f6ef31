#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The command line of actorlab: what it writes, and that every mistake gets one clear line and its
exit code.

AL_BUILD names the build folder."""

import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build"))
SMALL = ["--set", "sends=1000", "--iterations", "2", "--warmup", "0"]
RECORD_KEYS = """schema_version started_at benchmark parameters scheduler victim idle options workers pus bound pin
    topology locality oversubscribed seed engine warmup iterations time_ns messages counters peak_rss_bytes environment
    noise handoff hardware outcome""".split()


def actorlab(*arguments, **options):
    return subprocess.run([BUILD / "actorlab", *arguments], capture_output=True, text=True, timeout=120, **options)


class Help(unittest.TestCase):
    def test_wherever_it_is_asked_for(self):
        for words in (["--help"], ["-h"], ["help"], ["help", "run"], ["run", "--help"], ["run", "executor", "--help"], ["compare", "a", "-h"],
                      ["topo", "--json", "-h"], ["env", "-h"], ["list", "-h"], ["export", "x", "--help"]):
            done = actorlab(*words)
            command = {"--help": "COMMAND", "-h": "COMMAND", "help": (*words, "COMMAND")[1]}.get(words[0], words[0])
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertTrue(done.stdout.startswith(f"usage: actorlab {command} "), words)

    def test_version(self):
        for option in ("-V", "--version"):
            done = actorlab(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^actorlab \d+\.\d+\.\d+\n$")

    def test_every_command(self):
        """`actorlab help` lists the commands; the help of each fits into 80 columns, and its
        options are aligned."""
        overview = actorlab("help").stdout
        self.assertLessEqual(max(map(len, overview.splitlines())), 80, overview)
        commands = re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE)
        self.assertGreater(len(commands), 9)
        for command in commands:
            text = actorlab("help", command).stdout
            self.assertEqual(text, actorlab(command, "--help").stdout)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            columns = {len(start) for start in re.findall(r"^  --\S+(?: \S+)?  +(?=\S)", text, re.MULTILINE)}
            self.assertEqual(len(columns), 1, text)
        done = actorlab("help", "sumarize")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("unknown command 'sumarize'; did you mean 'summarize'?", done.stderr)

    def test_forms(self):
        """An option may be shortened, have its value behind an equals sign, and stand before or
        after operands."""
        forms = (["run", "send-static", "--seed", "7", "--it", "1"], ["run", "--seed=7", "--iterations=1", "send-static"],
                 ["run", "--seed=7", "--iterations=1", "--", "send-static"])
        for form in forms:
            done = actorlab(*form, "--json", "-", *SMALL[:2]) if "--" not in form else \
                actorlab(*form[:-2], "--json", "-", *SMALL[:2], *form[-2:])
            record = json.loads(done.stdout)
            self.assertEqual((record["seed"], record["iterations"], record["parameters"]), (7, 1, {"sends": 1000}))


class Mistakes(unittest.TestCase):
    def refused(self, arguments, *said, code=2):
        result = actorlab(*arguments)
        self.assertEqual(result.returncode, code, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for text in said:
            self.assertIn(text, result.stderr)

    def test_names(self):
        self.refused(["run", "exekutor"], "unknown workload 'exekutor'", "did you mean 'executor'?", "send-static")
        self.refused(["run", "executor", "--scheduler", "invertd"], "did you mean 'inverted'?", "central")
        self.refused(["run", "executor", "--victim", "longst"], "did you mean 'longest'?", "none, random")
        self.refused(["run", "executor", "--idle", "nap"], "unknown idle policy 'nap'", "spin")
        self.refused(["run", "executor", "--set", "round=3"], "did you mean 'rounds'?", "shards")
        self.refused(["run", "executor", "--set", "queue=lsit"], "did you mean 'list'?")
        self.refused(["run", "executor", "--wrokers", "2"], "unknown option '--wrokers'; did you mean '--workers'?")
        self.refused(["run", "executor", "--s", "1"], "'--s' is ambiguous; valid: --scheduler, --size, --set, --seed, --stats\n")
        self.refused(["run", "executor", "--stats=1"], "'--stats=1': the option takes no value")
        self.refused(["run"], "no WORKLOAD; valid: actorlab run WORKLOAD [options]")
        self.refused(["run", "executor", "--size", "tiny"], "unknown value for '--size': 'tiny'", "small, default, paper, sim")
        self.refused(["run", "executor", "--set", "actors=10", "--set", "group=20"], "group=20 exceeds actors=10")
        self.refused(["run", "cdict", "--set", "keys=1000000000", "--set", "value_bytes=1000000"], "needs about", "are free",
                     "--size small")
        # Each loaded worker has so many actors, half of the workers are loaded.
        self.refused(["run", "balance-multi", "--workers", "1024", "--set", "actors=100000000"], "needs about", " TB of memory")
        self.refused(["run", "executor", "repeat"], "unexpected word 'repeat'; valid: actorlab run WORKLOAD")
        self.refused(["list", "x"], "unexpected word 'x'; valid: actorlab list")
        self.refused(["sweep"], "unknown command 'sweep'", "run, foresee, list, topo, machine, calibrate, floors, env, results, summarize, compare")
        self.refused(["topo", "--pins", "close"], "unknown option '--pins'")
        self.refused(["run", "executor", "--set", "shards=16", "--scheduler", "deque"], "option 'shards' belongs to a plug-in "
                     "that this run does not use; valid: with --scheduler inverted, or --scheduler custody\n")
        # Of workloads, too, but of many only some.
        listing = json.loads(actorlab("list", "--json").stdout)
        for key, others in (("memory", "executor"), ("rounds", "send-static"), ("actors", "send-static"), ("messages", "executor")):
            owners = [entry["name"] for entry in listing["benchmarks"] if key in [o["name"] for o in entry["options"]]]
            self.assertTrue(owners and others not in owners, key)
            self.refused(["run", others, "--set", f"{key}=malloc"], f"option '{key}' belongs to a plug-in that this run does "
                         f"not use; valid: with {', or '.join(f'the workload {name}' for name in owners[:6])}{', or others' * (len(owners) > 6)}\n")
        self.refused(["run", "executor", "--set", "inverted.shards=16", "--scheduler", "deque"],
                     "valid: with --scheduler inverted\n")

    def test_values(self):
        self.refused(["run", "executor", "--set", "rounds=0"], "out of range", "1 to")
        self.refused(["run", "executor", "--set", "rounds=-1"], "not a whole number")
        self.refused(["run", "executor", "--set", "rounds=1e3"], "not a whole number")
        self.refused(["run", "executor", "--set", "rounds=99999999999999999999999"], "out of range")
        self.refused(["run", "executor", "--set", "rounds="], "--set 'rounds=' is not of the form KEY=VALUE")
        self.refused(["run", "executor", "--set", "rounds"], "KEY=VALUE")
        self.refused(["run", "executor", "--set", "actors=150"], "not a multiple of group")
        self.refused(["run", "executor", "--set", "batch=3"], "does not divide")
        self.refused(["run", "executor", "--workers", "0"], "out of range", "1 to")
        self.refused(["run", "executor", "--workers", "two"], "not a whole number")
        self.refused(["run", "executor", "--workers", "4000"], "usable PU", "--oversubscribe")
        self.refused(["run", "executor", "--iterations", "0"], "out of range")
        self.refused(["run", "executor", "--seed", "x"], "not a whole number")
        self.refused(["run", "executor", "--seed"], "no value after '--seed'; valid: --seed S")
        self.refused(["run", "executor", "--timeout", "-1"], "'--timeout=-1' is not a whole number; valid: 0 to 1000000")
        self.refused(["run", "executor", "--pin", "near"], "malformed pin policy", "close, spread, smt, package, fast, slow, none")
        self.refused(["run", "executor", "--pin", "1-0"], "reversed")
        self.refused(["run", "executor", "--set", "shards=4", "--set", "mailboxes=8"], "set one")
        self.refused(["run", "executor", "--pin", "0,4999"], "names PU 4999")
        self.refused(["run", "executor", "--topology", "packages:2"], "malformed topology")
        for option in ("--topology", "--pin", "--trace"):
            self.refused(["run", "executor", option, b"\xff\x1b.xml"], f"{option} '\\xff\\x1b.xml' is not UTF-8")
        for option in ("--topology", "--pin"):
            self.refused(["topo", "--json", option, b"\xff\x1b.xml"], f"{option} '\\xff\\x1b.xml' is not UTF-8")
        self.refused(["topo", "--topology", "missing.xml"], "cannot read the topology 'missing.xml'")
        self.refused(["run", "executor", "--scheduler", "central", "--victim", "random"], "does not steal", "none")
        self.refused(["run", "executor", "--idle", "own"], "no way of sleeping of its own", "any idle policy but 'own'")
        self.refused(["run", "executor", "--scheduler", "sharing", "--idle", "park"], "in its own way", "valid: own")
        self.refused(["run", "send-static", "--set", "queue=list", "--set", "batching=on"], "needs queue=copy")

    def test_options(self):
        """Each number of each plug-in, below the least and above the most that are valid."""
        listing = json.loads(actorlab("list", "--json").stdout)
        for kind, choice in (("schedulers", "--scheduler"), ("victims", "--victim"), ("idle", "--idle")):
            for plugin in listing[kind]:
                for option in plugin["options"]:
                    for value in (int(option["min"]) - 1, int(option["max"]) + 1) if option["type"] == "uint" else ():
                        setting = f"{plugin['name']}.{option['name']}={value}"
                        with self.subTest(setting):
                            self.refused(["run", "send-static", "--scheduler", "custody", choice, plugin["name"], "--set", setting],
                                         f"{option['name']}={value}' is ", f"; valid: {int(option['min'])} to ")


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "records.jsonl"

    def test_record(self):
        result = actorlab("run", "send-static", *SMALL, "--set", "inverted.capacity=20", "--victim", "random", "--workers",
                          "1", "--seed", "7", "--json", self.file)
        self.assertEqual(result.returncode, 0, result)
        for text in ("send-static on inverted, victim random, 1 worker:", "ns per message", "messages/s", "peak memory"):
            self.assertIn(text, result.stdout)
        record = json.loads(self.file.read_text())
        self.assertEqual([key for key in RECORD_KEYS if key not in record], [])
        self.assertEqual(record["parameters"], {"sends": 1000})
        self.assertEqual((record["victim"], record["workers"], record["seed"]), ("random", 1, 7))
        self.assertEqual(record["locality"], "root")  # of one worker
        self.assertEqual((record["options"]["capacity"], record["options"]["shards"]), (20, 1))
        self.assertEqual(len(record["time_ns"]), 2)
        self.assertTrue(all(isinstance(t, int) and t > 0 for t in record["time_ns"]))
        self.assertEqual((record["messages"], record["outcome"]), (1000, "ok"))
        if record["environment"]["counting"]:
            self.assertEqual(sum(c["messages_received"] for c in record["counters"]), 2000)
        self.assertEqual(sum(c["actors_created"] for c in record["counters"]), 2)
        self.assertGreater(record["peak_rss_bytes"], 1000000)
        self.assertRegex(record["environment"]["binary_hash"], "^[0-9a-f]{16}$")
        self.assertGreaterEqual(record["noise"]["elapsed_ns"], sum(record["time_ns"]))
        self.assertGreaterEqual(record["noise"]["after"]["procs_running"], 1)

    def test_hash_is_without_revision(self):
        """A commit that does not change the program leaves its hash."""
        program = (BUILD / "actorlab").read_bytes()
        revision = json.loads(actorlab("list", "--json").stdout)["environment"]["revision"].encode() + b"\0"
        self.assertEqual(program.count(revision), 1)
        hashes = []
        for text in (program, program.replace(revision, b"x" * (len(revision) - 1) + b"\0"),
                     program.replace(b"usage: actorlab", b"usage: actorlib", 1)):
            copy = self.file.with_name("actorlab")
            copy.write_bytes(text)
            copy.chmod(0o755)
            done = subprocess.run([copy, "list", "--json"], capture_output=True, text=True, timeout=60)
            hashes.append(json.loads(done.stdout)["environment"]["binary_hash"])
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_appends(self):
        for _ in range(3):
            self.assertEqual(actorlab("run", "send-static", *SMALL, "--json", self.file).returncode, 0)
        before = self.file.read_text()
        self.assertEqual(len([json.loads(line) for line in before.splitlines()]), 3)
        # A mistake loses nothing that was recorded.
        self.assertEqual(actorlab("run", "send-statik", "--json", self.file).returncode, 2)
        self.assertEqual(self.file.read_text(), before)

    def test_stdout(self):
        result = actorlab("run", "send-dynamic", *SMALL, "--json", "-")
        self.assertEqual(json.loads(result.stdout)["benchmark"], "send-dynamic")
        self.assertIn("ns per message", result.stderr)

    def test_unwritable(self):
        result = actorlab("run", "send-static", *SMALL, "--json", self.file.parent / "missing" / "records.jsonl")
        self.assertEqual((result.returncode, result.stdout), (2, ""))  # before anything ran
        self.assertIn("cannot open", result.stderr)
        result = actorlab("run", "send-static", *SMALL, "--json", "/dev/full")
        self.assertEqual(result.returncode, 3)
        self.assertIn("cannot write", result.stderr)

    def test_disk_full(self):
        """In the middle of a record: its first part is taken back."""
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        self.file.write_text('{"earlier": 1}\n')
        result = actorlab("run", "send-static", *SMALL, "--json", self.file, preexec_fn=small_files)
        self.assertEqual((result.returncode, self.file.read_text()), (3, '{"earlier": 1}\n'), result)
        self.assertIn("records.jsonl': the disk is full", result.stderr)

    def test_oversubscribed(self):
        result = actorlab("run", "executor", "--set", "actors=100", "--set", "rounds=2", "--workers", "40",
                          "--oversubscribe", "--json", self.file)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("(oversubscribed)", result.stdout)
        self.assertTrue(json.loads(self.file.read_text())["oversubscribed"])

    def test_other_machine(self):
        """Placed as on another machine, nothing claims to be bound."""
        result = actorlab("run", "send-static", *SMALL, "--topology", "core:4 pu:2", "--workers", "1", "--json", self.file)
        self.assertEqual(result.returncode, 0, result)
        record = json.loads(self.file.read_text())
        self.assertEqual((record["topology"], record["pus"], record["bound"]), ("core:4 pu:2", [None], [None]))

    def test_locality(self):
        """The levels of the machine that the workers are placed on, whether or not a heuristic
        looks at them."""
        result = actorlab("run", "send-static", *SMALL, "--topology", "numa:2 l3:1 core:2 pu:2", "--workers", "8",
                          "--oversubscribe", "--json", self.file)
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(json.loads(self.file.read_text())["locality"], "core, node, root")

    def test_placement(self):
        """Verified by a run without stealing, whatever the victim heuristic's options; or said to
        be nobody's."""
        balance = ["balance-one", "--size", "small", "--workers", "2", "--oversubscribe", "--iterations", "1"]
        for options, placement in [
            (["--victim", "longest-sampled", "--set", "samples=3"], "verified"),
            (["--victim", "longest-sampled", "--set", "longest-sampled.samples=3"], "verified"),
            (["--scheduler", "deque"], "verified"),
            (["--scheduler", "central"], "untied"),
        ]:
            result = actorlab("run", *balance, *options, "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["placement"], placement)

    def test_dummies(self):
        """Dummies of the balance workloads are actors of the workers without load, outside the
        time."""
        counts = []
        for dummies in (0, 50):
            result = actorlab("run", "balance-one", "--size", "small", "--workers", "4", "--oversubscribe", "--warmup", "0",
                              "--iterations", "1", "--set", f"dummies={dummies}", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            record = json.loads(result.stdout)
            counts.append((record["messages"], sum(c["actors_created"] for c in record["counters"])))
        (messages, actors), (with_dummies, more_actors) = counts
        self.assertEqual(messages, with_dummies)
        self.assertEqual(more_actors - actors, 3 * 50)

    def test_presets(self):
        """A preset sets what is not set already; the default is CAF's: turns without end, one actor
        at a time."""
        for arguments, expected in (
            (["deque"], {"preset": "caf-0.17", "max_throughput": 0}),
            (["sharing"], {"preset": "caf-0.17", "max_throughput": 0, "take": 1}),
            (["sharing", "--set", "preset=tuned"], {"preset": "tuned", "max_throughput": 300, "take": 256}),
            (["sharing", "--set", "preset=tuned", "--set", "take=7"], {"max_throughput": 300, "take": 7}),
            (["las", "--set", "preset=tuned"], {"max_throughput": 300, "steal_backoff": 0}),
            (["inverted"], {"preset": "chapter", "batching": "off", "reclaim": "half", "steal_least": 0, "steal_backoff": 0,
                            "tickets": "global", "growth": 2}),
            (["inverted", "--set", "preset=tuned"], {"batching": "on", "reclaim": "quarter", "steal_least": 2, "tickets": "local"}),
            (["inverted", "--set", "preset=tuned", "--set", "batching=off"], {"batching": "off", "steal_least": 2}),
            (["inverted", "--set", "preset=cforall"], {"lock": "cforall", "shards": 1, "batching": "off"}),
            (["mercury", "--set", "max_throughput=5", "--set", "preset=tuned"], {"max_throughput": 5}),
        ):
            result = actorlab("run", "send-static", *SMALL, "--workers", "1", "--json", "-", "--scheduler", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            options = json.loads(result.stdout)["options"]
            self.assertEqual(options | expected, options, arguments)
        result = actorlab("run", "send-static", "--scheduler", "deque", "--set", "preset=tunde")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'tuned'", result.stderr)

    def test_stolen_messages(self):
        """A ready actor is stolen with its messages, and each steal is of some level of
        locality."""
        for scheduler in ("inverted", "deque", "las", "mercury"):
            for rounds in (5, 50, 500):  # until somebody has stolen something
                result = actorlab("run", "balance-one", "--size", "small", "--workers", "2", "--oversubscribe",
                                  "--set", f"rounds={rounds}", "--scheduler", scheduler, "--iterations", "1", "--json", "-")
                self.assertEqual(result.returncode, 0, result.stderr)
                record = json.loads(result.stdout)
                if not record["environment"]["counting"]:
                    return
                counters = record["counters"]
                total = {key: sum(thread[key] for thread in counters) for key in ("steals", "messages_stolen")}
                if total["steals"]:
                    break
            self.assertGreater(total["messages_stolen"], 0, (scheduler, total))
            levels = sum(sum(thread["steals_by_level"].values()) for thread in counters)
            self.assertEqual(levels, total["steals"], scheduler)

    def test_line(self):
        """What runs is named, but for an idle policy that goes without saying and a victim that has
        no meaning."""
        for arguments, said in (
            ([], "inverted, victim longest, 1 worker: "),
            (["--idle", "spin"], "inverted, victim longest, 1 worker: "),
            (["--victim", "none", "--idle", "park"], "inverted, victim none, idle park, 1 worker: "),
            (["--scheduler", "mercury"], "mercury, victim round-robin, 1 worker: "),
            (["--scheduler", "central", "--idle", "park"], "central, idle park, 1 worker: "),
            (["--scheduler", "sharing"], "sharing, 1 worker: "),
        ):
            result = actorlab("run", "send-static", *SMALL, "--workers", "1", *arguments)
            self.assertTrue(result.stdout.startswith("send-static on " + said), result)

    def test_stats(self):
        result = actorlab("run", "executor", "--set", "actors=100", "--set", "rounds=2", "--iterations", "1", "--warmup", "0",
                          "--stats")
        self.assertIn("actors_created", result.stdout)
        if not json.loads(actorlab("list", "--json").stdout)["environment"]["counting"]:
            self.assertNotIn("messages_received", result.stdout)
            return
        rows = {line.split()[0]: line.split()[1] for line in result.stdout.splitlines()[2:]}
        self.assertEqual(rows["messages_received"], str(100 * (100 * 2 + 1)))
        for name in ("gulps", "average_gulp", "missed_gulps", "steal_attempts", "steals_no_candidate",
                     "steals_lost_swap", "queues_stolen", "messages_stolen"):
            self.assertIn(name, rows)


class Listing(unittest.TestCase):
    def test_list(self):
        listing = json.loads(actorlab("list", "--json").stdout)
        text = actorlab("list").stdout
        for kind in ("benchmarks", "schedulers", "victims", "idle"):
            self.assertTrue(listing[kind])
            for plugin in listing[kind]:
                self.assertIn(plugin["name"], text)
                for option in plugin["options"]:
                    self.assertIn(option["name"], text)
        self.assertRegex(text, r"\n  inverted .*\n    victim longest \(or any\); idle spin \(or any but own\)\n")
        self.assertRegex(text, r"\n  mercury .*\n    victim round-robin \(or any\); idle own \(or any\)\n")
        self.assertRegex(text, r"\n  sharing .*\n    does not steal; sleeps in its own way\n")
        self.assertEqual({s["name"]: (s["steals"], s["sleeps"]) for s in listing["schedulers"]
                          if s["name"] in ("inverted", "mercury", "sharing")},
                         {"inverted": (True, "policy"), "mercury": (True, "either"), "sharing": (False, "own")})
        most = listing["limits"]["workers"]
        said = actorlab("run", "executor", "--workers", str(most + 1)).stderr
        self.assertIn(f"'--workers={most + 1}' is out of range; valid: 1 to {most}", said)
        record = json.loads(actorlab("run", "send-static", *SMALL, "--json", "-").stdout)
        self.assertEqual(record["schema_version"], listing["schema_version"])
        # An option's name belongs to one kind of plug-in, so that --set needs no qualification.
        names = [option["name"] for kind in ("schedulers", "victims", "idle", "benchmarks")
                 for option in {o["name"]: o for p in listing[kind] for o in p["options"]}.values()]
        self.assertEqual(len(names), len(set(names)))

    def test_topo(self):
        text = actorlab("topo", "--topology", "package:2 core:2 pu:2", "--pin", "spread").stdout
        order = [line.split()[1] for line in text.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
        self.assertEqual(order, ["0", "4", "2", "6", "1", "5", "3", "7"])

    def test_help(self):
        for arguments in (["--help"], *([command, "--help"] for command in
                                        ("run", "list", "topo", "env", "summarize", "compare"))):
            result = actorlab(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
            self.assertIn("usage: actorlab", result.stdout)


if __name__ == "__main__":
    unittest.main()
