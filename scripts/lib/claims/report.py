# SPDX-License-Identifier: MIT
"""The answers as text and as JSON."""

import math

from claims.claim import SOURCES
from claims.measures import MEASURES
from claims.verdict import CONTRADICTED, HOLDS, INCONCLUSIVE, IN_SIMULATION, NOT_RUN, NOT_TESTABLE
from common.words import plural
from sweep import simulated

ORDER = (HOLDS, HOLDS + IN_SIMULATION, CONTRADICTED, CONTRADICTED + IN_SIMULATION, INCONCLUSIVE, NOT_TESTABLE, NOT_RUN)

WORDS = {HOLDS: "as claimed: ", CONTRADICTED: "not ", INCONCLUSIVE: "undecided: "}


class Result:
    """A claim, its answer, and what came of its causes' changes."""

    def __init__(self, question, answer):
        self.claim, self.answer, self.tried = question.claim, answer, []  # of (Cause, Answer)
        self.minutes, self.memory_mb = question.cost()

    def cause(self):
        """The first change under which the claim holds, or None."""
        return next((cause for cause, found in self.tried if found.bare == HOLDS), None)

    def is_wrong_control(self):
        """Whether it is a control whose verdict is the opposite of what is known."""
        expected = self.claim.expected
        return expected is not None and self.answer.verdict not in (NOT_TESTABLE, NOT_RUN) and self.answer.bare != expected

    def why(self):
        """The cause in words, for a claim that is contradicted."""
        if self.answer.bare != CONTRADICTED or self.claim.is_control:
            return ""
        if cause := self.cause():
            return f"holds {cause.change}"
        tried = [(cause, found) for cause, found in self.tried if found.verdict != NOT_RUN]
        words = "no change found; tried, with one to three seeds of each cell: " + "; ".join(
            f"{cause.change} ({finding_text(found)})" for cause, found in tried) if tried else "no change tried"
        left = [cause.change for cause, found in self.tried if found.verdict == NOT_RUN]
        return words + ("; not run: " if left else "") + "; ".join(left)

    def finding(self):
        return finding_text(self.answer)

    def command(self):
        return f"actorlab claims --only {self.claim.id}"


def finding_text(answer):
    """The finding that decides on each machine, and how many others there are."""
    if not answer.findings:
        return answer.reason
    deciding = [finding for finding in answer.findings if finding.verdict == answer.bare]
    shown = farthest(deciding)
    more = len(answer.findings) - len(shown)
    words = "; ".join(map(one_finding, shown))
    if more:
        holding = sum(finding.verdict == HOLDS for finding in answer.findings)
        which = "" if holding == len(answer.findings) else f", of which {holding or 'none'} hold{'s' * (holding < 2)}"
        words += f"; {more} more{which or ' as well'}"
    if answer.bare == INCONCLUSIVE:
        words += f"; to decide it takes {deciding[0].why_open()}"
    doubts = dict.fromkeys(doubt for finding in answer.findings for doubt in finding.doubts)
    return words + "".join(f"; ° {doubt}" for doubt in doubts)


def farthest(findings):
    """One finding of each machine: the one nearest to its bound of those that hold, else the one
    farthest beyond it."""
    by_machine = {}
    for finding in findings:
        by_machine.setdefault(finding.machine, []).append(finding)
    return [max(some, key=excess) for some in by_machine.values()]


def excess(finding):
    """How far the quantity is beyond its bounds, relative to them; negative inside."""
    value, need = finding.median(), finding.need
    return max((need.least - value) / (abs(need.least) or 1) if need.least > -math.inf else -math.inf,
               (value - need.most) / (abs(need.most) or 1) if need.most < math.inf else -math.inf)


def number(value, unit=""):
    """With three digits and the unit: "0.62", "1,240 ns", "3.5 us"."""
    scale = {"ns": ((1e9, "s"), (1e6, "ms"), (1e3, "us"))}.get(unit, ())
    factor, unit = next(((factor, name) for factor, name in scale if abs(value) >= factor), (1, unit))
    text = f"{value / factor:.3g}"
    text = f"{value / factor:,.0f}" if "e" in text and abs(value / factor) >= 1 else text
    return f"{text} {unit}".strip()


def one_finding(finding):
    """Such as "deque / inverted is 0.62 (0.60 to 0.64) with workers=48 on epyc-7662-2s, not at
    least 1"."""
    need = finding.need
    _, words, unit = MEASURES[need.measure]
    unit = "" if finding.is_ratio else unit
    ends = (min(finding.samples()), max(finding.samples())) if finding.simulated else (finding.low, finding.high)
    settings = ", ".join(f"{key}={value}" for key, value in finding.settings.items())
    where = f"on {simulated.short_name(finding.machine)}" if finding.simulated else "natively"
    value = number(finding.median(), unit)
    spread = " to ".join(number(end, unit) for end in ends)
    spread = "" if spread == f"{value} to {value}" else f" ({spread})"
    return (f"{quantity(finding, words)} is {value}{spread}{settings and ' with ' + settings} {where}, "
            f"{WORDS[finding.verdict]}{need.bounds()}")


def quantity(finding, words):
    need = finding.need
    above, below = finding.names
    of = "" if need.measure == "message" and finding.is_ratio else f"{words} of "
    if need.shape == "spread":
        return f"{of}{'the largest over the smallest' if finding.is_ratio else 'the largest minus the smallest'} of {', '.join(above)}"
    if need.shape == "value":
        return f"{words} of {above[0]}"
    return f"{of}{' × '.join(above)} {'/' if finding.is_ratio else '-'} {' × '.join(below)}"


def denominators(results):
    """How many claims have each verdict, controls apart."""
    real = [result for result in results if not result.claim.is_control]
    counts = {verdict: sum(result.answer.verdict == verdict for result in real) for verdict in ORDER}
    unexplained = sum(result.answer.bare == CONTRADICTED and result.cause() is None for result in real)
    return real, counts, unexplained


def text(results, evidence):
    real, counts, unexplained = denominators(results)
    controls = [result for result in results if result.claim.is_control and result.answer.findings]
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
        if result.answer.findings:
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
                "margin": result.claim.margin, "minutes": result.minutes, "memory_mb": result.memory_mb,
                "cause": result.cause() and result.cause().change,
                "tried": [{"change": cause.change, "verdict": found.verdict,
                           "findings": [finding.as_json() for finding in found.findings]} for cause, found in result.tried],
                "command": result.command(), "records": folders(result, evidence)} for result in results]}
