#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Peers that fail, hang or report nonsense, and mistakes in the table of peers."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.peering import Peers, SWEEP, table
from support.sweeping import alive

from sweep import peers, plan


class Bad(Peers):
    def test_outcomes(self):
        expected = {
            "crash": "crashed", "exit": "crashed", "lie": "crashed", "late": "crashed", "wrong": "wrong", "silent": "nonsense",
            "chatty": "nonsense", "nan": "nonsense", "few": "nonsense", "slow-clock": "nonsense", "negative": "nonsense",
            "other": "nonsense", "idler": "nonsense", "keyless": "nonsense", "hang": "timeout", "absent": "missing", "inverted": "ok"}
        modes = [mode for mode in expected if mode not in ("absent", "inverted")]
        output = self.run_with(modes, code=1, absent='help = "h"\ncommand = ["./none"]\nworkloads = ["alpha"]')
        rows = self.by_scheduler()
        self.assertEqual({name: row["outcome"] for name, row in rows.items()}, expected)
        for name, row in rows.items():
            if name != "inverted":
                self.assertEqual(row["time_ns"], [], name)
                self.assertEqual(row["environment"]["binary_hash"], "h1", name)
                self.assertEqual(row["parameters"], {"size": 10, "sleep_ms": 0, "mode": "ok"}, name)
        self.assertEqual((rows["crash"]["signal"], rows["crash"]["stderr"]), ("SIGSEGV", "the end\n"))
        self.assertEqual((rows["exit"]["exit_code"], rows["late"]["exit_code"], rows["lie"]["exit_code"]), (2, 7, 1))
        self.assertEqual(rows["wrong"]["error"], "9 of 10 arrived")
        self.assertEqual(rows["few"]["error"], "it has 1 time for 2 iterations")
        self.assertEqual(rows["silent"]["error"], "no record on its standard output")
        self.assertRegex(rows["slow-clock"]["error"], r"^its times are 2000 s together, but the process took 0\.\d+ s$")
        self.assertEqual(rows["other"]["error"], 'its record has benchmark "beta", but "alpha" was asked for')
        self.assertEqual(rows["keyless"]["error"], "its record has no messages")
        self.assertEqual(rows["idler"]["error"], "it has 5 messages, but the workload has 1,000")
        self.assertIn("note: absent is missing: docs/reference/peers.md explains", self.errors)
        self.assertIn("not there: docs/reference/peers.md explains", rows["absent"]["error"])
        self.assertEqual(rows["absent"]["peer"], {"version": None, "program_hash": None, "pus": []})
        # In the table is what has a time, and below it the rest.
        self.assertEqual(re.findall(r"^alpha +(\w+) +1", output, re.MULTILINE), ["inverted"])
        self.assertIn("failed: alpha, hang, workers 1: timeout", re.sub(" +", " ", output))
        self.assertIn("nonsense: it has 1 time for 2 iterations", output)
        # Nothing of what hung is left.
        for line in self.log("peer") + self.log("grandchild"):
            self.wait_for(lambda: not alive(int(line.split()[1])))
        # Now it is there: the records would say something else.
        (self.folder / "none").write_text("#!/bin/sh\n")
        (self.folder / "none").chmod(0o755)
        self.run_with(modes, code=2, absent='help = "h"\ncommand = ["./none"]\nworkloads = ["alpha"]')
        self.assertIn("its records have absent missing, now it is", self.errors)

    def test_ctrl_c_while_its_record_is_examined(self):
        """The trial has ended: it is recorded, and the sweep ends."""
        (self.folder / "ctrl-c").write_text("now")
        (self.folder / "peers.toml").write_text(table("fine"))
        self.sweep(SWEEP.format('"fine"'), code=130, process_group=0)
        self.assertEqual([row["outcome"] for row in self.rows()], ["ok"])

    def test_not_a_program(self):
        (self.folder / "text").write_text("#!/no/such/interpreter\n")
        (self.folder / "text").chmod(0o755)
        self.run_with([], code=1, text_file='help = "h"\ncommand = ["./text"]\nworkloads = ["alpha"]')
        self.assertEqual(self.by_scheduler()["text_file"]["outcome"], "missing")

    def test_interrupted(self):
        (self.folder / "peers.toml").write_text(table("hang"))
        process = self.start(SWEEP.replace("{}", '"hang"').replace("timeout_s = 2", "timeout_s = 60"))
        self.wait_for(lambda: self.log("grandchild"))
        process.terminate()
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.rows(), [])
        for line in self.log("peer") + self.log("grandchild"):
            self.wait_for(lambda: not alive(int(line.split()[1])))

    def test_nonsense(self):
        good = {"benchmark": "alpha", "parameters": {"size": 10, "share": 0.5}, "workers": 2, "time_ns": [10**6] * 3,
                "messages": 100, "peak_rss_bytes": 4096, "version": "v", "outcome": "ok"}
        identity = {"benchmark": "alpha", "parameters": {"size": 10, "share": 0.5}, "workers": 2}
        cell = plan.Cell("id", "name", {}, {}, identity, False)

        def problem(record, seconds=1, messages=100):
            return peers.nonsense(record, cell, 3, seconds, messages)

        self.assertIsNone(problem(good))
        self.assertIsNone(problem(good | {"parameters": {"size": 10.0, "share": 0.5}}))
        self.assertIsNone(problem(good | {"outcome": "wrong", "error": "e", "time_ns": [1], "messages": 99}))
        self.assertIsNone(problem(good, messages=None))  # nobody else knows how many
        for key in good:
            said = problem({name: value for name, value in good.items() if name != key})
            self.assertEqual(said, f"its record has no {key}")
        for changes in (
            {"more": 1}, {"error": "e"}, {"outcome": "fine"}, {"outcome": "wrong"}, {"outcome": "wrong", "error": ""},
            {"outcome": "wrong", "error": 5}, {"outcome": None}, {"benchmark": "beta"}, {"benchmark": None}, {"workers": 1},
            {"workers": "2"}, {"parameters": {"size": 10}}, {"parameters": {"size": 11, "share": 0.5}},
            {"parameters": {"size": 10, "share": 0.5, "more": 1}}, {"parameters": []}, {"parameters": {"size": "10", "share": 0.5}},
            {"time_ns": []}, {"time_ns": [1, 2]}, {"time_ns": [1, 2, 3, 4]}, {"time_ns": [1, 2, 0]}, {"time_ns": [1, 2, -3]},
            {"time_ns": [1, 2, 3.5]}, {"time_ns": [1, 2, True]}, {"time_ns": [1, 2, "3"]}, {"time_ns": 3}, {"time_ns": None},
            {"time_ns": [10**9] * 3}, {"messages": 0}, {"messages": 99}, {"messages": 101}, {"messages": -1}, {"messages": 1.5}, {"messages": True},
            {"messages": None}, {"peak_rss_bytes": 0}, {"peak_rss_bytes": "4096"}, {"version": ""}, {"version": 1},
        ):
            self.assertIsNotNone(problem(good | changes), changes)
        for record in (None, [], "x", 1, [good]):
            self.assertEqual(problem(record), "its record is not a JSON object")
        for output in (b"", b"\n", b"{}\n{}\n", b"{}\nx", b"x\n{}\n", b'{"a": NaN}', b'{"a": -Infinity}', b"\xff{}", b"{\n}"):
            with self.assertRaises(ValueError, msg=output):
                peers.parse(output)
        self.assertEqual(peers.parse(b'{"a": 1}'), {"a": 1})
        self.assertEqual(peers.parse(b'{"a": 1}\n'), {"a": 1})

    def test_tables(self):
        good = 'help = "h"\ncommand = ["./peer"]\nworkloads = ["alpha"]\n'
        for text, said in (
            ("[x]\n" + good.replace("help", "halp"), 'unknown key "halp" of x (valid: help, command, workloads, option, workers, warmup)'),
            ("[x]\n" + good.replace('help = "h"\n', ""), "x needs help, a string"),
            ("[x]\n" + good.replace('["./peer"]', '"./peer"'), "x needs command, a list of strings"),
            ("[x]\n" + good.replace('["./peer"]', "[]"), "x needs command, a list of strings"),
            ("[x]\n" + good.replace('["alpha"]', "[1]"), "x needs workloads, a list of strings"),
            ("[x]\n" + good + "option = 1\n", "x needs option, a string"),
            ("[x]\n" + good + "workers = 0\n", "x needs workers, a positive whole number"),
            ("[x]\n" + good + 'workers = "1"\n', "x needs workers, a positive whole number"),
            ("[x]\n" + good + "workers = true\n", "x needs workers, a positive whole number"),
            ("x = 1\n", "x must be a table: write [x]"),
            ("[x\n", "peers.toml: "),
            ("[inverted]\n" + good, "the peer inverted has the name of a strategy"),
        ):
            with self.subTest(said):
                self.run_with([], code=2, peers_toml=text)
                self.assertIn(said, self.errors)
                self.assertEqual(len(self.errors.splitlines()), 1)

    def test_found(self):
        (self.folder / "peers.toml").write_text(
            '[a]\nhelp = ""\nworkloads = ["w"]\ncommand = ["{build}/p", "--x={build}/q"]\n'
            '[b]\nhelp = ""\nworkloads = ["w"]\ncommand = ["sh", "peer"]\n[c]\nhelp = ""\nworkloads = ["w"]\ncommand = ["sub/p"]\n')
        known = peers.read(self.folder, self.folder / "peers.toml")
        self.assertEqual(known["a"].command, (f"{self.folder}/p", f"--x={self.folder}/q"))
        self.assertEqual(known["b"].command, ("sh", "peer"))
        self.assertEqual(known["c"].command, (f"{self.folder}/sub/p",))
        self.assertEqual([known[name].present() for name in "abc"], [False, True, False])
        self.assertEqual(peers.named({"axes": {"scheduler": ["a", 1]}, "set": {"scheduler": "b"}, "more": [{"scheduler": "c"}]}),
                         {"a", "b", "c"})


if __name__ == "__main__":
    unittest.main()
