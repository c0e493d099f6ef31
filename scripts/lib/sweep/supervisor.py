# SPDX-License-Identifier: MIT
"""A process beside each trial that ends the trial and everything it started: when the trial exits,
when the sweep asks for it, and when the sweep dies, even by kill -9.

The sweep forks the supervisor, which starts the trial. It adopts orphans of the trial's processes
(it is a "child subreaper", see prctl(2)), so that neither a new session nor a double fork escapes
it. The sweep holds the write end of a pipe, the lifeline. When that is closed, by the sweep or by
its death, all descendants are killed."""

import ctypes
import os
import select
import signal
import time

from common.stops import STOPS

PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = 5  # for killed processes to disappear, which may be in the middle of a system call
GLANCE_S = 0.001  # between two checks whether they have
# Signals that the sweep handles or Python ignores; the trial gets their default actions back.
HANDLED = (*STOPS, signal.SIGTSTP, signal.SIGCONT)
DEFAULT = (*HANDLED, signal.SIGPIPE, signal.SIGXFSZ)
libc = ctypes.CDLL(None)


class Supervisor:
    """A running trial. `output`, `errors` and `report` are non-blocking pipes to read from."""

    def __init__(self, command):
        self.output, output = pipe()
        self.errors, errors = pipe()
        self.report, report = pipe()
        lifeline, self._lifeline = os.pipe()
        # The sweep's handlers must not run in the child.
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        try:
            self._pid = os.fork()
            if self._pid == 0:
                supervise(command, lifeline, output, errors, report)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        for end in (lifeline, output, errors, report):
            os.close(end)

    def kill(self):
        """Ends the trial and its descendants; `report` says when they have ended. Signal handlers
        may call it, and more than once."""
        end, self._lifeline = self._lifeline, None
        if end is not None:
            os.close(end)

    def killed(self):
        return self._lifeline is None

    def close(self, said, others=()):
        """The trial's exit code, in subprocess's notation, from what the report said. others: the
        supervisors that are still running. Raises OSError if the trial could not be started."""
        self.kill()
        for end in (self.output, self.errors, self.report):
            os.close(end)
        if not said:  # the supervisor itself was killed, or is stopped
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        if not said:
            end_orphans({other._pid for other in others})
            return -signal.SIGKILL
        what, number = said.split()
        if what == b"error":
            raise OSError(int(number), os.strerror(int(number)))
        return os.waitstatus_to_exitcode(int(number))


def adopt():
    """From now on, orphaned descendants of this process become its children."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def pipe():
    """(read end, write end); the read end does not block."""
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    return ours, theirs


def supervise(command, lifeline, output, errors, report):
    """What the forked process does."""
    said = b""
    try:
        os.setpgid(0, 0)  # Ctrl-C and Ctrl-Z go to the sweep alone
        for number in HANDLED:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        close_others(lifeline, output, errors, report)
        adopt()
        said = b"status %d" % run(command, lifeline, output, errors)
    except OSError as error:
        said = b"error %d" % error.errno
    finally:
        try:
            if said:
                os.write(report, said)
        finally:  # also if nobody reads it any more: what the sweep does at its end is not for us
            os._exit(0)


def close_others(*kept):
    """Closes all other files. They must not outlive the sweep here: not its lock, nor the pipes of
    whoever reads its output."""
    last = -1
    for end in sorted(kept):
        os.closerange(last + 1, end)
        last = end
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def run(command, lifeline, output, errors):
    """Starts the trial and waits until it ends or the lifeline is cut. Returns the trial's wait
    status once none of its descendants is left."""
    trial = os.posix_spawnp(
        command[0], command, os.environ, setpgroup=0, setsigdef=DEFAULT, setsigmask=(), file_actions=[
            (os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, errors, 2),
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)])
    os.close(output)
    os.close(errors)
    waiting = select.poll()
    waiting.register(os.pidfd_open(trial), select.POLLIN)
    waiting.register(lifeline, select.POLLIN)
    if any(end == lifeline for end, _ in waiting.poll()):
        kill(trial)
    status = end_family(trial)
    return signal.SIGKILL if status is None else status


def end_family(trial=None):
    """Kills and reaps all descendants, but gives up after a while. Returns the trial's wait status,
    if it was seen."""
    status, deadline = None, time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            for pid in descendants():
                kill(pid)
            time.sleep(GLANCE_S)
        elif pid == trial:
            status = ended
    return status


def end_orphans(spared):
    """Kills and reaps all descendants but these processes and theirs; gives up after a while."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := descendants(spared)) and time.monotonic() < deadline:
        for pid in found:
            kill(pid)
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:  # its parent, which is killed too, has yet to hand it on
                pass
        time.sleep(GLANCE_S)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def descendants(spared=()):
    """The pids of all descendants of this process, found by the parents in /proc, but for these and
    theirs."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):  # it has just ended
            continue
        if int(name) not in spared:
            children.setdefault(parent, []).append(int(name))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]
