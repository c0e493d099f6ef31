# SPDX-License-Identifier: MIT
"""Simulated cells: the machines that they are simulated on, and what identifies them."""

import json
import subprocess
from pathlib import Path

from common import actorlab
from common.failure import Failure
from sweep.config import groups_of
from sweep.values import shown

SIMULATOR = "actorlab-sim"
CHOICES = ("engine", "machine", "model")  # of the command line and of [sweep]
ENGINES = ("native", "sim")


class Machines:
    """What `actorlab machine` says of machines, asked once for each."""

    def __init__(self, program):
        self.program, self._known = program, {}

    def of(self, name):
        """The object of a machine, or a line on what is wrong with it."""
        if name not in self._known:
            done = subprocess.run([self.program, "machine", "--json", "--", name], capture_output=True, text=True,
                                  errors="replace")
            problem = done.stderr.strip().removeprefix("actorlab machine: ")
            self._known[name] = json.loads(done.stdout) if done.returncode == 0 else problem or f"no machine {shown(name)}"
        return self._known[name]

    def problem(self, name):
        found = self.of(name)
        return found if isinstance(found, str) else None

    def pus(self, name):
        """How many PUs it has; 0 if there is no such machine."""
        found = self.of(name)
        return 0 if isinstance(found, str) else found["pus"]


def check_machines(program, names):
    """Raises Failure with a line for each that does not exist or whose file is wrong."""
    machines = Machines(program)
    mistakes = list(filter(None, map(machines.problem, dict.fromkeys(names))))
    if mistakes:
        raise Failure("\n".join(mistakes))


def short_name(machine):
    """As records have it: of a file without folder and ending."""
    return Path(machine).name.removesuffix(".xml")


def is_simulated(given):
    """Whether a cell with these keys is."""
    return given.get("engine") == "sim"


def wanted(tables, chosen):
    """Whether a configuration that is not checked yet may have simulated cells."""
    if chosen.get("engine"):
        return chosen["engine"] == "sim"
    values = [group.get("engine") for group in groups_of(tables, ("sweep", "axes", "set"))]
    return any("sim" in value if isinstance(value, list) else value == "sim" for value in values)


def chosen(options):
    """The choices of a command line that were made. Raises Failure for a --model that is none."""
    model = {}
    for pair in options.model or ():
        key, equals, value = pair.partition("=")
        try:
            model[key] = float(value) if equals and key else None
        except ValueError:
            model[key] = None
        if model[key] is None:
            raise Failure(f"--model {pair}: must be KEY=NUMBER, such as locked=7")
    options.model = [f"{key}={value:.15g}" for key, value in model.items()] or None
    return {key: value for key, value in (("engine", options.engine), ("machine", options.machine),
                                          ("model", model)) if value}


def folder(name, chosen):
    """That of a sweep's results. A command line that simulates a configuration must not add to
    what was measured by it."""
    where = short_name(chosen["machine"]) if "machine" in chosen else chosen.get("engine")
    return f"{name}-{where}" if where else name


def apply(chosen, settings, axes, fixed):
    """Moves what the command line and [sweep] say of engine and machine into the keys that all
    cells share, and returns [(place, mistake)]."""
    mistakes = []
    settings.model = {**settings.model, **chosen.get("model", {})}
    if chosen.get("engine") == "native":
        settings.machine, settings.model = None, {}
        fixed.pop("machine", None)
    for key in ("engine", "machine"):
        value = chosen.get(key) or getattr(settings, key)
        if chosen.get(key) and key in axes:
            mistakes.append((axes[key][0], f"--{key} {chosen[key]}: {key} is an axis of this sweep"))
        elif value and key in axes:
            mistakes.append((("sweep", key), f"{key} is also given in [axes]"))
        elif value and key in fixed and not chosen.get(key):
            mistakes.append((("sweep", key), f"{key} is also given in [set]"))
        elif value:
            fixed[key] = (("sweep", key), value)
    return mistakes


def values_of(group, key):
    """All values that a group of cells gives to a key; the group: key -> (place, value or
    values)."""
    value = group.get(key, ((), None))[1]
    return value if isinstance(value, list) else [value] if value is not None else []


def engines_of(group):
    return values_of(group, "engine") or ["native"]


def namesakes(groups):
    """[(place, mistake)] of machine files that records could not tell apart."""
    known = {}  # name -> machine
    for group in groups:
        for machine in filter(lambda value: isinstance(value, str), values_of(group, "machine")):
            name = short_name(machine)
            if known.setdefault(name, machine) != machine:
                yield group["machine"][0], (
                    f"machines {shown(known[name])} and {shown(machine)} are both called {name} in "
                    "records: give one file another name")


def group_mistakes(group, settings):
    """[(place, mistake)] of the keys of a group of cells: key -> (place, value or values)."""
    def values(key):
        return values_of(group, key)

    engines = engines_of(group)
    place = next((group[key][0] for key in ("engine", "machine") if key in group), ("sweep",))
    if "sim" in engines and not values("machine"):
        yield place, 'engine = "sim" without a machine: give it as machine = "epyc-7662-2s" (actorlab machine lists them)'
    if "sim" not in engines and values("machine"):
        yield group["machine"][0], 'machine without engine = "sim"; valid: both or neither'
    if "sim" not in engines and settings.model:
        yield ("sweep", "model"), 'model without engine = "sim"; valid: only with it'
    if "sim" in engines and values("topology"):
        yield group["topology"][0], 'topology with engine = "sim"; valid: the topology is the machine\'s'


def flat(model):
    """handoff.l3 = 30 is a nested table."""
    found = {}
    for key, value in model.items():
        inner = flat(value) if isinstance(value, dict) else {None: value}
        found |= {key if name is None else f"{key}.{name}": item for name, item in inner.items()}
    return found


def identity(given, model):
    """What identifies a simulated cell beside what it shares with a native one."""
    name = short_name(given["machine"])
    overridden = {key: float(value) for key, value in sorted(model.items())}
    return {"topology": name, "engine": "sim", "machine": {"name": name, "overridden": overridden}}


def key_of(machine):
    """Identifies the machine of a record or of a cell's identity, but not its model."""
    machine = machine or {}
    return json.dumps([machine.get("name"), machine.get("overridden")], sort_keys=True)


def environment(program):
    """That of the simulator beside this actorlab. Raises Failure if there is none."""
    simulator = Path(program).with_name(SIMULATOR)
    if not simulator.exists():
        raise Failure(f"{simulator}: No such file: simulated trials need it beside {Path(program).name}")
    return actorlab.ask(simulator, "list", "--json", process_group=0)["environment"]


def difference(record, machines, binary_hash):
    """(what, theirs, ours) if a simulated record is of another model than this one, or of another
    program; None if not. The host does not matter. machines: key_of a machine: the machine."""
    machine = record.get("machine") or {}
    ours = {**machines.get(key_of(machine), machine), "binary_hash": binary_hash}
    for key, what in (("model_hash", f"the model of {machine.get('name')}"), ("binary_hash", "binary_hash of the simulator")):
        if ours[key] is not None and machine.get(key) != ours[key]:
            return what, machine.get(key), ours[key]
    return None
