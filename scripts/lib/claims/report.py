# SPDX-License-Identifier: MIT
"""The answers as text and as JSON."""

from claims.claim import SOURCES
from claims.measures import MEASURES
from claims.verdict import CONTRADICTED, HOLDS, INCONCLUSIVE, IN_SIMULATION, NOT_TESTABLE
from common.words import plural
from sweep import simulated

ORDER = (HOLDS, HOLDS + IN_SIMULATION, CONTRADICTED, CONTRADICTED + IN_SIMULATION, INCONCLUSIVE, NOT_TESTABLE)


class Result:
    """A claim, its answer, and what came of its causes' changes."""

    def __init__(self, claim, answer):
        self.claim, self.answer, self.tried = claim, answer, []  # of (Cause, Answer)

    def cause(self):
        """The first change under which the claim holds, or None."""
        return next((cause for cause, found in self.tried if found.bare == HOLDS), None)

    def is_wrong_control(self):
        """Whether it is a control whose verdict is the opposite of what is known."""
        expected = self.claim.expected
        return expected is not None and self.answer.verdict != NOT_TESTABLE and self.answer.bare != expected

    def why(self):
        """The cause in words, for a claim that is contradicted."""
        if self.answer.bare != CONTRADICTED or self.claim.is_control:
            return ""
        if cause := self.cause():
            return f"holds {cause.change}"
        if not self.tried:
            return "no change tried"
        return "no change found; tried: " + "; ".join(
            f"{cause.change} ({finding_text(found)})" for cause, found in self.tried)

    def finding(self):
        return finding_text(self.answer)

    def command(self):
        return f"actorlab claims --only {self.claim.id}"


def finding_text(answer):
    """The finding that decides, and how many there are."""
    if not answer.findings:
        return answer.reason
    deciding = [finding for finding in answer.findings if finding.verdict == answer.bare]
    shown = [one_finding(finding) for finding in farthest(deciding)]
    more = len(answer.findings) - len(shown)
    open_ones = f"; to decide: {deciding[0].why_open()}" if answer.bare == INCONCLUSIVE else ""
    return "; ".join(shown) + (f" (and {more} more)" if more else "") + open_ones


def farthest(findings):
    """One finding of each machine: of those that hold the nearest to its bound, else the farthest
    beyond it."""
    by_machine = {}
    for finding in findings:
        by_machine.setdefault(finding.machine, []).append(finding)
    return [max(some, key=excess) for some in by_machine.values()]


def excess(finding):
    """How far the quantity is beyond its bounds; negative inside. As a ratio, or in its unit."""
    value, need = finding.median(), finding.need
    return max(need.least - value, value - need.most)


def number(value, unit):
    return f"{value:.3g}{unit and ' ' + unit}"


def one_finding(finding):
    """Such as "time per message of deque / of inverted 0.62 [0.60, 0.64], must be at least 1 (epyc-7662-2s,
    workers=48)"."""
    need = finding.need
    _, words, unit = MEASURES[need.measure]
    unit = "" if finding.is_ratio else unit
    middle = number(finding.median(), unit)
    if finding.simulated:
        values = sorted(finding.samples())
        spread = f"seeds {values[0]:.3g} to {values[-1]:.3g}"
    else:
        spread = f"{finding.low:.3g} to {finding.high:.3g}"
    where = ", ".join([*([simulated.short_name(finding.machine)] if finding.simulated else ["native"]),
                       *(f"{key}={value}" for key, value in finding.settings.items())])
    return f"{quantity(finding, words)} {middle} [{spread}], claimed {need.bounds()} ({where})"


def quantity(finding, words):
    need = finding.need
    above, below = (differing(finding, side) for side in finding.cells)
    if need.shape == "spread":
        return f"{words}: {'largest / smallest' if finding.is_ratio else 'largest - smallest'} of {', '.join(above)}"
    if need.shape == "value":
        return f"{words} of {above[0]}"
    sign = "/" if finding.is_ratio else "-"
    return f"{words}: {' × '.join(above)} {sign} {' × '.join(below)}"


def differing(finding, side):
    """Names of these cells by what tells the finding's cells apart."""
    cells = [cell.name.split() for some in finding.cells for cell in some]
    common = set.intersection(*map(set, cells)) if len(cells) > 1 else set()
    return [" ".join(word for word in cell.name.split() if word not in common) or cell.name for cell in side]


def denominators(results):
    """How many claims have each verdict, controls apart."""
    real = [result for result in results if not result.claim.is_control]
    counts = {verdict: sum(result.answer.verdict == verdict for result in real) for verdict in ORDER}
    unexplained = sum(result.answer.bare == CONTRADICTED and result.cause() is None for result in real)
    return real, counts, unexplained


def text(results, evidence):
    real, counts, unexplained = denominators(results)
    controls = [result for result in results if result.claim.is_control]
    lines = [f"{plural(len(real), 'claim')}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)]
    if counts[CONTRADICTED] + counts[CONTRADICTED + IN_SIMULATION]:
        lines.append(f"{unexplained} contradicted without a known cause")
    if controls:
        right = sum(not result.is_wrong_control() for result in controls)
        lines.append(f"{right} of {plural(len(controls), 'control')} as known")
    for result in results:
        claim = result.claim
        lines += ["", f"{claim.id}  {result.answer.verdict}" + (f" (a control, known: {claim.expected})" if claim.is_control else ""),
                  f"    {SOURCES[claim.source][0]}, {claim.place}: {claim.statement}",
                  f"    found: {result.finding()}"]
        if why := result.why():
            lines.append(f"    cause: {why}")
        if claim.note:
            lines.append(f"    note: {claim.note}")
        if result.answer.verdict != NOT_TESTABLE:
            lines.append(f"    again: {result.command()}; records: {', '.join(folders(result, evidence))}")
    return "\n".join(lines)


def folders(result, evidence):
    """Where the records are that decided."""
    return evidence.folders(result.claim, {finding.machine for finding in result.answer.findings})


def as_json(results, evidence):
    real, counts, unexplained = denominators(results)
    return {"claims": len(real), "verdicts": counts, "contradicted_without_cause": unexplained,
            "model": evidence.model, "results": [{
                "id": result.claim.id, "source": result.claim.source, "place": result.claim.place,
                "statement": result.claim.statement, "negation": result.claim.negation, "kind": result.claim.kind,
                "control": result.claim.is_control, "expected": result.claim.expected,
                "verdict": result.answer.verdict, "reason": result.answer.reason or None,
                "findings": [finding.as_json() for finding in result.answer.findings],
                "margin": result.claim.margin, "cause": result.cause() and result.cause().change,
                "tried": [{"change": cause.change, "verdict": found.verdict,
                           "findings": [finding.as_json() for finding in found.findings]} for cause, found in result.tried],
                "command": result.command(), "records": folders(result, evidence)} for result in results]}
