# SPDX-License-Identifier: MIT
"""What tests share. Importing it also lets them import the packages of scripts/lib."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build")).absolute()
ACTORLAB = BUILD / "actorlab"
SIMULATOR = ACTORLAB.with_name("actorlab-sim").exists()  # builds with a sanitizer have none
DEEP = os.environ.get("AL_TEST_DEEP") == "1"

# The configurations of sweeps; configs/claims has claims beside them.
SWEEPS = sorted(path for path in (ROOT / "configs").rglob("*.toml") if path.parent.name != "claims")

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True
