# SPDX-License-Identifier: MIT
"""A report's tables of all cells."""

from report import verdicts
from report.page import NOTHING, Cell, Paragraph, Table, number
from report.words import duration, exact, in_bytes, interval_cell, level, share, shown
from results.findings import entry
from results.marks import doubt, mark, sentences
from results.numbers import INTERVALS, MEMORY, QUEUES, scaled, significant

# Those that tell strategies apart; the records have more.
COUNTERS = ("gulps", "missed_gulps", "steal_attempts", "steals")
HARDWARE = ("cycles", "instructions", "cache_misses", "context_switches", "page_faults")
LATENCIES = ("p50", "p99", "p99.9", "max")
# What a run costs beside its time: where a cell has it, its name, and the head of the column.
COSTS = (("hardware", "ran_ns", "processor time per message"), ("costs", "start_ns", "start"), ("costs", "stop_ns", "stop"),
         ("costs", "fairness", "fairness"), ("costs", "overrun", "overrun"))


def all_tables(findings):
    if not findings.cells:
        return [Paragraph("No trial succeeded, so there are no numbers.")]
    makers = (time_table, ratio_table, latency_table, cost_table, memory_table, counter_table, hardware_table)
    return [table for table in (make(findings) for make in makers) if table is not None]


def keys(findings, index):
    """The first columns of a table of cells."""
    cell = findings.cells[index]
    known = findings.summary.values(cell)
    workers = f"{cell['workers']}{mark(cell)}{doubt(cell)}"
    return [Cell(findings.workload(index)),
            *(Cell("" if known.get(key) is None else shown(known[key])) for key in findings.keys),
            Cell(workers, cell["workers"])]


def cell_table(findings, name, title, heads, row, note=None, indices=None):
    """A table of all cells, or of some. row(index) gives the columns after those that name the
    cell."""
    if indices is None:
        indices = range(len(findings.cells))
    return Table(name, title, ["workload", *findings.keys, "workers", *heads],
                 [keys(findings, index) + row(index) for index in indices], note, [[index] for index in indices])


def time_table(findings):
    def row(index):
        cell, time = findings.cells[index], findings.cells[index]["ns_per_message"]
        covers = None if cell["n"] == 1 else time["achieved"]
        return [number(time["median"], exact), interval_cell(time), number(covers, share),
                number(cell["n"], str), number(cell["outliers"]["mild"], str),
                number(cell["outliers"]["severe"], str),
                number(cell["messages_per_s"]["median"], lambda value: scaled(value, ""))]

    note = (
        "Median over n processes of an iteration's elapsed time, divided by the messages delivered "
        f"by all workers, with its {INTERVALS[findings.summary.interval]}. Covers: how often such an interval "
        "contains the true median. Intervals are sorted by their width relative to the median. Mild "
        "and severe: outliers by Tukey's classes, more than 1.5 and 3 times the interquartile range "
        "beyond the quartiles; none is left out.")
    note += sentences(findings.cells)
    heads = ["ns/message", level(findings), "covers", "n", "mild", "severe", "messages/s"]
    return cell_table(findings, "times", "Time per message", heads, row, note)


def ratio_table(findings):
    def row(index):
        if index in findings.baselines:
            return [Cell("1", 1.0), *2 * [NOTHING], Cell("baseline", kind="verdict"),
                    *([NOTHING] if verdicts.stratified(family) else [])]
        return verdicts.columns(family, family.pairs.get(index))

    baseline, family = findings.baseline, findings.to_baseline
    chosen = "the configuration's baseline" if findings.summary.baseline else "the first strategy"
    chosen = "the first build" if findings.binary else chosen
    return cell_table(
        findings, "ratios", f"Time relative to {baseline}",
        verdicts.heads(family, f"÷ {baseline}"), row,
        f"Time per message divided by that of {baseline}, {chosen}, for the same work and number of "
        f"workers, block by block. {verdicts.legend(family)}")


