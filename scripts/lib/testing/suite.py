# SPDX-License-Identifier: MIT
"""Builds and runs every test, for several builds in parallel, and counts the test cases."""

import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from common.actorlab import ROOT, configure, quietly, stop_steps
from common.arguments import Parser, regex
from common.failure import INTERRUPTED, USAGE, Failure
from common.screen import complain
from common.words import plural
from sweep.progress import clock
from testing.jobs import Durations, Job

TAIL_LINES = 40
REPORT_LINES = 20  # before and after the line of a failed test case
CASE = re.compile(r"(not )?ok\b")
DEEP_FACTOR = 10  # deep tests may take this many times longer
SHARED_FACTOR = 5  # tests that share the processors may take this many times longer
SANITIZER_FACTOR = 4
NOTICE_S = 0.5  # Python sees a signal that comes just before it waits only when it wakes up
IDLE_ENOUGH = 0.5  # of a processor, for one more test beside those that mostly wait


@dataclass
class Build:
    folder: str
    options: list
    environment: dict = field(default_factory=dict)
    factor: int = 1
    subset: bool = False  # of the conformance suite: only default heuristics and policies


def enabled(*peers):
    return [f"-Dpeer_{peer}=enabled" for peer in peers]


# Line numbers are all that a sanitizer prints, and more takes a quarter of the time to compile.
SANITIZED = ["--buildtype=debugoptimized", "-Dc_args=-g1", "-Dchecks=true"]
# The test of the library builds it by itself.
ALONE = "-Dlibrary=disabled"
BUILDS = {
    "release": Build("build", ["--buildtype=release", *enabled("threads", "asio", "tbb")]),
    "checks": Build("build-checks", ["--buildtype=release", "-Doptimization=1", "-Dchecks=true", ALONE],
                    subset=True),
    # By clang, so that one build shows both: each takes a sixth of the time of all.
    "bare": Build("build-bare", ["-Dcounters=false", "-Djemalloc=disabled", "-Dcache_line=128", "-Dpage=16384", ALONE],
                  {"CC": "clang"}, subset=True),
    "clang": Build("build-clang", [ALONE], {"CC": "clang"}, subset=True),
    "peers": Build("build-peers", [*enabled("threads", "asio", "tbb", "caf", "go", "java", "tokio", "erlang"), ALONE],
                   subset=True),
    "asan": Build("build-asan", [*SANITIZED, "-Doptimization=1", ALONE, "-Db_sanitize=address,undefined"],
                  factor=SANITIZER_FACTOR, subset=True),
    "tsan": Build("build-tsan", [*SANITIZED, ALONE, "-Db_sanitize=thread"],
                  factor=SANITIZER_FACTOR, subset=True),
}
SETTINGS = {
    # Without halt_on_error, undefined behaviour is only printed and the test passes.
    "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:print_stacktrace=1",
    # By default a shadow of more than 64 kB, such as a coroutine's stack has, is cleared by mapping
    # it anew, which took most of the time of the tests on the virtual engine.
    "ASAN_OPTIONS": "halt_on_error=1:abort_on_error=1:detect_leaks=1:"
                    "clear_shadow_mmap_threshold=4194304",
    "MALLOC_PERTURB_": "165",  # makes glibc fill memory that it allocates or frees
}


def introspect(build, what):
    command = ["meson", "introspect", f"--{what}", build.folder]
    listing = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(listing)


def targets(build, tests):
    """What ninja must build for these tests. A test that depends on no target needs all."""
    files = {target["id"]: target["filename"] for target in introspect(build, "targets")}
    needed = {file for test in tests for depends in test["depends"]
              for file in files.get(depends) or ["all"]}
    return sorted("all" if file == "all" else os.path.relpath(file, ROOT / build.folder)
                  for file in needed)


