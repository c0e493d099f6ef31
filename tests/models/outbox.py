#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how worker T hands over what waits in the outbox of worker O, which may be inside a
long behaviour.

    O  before it adds a message, or hands its outbox over, says that it is busy with it, and looks
       at `wanted`; if that is set, it is busy no more, and goes on under the gate. When it lets its
       actor go, it has handed everything over, and another worker P runs that and sends, too
    T  takes the gate; sets `wanted`; passes a barrier, which O passes, too; if O is busy, it gives
       up; else it hands over what is in the outbox; takes `wanted` back; and opens the gate

O's stores go through a store buffer, as on x86; the barrier, and taking the gate, empty it. T and P
store at once: the barrier and locks that they pass make it so.

Promised: the receiver gets all of O's messages once and in their order, and then P's.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "busy": "O says that it is busy before it touches its outbox",
    "look": "O looks at `wanted` then",
    "gate": "... and if it is set, goes on under the gate",
    "barrier": "between `wanted` and T's look at O stands a barrier",
    "give_up": "T gives up if O is busy",
    "flush_looks": "O does the same before it hands its outbox over",
}

# How many messages O sends, and how often T comes.
SCENARIOS = {"one visit": (3, 1), "two visits": (2, 2)}


class State(NamedTuple):
    outbox: tuple
    received: tuple
    busy: bool
    wanted: bool
    gate: object    # who has it
    buffer: tuple   # what O has stored and nobody else sees, of `busy`
    o: str          # where they are
    t: str
    sent: int
    read: int       # how many messages O has seen in its outbox
    taken: tuple    # what T has read of it, to hand it over
    visits: int


class Model:
    def __init__(self, scenario, without=None):
        self.n, self.visits = SCENARIOS[scenario]
        self.without = without

    def has(self, rule):
        return rule != self.without

    def first(self):
        return State(outbox=(), received=(), busy=False, wanted=False, gate=None, buffer=(), o="behaves",
                     t="idle", sent=0, read=0, taken=(), visits=self.visits)

    def drain(self, s):
        return s._replace(busy=s.buffer[-1] if s.buffer else s.busy, buffer=())

    def say(self, s, busy):
        return s._replace(buffer=s.buffer + (busy,)) if self.has("busy") else s

    def steps(self, s):
        steps = self.steps_of_o(s) + self.steps_of_t(s)
        if s.buffer:
            steps.append(("a store of O appears", s._replace(busy=s.buffer[0], buffer=s.buffer[1:])))
        if not steps and s.received != tuple(range(self.n + 1)):
            raise Wrong(f"received {s.received}")
        return steps

    # The owner. Where it touches its outbox, its place is followed by why: "add" or "flush".

    def steps_of_o(self, s):
        if s.o == "behaves":
            work = "add" if s.sent < self.n else "flush"
            if work == "flush" and not self.has("flush_looks"):
                return [("O begins to flush", s._replace(o="reads flush"))]
            return [(f"O is busy, to {work}", self.say(s, True)._replace(o=f"looks {work}"))]
        if s.o == "lets go":
            return [("P sends", s._replace(received=s.received + (self.n,), o="ended"))]
        if s.o == "ended":
            return []
        place, work = s.o.split()
        return {"looks": self.o_looks, "waits": self.o_waits, "reads": self.o_reads,
                "writes": self.o_writes}[place](s, work)

    def o_looks(self, s, work):
        if not (s.wanted and self.has("look")):
            return [("O sees that nobody wants it", s._replace(o=f"reads {work}"))]
        after = self.say(s, False)
        place = "waits" if self.has("gate") else "reads"
        return [("O sees that it is wanted", after._replace(o=f"{place} {work}"))]

    def o_waits(self, s, work):
        if s.gate is not None:
            return []
        return [("O takes the gate", self.drain(s)._replace(gate="O", o=f"reads {work}"))]

    def o_reads(self, s, work):
        """An addition reads the length, and a flush the messages; both write later."""
        return [(f"O reads its outbox, to {work}", s._replace(read=len(s.outbox), o=f"writes {work}"))]

    def o_writes(self, s, work):
        if work == "add":
            # What lies behind the length that it has read is overwritten.
            after = s._replace(outbox=s.outbox[:s.read] + (s.sent,), sent=s.sent + 1)
        elif s.read:
            after = s._replace(received=s.received + s.outbox[:s.read], outbox=())
        else:
            after = s
        after = after._replace(gate=None) if s.gate == "O" else self.say(after, False)
        return [(f"O has done it: {work}", after._replace(o="behaves" if work == "add" else "lets go"))]

    # The visitor

    def steps_of_t(self, s):
        return {"idle": self.t_idle, "wants": self.t_wants, "passes": self.t_passes, "looks": self.t_looks,
                "writes": self.t_writes, "leaves": self.t_leaves}[s.t](s)

    def t_idle(self, s):
        if s.visits == 0 or s.gate is not None:
            return []
        return [("T takes the gate", s._replace(gate="T", t="wants", visits=s.visits - 1))]

    def t_wants(self, s):
        return [("T wants the outbox", s._replace(wanted=True, t="passes" if self.has("barrier") else "looks"))]

    def t_passes(self, s):
        return [("T passes the barrier, and O, too", self.drain(s)._replace(t="looks"))]

    def t_looks(self, s):
        if s.busy and self.has("give_up"):
            return [("T sees that O is busy", s._replace(t="leaves"))]
        return [("T reads the outbox", s._replace(t="writes", taken=s.outbox))]

    def t_writes(self, s):
        after = s._replace(received=s.received + s.taken, outbox=s.outbox[len(s.taken):], taken=())
        return [("T has handed it over", after._replace(t="leaves"))]

    def t_leaves(self, s):
        return [("T leaves", s._replace(wanted=False, gate=None, t="idle"))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
