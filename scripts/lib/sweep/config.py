# SPDX-License-Identifier: MIT
"""A sweep's configuration: what a TOML file can set, and reading one."""

import itertools
import re
import tomllib
from pathlib import Path

from common.failure import Failure, failing

FEWEST_FOR_TWINS = 6  # blocks with which an exact signed-rank test can find a difference at 5%
LARGEST_SEED = 10**15  # of a sweep, whose blocks add their number; actorlab takes more
DEEPEST = 10  # nested lists and tables; a sweep needs five levels
LONG_NUMBER = re.compile(rb"\d{4000}")  # Python's limit is 4300 digits
SIZES = ("small", "default", "paper", "sim")
SECONDS = ("timeout_s", "time_limit_s", "gate_wait_s")
SWITCHES = ("oversubscribe", "clip", "memory", "profile", "twin")
NUMBERS = {"invocations": (1, 10**6), "iterations": (1, 10**6), "seed": (0, LARGEST_SEED)}
MOST_WARMUP = 10**6
INTERVALS = ("order", "percentile")
# The same for a numeric precision: few, because each spends a part of what intervals may miss; the
# range of 8 values misses the median in 0.8% of samples, that of 6 in 3%.
WIDTH_LOOKS = (8, 12, 20, 40, 80, 160, 320, 640)
PLANNED_LOOKS = [10, 15, 20, 30]  # blocks; below 10, corrections for many leave no verdict


class Config:
    """What a file sets, with its defaults."""

    invocations: int = 10
    iterations: int = 1
    warmup: int | str = 1  # or "auto": until the times are steady
    seed: int = 1
    timeout_s: float = 300
    oversubscribe: bool = False
    clip: bool = False  # leave out worker counts and peers that this machine does not have
    size: str = "default"  # of the benchmarks; [parameters] and axes change single values
    twin: bool = None  # run cells twice: equal ones should not differ; None: too few blocks
    precision: float | str = None  # end when every interval is narrower than this part of its
    # median; "verdicts": when every cell has a verdict beside its baseline
    looks: list = None  # with "verdicts": after how many blocks the sweep may end
    repeats: float = 0.1  # a share: as many more trials of groups whose hand-off state changed
    margin: float = 0.05  # a share; differences within it count as equivalent
    interval: str = "order"  # of a median: one of INTERVALS
    time_limit_s: float = None  # start no trial after this time
    memory: bool = False  # show all that is known of memory in the table
    profile: bool = False  # of each group of cells, one trial measures a profile of the workload
    gate: str = "mark"  # one of noise.GATES: what to do when the machine is not idle
    gate_limit: float = 0.02  # share of the PUs' time that others may use
    gate_wait_s: float = 10
    engine: str = None  # one of sweep.simulated.ENGINES; None: native
    machine: str = None  # to simulate
    baseline: str = None  # a scheduler: the table shows the ratio of every time to its time
    plugins: list = None  # shared objects with plug-ins
    resized: bool = False  # the size is from the command line, and overrides [parameters]

    def __init__(self, path, text):
        self.path, self.text, self.name = path, text, path.stem
        self.exclude = []  # tables; a cell that matches one is left out
        self.include = []  # of further cells: key -> list of values
        self.override = []  # (where, set): options of the cells that match
        self.model = {}  # other values of parameters of the machine
        self.axes, self.fixed = {}, {}

    def width_looks(self):
        """After how many blocks a sweep with a numeric precision may end; None without one."""
        if self.precision in (None, "verdicts"):
            return None
        return [*(look for look in WIDTH_LOOKS if look < self.invocations), self.invocations]


def read(path):
    """The tables of the file, unchecked, and its text."""
    with failing(path):
        content = Path(path).read_bytes()
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
    except ValueError as error:  # Python refuses a number
        line = next((n for n, text in enumerate(content.split(b"\n"), 1) if LONG_NUMBER.search(text)), 1)
        raise Failure(f"{path}:{line}: cannot read this number: {error}") from None
    except RecursionError:
        raise Failure(f"{path}:{deepest_line(content)}: nested too deeply") from None


def groups_of(tables, names=("axes", "set")):
    """Those tables of an unchecked configuration that give keys to cells."""
    lists = [table for table in map(tables.get, ("include", "variant")) if isinstance(table, list)]
    groups = [*map(tables.get, names), *itertools.chain(*lists)]
    return [group for group in groups if isinstance(group, dict)]


def is_deeper(value, depth):
    """Whether lists and tables are nested more deeply."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth == 0 or any(is_deeper(item, depth - 1) for item in inner if isinstance(item, (dict, list)))


def deepest_line(content):
    """The first of the lines with the most brackets and dots."""
    lines = content.split(b"\n")
    return 1 + max(range(len(lines)), key=lambda n: sum(map(lines[n].count, (b"[", b"{", b"."))))
