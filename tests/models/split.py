#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how worker O gives an actor A, which is in shard S, a shard D of its own, while others
send to A: worker X through its outboxes, and thread E from outside, which hands over each message
at once. E counts its turns, odd numbers while it sends; what it writes appears later, in its order,
or when O passes a barrier, which all threads pass.

O makes D, whose parent is S, and stores A's new route. A sender reads the route before each
message, and has an outbox for each shard, so its messages before and after may travel by S and D.

    senders    hand over the outbox of the parent of D before that of D; X acknowledges, after it
               has handed over its outbox of S
    O          after the split passes a barrier, then looks at E's turn
               takes in D before S, and delivers what came by S before what came by D
               gives D away only when X has acknowledged, when E was between two turns or is in
               another one, and after it has taken in S once more

Promised: messages from X to A, and from E to A, are delivered in the order of their sends. N gets D
in the end.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "parent_first": "senders hand over the outbox of D's parent before that of D",
    "derived_first": "the owner of both takes in D before S, and delivers what came by S first",
    "grace": "D leaves only after the workers have acknowledged the split",
    "grace_outside": "D leaves only when E is in no turn that began before the split",
    "barrier": "O passes a barrier before it looks at E's turn",
    "drain": "after the last acknowledgement O takes in S once more",
}

# How many messages X and E send.
SCENARIOS = {"a worker": (3, 0), "outside": (0, 3), "both": (2, 2)}


class State(NamedTuple):
    route: str       # A's
    split: bool
    gone: bool       # D is N's
    arrivals_s: tuple
    arrivals_d: tuple
    x_sent: int
    x_reads: str     # the route that X has read, or ""
    x_acknowledged: bool
    x_outbox_s: tuple
    x_outbox_d: tuple
    e_sent: int
    e_reads: str
    e_turn: int      # as others see it
    e_writes: tuple  # that nobody sees yet: turns, and messages with their route
    outside: object  # E's turn that O has seen after the split; None: not yet
    o_queue: tuple
    o_holds: object  # what O has taken of the first shard that it takes in; None: it takes in none
    n_queue: tuple
    x_due: int       # the number of X's next message, and of E's
    e_due: int


