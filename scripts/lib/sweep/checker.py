# SPDX-License-Identifier: MIT
"""Checks a whole configuration, so that every mistake is found before anything runs."""

import re
from pathlib import Path

from common.failure import Failure
from common.words import plural
from plots import KINDS as PLOTS
from plots import ORDINATES
from sweep import simulated
from sweep.binaries import paths_of
from sweep.config import FEWEST_FOR_TWINS, PLANNED_LOOKS, Config
from sweep.registry import FLAGS, KINDS
from sweep.toml_lines import TomlLines
from sweep.values import is_number, listed, option_mistake, setting_mistake, shown, unknown

TABLES = ("sweep", "axes", "set", "parameters", "include", "variant", "override", "binaries", "plot")
LISTS = ("include", "variant", "override")  # of tables
PU_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def check(path, tables, content, registry, chosen=None):
    """The Config of a file that was read. chosen: of sweep.simulated.CHOICES what the command line
    says. Raises Failure with a line for each mistake."""
    checker = Checker(path, tables, content, registry, chosen or {})
    config = checker.config()
    if checker.mistakes:
        lines = sorted(set(checker.mistakes), key=lambda mistake: mistake[0])
        raise Failure("\n".join(f"{path}:{line}: {message}" for line, message in lines))
    return config


class Entry:
    """A key of the file with its values. Each value of a list has a line of its own."""

    def __init__(self, path, key, value):
        self.path, self.key, self.is_list = path, key, isinstance(value, list)
        self.values = value if self.is_list else [value]

    def path_of(self, index):
        return (*self.path, index) if self.is_list else self.path


