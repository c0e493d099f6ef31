# SPDX-License-Identifier: MIT
"""What a report says of how its verdicts are made."""

from common.words import listed, plural
from report.page import Definitions, Paragraph
from report.words import percent
from results.numbers import INTERVALS, percent_of, significant

MEDIANS = {
    "order": "its ends are values of the sample, so far out that they cover the true median with at "
             "least the stated level, whatever the distribution.",
    "percentile": "it reaches from one quantile to another of the medians of many resamples of the "
                  "values.",
}


SIMULATED = (
    "No time here was measured on a real machine. Each trial ran on a model of one, whose costs its "
    "seed jitters. So intervals show how sensitive a result is to such jitter, and not how far the "
    "model is from the machine; trials of equal seeds form pairs. "
    "Compare orders and crossovers, not absolute times. Memory is that of the simulator.")


def method(findings):
    """In plain English; the page of the docs has the rest."""
    family, summary = findings.to_baseline, findings.summary
    low, high = (significant(end) for end in (1 / (1 + findings.margin / 100),
                                              1 + findings.margin / 100))
    terms = [
        ("Median", f"One value per process. The {INTERVALS[summary.interval]}: "
                   f"{MEDIANS[summary.interval]}"),
        ("Ratio", "Trials of one block ran side by side and form pairs, so that what disturbs a whole "
                  "block drops out. The ratio of two cells is the Hodges–Lehmann estimate: the median "
                  "of the averages of every two logarithms of the pairs' ratios. Two bad processes "
                  "out of ten hardly move it. It is not the ratio of the medians, which differs from it "
                  "where a host or a strategy has two states."),
        ("p and interval", "Both come from Wilcoxon's signed ranks of the same logarithms, exactly. "
                           "The interval excludes 1 where p is small enough, and only there. With too "
                           "few blocks for its level it is unbounded."),
        ("Level", "Of many comparisons some look different by luck. Benjamini and Hochberg's "
                  "adjustment of p keeps the expected share of false ones among the differences at 5% "
                  f"or less.{of_many(family)}"),
        ("A/A", "In each block the baseline of each workload runs twice. These twins check the sweep: "
                "if more of them differ than chance explains, its verdicts are not to be trusted."),
        ("Margin", f"Differences below {percent(findings.margin)} do not matter here."),
        ("Verdict", f"Equivalent, if the {percent_of(family.equivalence_level)} interval lies between {low} and {high}. Else faster or "
                    "slower, if the interval excludes 1. Else inconclusive, which does not mean equal: the number "
                    "beside it states how many more blocks would decide it if the spread stays what it is."),
        ("Fastest", "The strategy that is faster than most others by these comparisons, and all that "
                    "no verdict shows to be slower than it. Medians do not decide it."),
    ]
    if summary.simulated is not None:
        terms.insert(0, ("Simulated", SIMULATED))
    if summary.quiet:
        terms.append(("Quiet", "Before each trial the time to hand a cache line from one PU to another "
                               "is measured. A trial is quiet up to 1.25 times the lower quartile of "
                               "the trials with as many workers. No trial is left out; the tables say "
                               "which verdicts hold among the quiet ones alone."))
    if summary.looks:
        terms.append(("Looks", looks(summary.looks)))
    return [Definitions(terms),
            Paragraph("The page docs/explanation/statistics.md of the repository has the definitions, "
                      "their sources, and how often such verdicts are wrong in simulations.", "note")]


def of_many(family):
    """A sentence on the table of ratios, if there is anything to correct for."""
    if family.m <= 1:
        return ""
    differ = "differs" if family.rejected == 1 else "differ"
    return (f" In the table of ratios {family.rejected:,} of {plural(family.m, 'comparison')} {differ} "
            f"from 1, so the intervals there have a level of {percent_of(family.level)} instead of 95%.")


def looks(known):
    planned, at = known["planned"], known["at"]
    reached = [str(look) for look in planned if look <= at]
    due = next((look for look in planned if look >= at), planned[-1])
    which = "this one" if at >= due else "the next one"
    done = f"Its first look is planned after {plural(planned[0], 'block')}"
    if reached:
        last = f" (the last one would be after {planned[-1]})" if planned[-1] > at else ""
        done = f"It looked only after {listed(reached)} blocks, as planned{last}"
    return (f"This sweep was to end once every comparison is decided. {done}, and each look may spend "
            f"only a part of the 5% for false differences: {which}, after {due} blocks, "
            f"{percent(100 * known['share'])} of it.")