def latency_table(findings):
    known = [index for index, cell in enumerate(findings.cells) if cell["latencies"]]
    if not known:
        return None

    def row(index):
        latencies = findings.cells[index]["latencies"]
        return [cell for name in LATENCIES for cell in (
            number(entry(latencies, name).get("median"), duration),
            interval_cell(latencies.get(name), duration))]

    heads = [head for name in LATENCIES for head in (name, level(findings))]
    return cell_table(
        findings, "latencies", "Latencies", heads, row,
        "The times within which 50%, 99% and 99.9% of a process's messages were delivered, and the "
        "longest; each as the median over processes with its interval.", known)


def cost_table(findings):
    known = [cost for cost in COSTS if any(cost[1] in cell[cost[0]] for cell in findings.cells)]
    if not known:
        return None

    def row(index):
        return [part for place, name, _ in known for part in cost_cells(findings.cells[index][place].get(name), name)]

    def cost_cells(value, name):
        shape = duration if name.endswith("_ns") else significant
        return number(value["median"] if value else None, shape), interval_cell(value, shape)

    heads = [head for *_, name in known for head in (name, level(findings))]
    return cell_table(
        findings, "costs", "Hidden costs", heads, row,
        "Medians over processes with their intervals. Processor time: what all workers had a PU for, with work or looking for "
        "some. Start and stop: of the system of workers. Fairness: Jain's index of actors that are alike; 1 is even. Overrun: "
        "the time of open load over that of its schedule.")


def memory_table(findings):
    if findings.summary.simulated is not None:
        return simulated_memory_table(findings)

    def row(index):
        cell = findings.cells[index]
        peak = cell["peak_rss_bytes"]
        return [number(peak["median"], in_bytes), interval_cell(peak, in_bytes),
                *(number(cell["memory"][key], in_bytes) for key in MEMORY)]

    return cell_table(
        findings, "memory", "Memory",
        ["peak", level(findings), *MEMORY.values()], row,
        "Medians. Peak: the process's largest resident set. The others are from the end of the last "
        "iteration: what the program has allocated, how much of the allocator's memory is resident, "
        "and what the strategy's queues occupy; then the most that they occupied in any iteration.")


def simulated_memory_table(findings):
    """The process and its allocator are the simulator's, but the queues are the strategy's."""
    known = [index for index, cell in enumerate(findings.cells) if cell["memory"]["queue_bytes"] is not None]
    if not known:
        return None
    return cell_table(
        findings, "memory", "Memory in queues", list(QUEUES.values()),
        lambda index: [number(findings.cells[index]["memory"][key], in_bytes) for key in QUEUES],
        "Medians: what the strategy's queues occupy at the end of the last iteration, and the most "
        "that they occupied in any iteration. The process's memory is left out: it is the "
        "simulator's, not that of the simulated machine.",
        known)


def counter_table(findings):
    names = [name for name in COUNTERS
             if any(entry(cell["counters"], name).get("high") for cell in findings.cells)]
    if not names:
        return Paragraph("The records have no counters.")
    return counted_table(
        findings, "counters", "Counters per message", names,
        "Sums over all threads and measured iterations, divided by the messages delivered; medians "
        "over processes with their intervals. =: an interval of no width, "
        "because most values are equal. Counters that are zero in every cell are omitted.")


def hardware_table(findings):
    names = [name for name in HARDWARE
             if any(name in cell["hardware"] for cell in findings.cells)]
    if not names:
        return None
    absent = [name.replace("_", " ") for name in HARDWARE if name not in names]
    return counted_table(
        findings, "hardware", "Hardware counters per message", names,
        "Of the processor and the kernel: sums over all threads and measured iterations, divided by "
        "the messages delivered; medians over processes with their intervals. =: an interval of no "
        "width." + (f" Not in the records: {', '.join(absent)}." if absent else ""))


def counted_table(findings, name, title, keys, note):
    """A table of the counters under this key of cells."""
    def row(index):
        known = findings.cells[index][name]
        return [cell for key in keys for cell in (
            number(entry(known, key).get("median"), counted), width(known.get(key)))]

    def width(known):
        if known and known["degenerate"] and known["n"] > 1:
            return Cell("=", 0.0)
        return interval_cell(known, counted)

    heads = [head for key in keys for head in (key.replace("_", " "), level(findings))]
    return cell_table(findings, name, title, heads, row, note)


def counted(value):
    if value == 0:
        return "0"
    return f"{value:.1e}".replace("e-0", "e-") if value < 0.001 else significant(value)
