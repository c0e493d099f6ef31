# SPDX-License-Identifier: MIT
"""Look at every state that a small model of a protocol can reach.

A model is a function that gives the steps from a state: pairs of what happens and the state after
it. It raises Wrong where the state breaks what the protocol promises. States are hashable.
"""

import sys


class Wrong(Exception):
    """A state that must not be reached."""


def search(first, steps, most=5_000_000):
    """Visit all states that can be reached from the first one.

    Returns their number, and None or what is wrong with the first wrong one: a line, and the steps
    that lead to it. A state without steps is an end, which the model checks itself.
    """
    seen = {first: None}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        try:
            for what, after in steps(state):
                if after not in seen:
                    seen[after] = (what, state)
                    waiting.append(after)
        except Wrong as wrong:
            return len(seen), (str(wrong), path(seen, state))
        if len(seen) > most:
            raise RuntimeError(f"more than {most} states: make the model smaller")
    return len(seen), None


def path(seen, state):
    """The steps from the first state to this one."""
    steps = []
    while seen[state] is not None:
        what, state = seen[state]
        steps.append(what)
    return steps[::-1]


def explain(protocol, arguments):
    """Say of each scenario whether it is right, or with a rule as argument what goes wrong without
    it, and how."""
    without = arguments[0] if arguments else None
    if without is not None and without not in protocol.RULES:
        sys.exit(f"{protocol.__file__}: unknown rule {without}; valid: {', '.join(protocol.RULES)}")
    for scenario in protocol.SCENARIOS:
        model = protocol.Model(scenario, without)
        n, wrong = search(model.first(), model.steps)
        print(f"{scenario}: {wrong[0] if wrong else 'right'}, {n} states")
        if wrong:
            print("   ", "\n    ".join(wrong[1]))
            break
