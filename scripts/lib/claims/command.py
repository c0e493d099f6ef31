# SPDX-License-Identifier: MIT
"""scripts/claims: its arguments, and what it does with them."""

import json
import os
from pathlib import Path

from claims import claim as claims
from claims import document, report
from claims.evidence import Evidence
from claims.verdict import CONTRADICTED, HOLDS, Question, answer, settle
from common.actorlab import RESULTS
from common.arguments import Parser, natural
from common.failure import FAILED, INTERRUPTED, Failure, writing
from common.files import write_whole
from common.screen import Screen, complain
from common.words import plural
from results import records as recording
from sweep import simulated
from sweep.part import run_all


def arguments():
    parser = Parser(
        prog="scripts/claims",
        description="Tests the papers' statements, each a predicate over cells in configs/claims. It runs what "
        "their sweeps lack, natively where this machine has the workers and simulated otherwise. The same command goes "
        "on where it stopped.",
        epilog="Exit codes: 0 done, 1 a trial failed or a control is wrong, 2 usage or a wrong claim, 3 could not "
        "write, 130 interrupted. AL_ACTORLAB names an actorlab to use instead of building one.")
    add = parser.add_argument
    add("results", nargs="*", type=Path, metavar="RESULTS", help="folders of records, whose simulated trials need not "
        "run again")
    add("--plan", action="store_true", help="show what each sweep has to run; run nothing")
    add("--existing", action="store_true", help="run nothing: answer from the records that there are")
    add("--quick", action="store_true", help="only the claims that are decided in a few minutes, and no causes")
    add("--only", metavar="ID", action="append", help="only this claim, such as C6; may be repeated")
    add("--json", action="store_true", help="print a JSON object instead of text")
    add("--no-causes", action="store_true", help="do not try the changes under which a contradicted claim may hold")
    add("--document", metavar="FILE", type=Path, help="write the answers as a page of docs, too")
    add("--model", metavar="KEY=VALUE", action="append",
        help="another value of a parameter of the simulated machines, to see which verdicts change; may be repeated")
    add("--claims", metavar="DIR", type=Path, default=claims.FOLDER, help="where the claims are (default: configs/claims)")
    add("--folder", metavar="DIR", type=Path, default=RESULTS / "claims",
        help="where to keep records (default: results/claims)")
    add("--jobs", metavar="N", type=natural(1024, 1), default=len(os.sched_getaffinity(0)),
        help="simulated sweeps at once (default: one for each PU)")
    return parser.parse_args()


class Told(Screen):
    """Progress goes to the standard error where the output is for programs."""

    def __init__(self, as_json):
        super().__init__()
        self.tell = complain if as_json else self.say


def chosen(options):
    found = claims.read_all(options.claims, options.only)
    if options.quick:
        found = [claim for claim in found if claim.quick or not claim.tested]
        if not any(claim.tested for claim in found):
            raise Failure("--quick: none of these claims is quick")
    return found


def check_given(options, evidence):
    """Raises Failure if a folder of records was named that no claim can use."""
    for folder in options.results:
        files = sorted(folder.rglob("records.jsonl"))
        if not files:
            raise Failure(f"{folder}: no records.jsonl in it")
        for path in files:
            evidence.given.append(path.parent)
            for record in map(recording.load, path.read_bytes().splitlines()):
                machine = (record or {}).get("machine") or {}
                if machine and not evidence.is_ours(machine):
                    raise Failure(f"{path}: its records are of another model of {machine.get('name')} than this "
                                  "actorlab's: without them, the claims' sweeps run again")


def run(evidence, options, screen):
    """Runs what the wanted cells lack. Returns the exit code."""
    parts = [part for part in evidence.parts() if part.trials]
    simulations = [part for part in parts if part.place.simulated]
    natives = [part for part in parts if not part.place.simulated]
    if parts:
        screen.tell(f"{sum(part.trials for part in parts):,} trials to run in {len(parts)} sweeps")
    codes = [0]
    for some, at_once in ((simulations, options.jobs), (natives, 1)):
        if some and INTERRUPTED not in codes:
            codes.append(run_all(some, at_once, screen.tell))
    evidence.forget()
    return max(codes)


