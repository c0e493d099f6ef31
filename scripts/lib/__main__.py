# SPDX-License-Identifier: MIT
"""Runs the command of scripts/ that the first argument names."""

import os
import signal

# First of all: whoever interrupts a command before it has begun sees no traceback. The scripts hold
# the signal back until here; a command that has something to finish handles it in its own way.
signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

import gc
import importlib
import sys

MODULES = {
    "bundle": "bundle.bundle",
    "claims": "claims.command",
    "compare-builds": "revisions.command",
    "figures": "figures.command",
    "losses": "losses.command",
    "package": "packages.command",
    "plot": "plots.command",
    "quiet": "machine.quiet",
    "report": "report.command",
    "sweep": "sweep.command",
    "simulate-deep": "validation.deep",
    "test": "testing.suite",
    "validate-sim": "validation.command",
}

# What a command loads stays until its end, so that it is never looked through for garbage: neither
# now, nor later, when processes are forked that would have to copy it, nor at the end.
gc.disable()
command = importlib.import_module(MODULES[sys.argv.pop(1)])
from common.failure import exit_code
gc.freeze()
gc.enable()

sys.exit(exit_code(command.main))
