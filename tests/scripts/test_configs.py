#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every sweep in configs/chapter, configs/las and configs/mercury, one for each figure, table or
question, and those of builds and of weak scaling, run a block in their small size, and are
drawn."""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.sweeping import SWEEP

from plots import plot
from results import summary

os.environ["AL_ACTORLAB"] = str(ACTORLAB)


def problem(config, folder):
    """What is wrong with this sweep, or None."""
    done = subprocess.run([*SWEEP, config, "--size", "small", "--block", "0", "--no-plot", "--results", folder],
                          capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    if not records or any(record["outcome"] != "ok" for record in records):
        return f"{len(records)} records: {sorted({record['outcome'] for record in records})}"
    asked = tomllib.loads(config.read_text())["sweep"]
    if asked.get("memory") and any((record["warmup"], record["iterations"]) != (0, 1) for record in records):
        return "memory = true with several systems in a process: a second one raises its peak"
    # Here, where matplotlib is loaded once.
    written, _ = plot.draw(summary.Summary(ACTORLAB, folder / "records.jsonl"), folder, formats=("svg",))
    if not written or not all(path.stat().st_size for path in written):
        return "an empty plot"
    return None


configs = sorted([ROOT / "configs/weak.toml", *(ROOT / "configs/chapter").glob("*.toml"), *(ROOT / "configs/las").glob("*.toml"),
                  *(ROOT / "configs/mercury").glob("*.toml"),
                  ROOT / "configs/builds.toml"])
print(f"1..{len(configs)}")
failed = 0
with tempfile.TemporaryDirectory() as parent:
    for number, config in enumerate(configs, 1):
        what = problem(config, Path(parent) / str(number))
        failed += what is not None
        print(f"{'not ' if what else ''}ok {number} - {config.relative_to(ROOT)}" + (f": {what}" if what else ""),
              flush=True)
sys.exit(failed > 0 or not configs)
