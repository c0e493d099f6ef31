#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/quiet on made-up machines: it restores exactly what it found, wherever it is killed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT

from machine import quiet

CPU = "devices/system/cpu/"
THP = "kernel/mm/transparent_hugepage/enabled"
INTEL = {
    CPU + "cpufreq/policy0/scaling_governor": "powersave",
    CPU + "cpufreq/policy0/scaling_available_governors": "performance powersave",
    CPU + "cpufreq/policy0/energy_performance_preference": "balance_performance",
    CPU + "cpufreq/policy1/scaling_governor": "schedutil",
    CPU + "cpufreq/policy2/scaling_governor": "performance",
    CPU + "intel_pstate/no_turbo": "0",
    CPU + "smt/control": "on",
    THP: "always [madvise] never",
}
QUIET = INTEL | {
    CPU + "cpufreq/policy0/scaling_governor": "performance",
    CPU + "cpufreq/policy1/scaling_governor": "performance",
    CPU + "intel_pstate/no_turbo": "1",
}
AMD = {
    CPU + "cpufreq/policy0/scaling_governor": "ondemand",
    CPU + "cpufreq/policy0/boost": "1",
    CPU + "cpufreq/boost": "1",
}


def kill_before_call(n):
    left = iter(range(n, -1, -1))

    def counting(call):
        def counted(*arguments, **more):
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **more)
        return counted

    for name in ("open", "write", "fsync", "link", "unlink"):
        setattr(os, name, counting(getattr(os, name)))


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.folder / "run"
        self.run_folder.mkdir()
        self.sys = self.folder / "sys"
        self.sys.mkdir()

    def make(self, files):
        """A /sys with these files."""
        for name, value in files.items():
            path = self.sys / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(value + "\n")

    def values(self):
        """The first lines, which is all that sysfs has. In a plain file the end of a longer old
        value stays behind a new one."""
        return {str(path.relative_to(self.sys)): path.read_text().split("\n")[0] for path in self.sys.rglob("*")
                if path.is_file()}

    def quiet(self, *arguments, code=0, command=(ROOT / "scripts" / "quiet",)):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "AL_SYSFS": str(self.sys), "AL_RUN": str(self.run_folder)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.errors = done.stderr
        return done.stdout

    def forked(self, what, kill_before=None):
        """The command in a copy of this process, which starts sooner; it is killed before the n-th
        call that changes or syncs a file. Returns whether it was."""
        child = os.fork()
        if child == 0:
            try:
                os.environ |= {"AL_SYSFS": str(self.sys), "AL_RUN": str(self.run_folder)}
                sys.argv, sys.stdout = ["quiet", what], open(os.devnull, "w")
                if kill_before is not None:
                    kill_before_call(kill_before)
                os._exit(quiet.main())
            finally:
                os._exit(99)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.assertIn(code, (0,) if kill_before is None else (0, -signal.SIGKILL))
        return code != 0

    def is_off(self):
        return not list(self.run_folder.iterdir())


