# SPDX-License-Identifier: MIT
"""Measuring two builds side by side: a sweep that has them as its axis `binary`."""

import errno
import os
from pathlib import Path

from common import actorlab
from common.failure import writing
from common.files import write_whole
from revisions import configuration
from revisions.layouts import linked
from sweep.command import arguments
from sweep.sweep import Sweep

CONFIGURATION = "builds.toml"  # in the folder of results


def check_writable(folder):
    """Raises Failure if the folder cannot be made, or nothing be written into it. Makes none."""
    place = Path(folder).absolute()
    while not os.path.lexists(place):
        place = place.parent
    number = errno.ENOTDIR if not place.is_dir() else errno.EACCES
    if number == errno.ENOTDIR or not os.access(place, os.W_OK | os.X_OK):
        with writing(folder):
            raise OSError(number, os.strerror(number))


def prepared(screen, folder, options, name, programs, **settings):
    """A Sweep of that name of these programs (name -> path), checked but not yet begun. settings:
    as for configuration.derived."""
    layouts = 0 if options.one_layout else configuration.blocks(options.config, **settings)
    programs = {name: [program, *linked(program, layouts, screen.say)] for name, program in programs.items()}
    content = configuration.derived(options.config, name, programs, **settings)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / CONFIGURATION, content.encode())
    words = [*actorlab.words(folder / CONFIGURATION), f"--results={folder}", "--no-plot", "--trust",
             f"--color={options.color}", *([f"--filter={options.filter.pattern}"] if options.filter else [])]
    return Sweep(arguments(words), screen)
