#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every parameter of a workload and every option of a plug-in changes something that is measured
on the simulated machine, or is listed here with the reason. Of an enum each value differs from all
others; of a number two values differ, neither of them the least. Names and ranges are those of
`actorlab list`, so that a new option is tested by being listed.

Parameters of workloads do so natively as well, since what a behaviour does there and what it
declares to the simulated machine are written apart. So do those options of strategies that act with
one worker, whose native runs are alike. What the others change, and all of victims and idle
policies, takes several workers and depends natively on what else the host does; their code is the
same on both engines.

AL_BUILD names the build folder."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import varying

SCENES = ("balance-one", "executor", "bang", "send-dynamic")  # where options are compared
SPECIAL = {"custody.hold": ("big",)}
SMALL = ("--size", "small")
SMALLER = {"balance-one": ("--set", "rounds=2")}  # which shows options as well

# Options that do something only together with others.
ALSO = {
    "inverted.envelopes": ("--set", "queue=list"),
    "inverted.steal_patience": ("--set", "steal_least=1000000"),
    "deque.preset": ("--idle", "spin"),  # with sleeps between few attempts it makes no difference
    "deque.steal_backoff": ("--idle", "spin"),
    "las.preset": ("--idle", "spin"),
    "las.steal_backoff": ("--idle", "spin"),
    "custody.hold": ("--set", "epoch=5"),
    "polling.relaxed_steal": ("--set", "aggressive_attempts=0", "--set", "moderate_attempts=0", "--set",
                              "relaxed_sleep=1"),
    "polling.relaxed_sleep": ("--set", "aggressive_attempts=0", "--set", "moderate_attempts=0"),
}
# Values that are valid, take a suitable time, and show it.
VALUES = {
    "astar.size": (8, 100),
    "balance-multi.work": (1, 100, 1000),
    "balance-one.work": (1, 100, 1000),
    "barber.haircut": (20, 50000),
    "barber.production": (20, 50000),
    "chat.active": (10, 50),
    "chat.rate": (25000, 1000000),
    "custody.hold": (10, 100000),
    "deque.steal_backoff": (1000, 100000),
    "inverted.mailboxes": (16, 64),
    "inverted.steal_patience": (1, 1000000000),
    "las.steal_backoff": (1000, 100000),
    "nqn.queens": (8, 9),
    "open.feasible": (10, 100),
    "open.rate": (5000, 200000),
    "pubsub.rate": (10000, 1000000),
    "synthetic.blocking": (1, 100),
    "synthetic.hot_visits": (1, 50),
    "synthetic.local": (1, 90),
    "synthetic.work": (1, 100_000),  # what other programs take must not hide it
    "trapr.pieces": (10000, 300000),
}
# Other parameters with which it matters, or sizes at which time or memory shows it.
SIZES = {
    "barber.haircut": ("--set", "customers=200"),
    "barber.production": ("--set", "customers=200"),
    "bystander.times": ("--set", "beside=pingpong"),
    "csll.values": ("--set", "writes=90", "--set", "sizes=0"),
    "matrix.kernel": ("--set", "rows=320"),
    "open.burst": ("--set", "arrivals=bursts"),
    "open.feasible": ("--set", "load=0.5", "--set", "requests=100"),
    "open.rate": ("--set", "requests=100"),  # 20 ms
    "outside.ns": ("--set", "busy=4"),
    "outside.turns": ("--set", "busy=4"),
    "synthetic.blocking": ("--set", "work=100000"),
    "synthetic.hot": ("--set", "hot_visits=50"),
    "synthetic.hot_at": ("--set", "hot_visits=50"),
    "synthetic.neighbours": ("--set", "local=90"),
    "synthetic.phases": ("--set", "hot_visits=50"),
    "synthetic.service": ("--set", "work=1000"),
    "uct.size": ("--set", "cost=100"),
}
# Why nothing that is measured changes, on both engines.
DATA = {
    "facloc.grid": "costs are compared in diagonals of the square",
    "logm.rate": "terms take the same time whatever their values",
    "logm.increment": "as rate",
    "apsp.weight": "lengths are added and compared in the same time whatever their values",
    "trapr.left": "a trapezoid takes the same time everywhere",
    "trapr.right": "as left",
}
# What changes only times in native runs, and those too little to prove anything on a busy host.
ONLY_TIME = {
    "bndbuffer.buffer": "as many messages, in another order",
    "cdict.writes": "a write copies and checks as much as a read",
    "chat.blocked": "a letter from a blocked user is not deciphered",
    "csll.writes": "only the list gets longer",
    "csll.sizes": "a query walks twice as far as a read",
    "open.arrivals": "as many requests, at other times",
    "open.service": "the mean is the same",
    "synthetic.service": "as open.service",
    "uct.deviation": "as open.service",
}
# Where messages go is decided by the same lines on both engines.
ONLY_TIME |= {f"synthetic.{name}": "as many messages, to others"
              for name in ("hot", "hot_visits", "hot_at", "local", "neighbours", "phases")}
