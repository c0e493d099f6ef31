#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program compiled with settings that differ from the library's does not compile, or does not
link."""

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["AL_BUILD"])
COMPILER = shlex.split(os.environ.get("CC", "cc"))
PROGRAM = """
#include "core/actor.h"
#include "schedulers/registry.h"

struct guest { struct al_actor actor; };
struct greeting { struct al_message message; };
AL_ACTOR(guest)
AL_MESSAGE(greeting)

AL_BEHAVIOUR(guest, greeting, self, msg)
{
    return AL_FINISHED;
}

int main(void)
{
    struct al_system *system;
    struct al_error error;
    struct al_report report;
    struct guest guest;
    struct greeting greeting;
    struct al_config config = {.workers = 1};
    if (al_choose(&(struct al_choice){0}, &config, &error) != 0 || al_system_start(&config, &system, &error) != 0)
        return 1;
    al_message_init(greeting, &greeting, AL_NODELETE);
    al_send(guest, greeting, al_actor_init(guest, &guest), &greeting);
    if (al_system_stop(system, &report) != 0)
        return 2;
    int code = AL_COUNTERS && report.workers[0].counters.messages_received != 1 ? 3 : 0;
    al_report_free(&report);
    return code;
}
"""


class ConfigHeader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "program.c").write_text(PROGRAM)

    def compile(self, *arguments):
        return self.run_compiler("-c", *arguments, f"-I{BUILD}", f"-I{ROOT}", "-std=gnu17", "-D_GNU_SOURCE",
                                 "program.c", "-o", "program.o")

    def link(self):
        return self.run_compiler("program.o", "-o", "program", BUILD / "libruntime.a", "-lhwloc", "-lm", "-lpthread")

    def run_compiler(self, *arguments):
        return subprocess.run([*COMPILER, *arguments], cwd=self.folder, capture_output=True, text=True)

    def other_header(self, name):
        """A folder with the header of a build whose option has the other value."""
        text = (BUILD / "core/config.h").read_text()
        for old, new in (("0", "1"), ("1", "0")):
            if f"{name}_{old}" in text:
                lines = [line.replace(f"{name}_{old}", f"{name}_{new}") for line in text.splitlines()]
                lines = [line[:-1] + new if line.startswith(f"#define AL_{name.upper()} ") else line for line in lines]
                (self.folder / "core").mkdir()
                (self.folder / "core/config.h").write_text("\n".join(lines) + "\n")
                return self.folder
        self.fail(f"no {name} in {text}")

    def test_the_same(self):
        done = self.compile()
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.link()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(subprocess.run([self.folder / "program"]).returncode, 0)

    def test_defined_by_the_program(self):
        for definition in ("AL_CHECKS=0", "AL_CHECKS=1", "AL_COUNTERS=0", "AL_COUNTERS=1"):
            with self.subTest(definition):
                done = self.compile(f"-D{definition}")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("do not define AL_CHECKS or AL_COUNTERS", done.stderr)

    def test_headers_of_another_build(self):
        for name in ("checks", "counters"):
            with self.subTest(name):
                self.setUp()
                done = self.compile(f"-I{self.other_header(name)}")
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.link()
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "undefined reference to .al_built_with_checks_._counters_._lines_[0-9]+_pages_[0-9]+'")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
