#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_house.py [RULE…]: the rules of the house, of which each is a function that yields what
breaks it."""

import sys

from headers import headers
from includes import from_the_root, layers, no_circles, own_header_first, seams, sources_of_memory, top_level
from lengths import long_files, long_functions, wide_prose
from mentions import names, paths, placed_names

RULES = [top_level, layers, seams, sources_of_memory, no_circles, from_the_root, own_header_first, headers, long_files, long_functions, wide_prose, names, paths,
         placed_names]


def main():
    rules = [rule for rule in RULES if not sys.argv[1:] or rule.__name__ in sys.argv[1:]]
    print(f"1..{len(rules)}")
    failed = 0
    for number, rule in enumerate(rules, 1):
        broken = list(rule())
        for line in broken:
            print("#", line.replace("\n", "\n# "))
        print(f"{'not ' if broken else ''}ok {number} - {rule.__name__}: {' '.join(rule.__doc__.split())}")
        failed += bool(broken)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