def make(name, only, deep, processes):
    """Builds what a build's tests need, and returns the tests as jobs."""
    build = BUILDS[name]
    configure(build.folder, build.options, **build.environment)
    # Runs meson again if a meson.build has changed.
    quietly(["ninja", "-C", build.folder, "build.ninja"], "configuring")
    tests = [test for test in introspect(build, "tests")
             if only is None or only.search(test["name"])]
    if not tests:
        return []
    wanted = targets(build, tests) if only else []
    quietly(["ninja", "-C", build.folder, "-j", str(processes), *wanted], "building")
    environment = {**SETTINGS, **os.environ, "AL_TEST_DEEP": str(int(deep))}
    # Tests start the scripts a thousand times, which should not compile them each time.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if build.subset and not deep:
        environment["AL_TEST_SUBSET"] = "1"
    factor = SHARED_FACTOR * build.factor * (DEEP_FACTOR if deep else 1)
    return [Job(name, ROOT / build.folder, test["name"], test["cmd"], factor * test["timeout"],
                test["protocol"] == "tap", test["priority"],
                {**environment, **test["env"]})
            for test in tests]


def idle_seconds():
    """For how long the processors had nothing to do, all together, since the system started."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[4]) / os.sysconf("SC_CLK_TCK")


class Extra:
    """How many tests to run beyond the slots, since some wait for much of their time: one more
    whenever a processor has idled, and one less when all are busy."""

    def __init__(self, most, idle=idle_seconds, clock=time.monotonic):
        self.most, self.idle, self.clock = most, idle, clock
        self.before = clock(), idle()
        self.n = 0

    def now(self):
        seconds, idle = (new - old for new, old in zip((self.clock(), self.idle()), self.before))
        if seconds >= NOTICE_S:
            more = idle >= IDLE_ENOUGH * seconds
            self.n = min(self.n + 1, self.most) if more else max(self.n - 1, 0)
            self.before = self.clock(), self.idle()
        return self.n


class Suite:
    """What to build and run, and the results. One thread decides; others wait for processes."""

    def __init__(self, names, make, slots, say, durations, extra=lambda: 0):
        self.to_build, self.make, self.slots = list(names), make, slots
        self.say, self.durations, self.extra = say, durations, extra
        self.ready, self.running = [], {}
        self.took = {}  # name of a test -> seconds in each build so far
        self.failures = []  # what was said of each test or build that failed
        self.found = self.done = self.passed = self.failed = 0

    def run(self):
        """Builds and runs all. Returns the number of tests found."""
        with ThreadPoolExecutor(2 * self.slots + 1) as pool:
            try:
                while self._begin(pool) or self.running:
                    for future in wait(self.running, NOTICE_S, FIRST_COMPLETED).done:
                        self._end(future, *self.running.pop(future))
            except KeyboardInterrupt:
                stop_steps()
                for what, _ in self.running.values():
                    if isinstance(what, Job):
                        what.stop()
                raise
        return self.found

    def _begin(self, pool):
        """Starts what there is room for. The next build takes half of the slots, or all of them if
        there is nothing else to do."""
        free = self.slots - sum(slots for _, slots in self.running.values())
        building = any(not isinstance(what, Job) for what, _ in self.running.values())
        if self.to_build and not building:
            slots = max(1, self.slots // 2) if self.ready or self.running else self.slots
            if slots <= free:
                name = self.to_build.pop(0)
                self.say(f"{name}: building …")
                self.running[pool.submit(self.make, name, slots)] = name, slots
                free -= slots
        free += self.extra()
        # The longest tests first.
        self.ready.sort(key=lambda job: (-(self.durations.get(job) or 0), -job.priority))
        while free > 0 and self.ready:
            job = self.ready.pop(0)
            self.running[pool.submit(job.run)] = job, 1
            free -= 1
        return bool(self.running)

    def _end(self, future, what, _):
        if not isinstance(what, Job):
            try:
                jobs = future.result()
            except Failure as failure:
                self._fail(f"{what}: {failure}")
                jobs, self.failed, self.found = [], self.failed + 1, self.found + 1
            else:
                self.found += len(jobs)
            self.ready += jobs
            return
        try:
            result = future.result()
        except OSError as error:
            self._fail(f"{what.build} {what.name}: {what.command[0]}: {error.strerror}")
            self.done, self.failed = self.done + 1, self.failed + 1
            return
        self.done += 1
        self.passed, self.failed = self.passed + result.passed, self.failed + result.failed
        self.durations.put(what, result.seconds)
        self.took.setdefault(what.name, []).append(result.seconds)
        total = f"{self.found}{'+' if self.to_build else ''}"
        self.say(f"[{self.done:{len(str(self.found))}}/{total}] {what.build:7} {what.name:20} "
                 f"{result.passed:5} passed, {result.failed} failed  {clock(result.seconds):>5}  "
                 f"{self._left()} left")
        if result.failed:
            self._fail(f"--- {what.build} {what.name}: {result.how}; full output: "
                       f"{what.folder.name}/test-logs/{what.name}.*\n{tail(result.output)}")

    def _fail(self, text):
        self.failures.append(text)
        self.say(text)

    def summary(self):
        """The numbers of cases, and before them what failed: nobody should have to look for it in
        hundreds of lines."""
        return "\n".join([*self.failures, f"{self.passed} passed, {self.failed} failed"])

    def _left(self):
        """How long the rest will take, once everything is built and at least half of the rest has
        run before, in this build or just now in another. Long tests go first, so without that
        condition the estimate would be far too long."""
        if self.to_build or any(not isinstance(what, Job) for what, _ in self.running.values()):
            return "-:--"
        jobs = self.ready + [job for job, _ in self.running.values()]
        # Running tests are half done, on average.
        weights = [1] * len(self.ready) + [0.5] * len(self.running)

        def earlier(job):
            took, alike = self.durations.get(job), self.took.get(job.name)
            if took is not None:
                return took
            return sum(alike) / len(alike) if alike else None

        known = [seconds for seconds in map(earlier, jobs) if seconds is not None]
        if len(known) < len(jobs) / 2:
            return "-:--"
        mean = sum(known) / len(known) if known else 0
        expected = (mean if seconds is None else seconds for seconds in map(earlier, jobs))
        total = sum(weight * seconds for weight, seconds in zip(weights, expected))
        return clock(total / self.slots)


def about_failures(lines):
    """The lines of failed test cases, each with what the test says of it before and after."""
    shown = set()
    for at, line in enumerate(lines):
        if line.startswith("not ok"):
            before = itertools.takewhile(lambda place: not CASE.match(lines[place]), range(at - 1, -1, -1))
            after = itertools.takewhile(lambda place: not CASE.match(lines[place]), range(at + 1, len(lines)))
            shown.update([at, *itertools.islice(before, REPORT_LINES), *itertools.islice(after, REPORT_LINES)])
    return [lines[at] for at in sorted(shown)]


def tail(text):
    """The last lines, and before them those of failed test cases that came earlier."""
    lines = text.rstrip().splitlines()
    before = lines[:-TAIL_LINES]
    cut = about_failures(before)
    if len(cut) < len(before):
        cut.append(f"… {plural(len(before) - len(cut), 'more line')} before")
    return "\n".join(f"    {line}" for line in cut + lines[-TAIL_LINES:])


def builds(text):
    names = re.split(r"[\s,]+", text.strip())
    for name in names:
        if name not in BUILDS:
            raise argparse.ArgumentTypeError(f"unknown build {name!r} (valid: {', '.join(BUILDS)})")
    return names


def main():
    parser = Parser(
        prog="scripts/test",
        description="Installs missing packages (scripts/setup --dev), builds, and runs every test, as "
        "many at once as keep the processors busy. Prints a line for each test program; the last line "
        "says how many test cases passed and failed, over all builds.",
        epilog="Exit codes: 0 all passed, 1 some failed, 2 usage.")
    parser.add_argument("--deep", action="store_true", help="longer runs: sets AL_TEST_DEEP=1")
    parser.add_argument("--only", metavar="REGEX", type=regex, help="only tests whose name matches")
    parser.add_argument("--builds", metavar="LIST", type=builds, default=["release", "checks"],
                        help=f"of {', '.join(BUILDS)} (default: release,checks)")
    options = parser.parse_args()
    if subprocess.run([ROOT / "scripts" / "setup", "--dev"]).returncode != 0:
        return USAGE
    slots = len(os.sched_getaffinity(0)) + 1  # one more, because several tests mostly wait
    suite = Suite(
        dict.fromkeys(options.builds),
        lambda name, processes: make(name, options.only, options.deep, processes),
        slots, lambda text: print(text, flush=True), Durations("-deep" if options.deep else ""),
        Extra(slots).now)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        found = suite.run()
    except KeyboardInterrupt:
        return INTERRUPTED
    if not found:
        complain(f"--only {options.only.pattern}: matches no test" if options.only else
                 "no test ran")
        return USAGE
    print(suite.summary())
    return 1 if suite.failed else 0
