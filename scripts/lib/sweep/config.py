# SPDX-License-Identifier: MIT
"""A sweep's TOML file, checked as a whole: every mistake is found before anything runs."""

import difflib
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from common.failure import Failure
from machine.noise import GATES
from sweep.registry import FLAGS, KINDS
from sweep.toml_lines import TomlLines

TABLES = ("sweep", "axes", "set", "parameters", "include", "override")
LISTS = ("include", "override")  # of tables
PU_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
# What `actorlab run` takes.
MOST_WORKERS = 4096
LARGEST_SEED = 10**15
LONGEST_SHOWN = 200  # characters of a value in a message
DEEPEST = 10  # lists and tables in one another; a sweep needs five
LONG_NUMBER = re.compile(rb"\d{4000}")  # Python's limit is 4300 digits
# What people write for a key.
ALSO_CALLED = {"workload": "benchmark", "strategy": "scheduler", "threads": "workers", "cores": "workers",
               "repetitions": "invocations", "runs": "invocations", "timeout": "timeout_s"}
SIZES = ("small", "default", "paper")
SECONDS = ("timeout_s", "time_limit_s", "gate_wait_s")
SWITCHES = ("oversubscribe", "clip", "memory", "twin")
NUMBERS = {"invocations": (1, 10**6), "iterations": (1, 10**6), "warmup": (0, 10**6), "seed": (0, LARGEST_SEED)}


@dataclass
class Config:
    path: Path
    text: bytes
    name: str
    invocations: int = 10
    iterations: int = 1
    warmup: int = 1
    seed: int = 1
    timeout_s: float = 300
    oversubscribe: bool = False
    clip: bool = False  # leave out worker counts that this machine does not have
    size: str = "default"  # of the benchmarks; [parameters] and axes change single values
    twin: bool = True  # run the first cell twice in each block: how far equals differ
    precision: float = None  # stop when every interval is narrower than this part of its median
    time_limit_s: float = None  # start no trial after so long
    exclude: list = field(default_factory=list)  # tables; a cell that has all the values of one is left out
    include: list = field(default_factory=list)  # of further cells: key -> list of values
    override: list = field(default_factory=list)  # (where, set): options of the cells that have all the values
    memory: bool = False  # the table has all that is known of memory
    gate: str = "mark"  # of noise.GATES: what to do with a machine that is not calm
    gate_limit: float = 2  # percent of the PUs' time that others may use
    gate_wait_s: float = 10
    baseline: str = None  # a scheduler: the table has the ratio of every time to its
    resized: bool = False  # size is the command line's, and goes before [parameters]
    axes: dict = field(default_factory=dict)
    fixed: dict = field(default_factory=dict)


def read(path):
    """The tables of the file, unchecked, and its text."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    try:
        tables = tomllib.loads(content.decode())
        if is_deeper(tables, DEEPEST):
            raise RecursionError
        return tables, content
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Failure(f"{path}:{line}: not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        where = re.match(r"line (\d+), (column \d+)", place)
        line, column = where.groups() if where else (content.rstrip().count(b"\n") + 1, "end of file")
        raise Failure(f"{path}:{line}: {message} ({column})") from None
    except ValueError as error:  # of a number that Python refuses
        line = next((n for n, text in enumerate(content.split(b"\n"), 1) if LONG_NUMBER.search(text)), 1)
        raise Failure(f"{path}:{line}: not a number that can be read: {error}") from None
    except RecursionError:
        raise Failure(f"{path}:{deepest_line(content)}: nested too deeply") from None


def is_deeper(value, depth):
    """Whether lists and tables are nested in more levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth == 0 or any(is_deeper(item, depth - 1) for item in inner if isinstance(item, (dict, list)))


def deepest_line(content):
    """The first line with the most brackets, or dots of a key."""
    lines = content.split(b"\n")
    return 1 + max(range(len(lines)), key=lambda n: sum(map(lines[n].count, (b"[", b"{", b"."))))


