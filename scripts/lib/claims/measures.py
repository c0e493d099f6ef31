# SPDX-License-Identifier: MIT
"""What claims compare: one number of a record."""

import statistics

from common.failure import Failure


def message(record):
    """ns per message."""
    return time(record) / record["messages"]


def time(record):
    return statistics.median(record["time_ns"])


def latency(record, key="mean_ns"):
    found = record.get("latencies")
    if not found:
        raise Failure(f"{record['benchmark']} records no latencies; it cannot be judged by them")
    return found[key]


def counted(record, *names):
    """The sums of these counters over all workers and measured iterations."""
    workers = record.get("counters") or []
    if not workers:
        raise Failure(f"a record of {record['benchmark']} has no counters: its build counts nothing")
    return [sum(worker[name] for worker in workers) for name in names]


def missed_gulps(record):
    """The share of gulps that found a stolen queue."""
    missed, gulps = counted(record, "missed_gulps", "gulps")
    return missed / gulps if gulps else 0.0


def steals(record):
    """Steals in an iteration."""
    return counted(record, "steals")[0] / record["iterations"]


def attempts(record):
    """Attempts to steal in an iteration, with and without success."""
    return counted(record, "steal_attempts")[0] / record["iterations"]


def processor(record):
    """Processor time of the workers in an iteration, ns: what they had a PU for, polling or not."""
    workers = (record.get("hardware") or [])[:record["workers"]]
    ran = [worker["ran_ns"] for worker in workers]
    if not ran or None in ran:
        raise Failure(f"a record of {record['benchmark']} has no processor time: only native ones have")
    return sum(ran) / record["iterations"]


def lock_waits(record):
    """How often a lock was held when it was wanted, per message."""
    return counted(record, "lock_waits")[0] / record["iterations"] / record["messages"]


def transfers(record):
    """Cache lines that went from core to core, per message. The simulator counts the warm-up, too,
    which has about as many messages as an iteration."""
    found = record.get("simulated")
    if not found:
        raise Failure(f"a record of {record['benchmark']} has no transfers: only simulated ones have")
    return found["transfers"] / (record["iterations"] + record["warmup"]) / record["messages"]


def items_per_steal(record):
    stolen, n = counted(record, "queues_stolen", "steals")
    return stolen / n if n else 0.0


def queue_bytes(record):
    """The most that the queues held at once."""
    return record["memory"]["queue_peak_bytes"]


def peak_memory(record):
    """The largest resident set of the process."""
    found = record.get("peak_rss_bytes")
    if not found:
        raise Failure(f"a record of {record['benchmark']} has no peak of memory: only native ones have")
    return found


# name -> (function, what it is in words, unit)
MEASURES = {
    "message": (message, "time per message", "ns"),
    "time": (time, "time", "ns"),
    "latency": (latency, "mean latency", "ns"),
    "latency-p99.9": (lambda record: latency(record, "p99.9"), "latency p99.9", "ns"),
    "missed-gulps": (missed_gulps, "missed gulps per gulp", ""),
    "steals": (steals, "steals", ""),
    "items-per-steal": (items_per_steal, "items per steal", ""),
    "attempts": (attempts, "attempts to steal", ""),
    "lock-waits": (lock_waits, "waits for locks per message", ""),
    "transfers": (transfers, "cache lines handed over per message", ""),
    "processor": (processor, "processor time", "ns"),
    "peak-memory": (peak_memory, "peak of memory", "B"),
    "queue-bytes": (queue_bytes, "bytes of queues", "B"),
}
