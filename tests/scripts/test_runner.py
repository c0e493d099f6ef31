#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One trial, whatever it does: it ends in time, with everything that it started, and what it prints
is bounded."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import LONG, Bench, alive

from sweep import peers, runner, supervisor

FINE = '{"outcome": "ok"}'
# A grandchild in a session of its own that keeps the pipes.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
os.wait()
while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()):
    time.sleep(0.001)
"""


class Trial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "daemon"
        for number in supervisor.HANDLED:
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def run_python(self, text, timeout_s=60, **options):
        return runner.Runner(timeout_s).run([sys.executable, "-IS", "-c", text, str(self.file)], **options)

    def as_peer(self, text, nonsense=lambda record, seconds: None):
        return self.run_python(text, parse=peers.parse, nonsense=nonsense)

    def daemon(self):
        return int(self.file.read_text())


class Ends(Trial):
    def test_descendant_with_the_pipe_at_timeout(self):
        outcome = self.run_python(DAEMON + "time.sleep(1000)", timeout_s=1)
        self.assertEqual(outcome.name, "timeout")
        self.assertFalse(alive(self.daemon()))

    def test_descendant_with_the_pipe_at_exit(self):
        """The trial has ended when its process has; nothing that it started disturbs the next."""
        outcome = self.run_python(DAEMON + f"print('{FINE}')")
        self.assertEqual((outcome.name, outcome.record), ("ok", {"outcome": "ok"}))
        self.assertFalse(alive(self.daemon()))

    def test_supervisor_killed(self):
        """Whoever kills our own helper leaves no trial behind."""
        outcome = self.run_python(DAEMON + "import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1000)",
                                  timeout_s=20)
        self.assertEqual((outcome.name, outcome.details["signal"]), ("crashed", "SIGKILL"))
        self.assertFalse(alive(self.daemon()))

    def test_nobody_reads_the_report(self):
        """As after the end of a sweep: our helper ends, and does nothing of what the sweep does."""
        ends = [end for _ in range(4) for end in os.pipe()]
        child = os.fork()
        if child == 0:
            try:
                os.close(ends[6])
                supervisor.supervise(["true"], ends[0], ends[3], ends[5], ends[7])
            finally:
                os._exit(1)
        for end in ends:
            os.close(end)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_signals_are_as_by_default(self):
        """The trial does not inherit how the sweep handles signals."""
        outcome = self.run_python("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)")
        self.assertEqual((outcome.name, outcome.details["signal"]), ("crashed", "SIGTERM"))
        status = self.run_python("print(open('/proc/self/status').read())", parse=lambda output: {
            "outcome": "ok", **dict(re.findall(r"^(\w+):\t([0-9a-f]+)$", output.decode(), re.MULTILINE))}).record
        self.assertEqual(int(status["SigBlk"], 16), 0)
        self.assertEqual([number for number in supervisor.HANDLED if int(status["SigIgn"], 16) >> number - 1 & 1], [])

    def test_files_of_the_sweep_are_closed(self):
        """Neither the trial nor the helper beside it holds a lock or a pipe of the sweep's."""
        ours, theirs = os.pipe()
        os.set_inheritable(theirs, True)
        code = f"import os\nlinks = []\nfor pid in (os.getpid(), os.getppid()):\n    links += [os.readlink(f'/proc/{{pid}}/fd/{{n}}') " \
               f"for n in os.listdir(f'/proc/{{pid}}/fd') if os.path.lexists(f'/proc/{{pid}}/fd/{{n}}')]\n" \
               f"import json\nprint(json.dumps({{'outcome': 'ok', 'links': links}}))"
        link = os.readlink(f"/proc/self/fd/{theirs}")
        self.assertNotIn(link, self.run_python(code).record["links"])
        os.close(ours)
        os.close(theirs)

    def test_no_program(self):
        outcome = runner.Runner(5).run(["/nowhere/peer"], nonsense=lambda record, seconds: None)
        self.assertEqual((outcome.name, outcome.details["error"]), ("missing", "/nowhere/peer: No such file or directory"))
        with self.assertRaisesRegex(Exception, "/nowhere/actorlab: No such file or directory"):
            runner.Runner(5).run(["/nowhere/actorlab"])

    def test_nobody_reads_the_progress(self):
        """A broken pipe of ours is no outcome of a peer's trial."""
        def glance():
            raise BrokenPipeError

        one = runner.Runner(60)
        one.glance = glance
        with self.assertRaises(BrokenPipeError):
            one.run([sys.executable, "-IS", "-c", f"print('{FINE}')"], nonsense=lambda record, seconds: None)

    def test_its_own_time_out(self):
        """actorlab gives up by itself when nothing moves."""
        outcome = self.run_python("import sys\nprint('no message for 60 s', file=sys.stderr)\nsys.exit(124)")
        self.assertEqual((outcome.name, outcome.details), ("timeout", {"stderr": "no message for 60 s\n"}))

    def test_resources_are_counted(self):
        """What a trial used is found in the children's usage, as those who watch peers expect."""
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before = used()
        self.run_python(f"import time\nwhile time.process_time() < 0.3: pass\nprint('{FINE}')")
        self.assertGreater(used() - before, 0.2)


