# SPDX-License-Identifier: MIT
"""The columns that show a comparison: ratio, interval, p, verdict and quiet stratum."""

from common.words import plural
from report.page import NOTHING, Cell, number
from report.words import interval_cell, level_of
from results.findings import DECIDED, p_value
from results.numbers import percent_of, significant

REVERSED = {"slower": "faster", "faster": "slower"}
HOLDS = {True: "✓", False: "✗", None: "?"}


def stratified(family):
    """Whether it is known of any comparison which of its blocks were quiet."""
    return any(pair["quiet"] for pair in family.pairs.values())


def heads(family, ratio):
    """The heads of the columns; ratio: of the first."""
    return [ratio, level_of(family), "p", "verdict", *(["quiet"] if stratified(family) else [])]


def columns(family, pair):
    """A comparison's cells; None: there is none."""
    if pair is None:
        return len(heads(family, "")) * [NOTHING]
    ratio = pair["ratio"]
    return [number(ratio["median"], significant), interval_cell(ratio, significant),
            number(pair["p_bh"], p_value), verdict_cell(pair),
            *([quiet_cell(pair)] if stratified(family) else [])]


def of_base(verdict, reverse):
    return REVERSED.get(verdict, verdict) if reverse else verdict


def verdict_cell(pair, reverse=False):
    """reverse: the verdict is that of the base."""
    verdict, more = of_base(pair["verdict"], reverse), pair["more_blocks"]
    if verdict is None:
        return NOTHING
    noisy = ", disturbed" if verdict in DECIDED and pair["disturbed"] else ""
    failed = f", {pair['failed']['text']}" if pair["failed"] else ""
    return Cell(verdict + noisy + failed + (f" (+{more:,})" if more else ""), kind=f"verdict {verdict}")


def quiet_cell(pair, reverse=False):
    """Whether the verdict holds in the quiet stratum, of how many blocks that is, and their ratio
    where it is another."""
    quiet = pair["quiet"]
    if not quiet:
        return NOTHING
    words = f"{HOLDS[quiet['holds']]} {quiet['n']}"
    if quiet["holds"] is False:
        words += f" {of_base(quiet['verdict'], reverse)}"
    if quiet["differs"]:
        words += f", {significant(quiet['ratio']['median'])}"
    return Cell(words, kind="no" if quiet["holds"] is False else None)


def legend(family):
    """How to read the columns."""
    words = "" if family.m <= 1 else (
        f"The intervals have the level that corrects for {plural(family.m, 'comparison')}, and p is "
        "adjusted for them. ")
    words += "(+5): five more blocks would decide it, if they spread like these"
    if any(pair["verdict"] == "inconclusive" and pair["more_blocks"] is None
           for pair in family.pairs.values()):
        words += "; without a number, not with this design: it would take more than ten times as many"
    words += "."
    if any(pair["verdict"] in DECIDED and pair["disturbed"] for pair in family.pairs.values()):
        words += " Disturbed: more than half of the trials of either cell were disturbed."
    if stratified(family):
        words += (" Quiet: whether the verdict holds (✓), or what it changes to (✗), in the quiet "
                  "blocks alone, whose number follows; ?: they are too few to tell. "
                  f"Behind a comma: their ratio, where its {percent_of(family.equivalence_level)} interval does not hold "
                  "the ratio of all blocks.")
    return words
