# SPDX-License-Identifier: MIT
"""A cell of a sweep: one combination of workload, strategy, options, workers, and build."""

import hashlib
import json
from typing import NamedTuple

from common.words import plural
from results.records import HERE
from sweep import expressions, simulated
from sweep.binaries import AXIS, Binary, Unfit, given_kinds
from sweep.peers import Peer
from sweep.registry import FLAGS, KINDS
from sweep.values import option_mistake, shown

SORTED = json.JSONEncoder(sort_keys=True).encode


class Cell(NamedTuple):
    """One configuration. `flags` and `options` are the arguments of `actorlab run`, or of the peer;
    `identity` completes the records of trials that could not write their own."""

    id: str
    name: str
    flags: dict
    options: dict
    identity: dict
    oversubscribe: bool
    peer: Peer | None = None
    twin: bool = False  # repeats another cell, to check that equal cells do not differ
    binary: Binary | None = None  # the build that runs it, if the sweep compares builds
    model: dict | None = None  # of a simulated one, the overridden parameters of its machine

    def command(self, actorlab, *more, block=None):
        """The command to run, as a list of words."""
        if self.peer is not None:
            return [*self.peer.command, *self.arguments(), *more]
        return [str(self.program(actorlab, block)), "run", *self.arguments(), *more, "--json", "-"]

    def program(self, actorlab, block=None):
        """Its own build, in the block's layout if it has any, or this actorlab."""
        if block is not None and self.layouts:
            return self.layouts[block % len(self.layouts)]
        return self.binary.program if self.binary is not None else actorlab

    @property
    def layouts(self):
        """Of its build; none if it is simulated, where addresses cost nothing."""
        return () if self.binary is None or self.simulated else self.binary.layouts

    @property
    def simulated(self):
        return self.model is not None

    def shown(self):
        program = f"peer {self.peer.name}" if self.peer else "actorlab run"
        build = [f"({self.binary.name})"] if self.binary is not None else []
        return " ".join([program, *self.arguments(), *build, *["(twin)"] * self.twin])

    @property
    def bare_name(self):
        """Its name without its build."""
        return self.name.removesuffix(build_suffix(self.binary))

    def arguments(self):
        flags, options = self.flags, self.options
        if self.peer is not None:  # it does not know actorlab's defaults
            flags = {key: self.identity[key] for key in ("benchmark", "workers")}
            options = self.identity["parameters"]
        words = [flags["benchmark"]]
        for flag, value in flags.items():
            if flag not in ("benchmark", AXIS):
                words += [f"--{flag}", str(value)]
        for key, value in (self.model or {}).items():
            words += ["--model", f"{key}={value:.15g}"]
        for key, value in options.items():
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
        return words + ["--oversubscribe"] * (self.oversubscribe and self.peer is None)


def overridden(config, given, names, met):
    """The options that overrides give to a cell. They match its given keys and the names that these
    stand for. Adds the positions of those that match to `met`."""
    known = names | given
    found = {}
    for number, (where, options) in enumerate(config.override):
        if all(known.get(key) == value for key, value in where.items()):
            found |= options
            met.add(number)
    return found


