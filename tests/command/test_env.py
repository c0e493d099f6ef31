#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""actorlab env on made-up machines. AL_BUILD names the build folder."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build")).resolve()
CPU = "sys/devices/system/cpu/"
CACHE = CPU + "cpu0/cache/"
PAGE = os.sysconf("SC_PAGESIZE")
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
PARANOID = "proc/sys/kernel/perf_event_paranoid"
PMU = "sys/bus/event_source/devices/"
CALM = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Fake 3000\nflags\t\t: fpu constant_tsc nonstop_tsc avx\n",
    "proc/loadavg": "0.25 0.1 0.1 1/70 99",
    "proc/stat": "cpu  1 2 3\nprocs_running 1\n",
    "proc/sys/kernel/randomize_va_space": "0",
    "proc/self/cgroup": "0::/",
    CPU + "cpufreq/policy0/scaling_governor": "performance",
    CPU + "cpufreq/policy4/scaling_governor": "performance",
    CPU + "intel_pstate/no_turbo": "1",
    CPU + "smt/active": "0",
    CACHE + "index0/coherency_line_size": "64",
    CACHE + "index1/coherency_line_size": "32",
    CLOCK: "tsc",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "proc/self/status": "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0",
    PARANOID: "2",
    PMU + "cpu/type": "4",
}


