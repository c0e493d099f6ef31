# SPDX-License-Identifier: MIT
"""The sections of a report, as HTML."""

import json
import shlex
import textwrap
from collections import Counter
from statistics import median

from machine.noise import told
from plots import figures
from report import page
from report.inline_svg import as_image, inline_all
from report.page import NONE, NOTHING, Cell
from results.findings import entry
from results.summary import flat
from results.table import MEMORY, scaled, significant

MOST_VALUES = 8  # of a key that are shown
VERDICTS = ("faster", "slower", "equivalent", "inconclusive")
# Those that tell strategies apart; the records have more of them.
COUNTERS = ("gulps", "missed_gulps", "steal_attempts", "steals")


def exact(value):
    """Four digits, and commas between thousands."""
    whole, dot, rest = significant(value, 4).partition(".")
    return f"{int(whole):,}{dot}{rest}"


def percent(value):
    return f"{value:.3g}%"


def share(value):
    return f"{100 * value:.4g}%"


def in_bytes(value):
    return scaled(value, "B")


def duration(ns):
    return scaled(ns / 1e9, "s") if ns >= 1e9 else f"{significant(ns / 1e6)} ms" if ns >= 999_500 else (
        f"{significant(ns / 1e3)} µs" if ns >= 999.5 else f"{significant(ns)} ns")


def interval(entry, form=exact):
    """With its unit once, if it has one and both ends have the same."""
    low, high = form(entry["low"]), form(entry["high"])
    (number, _, unit), other = low.partition(" "), high.partition(" ")[2]
    return f"{number if unit == other else low} – {high}"


def interval_cell(entry, form=exact):
    """Sorted by its width relative to the median. One value has none."""
    if entry is None or entry["n"] < 2:
        return NOTHING
    return Cell(interval(entry, form), (entry["high"] - entry["low"]) / entry["median"] if entry["median"] else 0.0)


def plural(count, word):
    return f"{count:,} {word}{'' if count == 1 else 'es' if word.endswith('s') else 's'}"


def span(counts, word):
    low, high = min(counts), max(counts)
    return plural(high, word) if low == high else f"{low:,} to {plural(high, word)}"


def shown(value):
    """Text of a JSON value."""
    return value if isinstance(value, str) else "not known" if value is None else json.dumps(value, ensure_ascii=False)


def distinct(records, key):
    return list(dict.fromkeys(shown(entry(record, "environment").get(key)) for record in records
                              if entry(record, "environment").get(key) is not None))


def times(records):
    """From the first to the last record, to the minute."""
    stamps = sorted(str(record["started_at"]) for record in records if record.get("started_at"))
    if not stamps:
        return "not known"
    first, last = (stamp[:16].replace("T", " ") for stamp in (stamps[0], stamps[-1]))
    return f"{first} UTC" if first == last else f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def header(findings, config):
    """What was run, where and when."""
    records, cells = findings.records, findings.cells
    machine = [*distinct(records, "cpu"), *(f"Linux {kernel}" for kernel in distinct(records, "kernel")),
               *distinct(records, "compiler")]
    ran = findings.ran
    twins = len(ran) - len(records)
    counts = Counter(str(record.get("outcome")) for record in ran)
    method = {(record.get("warmup"), record.get("iterations")) for record in ran}
    how = "; ".join(f"{warmup} warm-up and {iterations} measured iteration{'s' if iterations != 1 else ''} each"
                    for warmup, iterations in sorted(method, key=str))
    processes = f"{plural(len(ran), 'process')}, " + (f"{twins:,} of them for the A/A cells, " if twins else "")
    processes += f"{how}; " + (
        "all ended well" if set(counts) == {"ok"} else
        ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common()))
    disturbed = sum(bool(entry(record, "noise").get("disturbed")) for record in ran)
    processes += f"; {disturbed:,} disturbed by others" if disturbed else ""
    noise = findings.summary.noise
    what = [f"{plural(len(findings.summary.benchmarks), 'workload')}, {plural(len(cells), 'cell')}"]
    if cells:
        what.append(f"with {span([cell['workers'] for cell in cells], 'worker')}, "
                    f"of {span([cell['n'] for cell in cells], 'process')} each")
    return (page.prose(words, "lead") if (words := about(config)) else "") + page.definitions([
        ("Machine", ", ".join(machine) or "not known"),
        ("Date", times(records)),
        ("Revision", ", ".join(distinct(records, "revision")) or "not known"),
        ("Cells", ", ".join(what)),
        ("Processes", processes),
        *([] if noise is None else [("A/A", f"equal cells differ by up to {percent(noise)}")]),
        *(("Note", note) for note in findings.summary.notes if not note.startswith("left out")),
    ])


