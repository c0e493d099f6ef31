#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how a worker falls asleep, and who wakes it, where the starter passes no fence between
a message and its look who sleeps.

    a sleeper    says that it sleeps; while the system is open, it passes a barrier, which all
                 threads pass, and later a fence of its own; then it looks for work once more
    a worker     that sends: puts the message there, fences, and wakes the receiver if that sleeps
    the starter  the same without a fence; then it says that it stops: the system is open no longer
    who sees     that nothing is left after that says that it is over, fences, and wakes all

Stores go through a store buffer, as on x86; a fence, and an exchange, empty that of a thread.

Promised: when nobody does a step any more, all messages have been delivered and all workers have
ended.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "announced": "a sleeper says that it sleeps before it passes the barrier",
    "barrier": "while the system is open, a sleeper makes the starter pass a fence",
    "fence": "later it passes one of its own",
    "look": "after that it looks for work once more",
    "sender": "a worker that sends fences before it looks who sleeps",
    "stops": "the starter says that it stops after its last message",
    "end": "who says that it is over fences before it looks who sleeps",
}

# The messages of the starter, by receiver, and whether a worker's first message makes it send one
# to the next worker.
SCENARIOS = {"one": ((2,), False), "two": ((1, 1), False), "chain": ((1, 0), True)}

OPEN, STOPPING, OVER = "open", "stopping", "over"


class State(NamedTuple):
    phase: str
    asleep: tuple   # by worker: it has said so
    waiting: tuple  # messages, by receiver
    left: tuple     # likewise, that the starter has yet to send
    done: int       # messages
    has_sent: bool  # the worker that sends
    buffers: tuple  # by thread, the starter last: what it has stored and nobody else sees
    at: tuple       # where each thread is


