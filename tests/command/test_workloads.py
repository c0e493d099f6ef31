#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every workload, small, on every strategy, with 1, 2 and 4 workers, and in the size for simulated
machines: it checks its own answer. AL_TEST_SUBSET=1 leaves each strategy every other workload, with
2 or 4 workers in turn."""

import json
import os
import subprocess
import sys
from pathlib import Path

ACTORLAB = Path(os.environ["AL_BUILD"]) / "actorlab"
WORKERS = (1, 2, 4)
FEWEST, MOST = 6000, 1000000  # messages in the size for simulated machines
# In few messages.
COMPUTE = ("matrix", "trapr", "quicksort", "piprecision", "astar", "bystander", "race")
# One worker of mercury runs the philosopher that asks in vain and the arbitrator in turn for ever.
STARVED = {("philosopher", "mercury", 1)}
FORMS = {"big": "partners=all"}  # other kinds of the same work, which no size has


def run(*arguments):
    return subprocess.run([ACTORLAB, *arguments], capture_output=True, text=True)


def problem(workload, scheduler, workers, size="small", form=None):
    """What is wrong with this combination, or None."""
    # Where memory is checked, a large size takes minutes on a busy host.
    iterations, warmup = (1, 0) if size == "sim" else (2, 1)
    done = run("run", workload["name"], "--scheduler", scheduler, "--workers", str(workers), "--oversubscribe",
               "--size", size, *(["--set", form] if form else []), "--iterations",
               str(iterations), "--warmup", str(warmup), "--json", "-")
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()[:1000]}"
    record = json.loads(done.stdout)
    latencies = record["latencies"]
    if record["outcome"] != "ok" or len(record["time_ns"]) != iterations:
        return f"outcome {record['outcome']}, {len(record['time_ns'])} times"
    if (latencies is not None) != workload["latencies"]:
        return "latencies are recorded, or not, against what the list says"
    if latencies is not None and sum(count for _, count in latencies["buckets"]) != latencies["n"]:
        return "the buckets do not hold all latencies"
    preset = dict(setting.split("=") for setting in workload[size].split())
    for key, value in preset.items():
        if str(record["parameters"][key]) != value and record["parameters"][key] != float(value):
            return f"--size {size} did not set {key}={value}"
    fewest = 0 if workload["name"] in COMPUTE else FEWEST
    if size == "sim" and not fewest <= record["messages"] <= MOST:
        return f"{record['messages']} messages are too few or too many to simulate"
    return None


def sine_problem():
    """A sine of a constant is one that a compiler knows, and then the work is gone."""
    objects = list(ACTORLAB.parent.rglob("*_fjthrput.c.o")) + list(ACTORLAB.parent.rglob("*_fjcreate.c.o"))
    calls = [subprocess.run(["nm", "--undefined-only", path], capture_output=True, text=True).stdout.split() for path in objects]
    return None if calls and all("sin" in names for names in calls) else "no sine is computed"


def chosen(place, further):
    """The numbers of workers of a combination: the place of its workload, and of its strategy."""
    if os.environ.get("AL_TEST_SUBSET") != "1":
        return WORKERS
    return (WORKERS[1 + place // 2 % 2],) if (place + further) % 2 == 0 else ()


listing = json.loads(run("list", "--json").stdout)
cases = [(workload, scheduler["name"], workers)
         for place, workload in enumerate(listing["benchmarks"])
         for further, scheduler in enumerate(listing["schedulers"]) for workers in chosen(place, further)
         if (workload["name"], scheduler["name"], workers) not in STARVED]
cases += [(workload, "inverted", 2, "sim") for workload in listing["benchmarks"]]
cases += [(workload, scheduler["name"], 2, "small", FORMS[workload["name"]]) for workload in listing["benchmarks"]
          if workload["name"] in FORMS for scheduler in listing["schedulers"]]
print(f"1..{len(cases) + 1}")
failed = 0
for number, (workload, scheduler, workers, *size) in enumerate(cases, 1):
    what = problem(workload, scheduler, workers, *size)
    failed += what is not None
    print(f"{'not ' if what else ''}ok {number} - {workload['name']}{', '.join(['', *size]) + ',' * bool(size)} on {scheduler}, {workers} workers"
          + (f": {what}" if what else ""), flush=True)
what = sine_problem()
print(f"{'not ' if what else ''}ok {len(cases) + 1} - sines are computed" + (f": {what}" if what else ""))
sys.exit(failed > 0 or what is not None)
