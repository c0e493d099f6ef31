# SPDX-License-Identifier: MIT
"""Peers: other actor systems that a sweep names like a strategy. docs/reference/peers.md describes
their protocol."""

import hashlib
import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import NamedTuple

from common.actorlab import ROOT
from common.failure import Failure, failing
from common.words import plural
from machine import topology
from machine.noise import Watch
from results.records import new_trial

TABLE = ROOT / "benchmarks" / "peers" / "peers.toml"
# The keys of a peer's table: their type, and whether they are required.
TABLE_KEYS = {"help": (str, True), "command": (list, True), "workloads": (list, True),
              "option": (str, False), "workers": (int, False), "warmup": (int, False)}
KINDS = {str: "a string", list: "a list of strings", int: "a positive whole number"}
RECORD_KEYS = ("benchmark", "parameters", "workers", "time_ns", "messages", "peak_rss_bytes", "version",
               "outcome")
# What actorlab says of its machine and of itself, and is so for a peer that ran beside it.
SHARED_ENVIRONMENT = ("cpu", "machine", "cpus_allowed", "topology_hash", "kernel", "governor", "turbo", "aslr", "thp",
                      "compiler", "build_type", "revision", "binary_hash")
CLOCK_SLACK = 1.01  # the sweep's clock starts before the peer's, but may run a little slower
INSTALL = "scripts/setup --peers installs what it needs"


class Peer(NamedTuple):
    name: str
    help: str
    command: tuple
    workloads: tuple
    built: tuple  # the words of the command that name files of the build
    option: str | None = None  # of meson: the one that builds it
    workers: int | None = None  # at most so many; None: any number
    warmup: int = 0  # iterations that it needs before those that count

    def present(self):
        return (shutil.which(self.command[0]) is not None
                and all(Path(word).is_file() for word in self.built))

    def lacking(self, identity, is_simulated, clip):
        """What keeps it from running a cell of this identity: a note, in which {} stands for a list
        of such as the second item; or None. clip: it may be left out because it is not there."""
        if is_simulated:
            return f"{self.name} is another program, which cannot be simulated", None
        if identity["benchmark"] not in self.workloads:
            return self.name + " has no {}", identity["benchmark"]
        if self.workers is not None and identity["workers"] > self.workers:
            return "{} workers; " + f"{self.name} has at most {plural(self.workers, 'worker')}", identity["workers"]
        if clip and not self.present():
            return f"{self.name} is not there: {self.how_to_get()}", None
        return None

    def how_to_get(self):
        return INSTALL if self.option else "docs/reference/peers.md explains where the sweep looks for it"

    def program_hash(self):
        """Identifies its command with the content of each file in place of its path; None if it is
        not there."""
        if not self.present():
            return None
        whole = hashlib.sha256()
        for word in (shutil.which(self.command[0]), *self.command[1:]):
            whole.update(Path(word).read_bytes() if Path(word).is_file() else word.encode())
            whole.update(b"\0")
        return whole.hexdigest()[:16]

    def plugin(self):
        """An entry for the list of schedulers: without options, victims or idle policies to choose
        from."""
        return {"name": self.name, "help": self.help, "options": [], "steals": False, "victim": "none",
                "sleeps": "own", "idle": "own", "peer": self}


def read(build, path=None):
    """name -> Peer, read from this table; or from actorlab's own, if it is there, and from that in
    AL_PEERS. {build} stands for the folder `build`."""
    if path is not None:
        return table(Path(path), build)
    known = table(TABLE, build) if TABLE.exists() else {}
    more = os.environ.get("AL_PEERS")
    for name, peer in table(Path(more), build).items() if more else ():
        if name in known:
            raise Failure(f"{more}: {name} is the name of a peer in {TABLE}: give it another one")
        known[name] = peer
    return known


def table(path, build):
    try:
        with failing(path):
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Failure(f"{path}: {error}") from None
    return {name: make(path, name, described, build) for name, described in tables.items()}


def make(path, name, table, build):
    if not isinstance(table, dict):
        raise Failure(f"{path}: {name} must be a table: write [{name}]")
    for key in table:
        if key not in TABLE_KEYS:
            raise Failure(f'{path}: unknown key "{key}" of {name} (valid: {", ".join(TABLE_KEYS)})')
    for key, (kind, needed) in TABLE_KEYS.items():
        if not needed and key not in table:
            continue
        value = table.get(key)
        fits = {str: lambda: True, list: lambda: value and all(isinstance(word, str) for word in value),
                int: lambda: natural(value)}[kind]
        if not isinstance(value, kind) or not fits():
            raise Failure(f"{path}: {name} needs {key}, {KINDS[kind]}")
    first, *rest = words = [word.replace("{build}", str(build)) for word in table["command"]]
    if "/" in first:
        first = str(path.absolute().parent / first)  # an absolute path stays as it is
    built = tuple(new for old, new in zip(table["command"], words) if new != old)
    return Peer(name, table["help"], (first, *rest), tuple(table["workloads"]), built, table.get("option"),
                table.get("workers"), table.get("warmup", 0))