def about(config):
    """The comment at the top of the configuration: its author's words."""
    lines = []
    for line in config.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return " ".join(line for line in lines if not line.startswith("SPDX-"))


def fastest(findings):
    """On the average over the workloads, and on each."""
    if not findings.cells:
        return page.paragraph("No trial ended well: there is nothing to compare.")
    return averages(findings) + winners(findings)


def averages(findings):
    if not any(average.ratio for average in findings.averages):
        return ""
    rows = []
    for average in findings.averages:
        base = average.strategy == findings.baseline
        compared = [Cell("1", 1.0), NOTHING] if base else [
            page.number(average.ratio and average.ratio["median"], significant),
            interval_cell(average.ratio, significant)]
        rows.append([Cell(str(average.workers), average.workers), Cell(average.strategy, kind="strong"), *compared,
                     *(NOTHING if base else page.number(average.verdicts[verdict], str) for verdict in VERDICTS),
                     page.number(average.fastest, str), page.number(average.work, str)])
    heads = ["workers", "strategy", f"÷ {findings.baseline}", level(findings), *VERDICTS, "fastest", "workloads"]
    words = (
        f"÷ {findings.baseline}: the geometric mean over the workloads of the ratios of times per message; below 1 is "
        "faster. Its interval comes from resampling each workload for itself if all have 10 blocks and more, else from "
        "the t intervals of the logarithms; it says how well these workloads were measured, and nothing about others. "
        f"Then, on how many of the workloads it is {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}, compared with "
        f"{findings.baseline} (the verdicts of the table of ratios), and on how many the fastest of all.")
    return page.table("averages", "Over all workloads", heads, rows, words)


def winners(findings):
    cells, rows = findings.cells, []
    for first, second, comparison in findings.winners():
        time = cells[first]["ns_per_message"]
        sure = comparison is not None and comparison["verdict"] == "slower"  # the next one
        row = [Cell(findings.workload(first)), Cell(str(cells[first]["workers"]), cells[first]["workers"]),
               Cell(findings.strategy(first), kind="strong" if sure else None), page.number(time["median"], exact)]
        if comparison is None:
            other = "no other" if second is None else f"{findings.strategy(second)}, in other sessions"
            row += [NOTHING, Cell(other, kind="none"), NOTHING, NOTHING]
        else:
            ratio, verdict = comparison["ratio"], comparison["verdict"]  # of the next, which is the other way round
            row += [verdict_cell({"slower": "faster", "faster": "slower"}.get(verdict, verdict)),
                    Cell(findings.strategy(second)), page.number(ratio["median"], significant),
                    interval_cell(ratio, significant)]
        rows.append(row)
    heads = ["workload", "workers", "fastest", "ns/message", "verdict", "next", "next ÷ fastest", level(findings)]
    words = (
        "Fastest and next: the smallest medians of wall time per message among the strategies that did the same work "
        "with as many workers. Next ÷ fastest compares their times block by block (from 10 blocks on the median of "
        "the ratios with its bootstrap interval, below that the geometric mean with a paired t interval). The verdict "
        f"is the fastest's: {how_judged(findings, findings.against_next)}. Which two are compared was chosen by the "
        "same times.")
    return page.table("winners", "The fastest strategy of each workload and number of workers", heads, rows, words)


def how_judged(findings, comparisons):
    equivalent = (f"equivalent if the interval is within {percent(findings.margin)} of 1; else" if findings.margin else
                  "never equivalent, since the A/A cells differ too much; else")
    return (f"{equivalent} faster or slower if the interval leaves out 1 and the p-value, corrected for "
            f"{plural(len(comparisons), 'comparison')} (Holm), is below {1 - findings.summary.level:.2g}; else "
            "inconclusive")


