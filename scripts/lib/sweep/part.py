# SPDX-License-Identifier: MIT
"""Sweeps that one command runs side by side, each as a process of its own."""

import functools
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from common import actorlab, stops
from common.failure import INTERRUPTED, writing
from common.files import open_own
from common.screen import complain
from sweep.progress import clock

EVERY_S = 10  # between lines of progress


class Part:
    """One of these sweeps: where its results are, and the command that completes them."""

    trials = None  # how many it has to run, if that is known
    program = None  # the actorlab to run; None: it builds one, as only one may do at a time
    process = None  # once it runs

    def __init__(self, name, path, top, words):
        """path: of its configuration. top: the folder that its folder is made in."""
        self.name, self.top, self.folder = name, top, top / name
        self.log = self.folder / "log.txt"
        self.command = [actorlab.ROOT / "scripts" / "sweep", path, f"--results={self.folder}", "--no-plot", *words]

    def make_folder(self):
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    def start(self):
        """Output goes to a file beside the results."""
        with writing(self.log):
            log = open(self.log, "w", encoding="utf-8", opener=open_own)
        environment = {**os.environ, **({"AL_ACTORLAB": str(self.program)} if self.program else {})}
        with log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT, env=environment)

    def stop(self):
        if self.process:
            self.process.terminate()

    def wait(self):
        """The exit code."""
        return actorlab.status(self.process.wait())

    def last_words(self):
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def recorded(self):
        """How many trials it has recorded."""
        try:
            return (self.folder / "records.jsonl").read_bytes().count(b"\n")
        except OSError:
            return 0


def run_all(parts, at_once, tell=functools.partial(print, flush=True)):
    """The largest exit code. Simulated sweeps do not disturb one another; native ones would."""
    codes, stopped, ended = {}, threading.Event(), threading.Event()
    done = 0
    for part in parts:
        part.make_folder()

    def run(part):
        if not stopped.is_set():
            part.start()
            if stopped.is_set():  # too late for the handler to see it
                part.stop()
            codes[part] = part.wait()

    def stop(number, frame):
        stopped.set()
        if number == signal.SIGTERM:  # from a terminal, the others reach the sweeps as well
            for part in parts:
                part.stop()

    earlier = {number: signal.signal(number, stop) for number in stops.heeded()}
    watcher = threading.Thread(target=tell_progress, args=(parts, ended, tell), daemon=True)
    watcher.start()
    try:
        with ThreadPoolExecutor(at_once) as pool:
            for part, _ in zip(parts, pool.map(run, parts)):
                done += 1
                if codes.get(part) not in (None, 0):
                    complain(f"{part.folder}: exit code {codes[part]}: {part.last_words()}")
                if part in codes:
                    tell(f"[{done}/{len(parts)}] {part.top.name} {part.name}")
    finally:
        for number, action in earlier.items():
            signal.signal(number, action)
        ended.set()
    return INTERRUPTED if stopped.is_set() else max(codes.values(), default=0)


def tell_progress(parts, ended, tell):
    """Prints how far the sweeps are and how long they will take, if they know their trials."""
    if any(part.trials is None for part in parts):
        return
    total, before = sum(part.trials for part in parts), sum(part.recorded() for part in parts)
    began, told = time.monotonic(), 0
    while not ended.wait(EVERY_S):
        done = sum(part.recorded() for part in parts) - before
        if told < done < total:
            told = done
            left = (time.monotonic() - began) / done * (total - done)
            tell(f"{done:,} of {total:,} trials, ETA {clock(left)}")
