# SPDX-License-Identifier: MIT
"""What disturbs trials: checks the machine before each trial, and reports which trials were
disturbed. docs/reference/noise.md."""

import os
import resource
import time

GATES = ("mark", "wait", "off")
GLANCE_S = 0.005  # between two checks, so that brief wake-ups of others have ended
MARK_S = 0.02  # how long to wait for an idle machine before starting anyway
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


class Gate:
    """Lets a trial start when the machine is idle, or after a while, and judges its record."""

    def __init__(self, config, limits):
        """limits: of `actorlab list --json`."""
        self.limit = config.gate_limit
        self.ticks, self.waited_ns = limits["noise_ticks"], limits["waited_ns"]
        self.patience_s = {"mark": MARK_S, "wait": config.gate_wait_s, "off": None}[config.gate]

    def wait(self, stopping=lambda: False):
        """Returns when others use no more than their share of the PUs, or patience or the sweep
        ends."""
        if self.patience_s is None:
            return
        began = time.monotonic()
        while True:
            running = procs_running()
            self.others = None if running is None else max(0, running - 1)  # without this process
            self.calm = self.others is None or self.others <= self.limit * os.cpu_count()
            self.waited_s = time.monotonic() - began
            if self.calm or self.waited_s >= self.patience_s or stopping():
                return
            time.sleep(GLANCE_S)

    def judge(self, record):
        """Adds to a trial's record what the gate saw, and why the trial was disturbed."""
        if self.patience_s is None:
            return
        noise = record.get("noise") or {}
        reasons = ["busy"] * (not self.calm) + self.during(noise)
        reasons += ["waited"] * self.has_waited(record) + ["unbound"] * (not is_bound(record))
        gate = {"others_running": self.others, "waited_s": round(self.waited_s, 3)}
        record["noise"] = noise | {"gate": gate, "disturbed": reasons}

    def has_waited(self, record):
        """Whether the workers were ready to run, but waited for their PUs, for more than the
        limit's share of the time, and longer than the starting thread can have kept them. Those of
        an oversubscribed trial wait for one another."""
        workers, threads = record.get("workers", 0), record.get("hardware") or []
        waited_ns = sum(thread.get("waited_ns") or 0 for thread in threads[:workers])
        ran_ns = sum(thread.get("ran_ns") or 0 for thread in threads[workers:])
        least_ns = max(self.limit * sum(record.get("time_ns", ())) * workers, self.waited_ns)
        return waited_ns - ran_ns > least_ns and not record.get("oversubscribed")

    def during(self, noise):
        """The reasons found in what a record says of the trial itself."""
        pu_ns = (noise.get("elapsed_ns") or 0) * (noise.get("watched_pus") or 0)
        least_ns = max(self.limit * pu_ns, self.ticks * TICK_NS * (noise.get("watched_pus") or 0))
        reasons = [reason for reason in ("others", "steal") if (noise.get(f"{reason}_ns") or 0) > least_ns]
        reasons += ["quota"] if noise.get("quota_throttled_ns") else []
        reasons += ["stopped"] if noise.get("stops") else []
        return reasons + (["heat"] if noise.get("throttles") else [])


def is_bound(record):
    """Whether each worker that should be bound was seen on its PU."""
    return record.get("pus", []) == record.get("bound", [])


class Watch:
    """The noise of a program that does not report it, seen from outside; includes start and
    warm-up."""

    def __init__(self):
        self._before = reading()

    def noise(self):
        """The same object as in actorlab's records, once the program has ended."""
        before, after = self._before, reading()
        grown = {key: after[key] - before[key] for key in after if None not in (before[key], after[key])}
        busy_ns = grown.get("busy_ns")
        return {
            **{name: {key: seen[key] for key in ("load", "procs_running")}
               for name, seen in (("before", before), ("after", after))},
            "watched_pus": after["watched_pus"],
            "others_ns": None if busy_ns is None else max(0, busy_ns - grown["own_ns"] - grown["harness_ns"]),
            **{key: grown.get(key) for key in (
                "elapsed_ns", "own_ns", "steal_ns", "voluntary_switches", "involuntary_switches", "minor_faults",
                "major_faults")},
            **dict.fromkeys(("throttles", "quota_pus", "quota_throttled_ns", "migrations")),
            "frequencies_khz": [], "governors": [],
        }


def reading():
    """Readings of the machine and of ended children; all but the first three only grow."""
    seen = {"load": os.getloadavg()[0], "procs_running": None, "watched_pus": 0, "busy_ns": None, "steal_ns": None}
    for name, *values in proc_stat():
        if name == "procs_running":
            seen["procs_running"] = int(values[0])
        elif name == "cpu":  # all PUs
            user, nice, system, _, _, irq, softirq, steal = map(int, values[:8])
            seen |= {"busy_ns": (user + nice + system + irq + softirq) * TICK_NS, "steal_ns": steal * TICK_NS}
        elif name.startswith("cpu"):
            seen["watched_pus"] += 1
    ours, own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return seen | {
        "elapsed_ns": time.monotonic_ns(),
        "own_ns": round((own.ru_utime + own.ru_stime) * 1e9),
        "harness_ns": round((ours.ru_utime + ours.ru_stime) * 1e9),
        "voluntary_switches": own.ru_nvcsw, "involuntary_switches": own.ru_nivcsw,
        "minor_faults": own.ru_minflt, "major_faults": own.ru_majflt,
    }


def proc_stat():
    """The lines of /proc/stat as words; none if it cannot be read."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            return [words for words in map(str.split, file) if words]
    except OSError:
        return []


def procs_running():
    return next((int(words[1]) for words in proc_stat() if words[0] == "procs_running"), None)