def put(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


class Model:
    def __init__(self, scenario, without=None):
        self.left, self.chained = SCENARIOS[scenario]
        self.n, self.total = len(self.left), sum(self.left) + self.chained
        self.without = without

    def has(self, rule):
        return rule != self.without

    def first(self):
        no = (False,) * self.n
        return State(phase=OPEN, asleep=no, waiting=(0,) * self.n, left=self.left, done=0, has_sent=False,
                     buffers=((),) * (self.n + 1), at=("idle",) * self.n + ("sends",))

    # Memory

    def apply(self, s, what, value):
        if what == "phase":
            return s._replace(phase=value)
        if what == "message":
            return s._replace(waiting=put(s.waiting, value, s.waiting[value] + 1))
        return s._replace(asleep=put(s.asleep, value, True))

    def store(self, s, t, what, value):
        return s._replace(buffers=put(s.buffers, t, s.buffers[t] + ((what, value),)))

    def drain(self, s, t):
        for what, value in s.buffers[t]:
            s = self.apply(s, what, value)
        return s._replace(buffers=put(s.buffers, t, ()))

    def phase(self, s, t):
        stored = [value for what, value in s.buffers[t] if what == "phase"]
        return stored[-1] if stored else s.phase

    def go(self, s, t, place):
        return s._replace(at=put(s.at, t, place))

    def wake(self, s, t, receiver):
        """Whoever sleeps, as far as this thread sees, does no longer: by an exchange."""
        return self.drain(s, t)._replace(asleep=put(s.asleep, receiver, False)) if s.asleep[receiver] else s

    # Steps

    def steps(self, s):
        steps = []
        for t in range(self.n + 1):
            steps += self.starter(s, t) if t == self.n else self.worker(s, t)
            if s.buffers[t]:
                after = s._replace(buffers=put(s.buffers, t, s.buffers[t][1:]))
                steps.append((f"a store of {t} appears", self.apply(after, *s.buffers[t][0])))
        if not steps and (s.done != self.total or any(place != "ended" for place in s.at)):
            raise Wrong(f"{self.total - s.done} messages wait, and the threads are: {', '.join(s.at)}")
        return steps

    def starter(self, s, t):
        place = s.at[t]
        if place == "sends":
            steps = []
            for r in range(self.n):
                if not s.left[r]:
                    continue
                after = s._replace(left=put(s.left, r, s.left[r] - 1))
                if not self.has("stops") and not any(after.left):
                    after = self.store(after, t, "phase", STOPPING)
                after = self.store(after, t, "message", r)
                steps.append((f"the starter sends to {r}", self.go(after, t, f"looks at {r}")))
            if not steps:
                after = self.store(s, t, "phase", STOPPING)
                steps.append(("the starter says that it stops", self.go(after, t, "counts")))
            return steps
        if place.startswith("looks at"):
            after = self.wake(s, t, int(place.split()[-1]))
            return [("the starter looks whether its receiver sleeps", self.go(after, t, "sends"))]
        return self.end(s, t, "ended")

    def end(self, s, t, place):
        """The end, if a worker has taken the last message after the starter has stopped."""
        if s.at[t] == "counts":
            after = self.drain(s, t)
            if after.phase != OPEN and after.done == self.total:
                after = self.store(after, t, "phase", OVER)
                return [(f"{t} says that it is over", self.go(after, t, "wakes all"))]
            return [(f"{t} sees that it is not over", self.go(after, t, place))]
        if s.at[t] == "wakes all":
            after = self.drain(s, t) if self.has("end") else s
            for w in range(self.n):
                after = self.wake(after, t, w)
            return [(f"{t} wakes all who sleep", self.go(after, t, place))]
        return []

    def worker(self, s, w):
        step = {"idle": self.idle, "fences": self.fences, "looks": self.looks, "sleeps": self.sleeps,
                "sends": self.sends, "looks at next": self.looks_at_next}.get(s.at[w])
        return step(s, w) if step is not None else self.end(s, w, "idle")

    def idle(self, s, w):
        if s.waiting[w]:
            after = self.drain(s, w)._replace(waiting=put(s.waiting, w, s.waiting[w] - 1))
            sends = self.chained and not s.has_sent
            after = after._replace(done=s.done + 1, has_sent=s.has_sent or sends)
            return [(f"{w} takes a message", self.go(after, w, "sends" if sends else "counts"))]
        if self.phase(s, w) == OVER:
            return [(f"{w} ends", self.go(s, w, "ended"))]
        after = self.store(s, w, "asleep", w) if self.has("announced") else s
        return [(f"{w} says that it sleeps", self.go(after, w, "fences"))]

    def fences(self, s, w):
        if self.phase(s, w) == OPEN and self.has("barrier"):
            for t in range(self.n + 1):
                s = self.drain(s, t)
        elif self.has("fence"):
            s = self.drain(s, w)
        after = s if self.has("announced") else self.store(s, w, "asleep", w)
        return [(f"{w} passes a fence", self.go(after, w, "looks" if self.has("look") else "sleeps"))]

    def looks(self, s, w):
        if s.waiting[w] or self.phase(s, w) == OVER:
            after = self.drain(s, w)
            after = after._replace(asleep=put(after.asleep, w, False))
            return [(f"{w} is awake after all", self.go(after, w, "idle"))]
        return [(f"{w} sleeps", self.go(s, w, "sleeps"))]

    def sleeps(self, s, w):
        asleep = s.asleep[w] or ("asleep", w) in s.buffers[w]
        return [] if asleep else [(f"{w} wakes up", self.go(s, w, "idle"))]

    def sends(self, s, w):
        after = self.store(s, w, "message", w + 1)
        return [(f"{w} sends to {w + 1}", self.go(after, w, "looks at next"))]

    def looks_at_next(self, s, w):
        after = self.drain(s, w) if self.has("sender") else s
        after = self.wake(after, w, w + 1)
        return [(f"{w} looks whether {w + 1} sleeps", self.go(after, w, "counts"))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
