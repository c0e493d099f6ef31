# SPDX-License-Identifier: MIT
"""What this actorlab knows: benchmarks, schedulers, victims, idle policies, and the options of each; and the
peers, which are schedulers that run another program."""

from common.failure import Failure

KINDS = {"benchmark": "benchmarks", "scheduler": "schedulers", "victim": "victims", "idle": "idle"}
FLAGS = (*KINDS, "workers", "pin", "topology")  # what is no option of a plug-in
OWN = "own"  # the idle policy by which a scheduler sleeps in its own way


class Registry:
    """Made from `actorlab list --json`. `used` maps a kind to the names of it that matter."""

    def __init__(self, listing, place_problem, peers=None, pus_of=None):
        """place_problem(topology, pin) says what is wrong with the two, or None; pus_of(topology), how many PUs it has.
        peers: name -> Peer."""
        self._pus_of, self._usable = pus_of, {}
        self.pus = listing["pus"]
        self.pins = listing["pin"]
        self.environment = listing["environment"]
        self.most_workers = listing["limits"]["workers"]
        self.schema_version = listing["schema_version"]
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

    def usable(self, topology):
        """How many workers may run at once, each on a PU of its own: a topology has no more threads than this machine."""
        if topology is None or self._pus_of is None:
            return self.pus
        if topology not in self._usable:
            self._usable[topology] = min(self.pus, self._pus_of(topology) or self.pus)
        return self._usable[topology]

    def peer(self, scheduler):
        """The Peer of that name, or None."""
        return self._plugins["scheduler"].get(scheduler, {}).get("peer")

    def has(self, scheduler, benchmark):
        """Whether it has that workload: a strategy has all."""
        peer = self.peer(scheduler)
        return peer is None or benchmark in peer.workloads

    def names(self, kind):
        return list(self._plugins[kind])

    def takes(self, scheduler, kind, name):
        """Whether a scheduler can be given that victim or idle policy. One that does not steal has no
        choice of victims; one that sleeps in its own way alone has none of idle policies, and one
        that cannot has all the others."""
        entry = self._plugins["scheduler"][scheduler]
        if kind == "victim":
            return entry.get("steals", True)
        sleeps = entry.get("sleeps", "either")
        return sleeps == "either" or (sleeps == "policy" and name != OWN)

    def complete(self, names):
        """The names of all four kinds: the first scheduler is the default one, and a scheduler
        has a victim and an idle policy of its own."""
        scheduler = names.get("scheduler") or self.names("scheduler")[0]
        own = self._plugins["scheduler"][scheduler]
        return {
            "benchmark": names["benchmark"],
            "scheduler": scheduler,
            "victim": names.get("victim") or own.get("victim"),
            "idle": names.get("idle") or own.get("idle"),
        }

    def preset(self, benchmark, size):
        """The parameters of a size: what differs from the defaults. Not to be changed."""
        if (found := self._presets.get((benchmark, size))) is not None:
            return found
        entry = self._plugins["benchmark"][benchmark]
        types = {option["name"]: {"uint": int, "real": float}.get(option["type"], str) for option in entry["options"]}
        settings = (entry.get(size) or "").split()
        found = {key: types[key](value) for key, _, value in (setting.partition("=") for setting in settings)}
        self._presets[benchmark, size] = found
        return found

    def owners(self, key, used):
        """(kind, name, definition) of every option that the key means: NAME or PLUG-IN.NAME."""
        plugin, _, option = key.rpartition(".")
        return [
            (kind, name, definition)
            for kind, names in used.items()
            for name in names
            for definition in self._options(kind, name)
            if definition["name"] == option and plugin in ("", name)
        ]

    def options_among(self, keys, names):
        """Those of the keys that are options of plug-ins of these names, and for each parameter of the benchmark among
        them the key that means it. Worked out once for all cells that are given the same keys."""
        asked = (*keys, *names.values())
        if asked not in self._among:
            used = {kind: [name] for kind, name in names.items()}
            own = [key for key in keys if key not in FLAGS and self.owners(key, used)]
            self._among[asked] = own, {definition["name"]: key for key in own for _, _, definition in
                                       self.owners(key, {"benchmark": used["benchmark"]})}
        return self._among[asked]

    def with_defaults(self, used):
        """The same with the names that kinds without any stand for."""
        schedulers = used.get("scheduler") or self.names("scheduler")[:1]
        filled = {"benchmark": [], "scheduler": schedulers} | {kind: names for kind, names in used.items() if names}
        for kind in ("victim", "idle"):
            names = used.get(kind, [])
            # A scheduler's own, if none is given or one that it does not take.
            own = [self._plugins["scheduler"][s].get(kind) for s in schedulers
                   if not names or not all(self.takes(s, kind, name) for name in names)]
            filled[kind] = list(dict.fromkeys([*names, *filter(None, own)]))
        return filled

    def everything(self):
        return {kind: self.names(kind) for kind in KINDS}

    def option_names(self, used):
        return sorted({o["name"] for kind, names in used.items() for n in names for o in self._options(kind, n)})

    def resolved(self, kinds, names, given):
        """Every option of those plug-ins with its value: what is given, else the default."""
        asked = tuple((kind, names[kind]) for kind in kinds)
        if asked not in self._defaults:
            self._defaults[asked] = [(option["name"], f"{name}.{option['name']}", option["default"])
                                     for kind, name in asked for option in self._options(kind, name)]
        return {option: given.get(full, given.get(option, default)) for option, full, default in self._defaults[asked]}

    def _options(self, kind, name):
        return self._plugins[kind][name]["options"] if name in self._plugins[kind] else []


def typed(option):
    """The option with its default and range as numbers; the list has them as a user writes them."""
    number = {"uint": int, "real": float}.get(option["type"])
    if number is None:
        return option
    return option | {key: number(option[key]) for key in ("default", "min", "max")}
