#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plug-ins in shared objects: the page about them works outside of the sources, what the pages
about strategies, heuristics and workloads show runs together, and each mistake gets a line."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
import pages

BUILD = Path(os.environ["AL_BUILD"]).resolve()
ACTORLAB = BUILD / "actorlab"
SIMULATES = (BUILD / "actorlab-sim").exists()
NATIVE = ("--engine", "native")
SIM = ("--engine", "sim", "--machine", "xeon-5220r-2s")
HOW_TO = ROOT / "docs/how-to"
PAGES = {"lanes.c": "adding-a-strategy.md", "neighbour.c": "adding-a-victim.md", "ring.c": "adding-a-workload.md"}
SET = """
#include "core/plugin/plugin.h"
#include "benchmarks/workloads/benchmark.h"
extern const struct al_scheduler_ops lanes_ops;
extern const struct al_victim_ops neighbour_ops;
extern const struct al_benchmark_ops ring_ops;
AL_PLUGIN_FILE(.version = "2.5", .schedulers = {&lanes_ops.plugin}, .victims = {&neighbour_ops.plugin},
               .benchmarks = {&ring_ops.plugin})
"""
HEURISTIC = """
#include "core/plugin/plugin.h"
static uint32_t pick(struct al_worker *thief) { return thief->id == 0 ? 1 : 0; }
%s
static const struct al_victim_ops heuristic = {.plugin = {"%s", %s, %s}, .pick = pick%s};
AL_PLUGIN_FILE(.victims = {&heuristic.plugin})
"""


def shown(name):
    """A file as its page has it."""
    text, = (block.text for block in pages.blocks((HOW_TO / PAGES[name]).read_text()) if block.path == name)
    return text


def run(*words, folder, code=0, **environment):
    done = subprocess.run([str(ACTORLAB), *words], cwd=folder, text=True, capture_output=True, timeout=300,
                          env={**os.environ, **environment})
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


