#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""weaken.py [--list] [--jobs N] [--every N] [--page FILE] [FILE[:LINE]…]: which memory orders and
fences does the checker miss?

Weakens each order, and removes each fence, of the files in SCENARIOS, one at a time, and runs the
scenarios that are about them with no more order than the code asks for, and then with store
buffers. Prints what has killed each mutant. With --page it writes a page with a table, in which
each that has survived has its sentence of survivors.txt. Exits with 1 if one has none there.

Each mutant is built as those of test_mutants.py are: the build, at AL_BUILD, must be up to date."""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import test_mutants
from test_mutants import BUILD, OUTPUT, ROOT, Broken, Mutant

# File -> the scenarios that are about it; the first that fails is enough.
SCENARIOS = {
    "core/bound.c": ["bound/*"],
    "core/delivery.c": ["system/end/*"],
    "core/detached.c": ["system/deque/detaches", "system/end/detached"],
    "core/plugin/scheduler.h": ["park/*", "system/custody/starter", "system/mercury/starter"],
    "core/sync/blocking.c": ["lock/mutex/*", "condition/1-maker", "semaphore/*"],
    "core/sync/blocking.h": ["lock/mutex/*", "condition/1-maker", "semaphore/*"],
    "core/sync/lock.c": ["lock/*"],
    "core/sync/lock.h": ["lock/*"],
    "core/sync/spinlock.c": ["lock/spinlock/*", "lock/try/*"],
    "core/sync/spinlock.h": ["lock/spinlock/*", "lock/try/*"],
    "core/system.c": ["system/end/starter", "system/custody/starter"],
    "core/termination.c": ["system/end/*", "system/custody/starter", "system/deque/detaches"],
    "schedulers/actor_centric/detached.c": ["system/deque/detached"],
    "schedulers/actor_centric/mercury.c": ["system/mercury/starter", "system/mercury/worker*"],
    "schedulers/custody/arrivals.h": ["arrivals/*", "system/custody/worker*"],
    "schedulers/custody/custody.h": ["system/custody/seized*", "system/custody/split*"],
    "schedulers/custody/move.c": ["system/custody/gift", "system/custody/asked", "system/custody/seized*"],
    "schedulers/custody/post.h": ["post", "system/custody/starter"],
    "schedulers/custody/run.c": ["system/custody/starter", "system/custody/worker*", "system/custody/relay"],
    "schedulers/custody/seize.c": ["system/custody/seized*"],
    "schedulers/custody/seize.h": ["system/custody/seized*"],
    "schedulers/custody/send.c": ["system/custody/worker*", "system/custody/gift", "system/custody/starter", "system/custody/split*"],
    "schedulers/custody/split.c": ["system/custody/split*"],
    "schedulers/custody/steal.c": ["system/custody/asked", "system/custody/refused"],
    "schedulers/idle/park.c": ["park/*"],
    "schedulers/inverted/mailbox.h": ["mailbox/*", "system/inverted/taken*"],
    "schedulers/inverted/outbox.c": ["system/inverted/relieved", "system/inverted/batched"],
    "schedulers/inverted/outbox.h": ["system/inverted/relieved", "system/inverted/batched"],
    "schedulers/inverted/wake.h": ["system/inverted/taken*", "system/inverted/settled", "system/inverted/starter"],
    "schedulers/queues/deque_chase_lev.h": ["deque/chase-lev/*"],
    "schedulers/queues/deque_locked.h": ["deque/locked/*"],
    "schedulers/queues/deque_steal_half.h": ["deque/steal-half/*"],
    "schedulers/queues/inbox.h": ["inbox/2-senders", "inbox/3-senders"],
}
SURVIVORS = Path(__file__).with_name("survivors.txt")
LIMIT_S = 60  # of each search

ACCESS = re.compile(r"\bal_(\w+?)_(load|store|exchange|cas|add)_(acquire|release|acq_rel)\(")
FENCE = re.compile(r"\b(al_fence_(?:seq_cst|light|wake|sleep)\([^()]*\)|al_membarrier\(\));")
WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"]}
TYPES = {"u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "ptr": "void *"}
THERE = {("load", "relaxed"), ("store", "relaxed"), ("exchange", "acquire"), ("cas", "relaxed"), ("cas", "acquire")}
FAILED = re.compile(r"^failed +(\S+) +(\S+) +(\d+)\+? executions.*, ([\d.]+) s$")


def without_comments(text):
    """The same, with blanks for comments, so that places stay."""
    return re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def definition(type_name, operation, order):
    """What defines a function that core/sync/atomic.h does not have."""
    if (operation, order) in THERE:
        return ""
    log = ", AL_SYNC_LOG_POINTER" if type_name == "ptr" else ", AL_SYNC_LOG_INTEGER"
    return (f"AL_ATOMIC_{operation.upper()}({type_name}, {TYPES[type_name]}, {order}"
            f"{log if operation in ('load', 'store', 'exchange') else ''})\n")


class Weakened(Mutant):
    """One place of a file, changed."""

    def __init__(self, file, start, end, new, what, more=""):
        self.file, self.test, self.what, self.more = file, "systematic", what, more
        self.start, self.end, self.new = start, end, new
        text = (ROOT / file).read_text()
        self.line = text.count("\n", 0, start) + 1
        self.text = text.splitlines()[self.line - 1].split("/*")[0].strip()
        self.name = f"weak-{file.replace('/', '-')}-{self.line}-{start}-{what.replace(' ', '-')}"
        self.program, self.folder = OUTPUT / self.name, OUTPUT / (self.name + ".copy")
        self.key = file, self.text, what
        self.patterns = SCENARIOS[file]

    def broken(self):
        text = (ROOT / self.file).read_text()
        text = text[:self.start] + self.new + text[self.end:]
        if self.more:
            at = [found.end() for found in re.finditer(r"^#include .*\n", text, re.MULTILINE)][-1]
            text = text[:at] + '#include "core/sync/atomic.h"\n' + self.more + text[at:]
        return text

    def run(self):
        """What has killed it: (scenario, model, executions, seconds, what was said), or None."""
        try:
            self.build()
            for model in ("c11", "tso"):
                killed = self._check(model)
                if killed:
                    return killed
            return None
        finally:
            (BUILD / self.program).unlink(missing_ok=True)
            subprocess.run(["rm", "-rf", BUILD / self.folder], check=True)

    def _check(self, model):
        command = [BUILD / self.program, *self.patterns, "--memory", model, "--limit", str(LIMIT_S)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
            failed = None
            for line in process.stdout:
                if failed:
                    process.kill()
                    return (*failed.groups(), line.strip())
                failed = FAILED.match(line)
        if process.returncode != 0:
            raise Broken(f"ended with {process.returncode}: {' '.join(map(str, command))}")
        return None


def weakened(file):
    """Each mutant of a file."""
    text = without_comments((ROOT / file).read_text())
    for found in ACCESS.finditer(text):
        name, operation, order = found.groups()
        for weaker in WEAKER[order]:
            yield Weakened(file, found.start(), found.end(), f"al_{name}_{operation}_{weaker}(", f"{order} → {weaker}",
                           definition(name, operation, weaker))
    for found in FENCE.finditer(text):
        yield Weakened(file, found.start(), found.end(), ";", "removed")


def survivors():
    """(file, line's text, what) -> why it may."""
    reasons = {}
    for paragraph in SURVIVORS.read_text().split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if lines:
            file, what, text = re.fullmatch(r"(\S+): (.+?): (.+)", lines[0]).groups()
            reasons[file, text, what] = " ".join(line.strip() for line in lines[1:])
    return reasons


def row(mutant, killed, reasons):
    link = f"[{mutant.file}:{mutant.line}](../../{mutant.file})"
    code = f"`{mutant.text}`".replace("|", "\\|")
    if killed:
        name, model, executions, seconds, said = killed
        said = re.sub(r"0x[0-9a-f]+", "…", said.split(": ")[0] if said.startswith("data race") else said)
        return f"| {link} | {code} | {mutant.what} | `{name}`, {model} | {int(executions):,} | {seconds} | {said} |"
    reason = reasons.get(mutant.key, "")
    return f"| {link} | {code} | {mutant.what} | survives | | | {reason} |"


HEAD = """# Which memory orders are needed

Each memory order and fence of the files that the checker's scenarios are about was weakened or
removed, one at a time, by `tests/mutants/weaken.py`, and the scenarios run: first with no more
order than the code asks for (`c11`), then with store buffers (`tso`). Of {n} mutants {killed} are
killed, and {left} survive, each with a sentence of `tests/mutants/survivors.txt`. *Executions* and
*s* are how many executions, in how many seconds, the search needed until the failure, compiled with
-O0.

| where | code | change | killed by | executions | s | what is wrong |
|---|---|---|---|---|---|---|
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the mutants")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th mutant; all if AL_TEST_DEEP is 1")
    parser.add_argument("--page", type=Path, help="write the page")
    parser.add_argument("only", nargs="*", metavar="FILE[:LINE]")
    options = parser.parse_args()
    mutants = [mutant for file in sorted(SCENARIOS) for mutant in weakened(file)
               if not options.only or {mutant.file, f"{mutant.file}:{mutant.line}"} & set(options.only)]
    mutants = mutants[::1 if os.environ.get("AL_TEST_DEEP") == "1" else options.every]
    reasons, rows, left, began = survivors(), [], 0, time.monotonic()
    unexplained = []
    if options.list:
        for mutant in mutants:
            print(f"{mutant.file}:{mutant.line}: {mutant.what}: {mutant.text}")
        return 0
    test_mutants.linked("systematic")  # once
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, (mutant, killed) in enumerate(zip(mutants, pool.map(Weakened.run, mutants)), 1):
            rows.append(row(mutant, killed, reasons))
            left += killed is None
            if killed is None and mutant.key not in reasons:
                unexplained.append(mutant)
            print(f"[{number}/{len(mutants)} {time.monotonic() - began:.0f} s] {mutant.file}:{mutant.line} {mutant.what}: "
                  f"{' '.join(killed) if killed else 'survives: ' + mutant.text}", flush=True)
    for mutant in unexplained:
        print(f"{mutant.file}:{mutant.line}: {mutant.what}: {mutant.text}: survives, and {SURVIVORS.name} has no sentence for it")
    if options.page:
        head = HEAD.format(n=len(mutants), killed=len(mutants) - left, left=left)
        options.page.write_text(head + "\n".join(rows) + "\n")
    return int(bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())
