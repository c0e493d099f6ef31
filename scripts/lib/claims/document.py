# SPDX-License-Identifier: MIT
"""The answers as a page of docs: docs/claims.md."""

import textwrap

from claims.claim import SOURCES
from claims.report import denominators
from claims.verdict import CONTRADICTED
from common.words import plural

HEAD = """# The papers' claims

Each statement of the five sources that a sweep can test is a file in `configs/claims`: a predicate
over cells, with the bounds at which it holds and the reason for them. [claims](reference/claims.md)
describes the files and the verdicts. This page is generated; the command that makes it again is

<!-- test: skip: simulates for an hour -->
```sh
scripts/claims --document docs/claims.md
```
"""
UNITS = """A ratio is shown as its median and the range of its seeds, or, natively, as its median and
interval; all native intervals together miss a value with a chance of 5%. A simulated ratio decides
only if it is farther from its bound than the margin, which is 10% unless the claim says otherwise.
The model errs by more than that in some ratios: with two workers, `deque` beside `inverted` is too
slow by 23%, by ten seeds of each cell ([Bias by strategy](explanation/simulator.md#bias-by-strategy)).
"""


def page(results, name, revision):
    """name: of the figure beside the page. revision: of the program that was asked."""
    real, counts, unexplained = denominators(results)
    out = [HEAD, "## How many hold", "", overview(real, counts), ""]
    contradicted = sum(result.answer.bare == CONTRADICTED for result in real)
    out += [paragraph(f"Of {plural(len(real), 'claim')} {contradicted} are contradicted, {unexplained} of these without a "
                      f"known cause. The program is that of revision {revision}."),
            "", f"![How far each claim is from its bound]({name}.png)", "", paragraph(UNITS), ""]
    for source, (name, machines) in SOURCES.items():
        some = [result for result in results if result.claim.source == source]
        if not some:
            continue
        if source == "control":
            out += ["## Controls", "", paragraph("Statements that are known to be true or false, which show that a verdict "
                                                 "can fail.")]
        else:
            out += [f"## {name[0].upper()}{name[1:]}", "", paragraph(f"Simulated machines: {', '.join(machines)}.")]
        for result in some:
            out += ["", *entry(result)]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def overview(real, counts):
    """Verdicts by source."""
    sources = [source for source in SOURCES if any(result.claim.source == source for result in real)]
    rows = [(verdict, *(sum(result.answer.verdict == verdict and result.claim.source == source for result in real)
                        for source in sources), n) for verdict, n in counts.items() if n]
    rows.append(("all", *(sum(result.claim.source == source for result in real) for source in sources), len(real)))
    return table(("verdict", *(SOURCES[source][0] for source in sources), "all"), rows)


def entry(result):
    """The lines on one claim."""
    claim = result.claim
    verdict = f"{result.answer.verdict}" + (", as known" if claim.is_control and not result.is_wrong_control() else "")
    lines = [f"### {claim.id}: {verdict}", "", paragraph(f"{claim.statement} ({claim.place}; {claim.kind})"), ""]
    rows = [f"Found: {result.finding()}."]
    if why := result.why():
        rows.append(f"Cause: {why}.")
    if claim.note:
        rows.append(f"Note: {claim.note}")
    if result.claim.tested:
        rows.append(f"Again: `{result.command()}`; sweep{'s' * (len(claim.sweeps()) > 1)} "
                    f"{', '.join(f'`{sweep}`' for sweep in claim.sweeps())}.")
    return lines + [item(row) for row in rows]


def paragraph(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def item(text):
    return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False)


def table(head, rows):
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines])
