#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of how an idle worker T takes work from a worker O that is inside a long behaviour.

O, between two batches of messages, is in its own code, and its place `at` is NULL; there it looks
at `seized`. For each message but the first of a batch it stores its place, loads `seized`, and runs
the behaviour unless that is set. Where a send needs more than a store (a chunk is full), it is in
its own code again until that is done. Its stores go through a store buffer, as on x86; membarrier()
empties that.

T holds the gate while it does this:

    seized = 1; membarrier        from now on O begins no behaviour, and waits for the gate where it
                                  comes to its own code; or T sees that it is there already, and
                                  gives up
    c = at                        the message that O runs, or was about to run
    hand over the own outboxes; hand over copies of what is in O's
    take copies of all messages behind c, but for those of c's shard
    own their shards; take in what has arrived for them

`seized` stays 1, so T may take again what O's behaviour has sent since, without a barrier. O, when
it has waited for the gate, drops what T has copied, and sends what it has added since for shards
that it has lost to where they are now.

Each shard is one actor here. Promised: no two behaviours of a shard run at once, each message is
delivered once, and messages from one actor to another arrive in the order of their sends.
"""

import sys
from typing import NamedTuple

from search import Wrong, explain

RULES = {
    "barrier": "T waits for all stores of O between `seized` and its look where O is",
    "place_first": "O stores its place before it loads `seized`",
    "own_code": "O stores NULL as its place before it loads `seized`",
    "slow_paths": "a send that needs more than a store is O's own code",
    "gate": "O waits for the gate before it goes on",
    "shard": "T leaves the messages of the shard whose behaviour runs",
    "own_outboxes": "T hands over its own outboxes before it owns the shards",
    "outboxes": "T hands over copies of O's outboxes",
    "drop": "O drops of its outboxes what T has handed over",
    "arrivals": "T takes in what has arrived for the shards before it runs anything",
    "mark": "T goes on where the last copy ended",
    "forward": "O sends what it has added for lost shards on to them",
    "flush": "T hands over what it has sent for others before it releases the gate",
}

# O's queue at the beginning, and what the behaviour of a message sends: a message is named by who
# sent it and to whom, and a number. `|`: here the send needs more than a store.
SCENARIOS = {
    # O's actor A sends to B, which is O's too, to X, which is elsewhere, and to B again.
    "sends": (("0A0", "0B0"), {"0A0": "BXBX", "0B0": "X"}),
    "slow": (("0A0", "0B0"), {"0A0": "BX|BX"}),
    # two messages to A with one to B between them
    "turns": (("0A0", "0B0", "0A1"), {"0A0": "B", "0B0": "A", "0A1": "B"}),
    # what B has sent to X is in an outbox while A's behaviour runs
    "waits": (("0B0", "0A0", "0B1"), {"0B0": "X", "0B1": "X"}),
    # B answers the actor of T, which sends to B, as it has before
    "answers": (("0A0", "0B0"), {"0A0": "B", "0B0": "T", "BT0": "B"}),
}

SEIZURES = 2
SHARDS = "ABXT"  # O owns A and B, T owns T; X is elsewhere


class State(NamedTuple):
    """Who changes what: memory that both see, O's, T's."""
    at: object       # a place in O's queue; None: NULL
    seized: bool
    gate: bool       # T holds it; O never does more than one step with it
    queue: tuple     # all messages that ever were in O's
    outboxes: tuple  # O's, by shard
    arrivals: tuple  # by shard
    # written by T while it holds the gate, and by O likewise
    lost: frozenset  # shards
    kept: tuple      # copies of messages of the shard whose behaviour runs
    c: object
    mark: int        # the end of what T has copied
    copied: tuple    # by shard: how many messages of O's outbox have been handed over

    o: str           # where O is
    buffer: tuple    # its stores that nobody else sees yet
    owns: frozenset
    i: int           # the next message of its queue, or the one that runs
    step: int
    back: str

    t: str
    t_queue: tuple
    t_owns: frozenset
    t_outboxes: tuple
    runs: object     # the message that T runs
    t_step: int
    seizures: int

    elsewhere: frozenset
    sent: tuple      # by sender and receiver
    received: tuple


def get(values, shard):
    return values[SHARDS.index(shard)]


def put(values, shard, value):
    return tuple(value if of == shard else old for of, old in zip(SHARDS, values))


def count(counts, sender, receiver):
    i = ("0" + SHARDS).index(sender) * len(SHARDS) + SHARDS.index(receiver)
    return counts[:i] + (counts[i] + 1,) + counts[i + 1:], counts[i]


def received(s, message):
    """Deliver a message, which has to be the next one of its sender's."""
    counts, number = count(s.received, message[0], message[1])
    if number != int(message[2:]):
        raise Wrong(f"{message} is delivered in the place of {message[:2]}{number}")
    return s._replace(received=counts)