class Quiet(Machine):
    def test_on_and_off(self):
        self.make(INTEL)
        said = self.quiet("on")
        self.assertEqual(self.values(), QUIET)
        for line in ("governor: powersave -> performance\n", "governor: schedutil -> performance\n",
                     "turbo (no_turbo): 0 -> 1\n", "`scripts/quiet off` restores it\n"):
            self.assertIn(line, said)
        said = self.quiet("show")
        for line in ("on: ", "governor: performance, found as powersave\n", "turbo (no_turbo): 1, found as 0\n",
                     "SMT: on; left alone"):
            self.assertIn(line, said)
        said = self.quiet("off")
        self.assertIn("governor: performance -> schedutil\n", said)
        self.assertEqual(self.values(), INTEL)
        self.assertTrue(self.is_off())
        self.assertEqual(self.quiet("off"), "not on: nothing to restore\n")
        self.assertTrue(self.quiet("show").startswith("off\n"))

    def test_twice(self):
        """The second does not take the quiet machine for the one to restore."""
        self.make(INTEL)
        self.quiet("on")
        self.assertIn("keeps the settings that an earlier `on` found", self.quiet("on"))
        (self.sys / CPU / "intel_pstate/no_turbo").write_text("0\n")
        self.assertIn("turbo (no_turbo): 0 -> 1\n", self.quiet("on"))
        self.quiet("off")
        self.assertEqual(self.values(), INTEL)

    def test_what_follows(self):
        """What the kernel changes of its own accord when the governor or turbo change is restored,
        too."""
        self.make(INTEL | AMD)
        self.quiet("on")
        self.assertEqual(self.values()[CPU + "cpufreq/policy0/boost"], "1")  # left to the kernel
        for name, value in (("policy0/energy_performance_preference", "performance"), ("policy0/boost", "0")):
            (self.sys / CPU / "cpufreq" / name).write_text(value + "\n")
        self.quiet("off")
        self.assertEqual(self.values(), INTEL | AMD)

    def test_boost(self):
        self.make(AMD)
        self.assertIn("turbo (boost): 1 -> 0\n", self.quiet("on"))
        self.assertEqual(self.values()[CPU + "cpufreq/boost"], "0")
        self.quiet("off")
        self.assertEqual(self.values(), AMD)

    def test_many_policies(self):
        self.make({CPU + f"cpufreq/policy{n}/scaling_governor": "powersave" for n in range(12)})
        self.assertIn("governor: powersave -> performance (12 policies)\n", self.quiet("on"))

    def test_huge_pages(self):
        """Only if asked."""
        self.make(INTEL)
        self.quiet("on")
        self.quiet("on", "--thp", "never", code=2)
        self.assertEqual(self.errors, "scripts/quiet: already on without --thp: run `off` first\n")
        self.quiet("off")
        self.quiet("on", "--thp", "never")
        self.assertEqual(self.values()[THP], "never")  # a kernel would write the others beside it
        self.quiet("off")
        self.assertEqual(self.values()[THP], "madvise")

    def test_foreign_changes(self):
        """What someone else has set since is theirs, and said."""
        self.make(INTEL)
        self.quiet("on")
        theirs = self.sys / CPU / "cpufreq/policy0/scaling_governor"
        theirs.write_text("userspace\n")
        (self.sys / CPU / "cpufreq/policy1/scaling_governor").unlink()
        self.quiet("off")
        self.assertIn(f"{theirs}: set to userspace by someone else, left alone; it was powersave\n", self.errors)
        self.assertIn("policy1/scaling_governor: gone; it was schedutil\n", self.errors)
        self.assertEqual((theirs.read_text(), self.values()[CPU + "intel_pstate/no_turbo"]), ("userspace\n", "0"))
        self.assertTrue(self.is_off())

    def test_nothing_to_change(self):
        self.assertEqual(self.quiet("on"), "governor: no switch for it here, as in most virtual machines\n"
                         "turbo: no switch for it here, as in most virtual machines\nnothing was changed\n")
        self.make(QUIET)
        self.assertIn("quiet already: nothing was changed", self.quiet("on"))
        self.assertTrue(self.is_off())

    def test_governor_not_offered(self):
        self.make({CPU + "cpufreq/policy0/scaling_governor": "powersave",
                   CPU + "cpufreq/policy0/scaling_available_governors": "powersave userspace"})
        self.assertIn("governor: no switch for it here\n", self.quiet("on"))
        self.assertEqual(self.values()[CPU + "cpufreq/policy0/scaling_governor"], "powersave")

    def test_no_rights(self):
        """Root may write all that it likes unless it gives up its capabilities. It keeps the one to
        read, because the clone may lie where others may not enter."""
        limited = ("setpriv", "--bounding-set=-all,+dac_read_search") if os.geteuid() == 0 else ()
        command = (*limited, ROOT / "scripts" / "quiet")
        self.make(INTEL)
        knobs = [path for path in self.sys.rglob("*") if path.is_file()]

        def allow(paths, mode):
            for path in paths:
                path.chmod(mode)

        allow(knobs, 0o444)
        self.quiet("on", code=3, command=command)
        without = "" if os.geteuid() == 0 else " without being root"
        self.assertRegex(self.errors, f"^scripts/quiet: .* cannot be written{without}; nothing was changed\n$")
        self.assertEqual(self.values(), INTEL)
        self.assertTrue(self.is_off())
        allow(knobs, 0o644)
        self.quiet("on")
        allow(knobs, 0o444)
        self.quiet("off", code=3, command=command)
        self.assertIn("cannot write powersave: Permission denied\n", self.errors)
        allow(knobs, 0o644)
        self.make(INTEL)
        allow([self.run_folder], 0o555)
        self.quiet("off", code=3, command=command)
        self.assertRegex(self.errors, "^scripts/quiet: .*: all is restored, but this file cannot be removed: .*\n$")

    def test_state_cannot_be_written(self):
        self.make(INTEL)
        self.run_folder.rmdir()
        self.quiet("on", code=3)
        self.assertRegex(self.errors, "^scripts/quiet: .*/actorlab-quiet.json: cannot write: No such file or "
                         "directory; nothing was changed\n$")
        self.assertEqual(self.values(), INTEL)

    def test_refused_by_the_kernel(self):
        """A knob that does not take the value: the others are set, and all can be restored."""
        self.make(INTEL)
        refused = self.sys / CPU / "intel_pstate/no_turbo"
        code = ("import sys; sys.path.insert(0, sys.argv.pop(1)); from machine import quiet; write = quiet.write; "
                "quiet.write = lambda path, value: ('no_turbo: cannot write: busy' if path.endswith('no_turbo') "
                "else write(path, value)); sys.exit(quiet.main())")
        for what in ("on", "on"):
            self.quiet(what, code=3, command=(sys.executable, "-Bc", code, ROOT / "scripts" / "lib"))
            self.assertEqual(self.errors, "scripts/quiet: no_turbo: cannot write: busy\n")
        self.assertEqual(self.values(), QUIET | {CPU + "intel_pstate/no_turbo": "0"})
        refused.write_text("1\n")
        self.quiet("off", code=3, command=(sys.executable, "-Bc", code, ROOT / "scripts" / "lib"))
        self.assertIn("`off` can be tried again", self.errors)
        self.quiet("off")
        self.assertEqual(self.values(), INTEL)

    def test_broken_state(self):
        self.make(QUIET)
        (self.run_folder / "actorlab-quiet.json").write_text(json.dumps({"knobs": [{"kind": "x"}]}))
        for what in ("on", "off", "show"):
            self.quiet(what, code=2)
            self.assertRegex(self.errors, "^scripts/quiet: .*: not what `quiet on` writes.*\n$")

    def test_usage(self):
        for arguments in ([], ["up"], ["on", "--thp", "always"], ["off", "--thp", "never"]):
            self.quiet(*arguments, code=2)