def make_cell(config, registry, axis_values, overrides):
    """Raises Unfit if the cell's build cannot run it."""
    given = {**config.fixed, **axis_values}
    names = registry.complete(given_kinds(given))
    for kind in ("victim", "idle"):  # the scheduler's default replaces what it does not accept
        if not registry.takes(names["scheduler"], kind, names[kind]):
            given.pop(kind, None)
            names = registry.complete({**names, kind: None})
    peer = registry.peer(names["scheduler"])
    if peer is not None:
        given.pop(AXIS, None)  # a peer is no build of actorlab: it runs once
    special = overridden(config, given, names, overrides)
    given |= special
    for key in () if simulated.is_simulated(given) else ("engine", "machine"):
        given.pop(key, None)
    flags = {key: given[key] for key in FLAGS if key in given}
    own, set_by = registry.options_among(given, names)
    workers = given.get("workers") or registry.usable(*(given.get(key) for key in ("topology", "machine", "pin")))
    options = {key: number_of(registry, key, given[key], workers, names) for key in own}
    # The configuration overrides its size; a size of the command line yields only to axes.
    for name, value in registry.preset(names["benchmark"], config.size).items():
        key = set_by.get(name, f"{names['benchmark']}.{name}")
        if key not in options or config.resized and key not in axis_values | special:
            options[key] = value
    binary = registry.binaries.get(flags.get(AXIS))
    identity = identity_of(registry, binary, given, names, options)
    if peer is not None:
        # Its threads cannot be placed, but it is confined to the PUs that our workers would have.
        identity |= {"topology": HERE}
        flags.pop("topology", None)
    if simulated.is_simulated(given):
        identity |= simulated.identity(given, config.model)
    text = SORTED(identity)
    varied = {**config.axes, **axis_values, **special}
    named = flags
    if simulated.is_simulated(given):
        named = {**flags, "machine": simulated.short_name(given["machine"])}
    name = cell_name(named, {key: options[key] for key in varied if key in options})
    return Cell(
        id=hashlib.sha256(text.encode()).hexdigest()[:12],
        name=name + build_suffix(binary),
        flags=flags,
        options=options,
        identity=identity,
        oversubscribe=config.oversubscribe,
        peer=peer,
        binary=binary,
        model=config.model if simulated.is_simulated(given) else None,
    )


def number_of(registry, key, value, workers, names):
    """The value of an option in a cell with so many workers."""
    if not expressions.is_expression(value):
        return value
    for _, owner, definition in registry.owners(key, {kind: [name] for kind, name in names.items()}):
        if definition["type"] == "enum":
            return value
        said = f"{key} = {shown(value)} with {plural(workers, 'worker')}"
        try:
            number = expressions.resolved(value, workers, definition["type"])
        except expressions.NoExpression as error:
            raise Unfit(f"{said} {error}") from None
        if mistake := option_mistake(key, number, owner, definition):
            raise Unfit(f"{said}: {mistake}")
    return number


def identity_of(registry, binary, given, names, options):
    """What tells the cell from others, with the defaults of the build that runs it."""
    if binary is not None:
        kinds = given_kinds(given)
        try:
            binary.require(kinds, options)
        except Unfit as unfit:
            raise Unfit(f"{AXIS} = {binary.name}: {binary.program} {unfit}") from None
        registry, names = binary.registry, binary.registry.complete(kinds)
    identity = {
        "benchmark": names["benchmark"],
        "parameters": registry.resolved(["benchmark"], names, options),
        "scheduler": names["scheduler"],
        "victim": names["victim"],
        "idle": names["idle"],
        "options": registry.resolved(["scheduler", "victim", "idle"], names, options),
        "workers": given.get("workers") or registry.usable(*(given.get(key) for key in ("topology", "machine", "pin"))),
        "pin": given.get("pin", registry.pins[0]),
        "topology": given.get("topology", HERE),
        "engine": "native",
    }
    return identity if binary is None else identity | {AXIS: binary.name}


def matches(cell, entry):
    """Whether a cell has all these values in its identity or options."""
    known = cell.identity | cell.identity["parameters"] | cell.identity["options"]
    return all(known.get(key) == value for key, value in entry.items())


def build_suffix(binary):
    return f" {AXIS}={binary.name}" if binary is not None else ""


def cell_name(flags, varied):
    """Names and varying keys, such as "executor inverted longest workers=2 shards=16"."""
    words = [flags[kind] for kind in KINDS if kind in flags]
    words += [f"{key}={value}" for key, value in flags.items() if key not in (*KINDS, AXIS, "engine")]
    return " ".join(words + [f"{key}={value}" for key, value in varied.items()])
