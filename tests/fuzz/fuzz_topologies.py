#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged descriptions of machines, as XML and in hwloc's synthetic form: shown, or refused with a
line."""

import json
import re
import tempfile

from fuzzing import ODD_NUMBERS, ODD_STRINGS, ROOT, Complaint, damaged, fuzz, options, run

FILES = [path.read_text() for path in sorted((ROOT / "tests/topologies").glob("*.xml"))]
SYNTHETIC = ["package:2 core:4 pu:2", "numa:4 l3:2 core:4 pu:1", "package:1 numa:2(memory=1GB) l2:4 core:1 pu:2", "pu:64"]
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
ELEMENT = re.compile(r"<[^>]+>")
WORDS = ("Machine", "Core", "PU", "NUMANode", "0x00000001", "0xf...f", "0x0", "4294967295", "<object>", "</object>", "&amp;",
         "&#0;", "<!DOCTYPE x>", "2.0", "3.0", "(", "[numa]", ":0")


def odd(rng):
    return str(rng.choice((*ODD_NUMBERS, *ODD_STRINGS, *WORDS))).translate({0: None, 10: None})


def mutated(rng, text):
    for _ in range(rng.choice((1, 1, 2, 5))):
        pattern = rng.choice((ATTRIBUTE, ATTRIBUTE, ELEMENT))
        found = list(pattern.finditer(text))
        place, other = rng.choice(found), rng.choice(found)
        if pattern is ATTRIBUTE:
            new = rng.choice(("", f'{place.group(1)}="{odd(rng)}"', f'{place.group(1)}="{other.group(2)}"'))
        else:
            new = rng.choice(("", other.group(), place.group() * 2))
        text = text[:place.start()] + new + text[place.end():]
    return text


def make(rng):
    kind = rng.random()
    if kind < 0.15:
        # What a user types is echoed as it is.
        return bytes(byte for byte in damaged(rng, rng.choice(SYNTHETIC).encode(), WORDS) if 32 <= byte < 127)
    text = rng.choice(FILES)
    return damaged(rng, text.encode(), WORDS) if kind < 0.4 else mutated(rng, text).encode(errors="replace")


def attempt(cases):
    for case in cases:
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            is_file = case.lstrip()[:1] == b"<" or len(case) > 300
            if is_file:
                file.write(case)
                file.flush()
            code, output, errors = run(["topo", "--json", "--topology", file.name if is_file else case],
                                       allowed=(0, 2))
        if code == 0:
            json.loads(output)
        elif len(errors.splitlines()) != 1:
            raise Complaint(f"{len(errors.splitlines())} lines instead of one: {errors}")


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 300))
