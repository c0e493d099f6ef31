#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how threads wait for room in a mailbox that is bounded.

    a waiter  reads `signals`, then looks for room. If there is some, it takes it, and counts as a
              waiter no longer. If not, it says that it waits, and begins again; or, if it has said
              so, sleeps unless `signals` has changed since it was read
    R         receives: makes room, and sees in the same step whether anybody waits; if so, changes
              `signals`, then wakes one who sleeps. It receives what waiters have sent, too

Each access is one step, in any order of the threads: all of them are atomic, and order what stands
around them. Promised: in the end all have had room.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "said": "a waiter says that it waits before it sleeps",
    "read": "it reads `signals` before it looks for room",
    "signal": "who makes room changes `signals`",
    "wake": "... and wakes one who sleeps",
    "told": "R sees who waits in the step that makes room",
}

# How many have room at a time, and how many wait when there is none.
SCENARIOS = {"one for room for one": (1, 1), "two for room for one": (1, 2), "three for room for two": (2, 3)}


class State(NamedTuple):
    waiting: int     # messages that have been let in
    sleepers: int    # that have said so
    signals: int
    at: tuple        # where each waiter is
    read: tuple      # `signals`, as each has read it
    said: tuple
    r: str
    seen: bool       # by R: somebody waits


def put(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


class Model:
    def __init__(self, scenario, without=None):
        self.most, self.n = SCENARIOS[scenario]
        self.without = without

    def has(self, rule):
        return rule != self.without

    def first(self):
        return State(waiting=self.most, sleepers=0, signals=0, at=("reads",) * self.n, read=(0,) * self.n,
                     said=(not self.has("said"),) * self.n, r="receives", seen=False)

    def steps(self, s):
        steps = self.steps_of_r(s)
        for i in range(self.n):
            steps += self.steps_of(s, i)
        if not steps and any(at != "in" for at in s.at):
            raise Wrong("somebody sleeps although there is room")
        return steps

    def steps_of(self, s, i):
        at, name = s.at[i], f"waiter {i}"
        if at == "reads":
            return [(f"{name} reads the signal", s._replace(at=put(s.at, i, "looks"), read=put(s.read, i, s.signals)))]
        if at == "looks":
            if s.waiting < self.most:
                counted = s.said[i] and self.has("said")
                return [(f"{name} takes room", s._replace(waiting=s.waiting + 1, sleepers=s.sleepers - counted, at=put(s.at, i, "in")))]
            return [(f"{name} sees no room", s._replace(at=put(s.at, i, "parks" if s.said[i] else "says")))]
        if at == "says":
            if s.waiting < self.most:  # the exchange fails
                return [(f"{name} looks again", s._replace(at=put(s.at, i, "reads")))]
            return [(f"{name} says that it waits", s._replace(sleepers=s.sleepers + 1, said=put(s.said, i, True), at=put(s.at, i, "reads")))]
        if at == "parks":
            read = s.read[i] if self.has("read") else s.signals
            if read != s.signals:
                return [(f"{name} sees a signal", s._replace(at=put(s.at, i, "reads")))]
            return [(f"{name} sleeps", s._replace(at=put(s.at, i, "sleeps")))]
        return []

    def steps_of_r(self, s):
        if s.r == "receives":
            if s.waiting == 0:
                return []
            seen = s.sleepers > 0
            return [("R makes room", s._replace(waiting=s.waiting - 1, seen=seen, r="signals" if self.has("told") else "looks"))]
        if s.r == "looks":  # without the rule: what it saw before it made room
            return [("R has seen nobody before", s._replace(seen=False, r="signals"))]
        if s.r == "signals":
            if not s.seen:
                return [("nobody waits", s._replace(r="receives"))]
            return [("R changes the signal", s._replace(signals=s.signals + self.has("signal"), r="wakes"))]
        steps = [("R wakes one", s._replace(at=put(s.at, i, "reads"), r="receives"))
                 for i, at in enumerate(s.at) if at == "sleeps" and self.has("wake")]
        return steps or [("R wakes nobody", s._replace(r="receives"))]


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
