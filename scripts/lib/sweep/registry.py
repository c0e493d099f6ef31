# SPDX-License-Identifier: MIT
"""What this actorlab offers: benchmarks, schedulers, victims, idle policies and the options of
each; and the peers, which are schedulers that run another program."""

from common.failure import Failure

KINDS = {"benchmark": "benchmarks", "scheduler": "schedulers", "victim": "victims", "idle": "idle"}
FLAGS = (*KINDS, "workers", "pin", "topology", "engine", "machine", "binary")  # of a cell
OWN = "own"  # the idle policy of a scheduler that sleeps in its own way


class Registry:
    """Made from `actorlab list --json`. `used` maps a kind to the names of it that matter."""

    def __init__(self, listing, place_problem, peers=None, pus_of=None, machines=None, order=None):
        """place_problem(topology, pin) says what is wrong with the two, or None; pus_of(topology)
        returns its number of PUs. peers: name -> Peer. machines: Machines. order(topology, pin):
        its PUs in the order of workers, or None."""
        self.machines = machines
        self._pus_of, self._usable = pus_of, {}
        self.order, self._orders = order, {}
        self.binaries = {}  # name -> Binary, or what is wrong with it
        self.pus = listing["pus"]
        self.pins = listing["pin"]
        self.environment = listing["environment"]
        self.victims = listing["victims"]
        self.limits = listing["limits"]
        self.most_workers = self.limits["workers"]
        self.schema_version = listing["schema_version"]
        self.twin_seed = self.limits.get("twin_seed")  # old builds simulate nothing
        self.place_problem = place_problem
        self._among, self._presets, self._defaults = {}, {}, {}
        self._plugins = {
            kind: {entry["name"]: entry for entry in listing[plural]}
            for kind, plural in KINDS.items()
        }
        for plugins in self._plugins.values():
            for plugin in plugins.values():
                plugin["options"] = [typed(option) for option in plugin["options"]]
        for name, peer in (peers or {}).items():
            if name in self._plugins["scheduler"]:
                raise Failure(f"the peer {name} has the name of a strategy: give it another")
            self._plugins["scheduler"][name] = peer.plugin()

    def leave_pus_to_nodes(self):
        """Each task of a cluster checks the PUs of its node, which need not be as here."""
        self.pus, self.order = self.most_workers, None

    def usable(self, topology, machine=None, pin=None):
        """How many workers can run at once on PUs of their own. Another topology has no more
        threads than this machine, but a simulated machine has its own. A pin policy may keep to
        some PUs."""
        most = self._usable_at_all(topology, machine)
        pus = self._in_order(topology, machine, pin) if pin is not None else None
        return min(most, len(pus)) if pus else most

    def _usable_at_all(self, topology, machine):
        if machine is not None:
            return self.machines.pus(machine)
        if topology is None or self._pus_of is None:
            return self.pus
        if topology not in self._usable:
            self._usable[topology] = min(self.pus, self._pus_of(topology) or self.pus)
        return self._usable[topology]

    def pus_of_workers(self, topology, machine, pin, workers):
        """The PUs of so many workers, or None if they are not known."""
        pus = self._in_order(topology, machine, pin)
        return [pus[worker % len(pus)] for worker in range(workers)] if pus else None

    def _in_order(self, topology, machine, pin):
        found = self.machines.of(machine) if machine is not None else {"file": topology}
        if self.order is None or isinstance(found, str):  # what is wrong with the machine
            return None
        where = found["file"]
        if (where, pin) not in self._orders:
            self._orders[where, pin] = self.order(where, pin)
        return self._orders[where, pin]

    def peer(self, scheduler):
        """The Peer of that name, or None."""
        return self._plugins["scheduler"].get(scheduler, {}).get("peer")

    def names(self, kind):
        return list(self._plugins[kind])

    def takes(self, scheduler, kind, name):
        """Whether a scheduler accepts that victim or idle policy. A scheduler that does not steal
        accepts no victims. One that sleeps only in its own way accepts no idle policies, and one
        that has no way of its own accepts all the others."""
        entry = self._plugins["scheduler"][scheduler]
        if kind == "victim":
            return entry.get("steals", True)
        sleeps = entry.get("sleeps", "either")
        return sleeps == "either" or (sleeps == "policy" and name != OWN)

    def complete(self, names):
        """The names of all four kinds. The first scheduler is the default, and each scheduler has a
        default victim and idle policy."""
        scheduler = names.get("scheduler") or self.names("scheduler")[0]
        own = self._plugins["scheduler"][scheduler]
        return {
            "benchmark": names["benchmark"],
            "scheduler": scheduler,
            "victim": names.get("victim") or own.get("victim"),
            "idle": names.get("idle") or own.get("idle"),
        }

    def preset(self, benchmark, size):
        """The parameters of a size that differ from the defaults. Callers must not change them."""
        if (found := self._presets.get((benchmark, size))) is not None:
            return found
        entry = self._plugins["benchmark"][benchmark]
        types = {option["name"]: {"uint": int, "real": float}.get(option["type"], str)
                 for option in entry["options"]}
        # small will do where there is no sim.
        given = entry.get(size) or size == "sim" and entry.get("small")
        settings = (setting.partition("=") for setting in (given or "").split())
        found = {key: types[key](value) for key, _, value in settings}
        self._presets[benchmark, size] = found
        return found

    def owners(self, key, used):
        """(kind, name, definition) of every option that a key (OPTION or PLUG-IN.OPTION) means."""
        plugin, _, option = key.rpartition(".")
        return [
            (kind, name, definition)
            for kind, names in used.items()
            for name in names
            for definition in self._options(kind, name)
            if definition["name"] == option and plugin in ("", name)
        ]

    def options_among(self, keys, names):
        """The keys that are options of these plug-ins, and the key that sets each parameter of the
        benchmark among them. Computed once for all cells with the same keys."""
        asked = (*keys, *names.values())
        if asked not in self._among:
            used = {kind: [name] for kind, name in names.items()}
            own = [key for key in keys if key not in FLAGS and self.owners(key, used)]
            benchmark = {"benchmark": used["benchmark"]}
            self._among[asked] = own, {definition["name"]: key for key in own
                                       for _, _, definition in self.owners(key, benchmark)}
        return self._among[asked]

    def with_defaults(self, used):
        """The names used, with defaults for kinds that have none."""
        schedulers = used.get("scheduler") or self.names("scheduler")[:1]
        filled = {"benchmark": [], "scheduler": schedulers}
        filled |= {kind: names for kind, names in used.items() if names}
        for kind in ("victim", "idle"):
            names = used.get(kind, [])
            # A scheduler's default, if none is given or one that it does not accept.
            own = [self._plugins["scheduler"][s].get(kind) for s in schedulers
                   if not names or not all(self.takes(s, kind, name) for name in names)]
            filled[kind] = list(dict.fromkeys([*names, *filter(None, own)]))
        return filled

    def everything(self):
        return {kind: self.names(kind) for kind in KINDS}

    def option_names(self, used):
        return sorted({option["name"] for kind, names in used.items() for name in names
                       for option in self._options(kind, name)})

    def resolved(self, kinds, names, given):
        """Every option of those plug-ins with its value, given or default."""
        asked = tuple((kind, names[kind]) for kind in kinds)
        if asked not in self._defaults:
            self._defaults[asked] = [
                (option["name"], f"{name}.{option['name']}", option["default"])
                for kind, name in asked for option in self._options(kind, name)]
        return {option: given.get(full, given.get(option, default))
                for option, full, default in self._defaults[asked]}

    def _options(self, kind, name):
        return self._plugins[kind][name]["options"] if name in self._plugins[kind] else []


def typed(option):
    """The option with numbers for its default and range, which the list has as text."""
    number = {"uint": int, "real": float}.get(option["type"])
    if number is None:
        return option
    return option | {key: number(option[key]) for key in ("default", "min", "max")}