class Checker:
    """Collects the mistakes of one file."""

    def __init__(self, path, tables, content, registry, chosen):
        self.tables, self.registry, self.chosen = tables, registry, chosen
        self.lines = TomlLines(content.decode())
        self.mistakes = []
        self.settings = Config(Path(path), content)

    def mistake(self, path, message):
        self.mistakes.append((self.lines.of(*path), message))

    def config(self):
        self.check_tables()
        self.check_plot(self.tables.get("plot", {}))
        for key, value in self.tables.get("sweep", {}).items():
            problem = setting_mistake(key, value, self.registry)
            if problem:
                self.mistake(("sweep", key), problem)
            else:
                setattr(self.settings, key, value)
        self.check_blocks(self.tables.get("sweep", {}))
        self.check_binaries()
        axes, fixed = self.flattened("axes"), self.flattened("set")
        included = self.flattened_list("include")
        included += [variant and {**axes, **variant} for variant in self.flattened_list("variant")]
        self.check_engines(axes, fixed, included)
        self.check_axes(axes)
        for extra in included:
            self.check_axes({key: (path, value) for key, (path, value) in extra.items()
                             if isinstance(value, list)})
        self.check_benchmarks(axes, fixed, included)
        entries = [Entry(path, key, value) for group in (fixed, axes, *included)
                   for key, (path, value) in group.items()
                   if group is not axes or isinstance(value, list)]
        for entry in entries:
            if entry.key in FLAGS:
                self.check_flag(entry)
        for group in (axes, *included):
            self.check_pu_lists({**fixed, **group})
        self.check_options(entries, axes, fixed)
        self.settings.axes = {key: value for key, (_, value) in axes.items()}
        self.settings.fixed = {key: value for key, (_, value) in fixed.items()}
        self.settings.include = [{key: value if isinstance(value, list) else [value]
                                  for key, (_, value) in extra.items()} for extra in included]
        return self.settings

    def check_tables(self):
        for name, value in self.tables.items():
            wanted = list if name in LISTS else dict
            if name not in TABLES:
                self.mistake((name,), unknown("table or key", name, TABLES))
                continue
            if isinstance(value, wanted) and all(wanted is dict or isinstance(table, dict)
                                                 for table in value):
                continue
            self.mistake((name,), f"{name} must be a list of tables: write [[{name}]]"
                         if wanted is list else f"{name} must be a table: write [{name}]")
            self.tables = {**self.tables, name: wanted()}

    def check_blocks(self, given):
        """Settles how many blocks there are, and whether they have twins."""
        settings = self.settings
        if settings.precision == "verdicts":
            settings.looks = settings.looks or PLANNED_LOOKS
            if "invocations" in given:
                self.mistake(("sweep", "invocations"), 'invocations with precision = "verdicts": the '
                             f"last of looks = {settings.looks} is the largest number of blocks")
            settings.invocations = settings.looks[-1]
        elif "looks" in given:
            self.mistake(("sweep", "looks"), 'looks are those of precision = "verdicts"')
        if settings.twin is None and settings.invocations >= FEWEST_FOR_TWINS:
            settings.twin = True
        if settings.twin and settings.invocations < 2:
            self.mistake(("sweep", "twin"), "twin = true with invocations = 1: twins are compared block "
                         "by block, which takes at least 2 invocations")

    def check_binaries(self):
        """The names of builds, each of which some cell must have."""
        for name, value in self.tables.get("binaries", {}).items():
            place, paths = ("binaries", name), paths_of(value)
            if not paths:
                self.mistake(place, f"{name} = {shown(value)}: must be the path of an actorlab in quotes")
            elif 1 < len(paths) <= self.settings.invocations:
                self.mistake(place, f"{name}: {plural(len(paths) - 1, 'layout')} for {self.settings.invocations} blocks: "
                             "each block needs one of its own, because those that share one tell the same twice")
            elif name not in self.registry.binaries:
                self.mistake(place, f"no cell runs {name}: name it in axes or set, as binary = "
                             f'["{name}"]')

    def check_plot(self, table):
        """How the figures of the results are drawn: scripts/plot reads it from the copy there."""
        for key, value in table.items():
            problem = None
            if key == "kinds":
                if not isinstance(value, list) or not value:
                    problem = f'kinds = {shown(value)}: must be a list such as ["scaling", "speedup"]'
                else:
                    problem = next((unknown("kind of plot", kind, PLOTS) for kind in value
                                    if kind not in list(PLOTS)), None)
            elif key == "y":
                problem = None if value in list(ORDINATES) else unknown("y", value, ORDINATES)
            elif key == "x":
                if not isinstance(value, str) or not value:
                    problem = f"x = {shown(value)}: must be workers, or an option with numbers, in quotes"
            elif key == "note":
                if not isinstance(value, str) or not value:
                    problem = f"note = {shown(value)}: must be a text in quotes"
            else:
                problem = unknown("key of [plot]", key, ("kinds", "x", "y", "note"))
            if problem:
                self.mistake(("plot", key), problem)

    def check_engines(self, axes, fixed, included):
        """Which machines are simulated. Adds those of [sweep] and the command line to `fixed`."""
        self.settings.model = simulated.flat(self.settings.model)
        sound = not self.mistakes
        mistakes = simulated.apply(self.chosen, self.settings, axes, fixed)
        groups = [{**fixed, **group} for group in (axes, *included) if group or not included]
        for group in groups if sound and not mistakes else ():
            mistakes += simulated.group_mistakes(group, self.settings)
        mistakes += simulated.namesakes(groups)
        for place, message in mistakes:
            self.mistake(place, message)
        known = [self.registry.machines.pus(name) or self.registry.most_workers
                 for group in groups for name in simulated.values_of(group, "machine") if isinstance(name, str)]
        native = any("native" in simulated.engines_of(group) for group in groups)
        self.most = max([*known, *[self.registry.pus] * native], default=self.registry.pus)
        if mistakes:  # one of them may be why there are too few
            self.most = self.registry.most_workers
        self.most_is_of = "this machine" if native else "the machine"

    def check_benchmarks(self, axes, fixed, included):
        """Every group of cells needs a benchmark."""
        names = listed(self.registry.names("benchmark"))
        places = [(name, number) for name in ("include", "variant") for number in range(len(self.tables.get(name, [])))]
        for place, group in zip((("axes",), *places), (axes, *included)):
            if place[0] == "variant" and not axes:
                self.mistake(place, "a variant varies the cells of [axes], and there are no axes")
            elif place[0] != "axes" and not group:
                self.mistake(place, f"an empty [[{place[0]}]]: it needs at least one key")
            elif "benchmark" not in group and "benchmark" not in fixed and (group or not included):
                table = "[[include]]" if place[0] == "include" else "[axes]"
                self.mistake(place, f"no benchmark: give it in {table} or [set] (valid: {names})")

    def check_options(self, entries, axes, fixed):
        """Options and parameters. Adds those of [parameters] to `fixed`."""
        used = self.used(entries)
        for entry in entries:
            if entry.key == "scheduler":
                self.check_peers(entry, used["benchmark"])
        for key, (path, value) in self.parameters(used).items():
            if key in fixed or key in axes:
                table = "set" if key in fixed else "axes"
                self.mistake(path, f"{key} is also given in [{table}]")
            fixed[key] = (path, value)
            entries.append(Entry(path, key, value))
        for entry in entries:
            if entry.key not in FLAGS:
                self.check_option(entry, used)
        self.check_overrides(used)
        for key, (path, _) in fixed.items():
            if key in axes:
                self.mistake(path, f"{key} is also given in [axes]")
            short = key.rpartition(".")[2]
            if (short != key and (short in fixed or short in axes)
                    and self.registry.owners(key, used)):
                self.mistake(path, f"{key} is also given as {short}")

    def flattened_list(self, name):
        return [self.flattened(name, number) for number in range(len(self.tables.get(name, [])))]

    def flattened(self, *place):
        """key -> (path, value) of the table there. inverted.shards = 16 is a nested table."""
        table, found = self.tables.get(place[0], {}), {}
        for step in place[1:]:
            table = table[step]
        for key, value in table.items():
            inner = value.items() if isinstance(value, dict) else [(None, value)]
            for name, item in inner:
                words = (key,) if name is None else (key, name)
                found[".".join(words)] = ((*place, *words), item)
        return found

    def check_overrides(self, used):
        """`where` selects cells by any of their keys, and `set` gives these cells options."""
        for number, table in enumerate(self.tables.get("override", [])):
            place = ("override", number)
            if set(table) != {"where", "set"} or not all(
                    isinstance(inner, dict) and inner for inner in table.values()):
                self.mistake(place, 'an override has two tables: where = {scheduler = "las"} and '
                             "set = {turns = 5}")
                continue
            where, options = self.flattened(*place, "where"), self.flattened(*place, "set")
            for key, (path, value) in (where | options).items():
                entry = Entry(path, key, value)
                if key not in FLAGS:
                    self.check_option(entry, used)
                elif key in options:
                    self.mistake(path, f"{key}: an override can set only options and parameters")
                else:
                    self.check_flag(entry)
            self.settings.override.append(tuple(
                {key: value for key, (_, value) in given.items()} for given in (where, options)))

    def check_axes(self, axes):
        for key, (path, values) in axes.items():
            if not isinstance(values, list):
                self.mistake(path, f"{key} = {shown(values)}: an axis is a list; a single value "
                             "belongs in [set]")
            elif not values:
                self.mistake(path, f"{key} = []: an axis needs at least one value")
            else:
                for index, value in enumerate(values):
                    if value in values[:index]:
                        self.mistake((*path, index), f"{key}: {shown(value)} is listed twice")

    def check_values(self, entry, problem_of):
        lists = entry.path[0] in ("axes", "include", "variant")
        if entry.is_list and not lists:
            self.mistake(entry.path, f"{entry.key}: expected one value; lists belong in [axes]")
            return
        for index, value in enumerate(entry.values):
            nested = isinstance(value, (list, dict))
            problem = f"{entry.key}: expected one value" if nested else problem_of(value)
            if problem:
                self.mistake(entry.path_of(index), problem)

    def check_flag(self, entry):
        self.check_values(entry, lambda value: self.flag_mistake(entry.key, value))

    def workers_mistake(self, value):
        beyond = self.settings.oversubscribe
        most = self.registry.most_workers if beyond else self.most
        if not is_number(value, int) or value < 1:
            return f"workers = {shown(value)}: must be a whole number, at least 1"
        if value > most and (beyond or not self.settings.clip):
            why = "" if beyond else (f", the PUs of {self.most_is_of} (oversubscribe = true allows more, "
                                     "clip = true leaves them out)")
            return f"workers = {value}: must be 1 to {most}{why}"
        return None

    def flag_mistake(self, key, value):
        if key == "workers":
            return self.workers_mistake(value)
        if not isinstance(value, str) or not value:
            return f"{key} = {shown(value)}: must be a name in quotes"
        elif "\0" in value:
            return f"{key} = {shown(value)}: a name cannot contain the character NUL"
        elif key in KINDS:
            if value not in self.registry.names(key):
                return unknown(key, value, self.registry.names(key))
        elif key == "pin" and value not in self.registry.pins and not PU_LIST.fullmatch(value):
            return unknown("pin", value, self.registry.pins) + ', or a list of PUs such as "0,2,4-7"'
        elif key == "binary":
            found = self.registry.binaries.get(value) or unknown("binary", value, self.registry.binaries)
            return found if isinstance(found, str) else None
        elif key == "engine":
            return None if value in simulated.ENGINES else unknown("engine", value, simulated.ENGINES)
        elif key == "machine":
            return self.registry.machines.problem(value)
        elif key == "topology":
            return self.registry.place_problem(value, None)
        return None

    def check_pu_lists(self, group):
        """Whether a list of PUs is valid depends on the topology."""
        path, value = group.get("pin", ((), []))
        pins = Entry(path, "pin", value)
        topologies = simulated.values_of(group, "topology") or [None]
        if "native" not in simulated.engines_of(group):
            topologies = []  # a simulated machine's PUs are checked with each cell
        topologies = [topology for topology in topologies
                      if topology is None or not self.flag_mistake("topology", topology)]
        for index, pin in enumerate(pins.values):
            if isinstance(pin, str) and PU_LIST.fullmatch(pin):
                problems = (self.registry.place_problem(topology, pin) for topology in topologies)
                for problem in filter(None, problems):
                    self.mistake(pins.path_of(index), problem)

    def check_peers(self, entry, benchmarks):
        """A peer must have some of the benchmarks, but need not have all."""
        for index, name in enumerate(entry.values):
            peer = self.registry.peer(name) if isinstance(name, str) else None
            if peer is not None and not set(peer.workloads) & set(benchmarks):
                self.mistake(entry.path_of(index), f"{name} has none of this sweep's benchmarks "
                             f"(it has: {listed(peer.workloads)})")
            if peer is not None and self.settings.warmup == "auto":
                self.mistake(entry.path_of(index), f'{name} cannot tell when it is steady: with it, '
                             'warmup must be a number instead of "auto"')

    def used(self, entries):
        """kind -> its names in this sweep."""
        used = {}
        for entry in entries:
            if entry.key in KINDS:
                names = self.registry.names(entry.key)
                # A misspelt name is one mistake, and must not turn its options into further ones.
                here = entry.values if all(value in names for value in entry.values) else names
                used[entry.key] = list(dict.fromkeys([*used.get(entry.key, []), *here]))
        return self.registry.with_defaults(used)

    def parameters(self, used):
        found = {}
        for name, value in self.tables.get("parameters", {}).items():
            path = ("parameters", name)
            if not isinstance(value, dict):
                self.mistake(path, f"{name} = {shown(value)}: parameters belong to a benchmark: write "
                             f"[parameters.BENCHMARK] (valid: {listed(used['benchmark'])})")
            elif name not in self.registry.names("benchmark"):
                self.mistake(path, unknown("benchmark", name, self.registry.names("benchmark")))
            elif name not in used["benchmark"]:
                self.mistake(path, f"{name} is not in this sweep "
                             f"(its benchmarks: {listed(used['benchmark'])})")
            else:
                found |= {f"{name}.{key}": ((*path, key), item) for key, item in value.items()}
        return found

    def check_option(self, entry, used):
        path, key = entry.path, entry.key
        owners = self.registry.owners(key, used)
        if not owners:
            elsewhere = self.registry.owners(key, self.registry.everything())
            if elsewhere:
                names = " and ".join(name for _, name, _ in elsewhere)
                message = f"{key} belongs to {names}, not in this sweep"
            elif "." in key:
                owner, _, option = key.rpartition(".")
                valid = self.registry.option_names({kind: [owner] for kind in KINDS})
                message = unknown(f"option of {owner}", option, valid)
            else:
                message = unknown("key", key, [*FLAGS, *self.registry.option_names(used)])
            self.mistake(path, message)
            return
        kinds = {kind for kind, _, _ in owners}
        if len(kinds) > 1:
            both = " and ".join(f'"{name}.{key}"' for _, name, _ in owners)
            self.mistake(path, f"{key} is an option of more than one part: write {both}")
            return

        def problem_of(value):
            problems = (option_mistake(key, value, name, definition) for _, name, definition in owners)
            return next(filter(None, problems), None)

        self.check_values(entry, problem_of)
