#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how worker T hands over what waits in the outbox of worker O, which may be inside a
long behaviour.

    O  adds a message, and looks at nothing. Before it flushes, it says that it is busy with that,
       and looks at `wanted`. If that is set, it takes the gate, forgets what has been taken, takes
       `wanted` back, and opens the gate. When it lets its actor go, it has flushed, and another
       worker P runs that and sends, too
    T  takes the gate; if `wanted` is not set, sets it, and passes a barrier, which O passes, too;
       if O is busy, gives up; else hands over what is in the outbox and has not been taken before,
       and notes how much has been; opens the gate

O's stores go through a store buffer, as on x86; the barrier, and taking a lock, empty it. T and P
store at once: the barrier and locks that they pass make it so.

Promised: the receiver gets all of O's messages once and in their order, and then P's.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "busy": "O says that it is busy before it flushes",
    "look": "... and looks at `wanted` then",
    "gate": "O forgets what has been taken under the gate",
    "barrier": "between `wanted` and T's look at O stands a barrier",
    "give_up": "T gives up if O is busy",
    "noted": "T leaves what has been taken before",
}

# How many messages O sends, and how often T comes.
SCENARIOS = {"one visit": (3, 1), "two visits": (2, 2)}


class State(NamedTuple):
    own: tuple      # the outbox, as O sees it
    outbox: tuple   # ... and as others do
    busy: bool
    buffer: tuple   # O's stores that others do not see: the outbox and `busy` after each
    received: tuple
    wanted: bool
    taken: int
    seen: int       # by T, when it has taken what it notes next
    gate: bool      # T has it
    o: str          # where they are
    t: str
    sent: int
    visits: int


class Model:
    def __init__(self, scenario, without=None):
        self.n, self.visits = SCENARIOS[scenario]
        self.without = without

    def has(self, rule):
        return rule != self.without

    def first(self):
        return State(own=(), outbox=(), busy=False, buffer=(), received=(), wanted=False, taken=0, seen=0,
                     gate=False, o="behaves", t="idle", sent=0, visits=self.visits)

    def store(self, s, own, busy):
        return s._replace(own=own, buffer=s.buffer + ((own, busy),))

    def drain(self, s):
        return s._replace(outbox=s.buffer[-1][0], busy=s.buffer[-1][1], buffer=()) if s.buffer else s

    def steps(self, s):
        steps = self.steps_of_o(s) + self.steps_of_t(s)
        if s.buffer:
            outbox, busy = s.buffer[0]
            steps.append(("a store of O appears", s._replace(outbox=outbox, busy=busy, buffer=s.buffer[1:])))
        if not steps and s.received != tuple(range(self.n + 1)):
            raise Wrong(f"received {s.received}")
        return steps

    def steps_of_o(self, s):
        return {"behaves": self.o_behaves, "is busy": self.o_is_busy, "forgets": self.o_forgets,
                "flushes": self.o_flushes, "clears": self.o_clears, "lets go": self.o_lets_go, "ended": lambda s: []}[s.o](s)

    def o_behaves(self, s):
        if s.sent < self.n:
            after = self.store(s, s.own + (s.sent,), False)
            return [(f"O adds {s.sent}", after._replace(sent=s.sent + 1))]
        after = self.store(s, s.own, True) if self.has("busy") else s
        return [("O is about to flush", after._replace(o="is busy"))]

    def o_is_busy(self, s):
        if s.wanted and self.has("look"):
            return [("O sees that some may be taken", s._replace(o="forgets"))]
        return [("O sees nothing wanted", s._replace(o="flushes"))]

    def o_forgets(self, s):
        if s.gate and self.has("gate"):
            return []
        after = self.drain(self.store(s, s.own[s.taken:], self.has("busy")))
        after = after._replace(wanted=False, taken=0, o="flushes")
        return [("O forgets what has been taken", after)]

    def o_flushes(self, s):
        """The lock of the receiver's mailbox empties the store buffer."""
        return [("O hands over", self.drain(s)._replace(received=s.received + s.own, o="clears"))]

    def o_clears(self, s):
        after = self.store(s, (), self.has("busy"))
        return [("O has flushed", self.store(after, (), False)._replace(o="lets go"))]

    def o_lets_go(self, s):
        return [("P sends", self.drain(s)._replace(received=s.received + (self.n,), o="ended"))]

    def steps_of_t(self, s):
        return {"idle": self.t_idle, "begins": self.t_begins, "passes": self.t_passes, "looks": self.t_looks,
                "notes": self.t_notes, "leaves": self.t_leaves}[s.t](s)

    def t_idle(self, s):
        if s.visits == 0:
            return []
        return [("T takes the gate", s._replace(gate=True, t="begins", visits=s.visits - 1))]

    def t_begins(self, s):
        if s.wanted:
            return [("T has come before", s._replace(t="looks"))]
        return [("T wants the outbox", s._replace(wanted=True, t="passes" if self.has("barrier") else "looks"))]

    def t_passes(self, s):
        return [("T passes the barrier, and O, too", self.drain(s)._replace(t="looks"))]

    def t_looks(self, s):
        if s.busy and self.has("give_up"):
            return [("T sees that O is busy", s._replace(t="leaves"))]
        first = s.taken if self.has("noted") else 0
        after = s._replace(received=s.received + s.outbox[first:], seen=len(s.outbox))
        return [("T hands over what it sees", after._replace(t="notes"))]

    def t_notes(self, s):
        return [("T notes how much", s._replace(taken=s.seen, seen=0, t="leaves"))]

    def t_leaves(self, s):
        return [("T opens the gate", s._replace(gate=False, t="idle"))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
