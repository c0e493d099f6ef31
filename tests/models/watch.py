#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how workers that sleep agree on one of them, the watcher, who naps and looks at those
that have work, while the others sleep until they are woken.

    a sleeper      says that it sleeps, fences, and looks for work of its own; then, if nobody is
                   the watcher, it is. If it is not, it sleeps
    the watcher    naps, if a worker has work. Else it says `quiet`, passes a barrier, which all
                   workers pass, and looks again; if none has work, it sleeps, too
    who gets work  says so; then it looks at `quiet` and who the watcher is. If it is the watcher
                   itself, it gives that up, fences, and wakes somebody who sleeps. Else, if it is
                   quiet, it wakes the watcher

Stores go through a store buffer, as on x86; a fence, and an exchange, empty that of a worker.

Promised: when nobody does a step any more but to end a nap, nobody sleeps who has work, and if one
worker has work and another sleeps, one naps.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "announced": "a sleeper says that it sleeps before it looks who the watcher is",
    "fence": "a sleeper fences between the two",
    "claim": "a sleeper becomes the watcher if nobody is",
    "given_up": "the watcher that gets work gives that up before it looks who sleeps",
    "passed": "... and wakes somebody who sleeps",
    "nobody": "who gets work when nobody is the watcher wakes somebody",
    "barrier": "between `quiet` and the second look all stores of others appear",
    "again": "the watcher looks again after it has said `quiet`",
    "said": "who gets work says so before it looks at `quiet`",
    "woken": "who finds it quiet wakes the watcher",
}

# How often work arrives, by worker, and how often a sleeper is woken for nothing.
SCENARIOS = {"two": ((2, 2), 0), "one of three": ((2, 0, 0), 1), "three": ((1, 1, 1), 0),
             "woken": ((1, 1), 2)}

AWAKE, ASLEEP = "awake", "asleep"


class State(NamedTuple):
    watcher: object  # a worker; None: nobody
    quiet: bool
    states: tuple    # AWAKE or ASLEEP, by worker
    busy: tuple      # who has said that it has work
    work: tuple      # that has arrived and nobody has seen
    left: tuple      # how much will arrive
    spurious: int
    buffers: tuple   # by worker: what it has stored and nobody else sees
    at: tuple        # where each worker is