def check(path, tables, content, registry):
    """The Config of a file that was read. Raises Failure with a line for each mistake."""
    checker = Checker(path, tables, content, registry)
    config = checker.config()
    if checker.mistakes:
        lines = sorted(set(checker.mistakes), key=lambda mistake: mistake[0])
        raise Failure("\n".join(f"{path}:{line}: {message}" for line, message in lines))
    return config


def shown(value):
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in text)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …"


def listed(names):
    return ", ".join(map(str, names)) or "none"


def unknown(what, name, valid):
    meant = ALSO_CALLED.get(str(name))
    near = [meant] if meant in valid else difflib.get_close_matches(str(name), valid, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f"unknown {what} {shown(str(name))}{hint} (valid: {listed(valid)})"


def is_number(value, *types):
    return isinstance(value, types) and not isinstance(value, bool)


def is_file_name(value):
    try:
        return (isinstance(value, str) and value not in ("", ".", "..") and not set(value) & {"/", "\0"}
                and len(os.fsencode(value)) <= 255)
    except UnicodeEncodeError:
        return False


class Entry:
    """A key of the file with its values: several, each with a line of its own, if it is a list."""

    def __init__(self, path, key, value):
        self.path, self.key, self.is_list = path, key, isinstance(value, list)
        self.values = value if self.is_list else [value]

    def path_of(self, index):
        return (*self.path, index) if self.is_list else self.path


class Checker:
    def __init__(self, path, tables, content, registry):
        self.tables, self.registry = tables, registry
        self.lines = TomlLines(content.decode())
        self.mistakes = []
        self.settings = Config(Path(path), content, Path(path).stem)

    def mistake(self, path, message):
        self.mistakes.append((self.lines.of(*path), message))

    def config(self):
        for name in self.tables:
            if name not in TABLES:
                self.mistake((name,), unknown("table or key", name, TABLES))
            elif name in LISTS:
                if not isinstance(self.tables[name], list) or not all(isinstance(t, dict) for t in self.tables[name]):
                    self.mistake((name,), f"{name} must be a list of tables: write [[{name}]]")
                    self.tables = {**self.tables, name: []}
            elif not isinstance(self.tables[name], dict):
                self.mistake((name,), f"{name} must be a table: write [{name}]")
                self.tables = {**self.tables, name: {}}
        self.check_sweep()
        axes = self.flattened("axes")
        fixed = self.flattened("set")
        included = [self.flattened("include", number) for number in range(len(self.tables.get("include", [])))]
        self.check_axes(axes)
        for extra in included:
            self.check_axes({key: (path, value) for key, (path, value) in extra.items() if isinstance(value, list)})
        entries = [Entry(path, key, value) for group in (fixed, axes, *included)
                   for key, (path, value) in group.items() if group is not axes or isinstance(value, list)]
        for number, group in enumerate((axes, *included), -1):
            if number >= 0 and not group:
                self.mistake(("include", number), "an empty [[include]]: it needs at least one key")
            elif "benchmark" not in group and "benchmark" not in fixed and (group or not included):
                place = ("axes",) if number < 0 else ("include", number)
                self.mistake(place, f"no benchmark: give it in {'[axes]' if group is axes else '[[include]]'} or [set] "
                             f"(valid: {listed(self.registry.names('benchmark'))})")
        self.oversubscribe = self.settings.oversubscribe
        for entry in entries:
            if entry.key in FLAGS:
                self.check_values(entry, lambda v, key=entry.key: self.flag_mistake(key, v))
        for group in (axes, *included):
            self.check_pu_lists({**fixed, **group})
        used = self.used(entries)
        for entry in entries:
            if entry.key == "scheduler":
                self.check_peers(entry, used["benchmark"])
        for key, (path, value) in self.parameters(used).items():
            if key in fixed or key in axes:
                self.mistake(path, f"{key} is given in [{'set' if key in fixed else 'axes'}] too")
            fixed[key] = (path, value)
            entries.append(Entry(path, key, value))
        for entry in entries:
            if entry.key not in FLAGS:
                self.check_option(entry, used)
        self.check_overrides(used)
        for key in fixed:
            if key in axes:
                self.mistake(fixed[key][0], f"{key} is given in [axes] too")
            short = key.rpartition(".")[2]
            if short != key and (short in fixed or short in axes) and self.registry.owners(key, used):
                self.mistake(fixed[key][0], f"{key} is given as {short} too")
        self.settings.axes = {key: value for key, (_, value) in axes.items()}
        self.settings.fixed = {key: value for key, (_, value) in fixed.items()}
        self.settings.include = [{key: value if isinstance(value, list) else [value]
                                  for key, (_, value) in extra.items()} for extra in included]
        return self.settings

    def flattened(self, *place):
        """key -> (path, value) of the table there; inverted.shards = 16 reaches us as a table of its own."""
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
        """where picks cells by anything that they are given, set gives them options."""
        for number, table in enumerate(self.tables.get("override", [])):
            place = ("override", number)
            if set(table) != {"where", "set"} or not all(isinstance(v, dict) and v for v in table.values()):
                self.mistake(place, "an override has two tables: where = {scheduler = \"las\"} and set = {turns = 5}")
                continue
            where, options = self.flattened(*place, "where"), self.flattened(*place, "set")
            for key, (path, value) in (where | options).items():
                entry = Entry(path, key, value)
                if key not in FLAGS:
                    self.check_option(entry, used)
                elif key in options:
                    self.mistake(path, f"{key}: an override sets options and parameters only")
                else:
                    self.check_values(entry, lambda v, key=key: self.flag_mistake(key, v))
            self.settings.override.append(({key: value for key, (_, value) in where.items()},
                                           {key: value for key, (_, value) in options.items()}))

    def check_sweep(self):
        valid = ["name", *NUMBERS, *SECONDS, "precision", *SWITCHES, "size", "baseline", "exclude",
                 "gate", "gate_limit"]
        for key, value in self.tables.get("sweep", {}).items():
            problem = None
            if key not in valid:
                problem = unknown("key", key, valid)
            elif key == "name":
                if not isinstance(value, str) or not re.fullmatch(r"\w[\w.+-]*", value):
                    problem = f"name = {shown(value)}: must be a name of letters, digits, and . _ + -"
            elif key in SWITCHES:
                if not isinstance(value, bool):
                    problem = f"{key} = {shown(value)}: must be true or false"
            elif key == "baseline":
                if value not in self.registry.names("scheduler"):
                    problem = unknown("baseline", value, self.registry.names("scheduler"))
            elif key == "exclude":
                if not isinstance(value, list) or not value or not all(isinstance(v, dict) and v for v in value):
                    problem = 'exclude must be a list of tables: [{scheduler = "central", workers = 2}]'
            elif key == "size":
                if value not in SIZES:
                    problem = unknown("size", value, SIZES)
            elif key == "gate":
                if value not in GATES:
                    problem = unknown("gate", value, GATES)
            elif key == "gate_limit":
                if not is_number(value, int, float) or not 0 <= value <= 100:
                    problem = f"gate_limit = {shown(value)}: must be percent, from 0 to 100"
            elif key in SECONDS:
                if not is_number(value, int, float) or not 0 < value <= 1e7:
                    problem = f"{key} = {shown(value)}: must be a number of seconds, more than 0"
            elif key == "precision":
                if not is_number(value, float) or not 0 < value < 1:
                    problem = f"precision = {shown(value)}: must be a part of the median, between 0 and 1, as 0.05"
            elif not is_number(value, int) or not NUMBERS[key][0] <= value <= NUMBERS[key][1]:
                problem = "{} = {}: must be a whole number from {} to {}".format(key, shown(value), *NUMBERS[key])
            if problem:
                self.mistake(("sweep", key), problem)
            else:
                setattr(self.settings, key, value)

    def check_axes(self, axes):
        for key, (path, values) in axes.items():
            if not isinstance(values, list):
                self.mistake(path, f"{key} = {shown(values)}: an axis is a list; one value belongs in [set]")
            elif not values:
                self.mistake(path, f"{key} = []: an axis needs at least one value")
            else:
                for index, value in enumerate(values):
                    if value in values[:index]:
                        self.mistake((*path, index), f"{key}: {shown(value)} is listed twice")

    def check_values(self, entry, problem_of):
        lists = entry.path[0] in ("axes", "include")
        if entry.is_list and not lists:
            self.mistake(entry.path, f"{entry.key}: expected one value; lists belong in [axes]")
            return
        for index, value in enumerate(entry.values):
            nested = isinstance(value, (list, dict))
            problem = f"{entry.key}: expected one value" if nested else problem_of(value)
            if problem:
                self.mistake(entry.path_of(index), problem)

    def flag_mistake(self, key, value):
        if key == "workers":
            most = MOST_WORKERS if self.oversubscribe else self.registry.pus
            if not is_number(value, int) or value < 1:
                return f"workers = {shown(value)}: must be a whole number, at least 1"
            if value > most and (self.oversubscribe or not self.settings.clip):
                why = "" if self.oversubscribe else (
                    ", the PUs of this machine (oversubscribe = true allows more, clip = true leaves them out)")
                return f"workers = {value}: must be 1 to {most}{why}"
        elif not isinstance(value, str) or not value:
            return f"{key} = {shown(value)}: must be a name in quotes"
        elif "\0" in value:
            return f"{key} = {shown(value)}: a name has no character NUL"
        elif key in KINDS:
            if value not in self.registry.names(key):
                return unknown(key, value, self.registry.names(key))
        elif key == "pin" and value not in self.registry.pins and not PU_LIST.fullmatch(value):
            return unknown("pin", value, self.registry.pins) + ', or a list of PUs such as "0,2,4-7"'
        elif key == "topology":
            return self.registry.place_problem(value, None)
        return None

    def check_pu_lists(self, group):
        """A list of PUs is right or wrong for a topology."""
        pins = Entry(*group["pin"][:1], "pin", group["pin"][1]) if "pin" in group else Entry((), "pin", [])
        topologies = Entry((), "topology", group.get("topology", ((), None))[1]).values
        topologies = [t for t in topologies if t is None or not self.flag_mistake("topology", t)]
        for index, pin in enumerate(pins.values):
            if isinstance(pin, str) and PU_LIST.fullmatch(pin):
                for problem in filter(None, (self.registry.place_problem(t, pin) for t in topologies)):
                    self.mistake(pins.path_of(index), problem)

    def check_peers(self, entry, benchmarks):
        """A peer need not have all benchmarks, but some."""
        for index, name in enumerate(entry.values):
            peer = self.registry.peer(name) if isinstance(name, str) else None
            if peer is not None and not set(peer.workloads) & set(benchmarks):
                self.mistake(entry.path_of(index), f"{name} has none of this sweep's benchmarks "
                             f"(it has: {listed(peer.workloads)})")

    def used(self, entries):
        """kind -> the names of it in this sweep."""
        used = {}
        for entry in entries:
            if entry.key in KINDS:
                names = self.registry.names(entry.key)
                # A misspelt name is one mistake; it must not make others of the options it has.
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
                self.mistake(path, f"{name} is not in this sweep (its benchmarks: {listed(used['benchmark'])})")
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
        self.check_values(entry, lambda value: next(
            filter(None, (option_mistake(key, value, name, definition) for _, name, definition in owners)), None))


def option_mistake(key, value, owner, definition):
    kind = definition["type"]
    if kind == "bool":
        good, want = isinstance(value, bool), "true or false"
    elif kind == "enum":
        if isinstance(value, str) and value not in definition["choices"]:
            return unknown(f"{key} of {owner}:", value, definition["choices"])
        good, want = isinstance(value, str), "one of " + listed(map(shown, definition["choices"]))
    else:
        low, high = definition["min"], definition["max"]
        types = (int,) if kind == "uint" else (int, float)
        good = is_number(value, *types) and low <= value <= high
        want = f"a {'whole ' if kind == 'uint' else ''}number from {low} to {high}"
    return None if good else f"{key} = {shown(value)}: {owner} wants {want}"
