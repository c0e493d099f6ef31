#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models of protocols, small enough to look at every state: with all rules each promise is kept,
and without any one of them some promise is not, so none is there in vain."""

import sys

import bound
import cancel
import outbox
import seize
import sleep
import split
import watch
from search import Wrong, search


def counting():
    """A walk from 0 to 3 that finds 3 wrong, by the shortest way there is."""
    def steps(n):
        if n == 3:
            raise Wrong("three")
        return [("one more", n + 1)]
    n, wrong = search(0, steps)
    return n == 4 and wrong == ("three", ["one more"] * 3)


def first_wrong(model, rule):
    """What is wrong in the first scenario in which something is, or None."""
    for scenario in model.SCENARIOS:
        one = model.Model(scenario, rule)
        _, wrong = search(one.first(), one.steps)
        if wrong is not None:
            return f"{scenario}: {wrong[0]}"
    return None


def main():
    cases = [("the search finds what is wrong, and the way there", counting())]
    for model in (bound, cancel, outbox, seize, sleep, split, watch):
        name = model.__name__
        wrong = first_wrong(model, None)
        cases.append((f"{name}: every interleaving is right: {wrong}", wrong is None))
        for rule, text in model.RULES.items():
            wrong = first_wrong(model, rule)
            cases.append((f"{name} needs {rule}: {text} ({wrong})", wrong is not None))
    print(f"1..{len(cases)}")
    for number, (name, right) in enumerate(cases, 1):
        print(f"{'ok' if right else 'not ok'} {number} - {name}")
    return any(not right for _, right in cases)


if __name__ == "__main__":
    sys.exit(main())