class Output(Trial):
    def test_without_end(self):
        """A gigabyte on either pipe takes neither memory nor, on the first, the time to write
        it."""
        flood = "import os, sys\nwhile True: os.write({}, b'x' * 65536)"
        program = ("import json, resource, sys\nsys.path.insert(0, 'scripts/lib')\nfrom sweep import runner\n"
                   f"outcome = runner.Runner(60).run([sys.executable, '-IS', '-c', {flood.format(1)!r}])\n"
                   f"long = 'import os\\nfor _ in range(16384): os.write(2, b\"x\" * 65535 + b\"y\")\\nprint(\\'{FINE}\\')'\n"
                   "errors = runner.Runner(60).run([sys.executable, '-IS', '-c', long])\n"
                   "print(json.dumps([outcome.name, outcome.details, errors.name, errors.details,\n"
                   "    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))")
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        name, details, second, tail, kilobytes = json.loads(done.stdout)
        self.assertEqual((name, details["error"]), ("nonsense", "it wrote more than 64 MiB to its standard output"))
        self.assertEqual((second, len(tail["stderr"]), tail["stderr"][-1]), ("ok", 2000, "y"))
        self.assertLess(kilobytes, 300000)

    def test_large_record(self):
        outcome = self.run_python("import json\nprint(json.dumps({'outcome': 'ok', 'x': 'y' * 2**23}))")
        self.assertEqual(len(outcome.record["x"]), 2**23)

    def test_records_that_are_none(self):
        """None ends the sweep, and all can be written."""
        for text, said in (("print('[' * 100000)", "no record on its standard output"),
                           ("print('[' * 100000 + ']' * 100000)", "no record on its standard output"),
                           ("""print('{"outcome": "\\\\ud800"}')""", "no record on its standard output"),
                           ("""print('{"outcome": "ok", "\\\\udfff": 1}')""", "no record on its standard output"),
                           ("import os\nos.write(1, b'\\xff')", "no record on its standard output"),
                           ("print('9' * 10000)", "no record on its standard output"),
                           ("print('[1]')", "no record on its standard output")):
            for outcome, name in ((self.run_python(text), "crashed"), (self.as_peer(text), "nonsense")):
                with self.subTest(text, name=name):
                    self.assertEqual((outcome.name, outcome.details["error"]), (name, said))
                    json.dumps(outcome.details, ensure_ascii=False).encode()

    def test_examination_that_fails(self):
        """What the examination of a peer's record cannot take is nonsense, too."""
        cell = type("Cell", (), {"identity": {"benchmark": "alpha", "workers": 1, "parameters": {}}})
        good = {"benchmark": "alpha", "parameters": {}, "workers": 1, "time_ns": [5], "messages": 1,
                "peak_rss_bytes": 1, "version": "1", "outcome": "ok"}
        deep = []
        for _ in range(900):
            deep = [deep]
        nested = {}
        for _ in range(900):
            nested = {"a": nested}
        for change in ({"time_ns": [10**4000]}, {"parameters": nested}, {"outcome": deep}, {"workers": nested}):
            text = f"print({json.dumps(json.dumps(good | change))})"
            outcome = self.as_peer(text, lambda record, seconds: peers.nonsense(record, cell, 1, seconds, 1))
            with self.subTest(str(change)[:40]):
                self.assertEqual(outcome.name, "nonsense")
                self.assertLess(len(outcome.details["error"]), 300)


class Stopped(Bench):
    """Ctrl-Z in the middle of a trial."""

    def suspend(self, number):
        text = ('[sweep]\ntwin = false\ninvocations = 1\ntimeout_s = 4\n[set]\nbenchmark = "alpha"\nsleep_ms = 700\n')
        process = self.start(text, process_group=0)
        self.wait_for(lambda: self.log("begin"))
        process.send_signal(number)
        self.wait_for(lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        first = int(self.log("begin")[0].split()[1])
        if number == signal.SIGTSTP:
            self.wait_for(lambda: not alive(first))
            # it was ended: it would disturb others, and its time is none
            self.assertEqual(self.log("end"), [])
        time.sleep(5)
        process.send_signal(signal.SIGCONT)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, output + errors)
        self.assertEqual([row["outcome"] for row in self.rows()], ["ok"])
        # the trial that was stopped has no time: it ran again
        self.assertEqual(len(self.log("begin")), 2)
        self.assertLess(self.rows()[0]["sweep"]["elapsed_s"], 4)
        self.assertIn("was stopped: its trial runs again", output)

    def test_by_the_terminal(self):
        self.suspend(signal.SIGTSTP)

    def test_by_a_signal_that_cannot_be_handled(self):
        self.suspend(signal.SIGSTOP)


class Killed(Bench):
    def test_grandchildren(self):
        """kill -9 of the sweep leaves nothing of a trial running."""
        process = self.start('[sweep]\ninvocations = 1\n[set]\nbenchmark = "alpha"\nmode = "daemon"\n')
        self.wait_for(lambda: self.log("child"))
        process.kill()
        process.communicate()
        for line in self.log("begin") + self.log("child"):
            self.wait_for(lambda: not alive(int(line.split()[1])))


class Early(Bench):
    """SIGINT before the sweep has begun ends it without a traceback."""

    def interrupt(self, when):
        (self.folder / "sitecustomize.py").write_text(
            "import os, signal, sys\n"
            "class Finder:\n"
            "    def find_spec(self, name, *rest):\n"
            f"        if name == {when!r}:\n"
            "            os.kill(os.getpid(), signal.SIGINT)\n"
            "if any(word.endswith('scripts/lib') for word in sys.orig_argv):\n"
            "    sys.meta_path.insert(0, Finder())\n"
            f"    if {when!r} == 'at once':\n"
            "        os.kill(os.getpid(), signal.SIGINT)\n")
        self.environment["PYTHONPATH"] = str(self.folder)
        done = subprocess.run([ROOT / "scripts" / "sweep", *self.words(LONG)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (130, ""))
        self.assertEqual(self.log("begin"), [])

    def test_before_the_first_import(self):
        self.interrupt("at once")

    def test_while_importing(self):
        for name in ("argparse", "tomllib", "sweep.plan", "sweep.runner"):
            with self.subTest(name):
                self.interrupt(name)


if __name__ == "__main__":
    unittest.main()