@functools.cache
def built():
    """A folder with a plug-in of all that the pages show, and its sources."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    for name in PAGES:
        # together they have one last line
        *lines, _ = shown(name).splitlines(keepends=True)
        Path(folder.name, name).write_text(re.sub(r"(?m)^static (const struct al_\w+ \w+_ops = {)$", r"\1", "".join(lines)))
    Path(folder.name, "set.c").write_text(SET)
    run("plugin", "build", "lanes.c", "neighbour.c", "ring.c", "set.c", "--out", "mine.so", folder=folder.name)
    return folder.name


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        shutil.copytree(built(), cls.folder, dirs_exist_ok=True)

    def run_mine(self, *words, **options):
        return run(*words, "--plugin", "mine.so", folder=self.folder, **options)

    def heuristic(self, name, file=None, help='"a heuristic"', options="NULL", more="", before=""):
        """Builds a heuristic; returns the name of its object."""
        file = file or name
        (self.folder / f"{file}.c").write_text(HEURISTIC % (before, name, help, options, more))
        run("plugin", "build", f"{file}.c", *NATIVE, folder=self.folder)
        return f"{file}.so"

    def refused(self, *words, says, code=2, **environment):
        done = run(*words, folder=self.folder, code=code, **environment)
        self.assertRegex(done.stderr, says)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Page(Plugins):
    @unittest.skipUnless(SIMULATES, "this build has no simulator")
    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = pages.follow(HOW_TO / "plug-ins.md", Path(folder), PATH=f"{BUILD}:{os.environ['PATH']}")
        self.assertEqual(sum("neighbour" in text for command, text in ran if " list" in command), 2)
        self.assertTrue(any("8 workers" in text for _, text in ran))


class Loaded(Plugins):
    def test_list(self):
        self.assertNotIn("lanes", run("list", folder=self.folder).stdout)
        listed = self.run_mine("list").stdout
        for name in ("lanes", "neighbour", "ring", "laps"):
            self.assertIn(name, listed)
        answer = json.loads(self.run_mine("list", "--json").stdout)
        (path, file), = answer["environment"]["plugins"].items()
        self.assertEqual(path, str((self.folder / "mine.so").resolve()))
        self.assertEqual(file["version"], "2.5")
        self.assertRegex(file["hash"], r"^[0-9a-f]{32}$")
        plain = json.loads(run("list", "--json", folder=self.folder).stdout)
        self.assertNotIn("plugins", plain["environment"])
        self.assertNotEqual(answer["environment"]["binary_hash"], plain["environment"]["binary_hash"])

    def test_colours(self):
        """A strategy from outside comes behind all others, so none of them changes its colour."""
        plain = json.loads(run("list", "--json", folder=self.folder).stdout)["palette"]["strategies"]
        self.assertEqual(json.loads(self.run_mine("list", "--json").stdout)["palette"]["strategies"], [*plain, "lanes"])

    def test_inherited(self):
        again = run("list", "--plugin", "./mine.so", folder=self.folder, AL_PLUGINS=f"mine.so:{self.folder}/mine.so")
        self.assertIn("lanes", again.stdout)

    def test_run(self):
        for words in (("ring", "--scheduler", "lanes"), ("executor", "--scheduler", "lanes"),
                      ("executor", "--scheduler", "deque", "--victim", "neighbour"), ("ring", "--set", "laps=7")):
            for engine in ((), SIM) if SIMULATES else ((),):
                self.run_mine("run", *words, "--size", "small", "--workers", "2", "--oversubscribe", "--iterations", "1",
                              *engine)

    def test_places(self):
        """--plugin may stand before the command; behind -- it is a word like any other."""
        self.assertIn("lanes", run("--plugin=mine.so", "list", folder=self.folder).stdout)
        self.refused("run", "ring", "--", "--plugin", "mine.so", says="run")


LOSES = """
#include "core/plugin/plugin.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"
extern const struct al_scheduler_ops lanes_ops;
static struct al_scheduler_ops lossy;
static al_sender *send_all;
static void send_most(struct al_worker *self, struct al_actor *actor, struct al_message *message, al_behaviour *behaviour)
{
    static unsigned n;
    if (++n % 50 != 0)
        send_all(self, actor, message, behaviour);
}
__attribute__((constructor)) static void make(void)
{
    lossy = lanes_ops;
    lossy.plugin.name = "lossy";
    send_all = lossy.send;
    lossy.send = send_most;
}
AL_PLUGIN_FILE(.schedulers = {&lossy.plugin})
"""


class New(Plugins):
    def test_kinds(self):
        """What is written works as it stands, and is what the pages show."""
        for kind, name in (("strategy", "lanes"), ("victim", "neighbour"), ("workload", "ring"), ("idle", "doze")):
            with self.subTest(kind=kind):
                run("plugin", "new", name, f"new/{kind}", "--kind", kind, folder=self.folder)
                folder = self.folder / "new" / kind
                subprocess.run(["make", f"ACTORLAB={ACTORLAB}"], cwd=folder, check=True, capture_output=True)
                self.assertIn(name, run("list", "--plugin", f"{name}.so", folder=folder).stdout)
                if f"{name}.c" in PAGES:
                    self.assertEqual((folder / f"{name}.c").read_text(), shown(f"{name}.c"))
                self.refused("plugin", "new", name, f"new/{kind}", says="File exists")
        self.refused("plugin", "new", "Lanes", says="no name")

    def setUp(self):
        (self.folder / "new").mkdir(exist_ok=True)


@unittest.skipUnless((BUILD / "tests/conformance/conformance-virtual").exists(), "the conformance suite is not built")
class Conform(Plugins):
    def test_right(self):
        said = self.run_mine("conform", "neighbour", "--engine", "virtual", "--times", "1").stdout
        self.assertRegex(said, r"(?m)^virtual  \d+ passed, 0 failed$")
        said = self.run_mine("conform", "lanes", "--engine", "native", "--times", "1").stdout
        self.assertRegex(said, r"(?m)^native   \d+ passed, 0 failed$")
        self.assertRegex(self.run_mine("conform", "ring").stdout, r"(?m)^native   24 passed, 0 failed$")

    def test_wrong(self):
        """A strategy that loses messages, which a failure says how to see again."""
        (self.folder / "lossy.c").write_text(LOSES)
        run("plugin", "build", "lossy.c", "lanes.c", folder=self.folder)
        done = run("conform", "lossy", "--engine", "virtual", "--plugin", "lossy.so", folder=self.folder, code=1)
        self.assertRegex(done.stdout + done.stderr, "replay: .*conformance-virtual --case 'lossy/")

    def test_unknown(self):
        self.refused("conform", "neighbor", "--plugin", "mine.so", says="unknown plug-in 'neighbor'; did you mean 'neighbour'")


class Refused(Plugins):
    def test_files(self):
        self.refused("list", "--plugin", says="--plugin wants a file")
        self.refused("list", "--plugin", "none.so", says="plug-in none.so: No such file")
        self.refused("list", "--plugin", "lanes.c", says="ends with .so")
        (self.folder / "text.so").write_text("no object")
        self.refused("list", "--plugin", "text.so", says="text.so")
        self.refused("list", says="plug-in none.so: No such file", AL_PLUGINS="none.so")

    def test_names(self):
        self.refused("list", "--plugin", self.heuristic("random"), says="there is a victim 'random' already")
        self.refused("list", "--plugin", self.heuristic("Two words", file="words"), says="no name of a to z")
        self.refused("list", "--plugin", self.heuristic("mute", help="NULL"), says="has no help")

    def test_options(self):
        for name, line, says in (
                ("range", '{"n", AL_OPTION_UINT, "9", 0, 3, NULL, "a number"}', "default that is none of its values"),
                ("choice", '{"n", AL_OPTION_ENUM, "a", 0, 0, NULL, "a choice"}', "has no choices"),
                ("silent", '{"n", AL_OPTION_UINT, "1", 0, 3, NULL, NULL}', "has no help"),
                ("empty", '{"n", AL_OPTION_UINT, NULL, 0, 3, NULL, "a number"}', "has no default"),
                ("odd", '{"N!", AL_OPTION_UINT, "1", 0, 3, NULL, "a number"}', "another name")):
            with self.subTest(name=name):
                table = f"static const struct al_option options[] = {{{line}, {{0}}}};"
                self.refused("list", "--plugin", self.heuristic(name, options="options", before=table), says=says)

    def test_another_build(self):
        old = self.folder / "old"
        (old / "core/plugin").mkdir(parents=True)
        (old / "stale.c").write_text(HEURISTIC % ("", "stale", '"old"', "NULL", ""))
        text = (ROOT / "core/plugin/plugin.h").read_text()
        (old / "core/plugin/plugin.h").write_text(re.sub(r"(AL_PLUGIN_INTERFACE) \d+", r"\1 0", text))
        run("plugin", "build", "old/stale.c", *NATIVE, folder=self.folder)
        self.refused("list", "--plugin", "old/stale.so", says=r"built with interface=0; valid: interface=\d+")

    def test_nothing_offered(self):
        (self.folder / "mute.c").write_text("int nothing;\n")
        run("plugin", "build", "mute.c", *NATIVE, folder=self.folder)
        self.refused("list", "--plugin", "mute.so", says="AL_PLUGIN_FILE")

    def test_incomplete(self):
        (self.folder / "half.c").write_text("""