def level(findings):
    return f"{findings.summary.level:.0%} interval"


def verdict_cell(verdict):
    return Cell(verdict, kind=f"verdict {verdict}")


def drawings(findings, timelines):
    """timelines: figures of workers' timelines."""
    made = figures(findings.summary) if findings.cells else []
    drawn = [*zip(made, inline_all(made)), *((figure, as_image(figure)) for figure in timelines)]
    if not drawn:
        return page.paragraph("No trial ended well: there is nothing to draw.")
    hint = "Point at a median, tap it, or walk along with the arrow keys, to see its values."
    return page.paragraph(hint, "note screen") + "".join(
        page.figure(number, figure.title, figure.caption, drawing) for number, (figure, drawing) in enumerate(drawn, 1))


def keys(findings, index):
    """The first columns of a table of cells."""
    cell, known = findings.cells[index], flat(findings.cells[index])
    workers = f"{cell['workers']}{'*' if cell['oversubscribed'] else ''}"
    return [Cell(findings.workload(index)), *(Cell("" if known.get(key) is None else shown(known[key]))
                                              for key in findings.keys), Cell(workers, cell["workers"])]


def cell_table(findings, name, title, heads, row, note=None, indices=None):
    """A table of all cells, or some; row(index) are the columns after those that name the cell."""
    return page.table(name, title, ["workload", *findings.keys, "workers", *heads],
                      [keys(findings, index) + row(index)
                       for index in (range(len(findings.cells)) if indices is None else indices)], note)


def time_table(findings):
    def row(index):
        cell, time = findings.cells[index], findings.cells[index]["ns_per_message"]
        one = cell["n"] == 1
        return [page.number(time["median"], exact), interval_cell(time),
                page.number(None if one else time["achieved"], share), page.number(cell["n"], str),
                page.number(cell["outliers"]["mild"], str), page.number(cell["outliers"]["severe"], str),
                page.number(cell["messages_per_s"]["median"], lambda value: scaled(value, ""))]

    note = ("Median over n processes of the elapsed time of an iteration, divided by the messages delivered by all "
            "workers, with its percentile bootstrap interval. Covers: how often such an interval holds the true "
            "median. Intervals are sorted by their width relative to the median. Mild, severe: outliers of Tukey's "
            "classes, more than 1.5 and 3 times the distance of the quartiles beyond these; none is left out.")
    if any(cell["oversubscribed"] for cell in findings.cells):
        note += " *: more workers than PUs."
    return cell_table(findings, "times", "Time per message", [
        "ns/message", level(findings), "covers", "n", "mild", "severe", "messages/s"], row, note)


def ratio_table(findings):
    def row(index):
        if index in findings.baselines:
            return [Cell("1", 1.0), NOTHING, verdict_cell("baseline")]
        comparison = findings.to_baseline.get(index)
        if comparison is None:
            return 3 * [NOTHING]
        ratio = comparison["ratio"]
        return [page.number(ratio["median"], significant), interval_cell(ratio, significant),
                verdict_cell(comparison["verdict"])]

    chosen = "the baseline of the configuration" if findings.summary.baseline else "the first strategy"
    return cell_table(
        findings, "ratios", f"Time relative to {findings.baseline}",
        [f"÷ {findings.baseline}", level(findings), "verdict"], row,
        f"Time per message divided by that of {findings.baseline}, {chosen}, at the same work and number of workers, "
        f"block by block. The verdict is {how_judged(findings, findings.to_baseline)}.")


def latency_table(findings):
    names = ("p50", "p99", "p99.9", "max")
    known = [index for index, cell in enumerate(findings.cells) if cell["latencies"]]

    def row(index):
        latencies = findings.cells[index]["latencies"]
        return [cell for name in names for cell in (page.number(entry(latencies, name).get("median"), duration),
                                                    interval_cell(latencies.get(name), duration))]

    heads = [head for name in names for head in (name, level(findings))]
    return cell_table(
        findings, "latencies", "Latencies", heads, row, "Half, 99% and 99.9% of a process's messages took no longer, "
        "and its slowest took max; of each of these the median over processes with its percentile bootstrap interval.",
        known) if known else ""


