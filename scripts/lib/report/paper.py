# SPDX-License-Identifier: MIT
"""What a report offers for a paper: a paragraph on the method in LaTeX, and sources in BibTeX."""

import re
import textwrap
from pathlib import Path

from common.words import LATEX, listed, plural, span
from report.page import Paragraph, Verbatim
from report.words import distinct, per_process, percent
from results.numbers import INTERVALS, percent_of

REFERENCES = Path(__file__).with_name("references.bib")
WIDTH = 100


def paper(findings):
    summary = findings.summary
    return [
        Paragraph("The method in a paragraph, made from the records. Adapt it, but keep its numbers."),
        Verbatim(textwrap.fill(latex(methods(findings)), WIDTH, break_on_hyphens=False)),
        Paragraph("The sources of the strategies, workloads and statistics that were used:"),
        Verbatim("\n\n".join(bibliography(used(summary), ", ".join(distinct(summary, "revision"))))),
        Paragraph("`actorlab export FOLDER --format latex --ratios` writes tables of the ratios and verdicts, without "
                  "`--ratios` of the medians, for \\usepackage{booktabs}.", "hint"),
    ]


def latex(text):
    r"""\cite{…} is the only command that the text may have."""
    return "".join(part if part.startswith("\\cite{") else part.translate(LATEX)
                   for part in re.split(r"(\\cite\{[a-z0-9,]+\})", text))


def methods(findings):
    summary, cells = findings.summary, findings.cells
    if not cells:
        return "No trial ended well."
    return " ".join(filter(None, (subject(summary, cells), place(summary), plan(summary, cells),
                                  statistics(findings), exceptions(summary))))


def subject(summary, cells):
    schedulers = listed(list(dict.fromkeys(cell["scheduler"] for cell in cells)))
    counts = sorted({cell["workers"] for cell in cells})
    revisions = distinct(summary, "revision")
    which = f" (revision {', '.join(revisions)})" if revisions else ""
    return (f"We compared {schedulers} on {plural(len(summary.benchmarks), 'workload')} with {listed(list(map(str, counts)))} "
            f"{'worker' if counts == [1] else 'workers'}, using actorlab{which} \\cite{{actorlab}}.")


def place(summary):
    cpu, compiler = (", ".join(distinct(summary, key)) for key in ("cpu", "compiler"))
    built = f"The programs were built with {compiler}." if compiler else ""
    if summary.simulated is not None:
        name, model = summary.simulated.get("title") or cpu, summary.simulated.get("model_hash")
        return (f"All times are simulated: the machine was a model of {name}"
                f"{f' (hash {model})' if model else ''}, whose costs the seed of each trial jitters. {built}")
    kernel = ", ".join(f"Linux {version}" for version in distinct(summary, "kernel"))
    pins = sorted({cell["pin"] for cell in summary.cells} - {"none", None})
    bound = f" Workers were bound to processing units by the policy {listed(pins)}." if pins else ""
    return f"The machine was {cpu or 'not recorded'}{f' with {kernel}' if kernel else ''}. {built}{bound}"


def plan(summary, cells):
    counts = [cell["n"] for cell in cells]
    done = f"simulated with {span(counts, 'seed')}" if summary.simulated is not None else f"measured by {span(counts, 'process')}"
    how = "; ".join(per_process(summary.trials))
    return (f"Each of the {plural(len(cells), 'combination')} was {done}, each with {how}, in blocks that contain every "
            f"combination once, in random order. Medians have {INTERVALS[summary.interval]}s of {percent_of(summary.level)}.")


def statistics(findings):
    summary, family = findings.summary, findings.to_first
    pairs = "Trials of the same seed" if summary.simulated is not None else "Trials of the same block"
    text = (f"{pairs} form pairs. Ratios of times per message are Hodges--Lehmann estimates over these pairs "
            "\\cite{hodges1963}, with intervals and p-values from exact signed-rank tests \\cite{wilcoxon1945}, corrected "
            "for all comparisons together at a false discovery rate of 5% \\cite{benjamini2005}")
    if family.m > 1:
        differ = f"{family.rejected} of which differ: intervals of {percent_of(family.level)}" if family.rejected else "none of which differs"
        text += f" ({family.m} comparisons within all groups of the same work, {differ})"
    text += (f". Strategies count as equivalent if two one-sided tests at {percent(50 * (1 - family.equivalence_level))} place "
             f"the ratio within {percent(summary.margin)} of 1 \\cite{{schuirmann1987}}.")
    if summary.simulated is not None:
        text += (" Intervals show the sensitivity to jitter in the model's costs, and not how far the model is from a real "
                 "machine.")
    return text


def exceptions(summary):
    """What was disturbed, replaced, or failed."""
    disturbance, trials = summary.disturbance, summary.trials
    failed = trials["n"] - trials["outcomes"].get("ok", 0)
    watched = (f"Other activity disturbed {disturbance['disturbed']} of {disturbance['watched']} trials; none was left out for it."
               if disturbance["watched"] else "")
    again = (f"{plural(summary.superseded, 'trial')} of groups during which the hand-off state of the machine changed were "
             "replaced by others." if summary.superseded else "")
    return " ".join(filter(None, (watched, again, f"{failed} of {trials['n']} trials failed." if failed else "")))


def used(summary):
    """What the keywords of a source may name."""
    return {"all", *summary.benchmarks, *(cell["scheduler"] for cell in summary.cells)}


def bibliography(wanted, revision=""):
    """The entries of references.bib that have one of these keywords, without them."""
    for entry in re.findall(r"^@.*?^\}$", REFERENCES.read_text(), re.MULTILINE | re.DOTALL):
        keywords = re.search(r"^ +keywords *= \{(.*)\},\n", entry, re.MULTILINE)
        if wanted & set(keywords[1].split(", ")):
            entry = entry.replace(keywords[0], "")
            if entry.startswith("@misc{actorlab,") and revision:
                entry = entry[:-1] + f"  note     = {{Revision {revision.translate(LATEX)}}},\n}}"
            yield entry
