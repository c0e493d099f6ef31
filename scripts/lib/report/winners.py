# SPDX-License-Identifier: MIT
"""Maps of ratios to the fastest, and the winners with the counters that set them apart."""

from common.words import plural
from report import verdicts
from report.page import NOTHING, Cell, Grid, Paragraph, Table, number
from report.words import interval_cell, level_of, times
from results.marks import doubt, doubted, mark
from results.numbers import significant

# Ratios to the fastest up to which a cell has the colour of its place here.
HEAT = (1.05, 1.25, 1.6, 2.5, 5)
SIGNS = {"slower": "", "equivalent": "=\xa0"}  # others are not told apart
FAILED = "×"


def maps(findings):
    """A map for each number of workers: how many times as long as the fastest each takes."""
    compared = [group for group in findings.groups() if len(group["cells"]) > 1]
    if not compared:
        return [Paragraph("Nothing did the same work with as many workers: there is nothing to compare.")]
    bounded = any(pair["ratio"]["low"] is not None for pair in findings.to_first.pairs.values())
    words = "Time per message divided by that of the fastest, block by block"
    words += f", with the {level_of(findings.to_first)} below it" if bounded else ""
    words += (f". The stronger the colour, the slower. ~: the verdict does not tell it from the fastest; =: equivalent; {FAILED}: "
              "failed.")
    workers = {id(group): findings.cells[group["cells"][0]]["workers"] for group in compared}
    if len({findings.workload(group["cells"][0]) for group in compared}) == 1 < len(set(workers.values())):
        title = findings.workload(compared[0]["cells"][0])
        parts = [("map-all", title, sorted(compared, key=lambda group: workers[id(group)]), workers_of)]
    else:
        parts = [(f"map-{count}", plural(count, "worker"), [group for group in compared if workers[id(group)] == count],
                  lambda cell: cell["workload"]) for count in sorted(set(workers.values()))]
    return [Paragraph(words, "note"), *(map_of(findings, *part) for part in parts)]


def workers_of(cell):
    return f"{plural(cell['workers'], 'worker')}{mark(cell)}"


def map_of(findings, name, title, groups, named):
    """A row for each of the groups; named(cell): its head."""
    strategies, lines = findings.summary.strategies, findings.summary.lines
    used = sorted({findings.cells[place]["strategy"] for group in groups for place in group["cells"]})
    failed = {(entry["benchmark"], lines[entry["line"]]["label"], entry["workers"])
              for entry in findings.summary.failed if entry["line"] is not None}
    rows = []
    for group in groups:
        own, cell = {findings.cells[place]["strategy"]: place for place in group["cells"]}, findings.cells[group["cells"][0]]
        rows.append([Cell(named(cell))] + [
            ratio(findings, group, own[strategy]) if strategy in own else
            Cell(FAILED if (cell["benchmark"], strategies[strategy], cell["workers"]) in failed else "", kind="none")
            for strategy in used])
    return Grid(name, title, ["", *(strategies[strategy] for strategy in used)], rows,
                about=[group["cells"] for group in groups])


def ratio(findings, group, place):
    """A cell of the map."""
    alone = group["lead"] == "won" and len(group["leaders"]) == 1
    if place == group["cells"][0]:
        return Cell("1", 1.0, "heat heat-0" + (" won" if alone else ""))
    pair = findings.to_first.pairs.get(place)
    if pair is None:
        return Cell("?", kind="none")
    known = pair["ratio"]
    small = None if known["low"] is None else f"{times(known['low'])}–{times(known['high'])}"
    small = pair["failed"]["text"] if pair["failed"] else small
    heat = sum(known["median"] > limit for limit in HEAT)
    return Cell(SIGNS.get(pair["verdict"], "~\xa0") + times(known["median"]), known["median"], f"heat heat-{heat}", small=small)


def winners(findings, timelines):
    """timelines: (link, what its file says of the run)"""
    if not findings.cells:
        return [Paragraph("No trial ended well: there is nothing to compare.")]
    family = findings.to_first
    quiet = verdicts.stratified(family)
    heads = ["workload", "workers", "fastest", "next", "next ÷ fastest", level_of(family), "verdict",
             *(["quiet"] if quiet else []), "counters that set them apart"]
    words = (
        "Of the strategies that did the same work with as many workers. Fastest: one, or several that "
        "are not told apart because no verdict shows them to be slower than the first; all others "
        "are slower. Next: of the others, the closest to the first; variants of one strategy do not compete. The "
        "verdict is that of the first against the next. "
        f"{verdicts.legend(family)} Counters are per message, medians over processes: those that are at "
        "least twice as frequent in one of the two. They differ; whether they are the reason is not measured."
        + doubted(findings.cells))
    rows = [winner(findings, group, timelines, quiet) for group in findings.groups()]
    return [Table("winners", "The fastest strategy of each workload and number of workers", heads, rows, words,
                  [shown(findings, group) for group in findings.groups()])]


def shown(findings, group):
    """The cells that a winner's row is about: the fastest and the next."""
    return [place for place in group["cells"] if place == group["next"] or findings.strategy(place) in group["leaders"]]


def winner(findings, group, timelines, quiet):
    cell, names = findings.cells[group["cells"][0]], ", ".join(group["leaders"])
    contestants = [findings.cells[place] for place in shown(findings, group)]
    pair, decided = findings.lead(group), group["lead"] in ("won", "alone")
    row = [Cell(cell["workload"]), Cell(f"{cell['workers']}{mark(cell)}{doubt(*contestants)}", cell["workers"]),
           Cell(names if decided else f"{names}: not told apart", kind="strong" if group["lead"] == "won" else None,
                link=timeline_of(cell, timelines))]
    if pair is None:
        return [*row, Cell("no other" if group["lead"] == "alone" else "in other sessions", kind="none"),
                *[NOTHING] * (5 if quiet else 4)]
    return [*row, Cell(findings.strategy(group["next"])), number(pair["ratio"]["median"], significant),
            interval_cell(pair["ratio"], significant), verdicts.verdict_cell(pair, reverse=True),
            *([verdicts.quiet_cell(pair, True)] if quiet else []), Cell(group["counters"] or "")]


def timeline_of(cell, timelines):
    """The link to the picture of such a run, or None."""
    keys = ("benchmark", "scheduler", "victim", "idle", "workers")
    return next((link for link, said in timelines if all(said.get(key) == cell[key] for key in keys)), None)
