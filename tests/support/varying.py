# SPDX-License-Identifier: MIT
"""Does a parameter or an option change anything that can be measured?

On the simulated machine equal runs are equal, so that any difference is the option's. Natively only
what differs in the same way in every one of several alternating pairs counts, and again in further
rounds: load on the host may hide a difference, but hardly feigns one."""

import json
import os
import subprocess

from support import ACTORLAB

WORKERS = 4
LISTING = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)
PAIRS, ROUNDS, TRIES = 3, 3, 10  # pairs in a round; rounds that must agree; times to begin again


def values(option, now):
    """Values to compare: all above the least one, which often switches something off, and nearby
    ones first; an enum's in its own order."""
    if option["type"] == "enum":
        return option["choices"]
    least, most, now = option["min"], option["max"], float(now)
    wanted = [now, now + 1, now / 2, now * 2, 10 * now, 100 * now, least + 1, 1000]
    number = int if option["type"] == "uint" else float
    return list(dict.fromkeys(number(value) for value in wanted if least < value <= most))


def run(words, *more):
    """The record and the processor time of a run, or None if it refuses these values together."""
    command = [ACTORLAB, "run", *map(str, words), "--iterations", "1", "--warmup", "0", "--no-hardware",
               "--json", "-", *more]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with child.stdout:
        text = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == 2:
        return None
    assert child.returncode == 0, (command, child.returncode)
    return json.loads(text), used.ru_utime + used.ru_stime


def simulated(words):
    """Everything that is measured, as text."""
    done = run(words, "--workers", str(WORKERS), "--engine", "sim", "--machine", "xeon-5220r-2s")
    if done is None:
        return None
    record = done[0]
    return json.dumps([record["time_ns"], record["messages"], record["counters"], record["memory"]["queue_bytes"],
                       record["latencies"]])


def native(words, workers=WORKERS):
    """Name -> number: what a native run measures, of all workers together."""
    done = run(words, "--workers", str(workers), "--oversubscribe")
    if done is None:
        return None
    record, seconds = done
    measured = {"messages": record["messages"], "peak_rss_bytes": record["peak_rss_bytes"], "processor_s": seconds,
                "time_ns": record["time_ns"][0]}
    measured |= {f"latency_{name}": number for name, number in (record["latencies"] or {}).items() if name != "buckets"}
    measured |= {name: record["memory"][name] or 0 for name in ("allocated_bytes", "queue_bytes", "queue_peak_bytes")}
    for counters in record["counters"]:
        for name, number in counters.items():
            if not isinstance(number, dict):
                measured[name] = measured.get(name, 0) + (number or 0)
    return measured


def apart(ones, others):
    """What is smaller, or larger, in each of the ones than in all others: (name, which), and
    whether it is the same in all runs of each side."""
    found = {}
    for name in ones[0]:
        one, other = sorted(run[name] for run in ones), sorted(run[name] for run in others)
        if one[-1] < other[0] or other[-1] < one[0]:
            found[name, one[0] < other[0]] = one[0] == one[-1] and other[0] == other[-1]
    return found


def alone(words):
    """What one worker does and needs, without its time. Waits for locks are for the starting
    thread."""
    return {name: number for name, number in native(words, 1).items()
            if name not in ("lock_waits", "peak_rss_bytes", "processor_s", "time_ns") and "latency" not in name}


def differ_natively(words, others, rounds=ROUNDS, measure=native):
    """The names of what differs between two commands."""
    for _ in range(TRIES):
        left = None
        for _ in range(rounds):
            pairs = [(measure(words), measure(others)) for _ in range(PAIRS)]
            found = apart(*zip(*pairs))
            if any(found.values()):
                return {name for (name, _), exact in found.items() if exact}
            left = set(found) if left is None else left & set(found)
            if not left:
                break
        else:
            return {name for name, _ in left}
    return set()
