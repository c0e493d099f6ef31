# SPDX-License-Identifier: MIT
"""What a report says of how its verdicts are made."""

from report.page import Definitions, Paragraph
from report.words import percent, plural
from results.table import INTERVALS, percent_of, significant

MEDIANS = {
    "order": "its ends are values of the sample, so far out that they cover the true median with at "
             "least the stated level, whatever the distribution.",
    "percentile": "it reaches from one quantile to another of the medians of many resamples of the "
                  "values.",
}


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
                  "out of ten hardly move it."),
        ("p and interval", "Both come from Wilcoxon's signed ranks of the same logarithms, exactly. "
                           "The interval excludes 1 where p is small enough, and only there. With too "
                           "few blocks for its level it is unbounded."),
        ("Level", "Of many comparisons some look different by luck. Benjamini and Hochberg's "
                  "adjustment of p keeps the expected share of false ones among the differences at 5% "
                  f"or less. In the table of ratios {family.rejected:,} of "
                  f"{plural(family.m, 'comparison')} differ from 1, so their intervals have a level "
                  f"of {percent_of(family.level)} instead of 95%."),
        ("A/A band", "In each block the baseline runs twice. The band reaches as far from 1, both "
                     "ways, as the interval of the ratio of these twins. A ratio inside it is called "
                     "neither faster nor slower."),
        ("Margin", f"Differences below {percent(findings.margin)} do not matter here."),
        ("Verdict", f"Equivalent, if the 90% interval lies between {low} and {high}. Else faster or "
                    "slower, if the interval excludes 1 and the ratio lies outside the band. Else "
                    "inconclusive, which does not mean equal: the number beside it says how many more "
                    "blocks would decide it if the spread stays what it is."),
        ("Fastest", "The strategy that is faster than most others by these comparisons, and all that "
                    "no verdict shows to be slower than it. Medians do not decide it."),
    ]
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


def looks(known):
    planned = list(map(str, known["planned"]))
    planned = " and ".join(filter(None, (", ".join(planned[:-1]), planned[-1])))
    return (f"This sweep was to end once every comparison is decided. It looked only after {planned} "
            "blocks, as planned, and each look may spend only a part of the 5% for false differences: "
            f"this one, after {known['at']} blocks, {percent(100 * known['share'])} of it.")
