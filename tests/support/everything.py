# SPDX-License-Identifier: MIT
"""Made-up records of a sweep in which everything that a report can tell happens: every verdict, A/A
twins of each workload, noisy and quiet trials, hardware counters, and cells that do not warm up."""

import hashlib
import math

from support.plotting import latencies

BLOCKS = 15
LOUD = (2, 3, 6, 7, 8, 11, 12)  # blocks in which the host moved the virtual cores apart
# Workload -> strategy -> the ratio of its time to that of "one".
COSTS = {
    "ping": {"one": 1, "two": 0.8, "three": 1.01, "four": 1.6},
    "ring": {"one": 1, "two": 1.002, "three": 1.005, "four": 0.93},
    "tree": {"one": 1, "two": 1.25, "three": 0.98, "four": 22},
}
SPREAD = {"ping": 0.01, "ring": 0.02, "tree": 0.12}  # of a time, as a part of it
HANDOFF_NS = {1: 62, 2: 65}


def number(*what):
    """The same in every run of the tests, and unrelated from one to the next."""
    return int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:16])


def wave(*what):
    """From -1 to 1."""
    return math.sin(number(*what) % 100_003)


def handoff(workers, block, *what):
    loud = 2.6 if block in LOUD else 1
    ns = [round(HANDOFF_NS[workers] * loud * (1 + 0.08 * wave(workers, block, place, what)), 1)
          for place in range(workers)]
    return {"from": 0, "to": list(range(1, workers + 1)), "ns": ns,
            "median_ns": sorted(ns)[len(ns) // 2]}


def hardware(strategy, workers, block):
    """Of each worker and the starting thread; cache misses are not permitted."""
    return [{"cycles": 900_000 + 1000 * block + 50_000 * len(strategy), "instructions": 2_000_000,
             "cache_misses": None, "context_switches": 3 + thread, "page_faults": block}
            for thread in range(workers + 1)]


def delays(*known):
    made = latencies(*known)
    values = [value for value, _ in made["buckets"]]
    ranks = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    return made | {name: values[int(part * len(values))] for name, part in ranks.items()}


def record(workload, strategy, workers, block, twin=False):
    known = (workload, strategy, workers, block, twin)
    ns = 1000 * COSTS[workload][strategy] * (0.3 + 0.7 / workers) * (1 + SPREAD[workload] * wave(known))
    if block in LOUD and workload == "ring" and strategy == "three":
        ns *= 1.5  # it suffers most from a slow hand-off
    return {
        "schema_version": 2, "trial": f"{number(known):032x}",
        "started_at": f"2026-11-22T10:{2 * block + workers:02}:00Z", "benchmark": workload,
        "parameters": {"size": 7}, "scheduler": strategy, "victim": "none", "idle": "spin",
        "options": {}, "workers": workers, "pus": list(range(workers)), "bound": list(range(workers)),
        "pin": "close", "topology": "this machine", "oversubscribed": False, "seed": block + 1,
        "engine": "native", "warmup": 3, "warmup_rule": "auto", "iterations": 5,
        "time_ns": [round(1000 * ns * (1 + 0.001 * wave(known, n))) for n in range(5)],
        "messages": 1000, "peak_rss_bytes": 5_000_000 + 1000 * workers + block,
        "counters": [{"gulps": 30 + block, "steals": 2, "steal_attempts": 40, "messages_received": 500}
                     for _ in range(workers + 1)],
        "hardware": hardware(strategy, workers, block),
        "handoff": handoff(workers, block, workload, strategy, twin),
        "steady": not (workload == "tree" and strategy == "two" and block % 4 == 0),
        "latencies": delays(workload, strategy, workers, block) if workload == "ping" else None,
        "memory": {"allocated_bytes": 900_000, "resident_bytes": 3_000_000, "queue_bytes": 64 * workers},
        "environment": {"cpu": "Fake 3000", "kernel": "6.1", "compiler": "cc 1", "revision": "abcdef",
                        "binary_hash": "b", "topology_hash": "t"},
        "outcome": "ok",
        "sweep": {"name": "everything", "session": "00000000000000a1", "block": block, "position": 0,
                  "cell": f"{workload}-{strategy}-{workers}", **({"twin": True} if twin else {})}}


def records():
    return [record(workload, strategy, workers, block, twin) for block in range(BLOCKS)
            for workload, costs in COSTS.items() for workers in (1, 2)
            for strategy, twin in [*((name, False) for name in costs), ("one", True)]]


CONFIG = """# Every verdict, on three workloads.
[sweep]
name = "everything"
baseline = "one"
[axes]
benchmark = ["ping", "ring", "tree"]
scheduler = ["one", "two", "three", "four"]
workers = [1, 2]
"""
