#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A send without a matching behaviour does not compile, with gcc and with clang."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

source = Path(__file__).resolve().parent / "typed_sends.c"
cases = max(int(n) for n in re.findall(r"CASE == (\d+)", source.read_text()))
number = failed = 0
for compiler in ("gcc", "clang"):
    if not shutil.which(compiler):
        sys.exit(f"{compiler} is missing: scripts/setup --dev installs it")
    for case in range(cases + 1):
        number += 1
        # Incompatible pointers are only a warning by default: the project builds with -Werror.
        result = subprocess.run(
            [compiler, "-std=gnu17", "-fsyntax-only", "-Werror", "-D_GNU_SOURCE", f"-DCASE={case}",
             f"-I{os.environ['AL_BUILD']}", f"-I{source.parents[2]}", str(source)],
            capture_output=True, text=True)
        good = (result.returncode == 0) == (case == 0)
        failed += not good
        print(f"{'' if good else 'not '}ok {number} - {compiler} "
              f"{'accepts' if case == 0 else 'refuses'} case {case}")
        if not good:
            print("# " + result.stderr.replace("\n", "\n# "))
print(f"1..{number}")
sys.exit(failed > 0)
