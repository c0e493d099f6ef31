#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Comparing revisions in many layouts: the same objects, linked in other orders."""

import os
import subprocess
import unittest
from collections import Counter

from test_compare_builds import BUILD, CELLS, Clone

# A program of objects, which tells in which order they are linked.
LINKED = """project('made-up', 'c')
parts = static_library('parts', 'alpha.c', 'beta.c', 'gamma.c', 'unused.c')
executable('actorlab', 'main.c', link_with: parts, c_args: '-DSCRIPT="@0@"'.format(meson.current_source_dir() / 'actorlab.py'))
"""
MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern char alpha[], beta[], gamma[];
int main(int argc, char **argv)
{
    char order[8];
    sprintf(order, "%d%d%d", alpha < beta, beta < gamma, alpha < gamma);
    setenv("AL_ORDER", order, 1);
    argv[0] = SCRIPT;
    return argc > 0 && execv(SCRIPT, argv);
}
"""


class Layouts(Clone):
    """Each block has the objects of both builds linked in an order of its own."""

    layouts = []

    def setUp(self):
        super().setUp()
        self.source = self.source.replace('state("hash", "h1")', '"NAME-" + os.environ["AL_ORDER"]').replace(
            '"revision": "r"', '"revision": str(len(os.environ.get("ACTORLAB_PADDING", "")))')

    def commit(self, name, factor=1):
        self.write(name, factor)
        (self.clone / "actorlab.py").write_text((self.clone / "actorlab.py").read_text().replace("NAME", name))
        (self.clone / "meson.build").write_text(LINKED)
        (self.clone / "main.c").write_text(MAIN)
        for part in ("alpha", "beta", "gamma", "unused"):
            (self.clone / f"{part}.c").write_text(f"char {part}[1] = {{1}};\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", name)
        return self.git("rev-parse", "HEAD")

    def test_blocks(self):
        commits = [self.commit("first"), self.commit("second", factor=1.5)]
        words = ("HEAD~1", "main", "cells.toml", "--filter", "workers=2$")
        output = self.run_it(*words, code=1)
        self.assertRegex(output, r"(?m)^alpha .* 1\.[45]\d* .*slower")
        self.assertIn("note: each block has the objects of the builds linked in another order\n", output)
        rows = self.rows()
        # The cells and their results are those of the two builds.
        self.assertEqual(Counter((row["binary"], row["environment"]["binary_hash"][:-3]) for row in rows),
                         {("HEAD~1", "first-"): 14, ("main", "second-"): 7})
        self.assertEqual(len({row["environment"]["binary_hash"] for row in rows}), 2)
        layouts = {}
        for row in rows:
            layout = row["environment"]["layout"]
            layouts.setdefault(row["sweep"]["block"], set()).add(layout["binary_hash"][-3:])
            self.assertEqual(row["environment"]["revision"], str(layout["padding_bytes"]))
        # Both builds have the same in a block.
        self.assertEqual([len(orders) for orders in layouts.values()], [1] * 7)
        self.assertGreater(len(set.union(*layouts.values())), 2)
        self.assertGreater(len({row["environment"]["layout"]["padding_bytes"] for row in rows}), 15)
        # Nothing is linked that is not part of the program, and nothing twice.
        build = self.clone / "build/revisions" / commits[0] / "build"
        programs = [build / "layouts" / str(k) for k in range(7)]
        self.assertNotIn("unused", subprocess.run(["nm", *programs], check=True, text=True, capture_output=True).stdout)
        again = self.run_it(*words, code=1)
        self.assertNotIn("linking", again)
        self.assertIn("21 of 21 trials already recorded", again)
        os.utime(build / "actorlab")
        self.assertRegex(self.run_it(*words, code=1), f"(?m)^linking {build}/actorlab in 7 orders …$")

    def test_failures(self):
        """A trial that crashes has a layout as well, and joins the others."""
        self.commit("first")
        self.commit("second")
        (self.folder / "crash.toml").write_text(CELLS + 'mode = "crash"\n')
        words = ("HEAD~1", "main", "crash.toml", "--filter", "workers=2$", "--blocks", "3")
        self.run_it(*words, code=1)  # there is nothing to compare
        layouts = {(row["sweep"]["block"], row["environment"]["layout"]["binary_hash"][-3:]) for row in self.rows()}
        self.assertEqual([row["outcome"] for row in self.rows()], ["crashed"] * 6)
        self.assertEqual(len(layouts), 3)
        self.assertIn("6 of 6 trials already recorded", self.run_it(*words, code=1))

    def test_no_mixture(self):
        """Trials of one layout do not pass for those of many."""
        self.commit("first")
        self.commit("second")
        words = ("HEAD~1", "main", "cells.toml", "--filter", "workers=2$", "--blocks", "2")
        self.run_it(*words, code=4)
        self.run_it(*words, "--one-layout", code=2)
        self.assertRegex(self.errors, r"its records have layout of \S+ on, now it is off: --rerun moves them aside")

    def test_refused(self):
        """A program that was not linked from objects."""
        self.commit("first")
        for name, command, said in (("second", "['cp', ", r"cannot be linked in another order: .*cp: .*; "),
                                    ("third", "['sh', '-c', 'cp $0 $1', ", "is not linked from objects: ")):
            (self.clone / "meson.build").write_text(BUILD.replace("['cp', ", command))
            self.git("commit", "--quiet", "-am", name)
            self.run_it("main", "HEAD~1", "cells.toml", code=2)
            self.assertRegex(self.errors, rf"/build/actorlab {said}--one-layout measures it as it is\n$")


if __name__ == "__main__":
    unittest.main()