class Killed(Machine):
    """Between every two calls that change or sync a file."""

    def everywhere(self, prepare, what, finish):
        for n in range(100):
            self.make(INTEL)
            for path in self.run_folder.iterdir():
                path.unlink()
            prepare()
            killed = self.forked(what, kill_before=n)
            finish()
            with self.subTest(killed_before=n):
                self.assertEqual(self.values(), INTEL)
            if not killed:
                self.assertGreater(n, 5)
                self.assertTrue(self.is_off())
                return
        self.fail("it never ended")

    def test_on(self):
        self.everywhere(lambda: None, "on", lambda: self.forked("off"))

    def test_on_then_on(self):
        def finish():
            self.forked("on")
            self.assertEqual(self.values(), QUIET)
            self.forked("off")
        self.everywhere(lambda: None, "on", finish)

    def test_synced_first(self):
        """A kill cannot show that it was: file, name, and only then the first change."""
        self.make(INTEL)
        trace = ("import os, sys; sys.path.insert(0, sys.argv.pop(1))\n"
                 "def told(name, call):\n"
                 "    return lambda *words, **more: print(name, *words, file=sys.stderr) or call(*words, **more)\n"
                 "for name in ('open', 'fsync', 'link'):\n"
                 "    setattr(os, name, told(name, getattr(os, name)))\n"
                 "from machine import quiet; sys.exit(quiet.main())")
        self.quiet("on", command=(sys.executable, "-Bc", trace, ROOT / "scripts" / "lib"))
        calls = [line.split()[0] + ("" if str(self.sys) not in line else " sys") for line in self.errors.splitlines()]
        self.assertEqual(calls, ["fsync", "link", "open", "fsync"] + ["open sys"] * 3)

    def test_off(self):
        self.everywhere(lambda: self.forked("on"), "off", lambda: self.forked("off"))


if __name__ == "__main__":
    unittest.main()
