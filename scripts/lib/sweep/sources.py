# SPDX-License-Identifier: MIT
"""The uncommitted changes with which actorlab was built: a sweep keeps them beside its records, as
nobody can check them out later."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from common.actorlab import ROOT

# What a build sees.
BUILT = ("core", "schedulers", "benchmarks", "meson.build", "meson_options.txt")
MOST_BYTES = 1 << 20


def git(root, *words, index=None):
    """What git prints, as bytes; None if it fails or is not there."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        done = subprocess.run(["git", "-C", str(root), *words], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def difference(root, revision):
    """The changes of this clone's sources against the commit of `revision`, files that git does not
    track yet included, in the form that git apply takes. None if they are not those of a program
    that says it is of this revision; empty if there are none."""
    described = git(root, "describe", "--always", "--dirty", "--abbrev=12")  # as in revision.sh
    if described is None or described.decode().strip() != revision:
        return None
    paths = [path for path in BUILT if (Path(root) / path).exists()]
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder, "index")  # git's own stays as it is
        if git(root, "read-tree", "HEAD", index=index) is None \
                or git(root, "add", "--intent-to-add", "--", *paths, index=index) is None:
            return None
        return git(root, "diff", "--binary", "--no-ext-diff", "--no-color", "HEAD", "--", *paths, index=index)


def keep(records, revision, say, root=ROOT):
    """Writes the changes beside the records, in a file for each state of the sources that trials
    ran with, and prints a line that names it."""
    changes = difference(root, revision or "") if (revision or "").endswith("-dirty") else b""
    if changes is None:
        say(f"note: the sources of {revision} had uncommitted changes, which are not at hand")
    elif len(changes) > MOST_BYTES:
        say(f"note: the sources have uncommitted changes of {len(changes) >> 20} MiB, which are not kept; "
            f"valid: up to {MOST_BYTES >> 20} MiB")
    elif changes:
        name = f"sources-{hashlib.sha256(changes).hexdigest()[:12]}.diff"
        records.keep_copy(name, changes)
        say(f"note: the sources have uncommitted changes, kept in {name}")