def arrive(s, shard, messages):
    """Hand these over: to the arrivals, or to whoever delivers them at once."""
    if shard not in s.elsewhere:
        return s._replace(arrivals=put(s.arrivals, shard, get(s.arrivals, shard) + messages))
    for message in messages:
        s = received(s, message)
    return s


def new_message(s, sender, receiver):
    counts, number = count(s.sent, sender, receiver)
    return s._replace(sent=counts), f"{sender}{receiver}{number}"


def drained(s):
    """The state once O's stores have reached memory."""
    for what, value in s.buffer:
        if what == "queue":
            s = s._replace(queue=s.queue + (value,))
        elif what in SHARDS:
            s = s._replace(outboxes=put(s.outboxes, what, get(s.outboxes, what) + (value,)))
        else:
            s = s._replace(**{what: value})
    return s._replace(buffer=())


def store(s, what, value):
    return s._replace(buffer=s.buffer + ((what, value),))


def load(s, what):
    for stored, value in reversed(s.buffer):
        if stored == what:
            return value
    return getattr(s, what)


class Model:
    def __init__(self, scenario, without=None):
        self.first_queue, self.sends = SCENARIOS[scenario]
        self.without = without

    def first(self):
        nothing, none = ((),) * len(SHARDS), (0,) * (len(SHARDS) + 1) * len(SHARDS)
        s = State(at=None, seized=False, gate=False, queue=self.first_queue,
                  outboxes=nothing, arrivals=nothing, lost=frozenset(), kept=(), c=None, mark=0,
                  copied=(0,) * len(SHARDS), o="own", buffer=(), owns=frozenset("AB"), i=0, step=0,
                  back="", t="works", t_queue=(), t_owns=frozenset("T"), t_outboxes=nothing,
                  runs=None, t_step=0, seizures=0, elsewhere=frozenset("X"), sent=none,
                  received=none)
        for message in self.first_queue:
            s = s._replace(sent=count(s.sent, "0", message[1])[0])
        # T's actor has sent to B already
        s, message = new_message(s, "T", "B")
        return s._replace(t_outboxes=put(s.t_outboxes, "B", (message,)))

    def has(self, rule):
        return rule != self.without

    def steps(self, s):
        steps = list(self.steps_of_o(s)) + list(self.steps_of_t(s))
        if s.buffer:
            one = drained(s._replace(buffer=s.buffer[:1]))
            steps.append(("a store of O leaves", one._replace(buffer=s.buffer[1:])))
        if not steps and s.received != s.sent:
            raise Wrong("a message is lost")
        return steps

    def queue_of_o(self, s):
        return s.queue + tuple(value for what, value in s.buffer if what == "queue")

    def runs_at_o(self, s):
        """The shard whose behaviour O is in, or None."""
        inside = s.o in ("runs", "slow", "work") or (s.o == "waits" and s.back == "work")
        return s.queue[s.i][1] if inside else None

    def begin(self, s):
        """O begins a behaviour."""
        shard = s.queue[s.i][1]
        if s.runs is not None and s.runs[1] == shard:
            raise Wrong(f"two behaviours of {shard} run at once")
        return received(s._replace(o="runs", step=0), s.queue[s.i])

    def steps_of_o(self, s):
        if s.o == "own":  # NULL is its place
            if self.has("own_code") and load(s, "seized"):
                yield "O sees that it was seized", s._replace(o="waits", back="own")
            elif s.i < len(self.queue_of_o(s)):
                yield "O begins a batch", store(s, "at", s.i)._replace(o="begins")
            elif not s.buffer:
                for shard in s.owns:
                    if get(s.arrivals, shard):
                        yield "O takes in", s._replace(queue=s.queue + get(s.arrivals, shard),
                                                       arrivals=put(s.arrivals, shard, ()))
                if any(s.outboxes):
                    yield "O hands over", self.hand_over(s)
        elif s.o == "place":
            if self.has("place_first"):
                yield "O stores its place", store(s, "at", s.i)._replace(o="look")
            else:
                yield "O looks first", s._replace(o="leave" if load(s, "seized") else "place late")
        elif s.o == "place late":
            if s.i < len(s.queue):
                yield "O stores its place", self.begin(store(s, "at", s.i))
        elif s.o == "look":
            if load(s, "seized"):
                yield "O stops", s._replace(o="leave")
            else:
                yield "O goes on", s._replace(o="begins")
        elif s.o == "begins":
            if s.i < len(s.queue):  # O reads what it has written itself; the model waits for that
                yield "O runs", self.begin(s)
        elif s.o == "runs":
            yield from self.steps_of_behaviour(s)
        elif s.o == "leave":
            if self.has("own_code"):
                yield "O leaves", store(s, "at", None)._replace(o="own")
            else:
                o = "leave for the gate" if load(s, "seized") else "leave late"
                yield "O looks first", s._replace(o=o)
        elif s.o.startswith("leave "):
            o = "waits" if s.o == "leave for the gate" else "own"
            yield "O leaves", store(s, "at", None)._replace(o=o, back="own")
        elif s.o == "slow":
            if load(s, "seized"):
                yield "O sees that it was seized", s._replace(o="waits", back="work")
            else:
                yield "O was not seized", s._replace(o="work")
        elif s.o == "work":
            if not s.buffer:
                after = self.hand_over(s)
                if self.has("slow_paths"):
                    after = store(after, "at", s.i)
                yield "O hands over", after._replace(o="runs")
        elif s.o == "waits":
            if not s.buffer and not (s.gate and self.has("gate")):
                yield "O repairs", self.repair(s)._replace(o=s.back)

    def steps_of_behaviour(self, s):
        sends = self.sends.get(s.queue[s.i], "")
        if s.step == len(sends):
            after = s._replace(i=s.i + 1)
            if after.i < len(self.queue_of_o(after)):
                yield "O ends", after._replace(o="place")
            yield "O ends a batch", after._replace(o="leave")
            return
        to = sends[s.step]
        s = s._replace(step=s.step + 1)
        if to == "|" and self.has("slow_paths"):
            yield "O's outbox is full", store(s, "at", None)._replace(o="slow")
        elif to == "|":
            yield "O's outbox is full", s._replace(o="work")
        else:
            s, message = new_message(s, s.queue[s.i][1], to)
            yield f"O sends {message}", store(s, "queue" if to in s.owns else to, message)

    def hand_over(self, s):
        for shard, messages in zip(SHARDS, s.outboxes):
            s = arrive(s, shard, messages)
        return s._replace(outboxes=((),) * len(SHARDS))

    def repair(self, s):
        """What O does when it holds the gate."""
        s = s._replace(seized=False)
        if s.c is None:
            return s
        if self.has("drop"):
            s = s._replace(outboxes=tuple(box[n:] for box, n in zip(s.outboxes, s.copied)))
        s = s._replace(owns=s.owns - s.lost)
        rest = []
        for message in s.queue[s.mark:]:
            if message[1] in s.owns or not self.has("forward"):
                rest.append(message)
            else:
                to = message[1]
                s = s._replace(outboxes=put(s.outboxes, to, get(s.outboxes, to) + (message,)))
        return s._replace(queue=s.queue[:s.c + 1] + s.kept + tuple(rest), lost=frozenset(), kept=(),
                          c=None, mark=0, copied=(0,) * len(SHARDS))

    def steps_of_t(self, s):
        if s.t == "works":
            yield from self.work(s)
        elif s.t == "has the gate":
            yield "T announces", s._replace(seized=True, t="announced")
        elif s.t == "announced":
            after = drained(s) if self.has("barrier") else s
            yield "T waits for O's stores", after._replace(t="reads")
        elif s.t in ("reads", "again") and s.at is None:
            yield "T gives up", s._replace(gate=False, t="works")
        elif s.t == "reads":
            yield "T knows what O runs", s._replace(c=s.at, mark=s.at + 1, t="outboxes")
        elif s.t == "again":
            yield "O runs the same", s._replace(t="outboxes")
        elif s.t == "outboxes":
            if self.has("own_outboxes"):
                s = self.flush(s)
            if self.has("outboxes"):
                for shard in SHARDS:
                    s = arrive(s, shard, get(s.outboxes, shard)[get(s.copied, shard):])
                s = s._replace(copied=tuple(len(box) for box in s.outboxes))
            yield "T hands over", s._replace(t="copies")
        elif s.t == "copies":
            yield "T copies", self.copy(s)
        elif s.t == "takes in":
            if self.has("arrivals"):
                for shard in s.lost & s.t_owns:
                    s = self.take_in(s, shard)
            if self.has("flush"):
                s = self.flush(s)
            yield "T releases the gate", s._replace(gate=False, t="works")

    def copy(self, s):
        shard = s.queue[s.c][1]
        lost = s.owns - s.lost - (frozenset(shard) if self.has("shard") else frozenset())
        s = s._replace(lost=s.lost | lost, t_owns=s.t_owns | lost, t="takes in")
        for message in s.queue[s.mark if self.has("mark") else s.c + 1:]:
            to = message[1]
            if to in s.t_owns:
                s = s._replace(t_queue=s.t_queue + (message,))
            elif to == shard:
                s = s._replace(kept=s.kept + (message,))
            else:
                s = s._replace(t_outboxes=put(s.t_outboxes, to, get(s.t_outboxes, to) + (message,)))
        return s._replace(mark=len(s.queue))

    def flush(self, s):
        for shard, messages in zip(SHARDS, s.t_outboxes):
            s = arrive(s, shard, messages)
        return s._replace(t_outboxes=((),) * len(SHARDS))

    def take_in(self, s, shard):
        return s._replace(t_queue=s.t_queue + get(s.arrivals, shard),
                          arrivals=put(s.arrivals, shard, ()))

    def work(self, s):
        if s.runs is not None:
            sends = self.sends.get(s.runs, "").replace("|", "")
            if s.t_step == len(sends):
                yield "T ends", s._replace(runs=None)
                return
            to = sends[s.t_step]
            s, message = new_message(s._replace(t_step=s.t_step + 1), s.runs[1], to)
            if to in s.t_owns:
                yield f"T sends {message}", s._replace(t_queue=s.t_queue + (message,))
            else:
                boxes = put(s.t_outboxes, to, get(s.t_outboxes, to) + (message,))
                yield f"T sends {message}", s._replace(t_outboxes=boxes)
            return
        if s.t_queue:
            message, rest = s.t_queue[0], s.t_queue[1:]
            if message[1] == self.runs_at_o(s):
                raise Wrong(f"two behaviours of {message[1]} run at once")
            after = s._replace(t_queue=rest, runs=message, t_step=0)
            yield f"T runs {message}", received(after, message)
        if any(s.t_outboxes):
            yield "T hands over", self.flush(s)
        for shard in s.t_owns:
            if get(s.arrivals, shard):
                yield "T takes in", self.take_in(s, shard)
        if "B" in s.t_owns:  # to somebody else, who delivers at once
            after = self.take_in(self.flush(s), "B")
            theirs = tuple(m for m in after.t_queue if m[1] == "B")
            after = after._replace(t_queue=tuple(m for m in after.t_queue if m[1] != "B"),
                                   t_owns=s.t_owns - {"B"}, elsewhere=s.elsewhere | {"B"})
            yield "T gives B away", arrive(after, "B", theirs)
        if not s.t_queue and not s.gate and s.seizures < SEIZURES:
            yield "T takes the gate", s._replace(gate=True, seizures=s.seizures + 1,
                                                 t="again" if s.c is not None else "has the gate")


if __name__ == "__main__":
    explain(sys.modules[__name__], sys.argv[1:])
