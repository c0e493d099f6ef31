# SPDX-License-Identifier: MIT
"""Does every header compile alone?"""

import os
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import ROOT, written_in

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wundef", "-Werror", "-Wno-unused-function", "-fsyntax-only"]


def headers():
    """Every header compiles alone."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    build = os.environ.get("AL_BUILD", ROOT / "build")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        def compile_alone(path):
            source = Path(folder, path.replace("/", "_") + ".c")
            source.write_text(f'#include "{path}"\n')
            done = subprocess.run([*compiler, *FLAGS, f"-I{ROOT}", f"-I{build}", source], capture_output=True, text=True)
            return path, done.returncode, done.stderr

        for path, code, errors in pool.map(compile_alone, (path for path in written_in("c") if path.endswith(".h"))):
            if code != 0:
                yield f"{path}: {errors.strip()}"
