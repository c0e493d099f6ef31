# SPDX-License-Identifier: MIT
"""The choices of a sweep's command line that decide which trials it has. sweep.json keeps them."""

import argparse
import json

from common.arguments import regex
from common.failure import Failure
from results import sweep_file
from results.summary import written_order
from sweep.binaries import AXIS
from sweep.config import LARGEST_SEED, SIZES
from sweep.values import is_file_name, is_number

LONGEST_SHOWN = 160  # characters of a wrong value
# For each choice: whether a value is valid, and what it must be.
CHOICES = {
    "quick": (lambda value: isinstance(value, bool), "true or false"),
    "size": (lambda value: value is None or value in SIZES, f"null or one of {SIZES}"),
    "seed": (lambda value: value is None or is_number(value, int) and 0 <= value <= LARGEST_SEED,
             f"null or a whole number from 0 to {LARGEST_SEED}"),
    "filter": (lambda value: value is None or isinstance(value, str), "null or a regular expression"),
}
SIMULATED = {  # sweeps of before machines could be simulated lack them
    "engine": (lambda value: value in (None, "native", "sim"), 'null, "native" or "sim"'),
    "machine": (lambda value: value is None or isinstance(value, str), "null or a name"),
    "model": (lambda value: value is None or isinstance(value, list) and all(isinstance(item, str) for item in value),
              "null or a list of texts"),
}
FOLDER = "binary_folder"  # that relative paths of builds begin at; only of sweeps that have any
RULES = {"name": (is_file_name, "a string that can be the name of a folder"), **CHOICES, **SIMULATED}


# What sweep.json says for `actorlab results`, which reads no TOML. Those of old sweeps lack it.
FOR_READERS = ("axes", "baseline", "looks", "width_looks", "blocks", "margin_percent", "interval")


def choices(options, config, binary_folder, blocks):
    """The content of sweep.json. Builds are found beside the configuration; its copy in the results
    is elsewhere. blocks: how many are whole, which decides the look that is due; readers cannot
    count the blocks of a configuration that lost a cell."""
    kept = {choice: getattr(options, choice) for choice in (*CHOICES, *SIMULATED)}
    kept["filter"] = kept["filter"] and kept["filter"].pattern
    shown = {"axes": written_order(config.axes), "baseline": config.baseline, "looks": config.looks,
             "margin_percent": round(100 * config.margin, 10), "interval": config.interval}
    if config.width_looks() is not None:
        shown["width_looks"] = config.width_looks()
    if config.looks is not None:
        shown["blocks"] = blocks
    if config.plugins or AXIS in {**config.axes, **config.fixed} or any(AXIS in group for group in config.include):
        kept[FOLDER] = str(binary_folder)
    return json.dumps({"name": config.name, **kept, **shown}).encode() + b"\n"


def read(path):
    """What `choices` wrote."""
    earlier = sweep_file.read(path)
    if earlier is None:
        raise Failure(f"{path}: No such file or directory")
    if not isinstance(earlier.get(FOLDER, ""), str):
        raise Failure(f"{path}: {FOLDER}: must be the path of a folder")
    for key in dict.fromkeys([*RULES, *(key for key in earlier if key not in (*FOR_READERS, FOLDER))]):
        if key in SIMULATED and key not in earlier:
            continue
        if key not in RULES or key not in earlier:
            raise Failure(f"{path}: not written by scripts/sweep: it has "
                          f"{'no' if key in RULES else 'an unknown'} key {json.dumps(key)} "
                          f"(valid: {', '.join(RULES)})")
        is_valid, what = RULES[key]
        if not is_valid(earlier[key]):
            value = json.dumps(earlier[key])[:LONGEST_SHOWN]
            raise Failure(f"{path}: {key} = {value}: must be {what}")
    return earlier


def recall(options, path):
    """Takes the choices of an earlier sweep that this command line leaves open."""
    earlier = read(path)
    if getattr(options, "engine", None) == "native":  # then there is no machine
        earlier = {key: value for key, value in earlier.items() if key not in SIMULATED}
    for choice in (*CHOICES, *SIMULATED):
        given = getattr(options, choice, None)
        if (given is None or given is False) and earlier.get(choice) is not None:
            try:
                value = regex(earlier[choice]) if choice == "filter" else earlier[choice]
            except argparse.ArgumentTypeError as error:
                raise Failure(f"{path}: filter: {str(error)[:LONGEST_SHOWN]}") from None
            setattr(options, choice, value)
    options.name = earlier["name"]
    options.binary_folder = earlier.get(FOLDER)