def named(tables):
    """Every name under a key `scheduler`, anywhere in a configuration that is not checked yet."""
    found = set()
    items = tables.items() if isinstance(tables, dict) else ((None, item) for item in tables)
    for key, value in items:
        if key == "scheduler":
            names = value if isinstance(value, list) else [value]
            found.update(name for name in names if isinstance(name, str))
        elif isinstance(value, (dict, list)):
            found |= named(value)
    return found


def parse(output):
    """Parses the one line that a peer prints. Raises ValueError."""
    line, rest = (output.decode().split("\n", 1) + [""])[:2]
    if rest.strip():
        raise ValueError
    return json.loads(line, parse_constant=refuse)


def refuse(constant):
    raise ValueError(constant)


def nonsense(record, cell, iterations, seconds, messages):
    """Why this cannot be the record of such a trial, or None. messages: how many it delivers; None
    if only the peer knows."""
    if not isinstance(record, dict):
        return "its record is not a JSON object"
    if record.get("outcome", "ok") not in ("ok", "wrong"):
        return f"its outcome is {json.dumps(record['outcome'])}"
    wrong = record.get("outcome") == "wrong"
    for key in RECORD_KEYS + ("error",) * wrong:
        if key not in record:
            return f"its record has no {key}"
    for key in record:
        if key not in RECORD_KEYS + ("error",) * wrong:
            return f"its record has an unknown key {key}"
    asked = cell.identity
    for key in ("benchmark", "workers", "parameters"):
        if plain(record[key]) != plain(asked[key]):
            return (f"its record has {key} {json.dumps(record[key])}, "
                    f"but {json.dumps(asked[key])} was asked for")
    for key in ("version",) + ("error",) * wrong:
        if not isinstance(record[key], str) or not record[key]:
            return f"its {key} is not a text"
    for key in ("messages", "peak_rss_bytes"):
        if not natural(record[key]):
            return f"its {key} is {json.dumps(record[key])}, not a positive whole number"
    if messages is not None and record["messages"] != messages and not wrong:
        return f"it has {plural(record['messages'], 'message')}, but the workload has {messages:,}"
    times = record["time_ns"]
    if not isinstance(times, list) or not all(map(natural, times)):
        return "its time_ns is not a list of positive whole numbers"
    if len(times) > iterations or (len(times) < iterations and not wrong):
        return f"it has {plural(len(times), 'time')} for {plural(iterations, 'iteration')}"
    if sum(times) > seconds * 1e9 * CLOCK_SLACK:
        return (f"its times are {sum(times) / 1e9:.6g} s together, "
                f"but the process took {seconds:.6g} s")
    return None


def plain(value):
    """For comparisons in which 1 equals 1.0, but true does not equal 1."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return (isinstance(value, bool), value)


def natural(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def shared(environment):
    """The part of actorlab's environment that holds for a peer."""
    return {key: environment[key] for key in SHARED_ENVIRONMENT if key in environment}


class Confinement:
    """Which PUs peers have."""

    def __init__(self, actorlab):
        self.actorlab = actorlab
        self._orders = {}  # pin policy -> PUs

    def pus_of(self, cell):
        """As many as it has workers, those that our workers would be bound to. None with the policy
        none, and where actorlab cannot tell."""
        pin = cell.identity["pin"]
        if pin not in self._orders:  # of the node, if a task runs on a cluster
            self._orders[pin] = pin != "none" and topology.pus_in_order(self.actorlab, None, pin) or []
        return self._orders[pin][:cell.identity["workers"]]


def confined(command, pus):
    """The command, with all of its threads on these PUs; on any if there are none."""
    return ["taskset", "--cpu-list", ",".join(map(str, pus)), *command] if pus else command


class Witness:
    """What can be observed of a peer's trial from outside."""

    def __init__(self, peer, pus, confined_to):
        self.peer, self.pus, self.confined_to = peer, pus, confined_to
        self.program_hash = peer.program_hash()
        self._watch = Watch()

    def record(self, cell, given, started, outcome):
        """The record of a trial that has ended, without its schema_version: what the peer reported,
        completed by what was observed."""
        said, noise = outcome.record or {}, self._watch.noise()
        rest = outcome.details
        if outcome.record is not None:
            rest = {key: said[key] for key in said if key == "error"}
        return {
            "trial": new_trial(), "started_at": started, **cell.identity, "pus": [], "bound": [],
            "nodes": [], "oversubscribed": cell.identity["workers"] > self.pus, **given,
            "time_ns": said.get("time_ns", []), "messages": said.get("messages"), "counters": [],
            "peak_rss_bytes": said.get("peak_rss_bytes"),
            "peer": {"version": said.get("version"), "program_hash": self.program_hash, "pus": self.confined_to},
            "environment": {**noise["after"], **{key: noise[key] for key in ("voluntary_switches", "involuntary_switches")}},
            "noise": noise, "outcome": outcome.name,
            **rest,
        }
