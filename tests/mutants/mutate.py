#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""mutate.py INPUT OUTPUT OLD NEW: copy a source with one place changed.

OLD must occur exactly once, so that a mutant cannot silently become the original."""

import sys
from pathlib import Path

source, output, old, new = sys.argv[1:]
text = Path(source).read_text()
if text.count(old) != 1:
    sys.exit(f"mutate.py: {source}: {text.count(old)} times {old!r}, wanted once: adapt the mutant")
Path(output).write_text(text.replace(old, new))