class Env(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def run_it(self, *arguments, code=0, before=()):
        done = subprocess.run([*before, BUILD / "actorlab", "env", *arguments], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done)
        self.errors = done.stderr
        return done.stdout

    def lines(self, files, **more):
        """name -> (value, verdict), of a machine with these files."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n")
        found = json.loads(self.run_it("--json", "--root", self.root, **more))["lines"]
        for line in found:
            if line["verdict"] == "disturbs":
                self.assertTrue(line["advice"], line)
        return {line["name"]: (line["value"], line["verdict"]) for line in found}

    def test_calm(self):
        lines = self.lines(CALM)
        build = lines.pop("build")
        good = build[0].startswith("release, ") and "checks" not in build[0] and "sanitized" not in build[0]
        self.assertEqual(build[1], "ok" if good else "disturbs")
        self.assertRegex(lines.pop("topology")[0], r"\d+ cores?, \d+ usable PUs?$")
        lines.pop("kernel")
        self.assertIn(lines.pop("membarrier"), [("available", "ok"), ("not in this kernel", "note")])
        self.assertEqual(lines, {
            "CPU": ("Fake 3000", "ok"), "memory": (f"lines of 64 bytes, pages of {PAGE}", "ok"), "virtual": ("no", "ok"), "governor": ("performance", "ok"),
            "turbo": ("off", "ok"), "SMT": ("off", "ok"), "ASLR": ("off for this process", "ok"),
            "CPU quota": ("none", "ok"), "load": ("0.25, 0 others running", "ok"), "clock": ("tsc", "ok"),
            "TSC": ("constant, nonstop", "ok"), "huge pages": ("madvise (transparent)", "ok"),
            "hardware counters": ("cycles, instructions, cache misses", "ok")})

    def test_each(self):
        for file, content, name, expected in [
            ("proc/cpuinfo", "flags : fpu hypervisor", "virtual", ("a virtual machine", "note")),
            ("proc/cpuinfo", "flags : fpu", "TSC", ("not constant", "disturbs")),
            ("proc/cpuinfo", "flags : xconstant_tsc nonstop_tsc_s3", "TSC", ("not constant", "disturbs")),
            ("proc/stat", "cpu 1 2\nprocs_running 4", "load", ("0.25, 3 others running", "disturbs")),
            ("proc/stat", "cpu 1 2\nprocs_running 2", "load", ("0.25, 1 other running", "disturbs")),
            (CPU + "cpufreq/policy4/scaling_governor", "powersave", "governor", ("performance, powersave", "disturbs")),
            (CPU + "intel_pstate/no_turbo", "0", "turbo", ("on", "disturbs")),
            (CPU + "smt/active", "1", "SMT", ("on", "note")),
            (CACHE + "index2/coherency_line_size", "256", "memory", (f"lines of 256 bytes, pages of {PAGE}", "disturbs")),
            (CLOCK, "hpet", "clock", ("hpet", "disturbs")),
            ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never", "huge pages",
             ("always (transparent)", "note")),
            ("sys/fs/cgroup/cpu.max", "50000 100000", "CPU quota", ("0.500 of", "disturbs")),
            ("sys/fs/cgroup/cpu.max", "max 100000", "CPU quota", ("none", "ok")),
            (PARANOID, "3", "hardware counters", ("none: perf_event_paranoid is 3", "note")),
            ("proc/self/status", "Seccomp:\t2", "hardware counters", ("none: a filter of system calls (seccomp)", "note")),
        ]:
            value, verdict = self.lines(CALM | {file: content})[name]
            self.assertEqual((value[:len(expected[0])], verdict), expected)

    def test_boost(self):
        files = {name: text for name, text in CALM.items() if "no_turbo" not in name}
        for text, expected in (("1", ("on", "disturbs")), ("0", ("off", "ok"))):
            self.assertEqual(self.lines(files | {CPU + "cpufreq/boost": text})["turbo"], expected)

    def test_pmu(self):
        """Without the kernel's support or a PMU there are no hardware counters; its name differs by
        processor."""
        files = {name: text for name, text in CALM.items() if PMU not in name}
        self.assertEqual(self.lines(files)["hardware counters"], ("none: no PMU that the kernel knows", "note"))
        guest = {"proc/cpuinfo": "flags : fpu hypervisor constant_tsc nonstop_tsc"}
        self.assertEqual(self.lines(files | guest)["hardware counters"], ("none: no PMU in this guest", "note"))
        shown = self.run_it("--root", self.root)
        self.assertRegex(shown, r"\nhardware counters +none: no PMU in this guest +note\n +the host would have to pass")
        for name in ("cpu_core", "armv8_pmuv3_0"):
            self.assertEqual(self.lines(files | {PMU + name + "/type": "8"})["hardware counters"][1], "ok")
            (self.root / PMU / name / "type").unlink()
            (self.root / PMU / name).rmdir()
        (self.root / PARANOID).unlink()
        self.assertEqual(self.lines({name: text for name, text in CALM.items() if name != PARANOID})["hardware counters"],
                         ("none: the kernel was built without perf events", "note"))

    def test_nothing_told(self):
        lines = self.lines({})
        self.assertEqual({name for name, (_, verdict) in lines.items() if verdict == "unknown"},
                         {"CPU", "memory", "virtual", "governor", "turbo", "SMT", "ASLR", "load", "clock", "huge pages"})

    def test_aslr(self):
        files = CALM | {"proc/sys/kernel/randomize_va_space": "2"}
        on = self.lines(files)["ASLR"]
        off = self.lines(files, before=["setarch", "-R"])["ASLR"]
        self.assertEqual((on, off), (("on", "note"), ("off for this process", "ok")))

    def test_for_people(self):
        self.lines(CALM | {"proc/stat": "procs_running 3"})
        text = self.run_it("--root", self.root)
        self.assertRegex(text, r"\nload +0\.25, 2 others running +disturbs\n +end what is running, or ")
        self.assertRegex(text, r"\n\nMarked as disturbing: [12]; see docs/reference/noise.md\n$")

    def test_this_machine(self):
        found = json.loads(self.run_it("--json"))
        self.assertIn("aslr", found["environment"])
        for line in found["lines"]:
            self.assertIn(f"\n{line['name']} ", "\n" + self.run_it())
            self.assertIn(line["verdict"], ("ok", "note", "disturbs", "unknown"))

    def test_mistakes(self):
        for arguments, said in (
                (["--jsn"], "unknown option '--jsn'; did you mean '--json'?; valid: --json, --root, --help"),
                (["--root"], "no value after '--root'; valid: --root DIR")):
            self.assertEqual(self.run_it(*arguments, code=2), "")
            self.assertEqual(self.errors, f"actorlab env: {said}\n")


if __name__ == "__main__":
    unittest.main()
