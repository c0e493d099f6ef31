# SPDX-License-Identifier: MIT
"""The progress of a sweep, and an estimate of when it ends."""

import statistics
import time
from typing import NamedTuple

from common.screen import printable, printable_lines


LATE_S, LATE = 60, 5  # a trial is late after both: a minute, and so many times what is expected


class Estimate:
    """Estimates the time of trials to come from the times of earlier ones."""

    def __init__(self):
        self._seconds = {}  # cell id -> of each trial
        self._medians = {}
        self._sum = self._n = 0

    def add(self, cell_id, seconds):
        self._seconds.setdefault(cell_id, []).append(seconds)
        self._medians.pop(cell_id, None)
        self._sum += seconds
        self._n += 1

    def remaining(self, left, at_once=1):
        """Seconds, or None if nothing is known. left: cell id -> number of trials, of which so many
        run at once. A cell with earlier trials counts with their median, any other with the mean of
        all trials."""
        if not self._n:
            return None
        return sum(n * self.of(cell_id) for cell_id, n in left.items() if n) / at_once

    def of(self, cell_id):
        """Seconds of a trial of this cell; 0 if nothing is known."""
        if cell_id not in self._seconds:
            return self._sum / max(1, self._n)
        if cell_id not in self._medians:
            self._medians[cell_id] = statistics.median(self._seconds[cell_id])
        return self._medians[cell_id]


def clock(seconds):
    if seconds is None:
        return "-:--"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Running(NamedTuple):
    name: str
    began: float  # of time.monotonic()
    since: str  # the same for people
    late_s: float


class Progress:
    """On a terminal a bar, with what runs and since when. In a log a line for each trial that has
    ended, and one for each that runs for much longer than expected."""

    def __init__(self, screen, total, finished, name_width, may_end=False, estimate=None):
        """may_end: before all trials have run."""
        self._estimate = estimate or Estimate()
        self._running = {}  # by cell and block, the oldest first
        self.screen, self.total, self.finished = screen, total, finished
        self.name_width, self._up_to = name_width, "up to " * may_end
        self._bar = None

    def __enter__(self):
        if self.screen.live and self.finished < self.total:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn

            # No refresh in the background, because it would disturb the trial: a time of day stays
            # right without.
            self._bar = Bar(
                MofNCompleteColumn(),
                BarColumn(20),
                TextColumn("ETA {task.fields[eta]}"),
                TextColumn("{task.fields[last]}", style="dim"),
                TextColumn("{task.description}"),  # what may be cut off comes last in it
                console=self.screen.console,
                auto_refresh=False,
            )
            self._task = self._bar.add_task(
                "", total=self.total, completed=self.finished, eta="-:--", last="")
            self._bar.start()
        return self

    def __exit__(self, *exception):
        if self._bar is not None:
            self._bar.stop()

    def begin(self, trial, eta):
        late_s = max(LATE_S, LATE * self._estimate.of(trial.cell.id))
        self._running[trial.cell.id, trial.block] = Running(
            printable(trial.cell.name), time.monotonic(), time.strftime("%H:%M:%S"), late_s)
        if self._bar is not None:
            self._bar.update(self._task, description=self._what_runs(), eta=self._up_to + clock(eta), refresh=True)

    def _what_runs(self):
        """The trial that began first."""
        if not self._running:
            return ""
        first, *others = self._running.values()
        return f"since {first.since}" + (f", and {len(others)} more" if others else "") + f": {first.name}"

    def glance(self):
        """Called now and then while trials run."""
        for place, running in self._running.items():
            seconds = time.monotonic() - running.began
            if seconds > running.late_s:
                self._running[place] = running._replace(late_s=float("inf"))
                if self._bar is None:
                    self.screen.say(f"still running after {clock(seconds)}: {running.name}")

    def end(self, trial, result, eta, failed):
        self._running.pop((trial.cell.id, trial.block), None)
        self.finished += 1
        if self._bar is None:
            count = f"[{self.finished:{len(str(self.total))}}/{self.total}]"
            name = f"{printable(trial.cell.name):{self.name_width}}"
            self.screen.say(f"{count} {name}  {printable(result)}  ETA {self._up_to}{clock(eta)}")
            return
        if failed:
            self.say(f"{trial.cell.name}: {result}")
        self._bar.update(self._task, completed=self.finished, eta=self._up_to + clock(eta),
                         last="failed" if failed else printable(result), description=self._what_runs(), refresh=True)

    def say(self, text):
        if self._bar is not None:
            self.screen.console.print(printable_lines(text), style="red")
        else:
            self.screen.say(text)