#include "core/plugin/plugin.h"
#include "benchmarks/workloads/benchmark.h"
static const struct al_benchmark_ops half = {.plugin = {"half", "half a workload", NULL}};
AL_PLUGIN_FILE(.benchmarks = {&half.plugin})
""")
        run("plugin", "build", "half.c", *NATIVE, folder=self.folder)
        self.refused("list", "--plugin", "half.so", says="workload 'half' lacks")

    @unittest.skipUnless(SIMULATES, "this build has no simulator")
    def test_no_simulated_object(self):
        own = self.heuristic("alone")
        self.refused("run", "executor", "--plugin", own, "--size", "small", *SIM, says=r"there is no .*alone.sim.so")

    def test_crash(self):
        own = self.heuristic("broken", more=", .init = fall",
                             before="static int fall(struct al_runtime *s, struct al_error *e)"
                                    " { (void)e; s->n_workers = *(volatile uint32_t *)8; return 0; }")
        done = subprocess.run([str(ACTORLAB), "run", "executor", "--size", "small", "--scheduler", "deque", "--victim",
                               "broken", "--plugin", own, "--workers", "1"], cwd=self.folder, text=True,
                              capture_output=True, timeout=100)
        self.assertLess(done.returncode, 0)
        self.assertRegex(done.stderr, r"actorlab: crashed \(Segmentation fault\) in .* of .*broken.so")

    def test_compiler(self):
        (self.folder / "wrong.c").write_text("this is no C\n")
        done = run("plugin", "build", "wrong.c", folder=self.folder, code=1)
        self.assertIn("could not make wrong.so", done.stderr)
        for words, says in ((("build", "wrong.h"), "no C source"), (("build",), "unknown action"),
                            (("make",), "unknown action 'make'"), (("build", "wrong.c", "--out", "wrong"), "--out")):
            self.refused("plugin", *words, says=says)


class Swept(Plugins):
    CONFIG = """
[sweep]
plugins = ["mine.so"]
invocations = 2
size = "small"
[axes]
benchmark = ["ring", "executor"]
scheduler = ["lanes", "deque"]
workers = [1]
"""

    def sweep(self, *words, code=0):
        (self.folder / "mine.toml").write_text(self.CONFIG)
        done = subprocess.run([str(ROOT / "scripts/sweep"), "mine.toml", "--results", "out", "--no-plot", *words],
                              cwd=self.folder, text=True, capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
                              env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_sweep(self):
        self.assertIn("if you trust that, give --trust", self.sweep(code=2))
        self.sweep("--trust")
        records = [json.loads(line) for line in (self.folder / "out/records.jsonl").read_text().splitlines()]
        self.assertEqual({(record["benchmark"], record["scheduler"]) for record in records},
                         {(b, s) for b in ("ring", "executor") for s in ("lanes", "deque")})
        self.assertTrue(all(record["outcome"] == "ok" for record in records))
        self.assertTrue(all("plugins" in record["environment"] for record in records))
        run("results", "out", folder=self.folder)
        run("compare", "out", "--against", "scheduler=deque", folder=self.folder)
        # Another version of the plug-in is another program.
        (self.folder / "set.c").write_text(SET.replace("2.5", "2.6"))
        run("plugin", "build", "lanes.c", "neighbour.c", "ring.c", "set.c", "--out", "mine.so", folder=self.folder)
        self.assertIn("its records have binary_hash", self.sweep("--trust", code=2))


if __name__ == "__main__":
    unittest.main()
