#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged machine files: shown and drawn, or refused with a line."""

import json
import re
import tempfile
import xml.etree.ElementTree

from fuzzing import ODD_NUMBERS, ODD_STRINGS, ROOT, Complaint, damaged, fuzz, options, run

FILES = [path.read_text() for path in sorted((ROOT / "tests/machines").glob("*.xml"))]
ATTRIBUTE = re.compile(r'<info name="actorlab\.[^>]*>')
VALUE = re.compile(r'(?<=value=")[^"]*')
WORD = re.compile(r"[^ ,:\[\]\"]+")
NUMBERS = re.compile(r"(?<=length=\"[0-9]\">)[0-9 ]+|(?<=length=\"[0-9]{2}\">)[0-9 ]+|(?<=nbobjs=\")[0-9]+")
SIZE = re.compile(r'(?<=cache_size=")[0-9]+|(?<=cache_associativity=")[0-9]+|(?<=cache_linesize=")[0-9]+')
WORDS = ("ns", "%", "MHz", "[", "]", ",", ":", "measured", "proxy", "estimated", "nan", "inf", "0x10", "1e308", "-1", "handoff",
         "matrix", "yes", "actorlab.", "handoff.l2", "title", "\u00e9")


def odd(rng):
    text = str(rng.choice((*ODD_NUMBERS, *ODD_STRINGS, *WORDS))).translate({0: None, 10: None, 27: None})
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def replaced(rng, text, pattern, make):
    found = list(pattern.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    return text[:place.start()] + make(place.group()) + text[place.end():]


def mutated(rng, text):
    """The file with a few attributes, sizes of caches or numbers of matrices changed."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        kind = rng.randrange(6)
        if kind == 0:  # an attribute twice, or none
            text = replaced(rng, text, ATTRIBUTE, lambda old: rng.choice(("", old * 2)))
        elif kind == 1:  # another name, or another's value
            text = replaced(rng, text, ATTRIBUTE, lambda old: rng.choice((
                re.sub(r"actorlab\.[^\"]*", lambda _: "actorlab." + odd(rng), old),
                VALUE.sub(lambda _: VALUE.search(rng.choice(ATTRIBUTE.findall(text)))[0], old))))
        elif kind == 2:  # another word in a value
            text = replaced(rng, text, ATTRIBUTE, lambda old: VALUE.sub(
                lambda value: replaced(rng, value[0], WORD, lambda _: odd(rng)), old))
        elif kind == 3:
            text = replaced(rng, text, SIZE, lambda _: str(rng.choice((*ODD_NUMBERS, 64, 4096, 2**40))))
        elif kind == 4:
            text = replaced(rng, text, NUMBERS, lambda old: replaced(rng, old, WORD, lambda _: odd(rng)))
        else:
            text = damaged(rng, text.encode(), WORDS).decode(errors="replace")
    return text


def make(rng):
    return mutated(rng, rng.choice(FILES)).encode()


def attempt(cases):
    for case in cases:
        with tempfile.NamedTemporaryFile(suffix=".xml") as file, tempfile.NamedTemporaryFile(suffix=".svg") as picture:
            file.write(case)
            file.flush()
            code, output, errors = run(["machine", "--json", file.name], allowed=(0, 2))
            if code == 0:
                if json.loads(output)["cores"] < 1:
                    raise Complaint("no cores")
                run(["machine", file.name], allowed=(0,))
                run(["machine", file.name, "--svg", picture.name], allowed=(0,))
                xml.etree.ElementTree.parse(picture.name)
            elif len(errors.splitlines()) != 1:
                raise Complaint(f"{len(errors.splitlines())} lines instead of one: {errors}")


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 200))