def ask(questions, evidence, options, screen):
    """The answers to these questions, after running what they need; and the exit code."""
    evidence.wanted.clear()
    for question in questions:
        question.want()
    code = 0 if options.existing else run(evidence, options, screen)
    if code not in (0, FAILED):
        raise Failure("a sweep did not end: the lines before say why; the same command goes on", code)
    settled = [question.findings() for question in questions]
    settle([finding for findings in settled for finding in findings or ()], evidence.actorlab)
    return [answer(question, findings) for question, findings in zip(questions, settled)], code


def all_questions(asked, evidence):
    """Raises Failure with a line for each mistake in a predicate, also in those of causes: it
    should not wait for the runs."""
    questions, mistakes = [], []
    for claim in asked:
        try:
            questions.append(Question(claim, evidence))
            for cause in claim.causes:
                Question(claim, evidence, evidence.variant(cause))
        except Failure as failure:
            mistakes.append(str(failure))
    if mistakes:
        raise Failure("\n".join(mistakes))
    return questions


def plan(questions, evidence, screen):
    for question in questions:
        question.want()
    total = 0
    for part in evidence.parts():
        total += part.trials
        screen.say(f"{part.place.shown()}: {len(part.cells)} cells, {part.trials:,} trials to run")
    minutes = sum(question.claim.minutes for question in questions)
    memory = max((question.claim.memory_mb for question in questions), default=0)
    screen.say(f"{plural(len(questions), 'claim')}, {total:,} trials to run; from nothing they take at most {minutes:.0f} "
               "min on two cores, less where they share cells" + f", and up to {memory:,} MB for each process" * (memory > 0))
    for question in questions:
        if question.reason:
            screen.say(f"note: {question.claim.id} is not testable here: {question.reason}")


def main():
    options = arguments()
    screen = Told(options.json)
    asked = chosen(options)
    options.engine = options.machine = None
    model = simulated.chosen(options).get("model")
    evidence = Evidence(options.folder, sorted(set().union(*(claim.schedulers() for claim in asked))), model)
    check_given(options, evidence)
    questions = all_questions(asked, evidence)
    if options.plan:
        plan(questions, evidence, screen)
        return 0
    answers, code = ask(questions, evidence, options, screen)
    results = [report.Result(question, found) for question, found in zip(questions, answers)]
    if not (options.quick or options.no_causes):
        code = max(code, explain(results, evidence, options, screen))
    if options.json:
        print(json.dumps(report.as_json(results, evidence), indent=1))
    else:
        screen.say(report.text(results, evidence))
    if options.document:
        publish(options.document, results, evidence)
    wrong = [result.claim.id for result in results if result.is_wrong_control()]
    if wrong:
        complain(f"controls with another verdict than is known: {', '.join(wrong)}")
    return code or (FAILED if wrong else 0)


def publish(path, results, evidence):
    """Writes the page, and its figure beside it."""
    from claims.picture import picture  # matplotlib is slow to load
    from plots.plot import write as draw

    revision = evidence.registry.environment.get("revision", "unknown")
    with writing(path):
        write_whole(path, document.page(results, path.stem, revision).encode())
    draw([picture(results)._replace(name=path.stem)], path.parent, ("png",), f"Revision {revision}.")


def explain(results, evidence, options, screen):
    """Tries the causes of what does not hold: each with one seed, and those with which it holds
    with all, since with more seeds no claim holds that does not with one. Returns the exit code."""
    tried, questions = [], []
    for result in results:
        if result.answer.bare == CONTRADICTED:
            for cause in result.claim.causes:
                tried.append((result, cause))
                questions.append(Question(result.claim, evidence, evidence.variant(cause)))
    if not questions:
        return 0
    screen.tell(f"{len(questions)} changes to try")
    all_seeds, evidence.seeds = evidence.seeds, 1
    answers, code = ask(questions, evidence, options, screen)
    evidence.seeds = all_seeds
    holding = [i for i, found in enumerate(answers) if found.bare == HOLDS]
    again, more = ask([questions[i] for i in holding], evidence, options, screen)
    for i, found in zip(holding, again):
        answers[i] = found
    for (result, cause), found in zip(tried, answers):
        result.tried.append((cause, found))
    return max(code, more)