# The same memory from another source, in every workload that allocates.
ONLY_TIME |= {f"{workload['name']}.memory": "free lists and malloc take about as long"
              for workload in varying.LISTING["benchmarks"]
              if any(option["name"] == "memory" for option in workload["options"])}
# Where one worker shows an option of a strategy natively.
ALONE = ("repeat", "nqn", "csll")
ALONE_SPECIAL = {
    "deque.preset": ("bang",), "las.preset": ("bang",), "mercury.first": ("bang",), "custody.grown": ("bang",),
    "mercury.max_throughput": ("balance-one",), "custody.deal": ("executor",),
}
ALONE_ALSO = {key: ("--set", "bang.messages=5000") for key in ("deque.preset", "las.preset")}
# Why one worker does not show it.
NEEDS_OTHERS = {
    **dict.fromkeys(("inverted.steal_after", "inverted.steal_least", "inverted.steal_patience", "inverted.steal_backoff",
                     "deque.steal_backoff", "las.steal_backoff"), "there is nobody to steal from"),
    **dict.fromkeys(("custody.quantum", "custody.flush", "custody.worth", "custody.scatter", "custody.exchange_message",
                     "custody.exchange_chunk", "custody.seize", "custody.split"), "there is nobody to send or give to"),
    **dict.fromkeys(("custody.epoch", "custody.hold"), "there are no fewer workers than one"),
    "inverted.tickets": "one worker owns all mailboxes",
    **dict.fromkeys(("inverted.lock", "deque.lock", "las.lock"), "one worker waits for no lock"),
    "mercury.wake": "there is nobody else to wake",
    **dict.fromkeys(("mercury.preset", "sharing.preset", "sharing.take"),
                    "one worker takes as many messages, in other turns and under fewer locks, which nothing counts"),
}
LADEN = ("deque", "las", "mercury", "sharing")  # strategies with the option library
NEEDS_OTHERS |= {f"{strategy}.library": "nothing changes but the time: test_library" for strategy in LADEN}
CHOSEN_BY = {"benchmarks": (), "schedulers": ("--scheduler",), "victims": ("--victim",),
             "idle": ("--scheduler", "deque", "--idle")}


def options(*kinds):
    """(key, option, words that choose the plug-in, scenes) of everything that can be set."""
    for kind in kinds:
        for plugin in varying.LISTING[kind]:
            words = CHOSEN_BY[kind] and (*CHOSEN_BY[kind], plugin["name"])
            for option in plugin["options"]:
                key = f"{plugin['name']}.{option['name']}"
                yield key, option, words, SPECIAL.get(key, SCENES) if words else (plugin["name"],)


def setting(key, scene, option, value):
    name = option["name"] if key.startswith(f"{scene}.") else key
    return ("--set", f"{name}={value}")


def preset(scene, option):
    """The value of a workload's parameter in the size small."""
    for workload in varying.LISTING["benchmarks"]:
        if workload["name"] == scene:
            return dict(word.split("=") for word in workload["small"].split()).get(option["name"])
    return None