def memory_table(findings):
    def row(index):
        cell = findings.cells[index]
        peak = cell["peak_rss_bytes"]
        return [page.number(peak["median"], in_bytes), interval_cell(peak, in_bytes),
                *(page.number(cell["memory"][key], in_bytes) for key in MEMORY)]

    return cell_table(findings, "memory", "Memory", [
        "peak", level(findings), *(head.replace("|", "") for head in MEMORY.values())], row,
        "Medians. Peak: the largest resident set of the process. The others, at the end of the last iteration: what "
        "the program holds of the allocator, what of it is resident, and what the strategy's queues hold.")


def counter_table(findings):
    def row(index):
        counters = findings.cells[index]["counters"]
        return [cell for name in names for cell in (page.number(entry(counters, name).get("median"), counted),
                                                    width(counters.get(name)))]

    def width(known):
        return Cell("=", 0.0) if known and known["degenerate"] and known["n"] > 1 else interval_cell(known, counted)

    names = [name for name in COUNTERS if any(entry(cell["counters"], name).get("high") for cell in findings.cells)]
    if not names:
        return page.paragraph("The records have no counters.")
    heads = [head for name in names for head in (name.replace("_", " "), level(findings))]
    return cell_table(
        findings, "counters", "Counters per message", heads, row, "Sums over all threads and measured iterations, "
        "divided by the messages delivered; medians over processes with their percentile bootstrap intervals. =: no "
        "width, as most values are equal. What no cell counted is left out.")


def counted(value):
    return "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-") if value < 0.001 else significant(value)


def all_tables(findings):
    if not findings.cells:
        return page.paragraph("No trial ended well: there are no numbers.")
    return "".join(make(findings) for make in (time_table, ratio_table, latency_table, memory_table,
                                                counter_table))


def plain(value):
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"


def flattened(value, name=""):
    """(dotted name, value) of everything in an object."""
    if not isinstance(value, dict):
        yield name, value
        return
    for key, inner in value.items():
        yield from flattened(inner, f"{name}.{key}" if name else key)


def spread(records, key):
    """(rows, keys that differ) of an object of the records. A row for each key of it: its value, the values with how
    many records have them, or the range of numbers; and how many records lack it. Keys of numbers are measurements."""
    seen = {}
    for record in records:
        for name, value in flattened(entry(record, key)):
            values = seen.setdefault(name, Counter())
            if value is not None:
                values[value if isinstance(value, (int, float)) else shown(value)] += 1
    rows, differing = [], []
    for name, values in seen.items():
        missing = len(records) - values.total()
        if len(values) < 2:
            text = "".join(map(shown, values)) or NONE
        elif all(type(value) in (int, float) for value in values):
            text = f"{plain(min(values))} to {plain(max(values))}, median {plain(median(values.elements()))}"
        else:
            differing.append(name)
            most = values.most_common(MOST_VALUES)
            text = "; ".join(f"{shown(value)} (in {count:,})" for value, count in most)
            text += f"; and {len(values) - len(most):,} more" if len(values) > len(most) else ""
        rows.append([Cell(name), Cell(text), Cell(f"{missing:,}" if missing else "", missing)])
    return rows, differing


def environment(findings):
    rows, differing = spread(findings.records, "environment")
    if not rows:
        return page.paragraph("The records do not say.")
    words = (f"The records differ in {', '.join(differing)}." if differing else
             "The records agree in all that does not change from trial to trial.")
    return page.paragraph(words) + page.table(
        "environment-keys", "What the records say of the machine, the program and the moment",
        ["key", "value", "not known in"], rows, "Not known in: how many records do not have the key. Other systems' "
        "have few.")


