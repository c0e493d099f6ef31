# SPDX-License-Identifier: MIT
"""Revisions of a clone, and building them in folders of their own."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common import actorlab
from common.failure import Failure, failing
from sweep.runner import run_alone

WORKING_TREE = "."
SHORT = 10  # digits of a commit in messages and names of folders


class DoesNotBuild(Failure):
    """A revision without a program. The message names the log."""


@dataclass(frozen=True)
class Revision:
    name: str  # as the user gave it
    commit: str | None  # None: the working tree
    subject: str = ""

    @property
    def short(self):
        return self.commit[:SHORT] if self.commit else WORKING_TREE


class Repository:
    """A clone of actorlab. Revisions are checked out and built in its build/revisions/COMMIT."""

    def __init__(self, folder):
        self.folder = Path(folder).absolute()
        self.revisions = self.folder / "build" / "revisions"
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            del os.environ[name]  # those that name this clone's repository must not redirect git

    def git(self, *words):
        """What git prints, or None if it fails."""
        with failing("git"):
            done = subprocess.run(["git", "-C", str(self.folder), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    def revision(self, name):
        if name == WORKING_TREE:
            return Revision(name, None)
        commit = self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if not commit:
            raise Failure(f"{name}: not a revision of {self.folder}; valid: a branch, a tag, a commit, "
                          f'or "{WORKING_TREE}" for the working tree')
        return self.commit(commit, name)

    def commit(self, commit, name=None):
        subject = self.git("show", "--no-patch", "--format=%s", commit) or ""
        return Revision(name or commit[:SHORT], commit, subject)

    def between(self, good, bad):
        """The commits after `good` up to `bad`, the oldest first, along first parents."""
        if self.git("merge-base", "--is-ancestor", good.commit, bad.commit) is None:
            raise Failure(f"{good.name} is not an ancestor of {bad.name}")
        commits = self.git("rev-list", "--first-parent", "--reverse", f"{good.commit}..{bad.commit}")
        return [self.commit(commit) for commit in (commits or "").split()]

    def build(self, revision, say):
        """Where the program of that revision is. Builds it unless it is there. Raises
        DoesNotBuild."""
        if revision.commit is None:
            return self._build_working_tree()
        folder = self.revisions / revision.commit
        program = folder / "build" / "actorlab"
        if (folder / "built").exists() and program.exists():
            return program
        say(f"building {revision.name} ({revision.short}) in {folder} …")
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log"
        log.unlink(missing_ok=True)
        source = folder / "source"
        if not (folder / "checked-out").exists():
            shutil.rmtree(source, ignore_errors=True)
            # --force: a folder that was deleted may still be registered.
            self._step(revision, log, "git", "-C", self.folder, "worktree", "add", "--force", "--detach",
                       source, revision.commit)
            (folder / "checked-out").touch()
        if not (folder / "build" / "build.ninja").exists():
            self._step(revision, log, "meson", "setup", folder / "build", source, "--buildtype=release")
        self._step(revision, log, "ninja", "-C", folder / "build", "actorlab")
        if not program.exists():
            raise DoesNotBuild(f"{revision.name} ({revision.short}) does not build: no {program}")
        (folder / "built").touch()
        return program

    def _build_working_tree(self):
        if self.folder == actorlab.ROOT:
            return actorlab.build()
        folder = self.folder / "build"
        if not (folder / "build.ninja").exists():
            actorlab.quietly(["meson", "setup", str(folder), str(self.folder), "--buildtype=release"], "configuring")
        actorlab.quietly(["ninja", "-C", str(folder), "actorlab"], "building")
        return folder / "actorlab"

    @staticmethod
    def _step(revision, log, *command):
        """A step of the build. A signal ends both it and this process; a later build continues."""
        shell = ["sh", "-c", 'exec "$@" >>"$0" 2>&1', str(log), *map(str, command)]
        if run_alone(shell)[0] != 0:
            raise DoesNotBuild(f"{revision.name} ({revision.short}) does not build: {log}")