def put(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


class Model:
    def __init__(self, scenario, without=None):
        self.left, self.spurious = SCENARIOS[scenario]
        self.n = len(self.left)
        self.without = without
        self.end = "works" if self.has("said") else "says late"

    def has(self, rule):
        return rule != self.without

    def first(self):
        no = (False,) * self.n
        return State(watcher=None, quiet=False, states=(AWAKE,) * self.n, busy=no, work=no,
                     left=self.left, spurious=self.spurious, buffers=((),) * self.n,
                     at=("idle",) * self.n)

    # Memory

    def apply(self, s, what, value):
        if what in ("quiet", "watcher"):
            return s._replace(**{what: value})
        field, i = what
        return s._replace(**{field: put(getattr(s, field), i, value)})

    def store(self, s, w, what, value):
        return s._replace(buffers=put(s.buffers, w, s.buffers[w] + ((what, value),)))

    def drain(self, s, w):
        for what, value in s.buffers[w]:
            s = self.apply(s, what, value)
        return s._replace(buffers=put(s.buffers, w, ()))

    def load(self, s, w, what):
        for stored, value in reversed(s.buffers[w]):
            if stored == what:
                return value
        return getattr(s, what) if isinstance(what, str) else getattr(s, what[0])[what[1]]

    def go(self, s, w, place):
        return s._replace(at=put(s.at, w, place))

    def wake(self, s, w):
        """Whoever sleeps, as far as others can see, does no longer."""
        return s._replace(states=put(s.states, w, AWAKE)) if s.states[w] == ASLEEP else s

    def others_without_work(self, s, w):
        return not any(self.load(s, w, ("busy", o)) for o in range(self.n) if o != w)

    # Steps

    def steps(self, s):
        steps = []
        for w in range(self.n):
            steps += self.steps_of(s, w)
            if s.buffers[w]:
                what, value = s.buffers[w][0]
                after = self.apply(s, what, value)._replace(buffers=put(s.buffers, w, s.buffers[w][1:]))
                steps.append((f"a store of {w} appears", after))
            if s.left[w] and not s.work[w]:
                after = s._replace(left=put(s.left, w, s.left[w] - 1), work=put(s.work, w, True))
                steps.append((f"work arrives for {w}", self.wake(after, w)))
            if s.spurious and s.states[w] == ASLEEP:
                steps.append((f"{w} is woken for nothing", self.wake(s._replace(spurious=s.spurious - 1), w)))
        self.check(s)
        return steps

    def check(self, s):
        """Of a state in which workers only work, nap or sleep."""
        if any(s.buffers) or not all(place in ("works", "naps", "sleeps") for place in s.at):
            return
        sleep = [w for w in range(self.n) if s.at[w] == "sleeps" and s.states[w] == ASLEEP]
        if any(s.at[w] == "sleeps" and s.states[w] == AWAKE for w in range(self.n)):
            return
        if any(s.work[w] for w in sleep):
            raise Wrong("who has work sleeps")
        if sleep and "works" in s.at and "naps" not in s.at:
            raise Wrong("one has work, another sleeps, and nobody naps")

    def steps_of(self, s, w):
        step = {"idle": self.idle, "announces": self.announces, "looks": self.looks, "claims": self.claims,
                "watches": self.watches, "silences": self.silences, "looks again": self.looks_again,
                "naps": self.naps, "sleeps": self.sleeps, "gets": self.gets, "looks around": self.looks_around,
                "passes": self.passes, "says late": self.says_late, "works": self.works}[s.at[w]]
        return step(s, w)

    def idle(self, s, w):
        if s.work[w]:
            after = s._replace(work=put(s.work, w, False))
            return [(f"{w} sees its work", self.go(after, w, "gets"))]
        return [(f"{w} has nothing to do", self.go(s, w, "announces" if self.has("announced") else "claims"))]

    def announces(self, s, w):
        after = self.store(s, w, ("states", w), ASLEEP)
        return [(f"{w} says that it sleeps", self.go(after, w, "looks"))]

    def looks(self, s, w):
        """The fence, and the last look."""
        after = self.drain(s, w) if self.has("fence") else s
        if after.work[w]:
            return [(f"{w} has work after all", self.awake(after, w))]
        place = "claims" if self.has("announced") else "watches" if after.watcher == w else "sleeps"
        return [(f"{w} has no work", self.go(after, w, place))]

    def awake(self, s, w):
        """A compare and swap: one ends a sleep, the sleeper or who wakes it."""
        s = self.drain(s, w)
        return self.go(s._replace(states=put(s.states, w, AWAKE)), w, "idle")

    def claims(self, s, w):
        announced = self.has("announced")
        if s.watcher is None and self.has("claim"):
            after = self.drain(s, w)._replace(watcher=w)
            return [(f"{w} becomes the watcher", self.go(after, w, "watches" if announced else "announces"))]
        place = ("watches" if s.watcher == w else "sleeps") if announced else "announces"
        return [(f"{w} sees the watcher {s.watcher}", self.go(s, w, place))]

    def watches(self, s, w):
        if not self.others_without_work(s, w):
            after = self.store(s, w, "quiet", False)
            return [(f"{w} sees that others have work", self.go(after, w, "naps"))]
        after = self.store(s, w, "quiet", True)
        return [(f"{w} says that it is quiet", self.go(after, w, "silences"))]

    def silences(self, s, w):
        after = self.drain(s, w)
        for o in range(self.n if self.has("barrier") else 0):
            after = self.drain(after, o)
        return [(f"{w} passes the barrier", self.go(after, w, "looks again" if self.has("again") else "sleeps"))]

    def looks_again(self, s, w):
        if self.others_without_work(s, w):
            return [(f"{w} sleeps, as all do", self.go(s, w, "sleeps"))]
        after = self.store(s, w, "quiet", False)
        return [(f"{w} sees that others have work now", self.go(after, w, "naps"))]

    def naps(self, s, w):
        return [(f"{w} ends its nap", self.awake(s, w))]

    def sleeps(self, s, w):
        return [(f"{w} wakes up", self.go(s, w, "idle"))] if self.load(s, w, ("states", w)) == AWAKE else []

    def gets(self, s, w):
        if not self.has("said"):
            return self.looks_around(s, w)
        return [(f"{w} says that it has work", self.go(self.say(s, w), w, "looks around"))]

    def say(self, s, w):
        return self.store(s, w, ("busy", w), True)

    def says_late(self, s, w):
        return [(f"{w} says that it has work", self.go(self.say(s, w), w, "works"))]

    def looks_around(self, s, w):
        quiet, watcher = self.load(s, w, "quiet"), self.load(s, w, "watcher")
        if watcher == w:
            after = self.store(s, w, "quiet", False)
            after = self.store(after, w, "watcher", None) if self.has("given_up") else after
            return [(f"{w} is the watcher no more", self.go(after, w, "passes"))]
        if watcher is None and self.has("nobody"):
            return [(f"{w} sees no watcher", self.go(s, w, "passes"))]
        if not quiet:
            return [(f"{w} works", self.go(s, w, self.end))]
        after = s
        if watcher is not None and self.has("woken"):
            after = self.wake(self.drain(after, w), watcher)
        return [(f"{w} wakes {watcher}, and works", self.go(after, w, self.end))]

    def passes(self, s, w):
        """The fence of who wakes, and whom it wakes."""
        s = self.drain(s, w)
        end = s if self.has("given_up") else s._replace(watcher=None)
        asleep = [o for o in range(self.n) if s.states[o] == ASLEEP]
        if not asleep or not self.has("passed"):
            return [(f"{w} wakes nobody, and works", self.go(end, w, self.end))]
        return [(f"{w} wakes {o}, and works", self.go(self.wake(end, o), w, self.end)) for o in asleep]

    def works(self, s, w):
        after = self.store(s, w, ("busy", w), False)
        return [(f"{w} has worked", self.go(after, w, "idle"))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