def noise(findings):
    twins, rows = findings.summary.twins, spread(findings.records, "noise")[0]
    text = page.paragraph("This sweep had no A/A cells, which run twice in each block and so show how far equals "
                          f"differ here. Verdicts take {percent(findings.margin)} for noise.")
    if twins:
        floor = ("None of these ratios has an interval." if findings.summary.noise is None else
                 f"The intervals of these ratios reach {percent(findings.summary.noise)} from 1: that is noise here.")
        floor += (f" What is within {percent(findings.margin)} is equivalent." if findings.margin else
                  " With so much of it nothing is called equivalent.")
        text = page.table("twins", "Cells that ran twice: the ratio of their times", [
            "workload", "scheduler", "workers", "ratio", level(findings), "n"],
            [[Cell(twin["benchmark"]), Cell(twin["scheduler"]), Cell(str(twin["workers"]), twin["workers"]),
              page.number(twin["ratio"]["median"], exact), interval_cell(twin["ratio"]),
              page.number(twin["ratio"]["n"], str)] for twin in twins], floor)
    for line in told(findings.records):
        text += page.paragraph(f"{line[:1].upper()}{line[1:]}.")
    return text + (page.table("noise-keys", "What happened on the machine during the trials",
                              ["key", "value", "not known in"], rows) if rows else "")


def failures(findings):
    if not findings.failed:
        return page.paragraph("None.")
    rows = []
    for record in findings.failed:
        sweep, known = entry(record, "sweep"), flat(record)
        how = record.get("signal") or (f"exit code {record['exit_code']}" if "exit_code" in record else None)
        error, last = record.get("error"), record.get("stderr")
        rows.append([
            Cell(shown(record.get("benchmark"))),
            *(Cell("" if known.get(key) is None else shown(known[key])) for key in findings.keys or ["scheduler"]),
            page.number(record.get("workers"), shown), page.number(sweep.get("block"), shown),
            page.number(record.get("seed"), shown),
            Cell(shown(record.get("outcome")), kind="strong"),
            Cell("; ".join(shown(word) for word in (how, error) if word is not None)),
            Cell(shown(last), code=page.verbatim(shown(last))) if last else Cell(""),
        ])
    return page.table("failed-trials", "Trials that did not end well", [
        "workload", *(findings.keys or ["scheduler"]), "workers", "block", "seed", "outcome", "error",
        "end of stderr"], rows, "They count in no other table and no figure.")


def notes(findings):
    lines = list(findings.summary.notes)
    if findings.summary.bad:
        numbers = ", ".join(str(entry.number) for entry in findings.summary.bad)
        lines.append(f"no records, or trials of an earlier line; left out: line {numbers} of the records file")
    tracing = len(findings.summary.records) - len(findings.ran)
    if tracing:
        lines.append(f"{plural(tracing, 'traced run')}: their times are no measurements")
    return page.bullets(lines) if lines else page.paragraph("Nothing was left out or clipped.")


def configuration(config):
    return page.verbatim(config) if config else page.paragraph("The folder has no config.toml.")


def given(choices):
    """The arguments of a sweep that made these choices beside its configuration: sweep.json, as it writes it."""
    words = ["--quick"] if choices.get("quick") else []
    return words + [f"--{key} {shlex.quote(str(choices[key]))}" for key in ("size", "seed", "filter")
                    if choices.get(key) is not None]


def reproduction(findings, name, choices, packages):
    """choices: of the sweep's command line; None if they are not known. packages: what `scripts/setup` installs, by
    its arguments."""
    revisions = distinct(findings.records, "revision")
    setup = " --peers" if any(record.get("peer") for record in findings.records) else ""
    commands = [f"git checkout {shlex.quote(revision.removesuffix('-dirty'))}" for revision in revisions[:1]]
    config, folder = shlex.quote(f"{name}.toml"), shlex.quote(f"results/{name}-again")
    commands += [f"scripts/setup{setup}",
                 " ".join([f"scripts/sweep {config}", *given(choices or {}), f"--results {folder}"]),
                 f"scripts/report {folder}"]
    text = page.paragraph(f"In a clone of the repository, with the configuration above as {name}.toml:")
    text += page.verbatim("\n".join(commands))
    if choices is None:
        text += page.paragraph("The folder has no sweep.json: if the sweep was given --quick, --size, --seed or "
                               "--filter, they are missing here.")
    if len(revisions) > 1:
        text += page.paragraph(f"The records are of {len(revisions)} revisions: {', '.join(revisions)}.")
    if any(revision.endswith("-dirty") for revision in revisions):
        text += page.paragraph("The tree had changes that were in no commit: they are not in this revision.")
    return text + page.paragraph(f"scripts/setup{setup} installs these packages of Debian:") + page.verbatim(
        textwrap.fill(packages(*setup.split()), 100))