def choices(key, scene, option):
    now = preset(scene, option) if key.startswith(f"{scene}.") else None
    return VALUES.get(key) or varying.values(option, option["default"] if now is None else now)


class Parameters(unittest.TestCase):
    def commands(self, key, option, words, scene, more=()):
        """Value -> command."""
        smaller = SMALLER.get(scene, ()) if words else ()
        also = (*SMALL, *smaller, *ALSO.get(key, ()), *SIZES.get(key, ()), *more)
        return {value: (scene, *words, *also, *setting(key, scene, option, value))
                for value in choices(key, scene, option)}

    def changes_simulated(self, key, option, words, scenes):
        """Whether each value of an enum, or two of a number, give different runs."""
        seen = {}
        for scene in scenes:
            for value, command in self.commands(key, option, words, scene).items():
                measured = varying.simulated(command)
                if measured is not None:
                    seen.setdefault(value, []).append(measured)
                if option["type"] != "enum" and len({tuple(runs) for runs in seen.values()}) > 1:
                    return True
            if option["type"] == "enum" and len({tuple(runs) for runs in seen.values()}) == len(option["choices"]):
                return True
            if option["type"] != "enum":
                seen = {}
        return False

    def changes_natively(self, key, option, scene):
        """Whether any two values give other messages, or the first and the last anything else."""
        valid, messages = [], set()
        for command in self.commands(key, option, (), scene).values():
            measured = varying.native(command)
            if measured is not None:
                valid.append(command)
                messages.add(measured["messages"])
            if len(messages) > 1:
                return True
        return any(varying.differ_natively(valid[0], other) for other in valid[:0:-1])

    def test_simulated(self):
        keys = set()
        for key, option, words, scenes in options(*CHOSEN_BY):
            keys.add(key)
            with self.subTest(key):
                changes = self.changes_simulated(key, option, words, scenes)
                self.assertNotEqual(changes, key in DATA, DATA.get(key, "changes nothing"))
        self.assertEqual({*ALSO, *VALUES, *SIZES, *SPECIAL, *DATA, *ONLY_TIME} - keys, set())

    def test_native(self):
        for key, option, _, scenes in options("benchmarks"):
            with self.subTest(key):
                self.assertTrue(key in {**DATA, **ONLY_TIME} or self.changes_natively(key, option, scenes[0]))

    def test_alone(self):
        measured = varying.alone(("repeat", *SMALL))
        if not (measured.get("gulps") and measured["allocated_bytes"]):
            self.skipTest("a build without counters, or whose allocator does not say what it holds")
        keys = set()
        for key, option, words, _ in options("schedulers"):
            keys.add(key)
            with self.subTest(key):
                self.assertTrue(key in NEEDS_OTHERS or any(
                    self.changes_alone(key, option, words, scene) for scene in ALONE_SPECIAL.get(key, ALONE)))
        self.assertEqual({*NEEDS_OTHERS, *ALONE_SPECIAL} - keys, set())

    def test_library(self):
        """Natively each message takes the time that `library` adds; tests/schedulers/library.c
        tests the simulated time."""
        for strategy in LADEN:
            with self.subTest(strategy):
                record, seconds = varying.run(("executor", *SMALL, "--scheduler", strategy, "--workers", "1",
                                               "--set", "rounds=1", "--set", "library=20000"))
                for took in (record["time_ns"][0] / 1e9, seconds):
                    self.assertGreater(took, record["messages"] * 15e-6)

    def changes_alone(self, key, option, words, scene):
        """Whether the first value and any other differ in what one worker does."""
        commands = self.commands(key, option, words, scene, ALONE_ALSO.get(key, ()))
        valid = [command for command in commands.values() if varying.native(command, 1) is not None]
        return any(varying.differ_natively(valid[0], other, measure=varying.alone) for other in valid[:0:-1])


if __name__ == "__main__":
    unittest.main()