class Model:
    def __init__(self, scenario, without=None):
        self.x_most, self.e_most = SCENARIOS[scenario]
        self.without = without

    def first(self):
        return State(route="S", split=False, gone=False, arrivals_s=(), arrivals_d=(), x_sent=0,
                     x_reads="", x_acknowledged=False, x_outbox_s=(), x_outbox_d=(), e_sent=0,
                     e_reads="", e_turn=0, e_writes=(), outside=None, o_queue=(), o_holds=None,
                     n_queue=(), x_due=0, e_due=0)

    def has(self, rule):
        return rule != self.without

    def steps(self, s):
        steps = [*self.steps_of_x(s), *self.steps_of_e(s), *self.steps_of_o(s), *self.steps_of_n(s)]
        if not steps and (s.x_due, s.e_due) != (self.x_most, self.e_most):
            raise Wrong("a message is lost")
        return steps

    def steps_of_x(self, s):
        if s.x_reads == "S":
            yield "X sends by S", s._replace(x_outbox_s=s.x_outbox_s + (("x", s.x_sent),),
                                             x_sent=s.x_sent + 1, x_reads="")
        elif s.x_reads == "D":
            yield "X sends by D", s._replace(x_outbox_d=s.x_outbox_d + (("x", s.x_sent),),
                                             x_sent=s.x_sent + 1, x_reads="")
        else:
            if s.x_sent < self.x_most:
                yield "X reads the route", s._replace(x_reads=s.route)
            if s.x_outbox_s:
                yield "X hands over S", self.hand_over_s(s)
            if s.x_outbox_d:
                after = self.hand_over_s(s) if self.has("parent_first") else s
                yield "X hands over D", after._replace(
                    arrivals_d=s.arrivals_d + s.x_outbox_d, x_outbox_d=())
            if s.split and not s.x_acknowledged:
                yield "X acknowledges", self.hand_over_s(s)._replace(x_acknowledged=True)

    def hand_over_s(self, s):
        return s._replace(arrivals_s=s.arrivals_s + s.x_outbox_s, x_outbox_s=())

    def steps_of_e(self, s):
        if s.e_writes:
            yield "what E wrote appears", self.appears(s)
        if s.e_reads:
            message = (s.e_reads, ("e", s.e_sent))
            yield f"E sends by {s.e_reads}", s._replace(
                e_writes=s.e_writes + (message, ("turn", 2 * s.e_sent + 2)),
                e_sent=s.e_sent + 1, e_reads="")
        elif s.e_sent < self.e_most:
            # The processor does not wait for its own write.
            yield "E begins a turn and reads the route", s._replace(
                e_writes=s.e_writes + (("turn", 2 * s.e_sent + 1),), e_reads=s.route)

    @staticmethod
    def appears(s):
        (where, what), left = s.e_writes[0], s.e_writes[1:]
        if where == "turn":
            return s._replace(e_writes=left, e_turn=what)
        if where == "S":
            return s._replace(e_writes=left, arrivals_s=s.arrivals_s + (what,))
        return s._replace(e_writes=left, arrivals_d=s.arrivals_d + (what,))

    def pass_barrier(self, s):
        while s.e_writes and self.has("barrier"):
            s = self.appears(s)
        return s._replace(outside=s.e_turn)

    def outside_agreed(self, s):
        return s.outside is not None and (s.outside % 2 == 0 or s.outside != s.e_turn)

    def steps_of_o(self, s):
        if not s.split:
            yield "O splits S", s._replace(route="D", split=True)
        elif s.outside is None:
            yield "O passes the barrier and looks at E's turn", self.pass_barrier(s)
        if s.o_queue and not s.gone:
            yield "O delivers", self.deliver(s, s.o_queue[0])._replace(o_queue=s.o_queue[1:])
        if s.gone:
            if s.arrivals_s:  # too late, if a rule is left out
                after = s._replace(arrivals_d=s.arrivals_d + s.arrivals_s, arrivals_s=())
                yield "O passes on", after
            return
        if s.o_holds is not None:
            yield self.take_second(s)
            return
        if s.arrivals_s or s.arrivals_d:
            if self.has("derived_first"):
                yield "O takes in D", s._replace(o_holds=s.arrivals_d, arrivals_d=())
            else:
                yield "O takes in S", s._replace(o_holds=s.arrivals_s, arrivals_s=())
        if s.split and (s.x_acknowledged or not self.has("grace")) and (
                self.outside_agreed(s) or not self.has("grace_outside")):
            drained = s.arrivals_s if self.has("drain") else ()
            left = () if self.has("drain") else s.arrivals_s
            yield "O gives D away", s._replace(gone=True, n_queue=s.o_queue + drained, o_queue=(),
                                               arrivals_s=left)

    def take_second(self, s):
        if self.has("derived_first"):
            return "O takes in S", s._replace(o_queue=s.o_queue + s.arrivals_s + s.o_holds,
                                              arrivals_s=(), o_holds=None)
        return "O takes in D", s._replace(o_queue=s.o_queue + s.o_holds + s.arrivals_d,
                                          arrivals_d=(), o_holds=None)

    def steps_of_n(self, s):
        if s.gone and s.arrivals_d:
            yield "N takes in", s._replace(n_queue=s.n_queue + s.arrivals_d, arrivals_d=())
        if s.n_queue:
            yield "N delivers", self.deliver(s, s.n_queue[0])._replace(n_queue=s.n_queue[1:])

    def deliver(self, s, message):
        sender, number = message
        due = s.x_due if sender == "x" else s.e_due
        if number != due:
            raise Wrong(f"message {number} of {sender.upper()} is delivered in the place of {due}")
        return s._replace(x_due=due + 1) if sender == "x" else s._replace(e_due=due + 1)


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
