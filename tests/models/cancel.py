#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how a worker that has messages for ever learns that its system is cancelled.

    a worker  reads `due` between two turns; if it is set, sends what is due of its timers, which
              stores `due`, and then reads `cancelled`; if that is set, it drops what is sent from
              then on. Its behaviours add timers, which stores `due`, too
    C         sets `cancelled`, passes a barrier, which the worker passes, too, and stores `due`

The worker's stores go through a store buffer, as on x86; the barrier empties it.

Promised: when C has done its last step, a worker that goes on looking will drop what is sent.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "flag": "`cancelled` is set before the barrier",
    "barrier": "between `cancelled` and the store of `due` stands a barrier",
    "poke": "C stores `due`, which a worker without timers would not look beyond",
    "last": "the worker reads `cancelled` after its last store of `due`",
}

# How many timers its behaviours add.
SCENARIOS = {"no timers": 0, "one timer": 1, "two timers": 2}


class State(NamedTuple):
    due: bool        # as others see it
    buffer: tuple    # the worker's stores of it that others do not see
    cancelled: bool
    dropping: bool
    timers: int      # that are not due yet, or have not been sent
    left: int        # that its behaviours will add
    w: str           # where they are
    c: str


class Model:
    def __init__(self, scenario, without=None):
        self.timers = SCENARIOS[scenario]
        self.without = without

    def has(self, rule):
        return rule != self.without

    def first(self):
        return State(due=False, buffer=(), cancelled=False, dropping=False, timers=0, left=self.timers, w="between", c="begins")

    def seen(self, s):
        """What the worker reads."""
        return s.buffer[-1] if s.buffer else s.due

    def store(self, s, due):
        return s._replace(buffer=s.buffer + (due,))

    def drain(self, s):
        return s._replace(due=s.buffer[-1], buffer=()) if s.buffer else s

    def steps(self, s):
        steps = self.steps_of_c(s)
        if s.buffer:
            steps.append(("a store of the worker appears", s._replace(due=s.buffer[0], buffer=s.buffer[1:])))
        steps += {"between": self.between, "sends": self.sends, "looks": self.looks, "looks early": self.looks_early}[s.w](s)
        done = s.c == "ended" and not s.buffer and s.w == "between" and s.timers == 0 and s.left == 0
        if done and not s.dropping and not s.due:
            raise Wrong("the worker is never told")
        return steps

    def between(self, s):
        steps = []
        if s.left > 0:
            after = self.store(s, True)
            steps.append(("a behaviour adds a timer", after._replace(timers=s.timers + 1, left=s.left - 1)))
        if self.seen(s):
            steps.append(("the worker sees that something is due", s._replace(w="sends" if self.has("last") else "looks early")))
        return steps

    def looks_early(self, s):
        return [("the worker looks before it sends", s._replace(w="sends", dropping=s.dropping or s.cancelled))]

    def sends(self, s):
        """What is due: any part of what there is, also nothing."""
        after = "looks" if self.has("last") else "between"
        if s.timers == 0:
            return [("the worker has no timers", self.store(s, False)._replace(w=after) if not self.has("last") else s._replace(w=after))]
        sent = self.store(s, s.timers > 1)._replace(timers=s.timers - 1, w=after)
        return [("the worker sends", sent), ("nothing is due yet", s._replace(w=after))]

    def looks(self, s):
        if not s.cancelled:
            return [("the worker is not cancelled", s._replace(w="between"))]
        after = self.store(s, False)
        return [("the worker drops from now on", after._replace(w="between", dropping=True, timers=0, left=0))]

    def steps_of_c(self, s):
        order = ["cancels", "passes"] if self.has("flag") else ["passes", "cancels"]
        plan = ["begins", *order, "pokes", "ended"]
        if s.c == "ended":
            return []
        following = plan[plan.index(s.c) + 1]
        if following == "cancels":
            return [("C sets `cancelled`", s._replace(cancelled=True, c=following))]
        if following == "passes":
            return [("C passes a barrier", (self.drain(s) if self.has("barrier") else s)._replace(c=following))]
        if following == "pokes":
            return [("C stores `due`", s._replace(due=s.due or self.has("poke"), c=following))]
        return [("C has ended", s._replace(c=following))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
