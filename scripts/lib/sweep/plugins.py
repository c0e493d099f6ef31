# SPDX-License-Identifier: MIT
"""Plug-ins from shared objects that a configuration names: `plugins = ["mine.so"]` in [sweep]."""

import os
from pathlib import Path

from common.failure import Failure
from sweep.values import shown

KEY = "plugins"
VARIABLE = "AL_PLUGINS"  # whose files every actorlab loads, with colons between them


def files(tables, folder):
    """The files that the tables of a configuration name, which is not checked yet. Paths are
    relative to the folder."""
    sweep = tables.get("sweep")
    named = sweep.get(KEY) if isinstance(sweep, dict) else None
    named = named if isinstance(named, list) else []
    return [Path(os.path.normpath(Path(folder, name).absolute()))
            for name in named if isinstance(name, str) and name and "\0" not in name]


def load(path, tables, folder):
    """Has all programs that this one starts load the files of these tables, beside those that the
    user's environment names. Raises Failure if there is no such file."""
    found = files(tables, folder)
    for file in found:
        if not file.is_file():
            raise Failure(f"{path}: {KEY}: there is no file {shown(str(file))}; `actorlab plugin build` makes one")
    known = [name for name in os.environ.get(VARIABLE, "").split(":") if name]
    if found:
        os.environ[VARIABLE] = ":".join([*known, *(str(file) for file in found if str(file) not in known)])
