# SPDX-License-Identifier: MIT
"""Values of a configuration: how messages show them, and which ones a key takes."""

import json
import os
import re

from machine.noise import GATES
from sweep import expressions
from sweep.config import INTERVALS, MOST_WARMUP, NUMBERS, PLANNED_LOOKS, SECONDS, SIZES, SWITCHES

BARE = re.compile(r"[\w-]+", re.ASCII)  # a key that needs no quotes
LONGEST_SHOWN = 200  # characters of a value in a message
# What people write for a key.
ALSO_CALLED = {"workload": "benchmark", "strategy": "scheduler", "threads": "workers",
               "cores": "workers", "repetitions": "invocations", "runs": "invocations",
               "timeout": "timeout_s"}


def toml(value):
    """A value as TOML writes it, in one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_key(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return basic_string(value) if isinstance(value, str) else str(value)


def toml_key(key):
    return key if BARE.fullmatch(key) else basic_string(key)


def basic_string(text):
    """TOML and JSON escape alike, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def shown(value):
    """A value as TOML writes it, for a message."""
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in toml(value))
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …"


def listed(names):
    return ", ".join(map(str, names)) or "none"


def unknown(what, name, valid):
    import difflib  # only a mistake needs it

    meant = ALSO_CALLED.get(str(name))
    near = [meant] if meant in valid else difflib.get_close_matches(str(name), valid, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f"unknown {what} {shown(name)}{hint} (valid: {listed(valid)})"


def is_number(value, *types):
    return isinstance(value, types) and not isinstance(value, bool)


def is_file_name(value):
    try:
        return (isinstance(value, str) and value not in ("", ".", "..")
                and not set(value) & {"/", "\0"} and len(os.fsencode(value)) <= 255)
    except UnicodeEncodeError:
        return False


def whole(low, high):
    return (lambda value: is_number(value, int) and low <= value <= high,
            f"must be a whole number from {low} to {high}")


def are_looks(value):
    return (isinstance(value, list) and value != [] and all(is_number(look, int) for look in value)
            and value[0] >= PLANNED_LOOKS[0] and value[-1] <= NUMBERS["invocations"][1]
            and all(one < next_one for one, next_one in zip(value, value[1:])))


# The keys of [sweep]: whether a value is valid, and what it must be.
SETTINGS = {
    "name": (lambda value: isinstance(value, str) and re.fullmatch(r"\w[\w.+-]*", value),
             "must be a name of letters, digits, and . _ + -"),
    **{key: whole(*limits) for key, limits in NUMBERS.items()},
    **dict.fromkeys(SECONDS, (
        lambda value: is_number(value, int, float) and 0 < value <= 1e7,
        "must be a positive number of seconds")),
    "warmup": (lambda value: value == "auto" or is_number(value, int) and 0 <= value <= MOST_WARMUP,
               f'must be "auto" or a whole number from 0 to {MOST_WARMUP}'),
    "precision": (lambda value: value == "verdicts" or is_number(value, float) and 0 < value < 1,
                  'must be a share of the median between 0 and 1, such as 0.05 for 5%, or "verdicts"'),
    "looks": (are_looks, f"must be ascending numbers of blocks, the first at least {PLANNED_LOOKS[0]}, "
              f"such as {PLANNED_LOOKS}"),
    "margin": (lambda value: is_number(value, int, float) and 0 < value < 1,
               "must be a share between 0 and 1, such as 0.05 for 5%"),
    "repeats": (lambda value: is_number(value, int, float) and 0 <= value <= 1,
                "must be a share of the trials from 0 to 1, such as 0.1 for 10%"),
    "interval": None,
    **dict.fromkeys(SWITCHES, (lambda value: isinstance(value, bool), "must be true or false")),
    "plugins": (lambda value: isinstance(value, list) and value
                and all(isinstance(name, str) and name.endswith(".so") and not set(name) & {"\0", ":"} for name in value),
                'must be a list of shared objects, such as ["mine.so"]'),
    "size": None,
    "baseline": None,
    "exclude": (lambda value: (isinstance(value, list) and value
                               and all(isinstance(item, dict) and item for item in value)),
                'must be a list of tables such as [{scheduler = "central", workers = 2}]'),
    "gate": None,
    "engine": (lambda value: value in ("native", "sim"), 'must be "native" or "sim"'),
    "machine": (lambda value: isinstance(value, str) and value and "\0" not in value,
                "must be a name in quotes, which actorlab machine lists, or a machine file"),
    "model": (lambda value: isinstance(value, dict) and all(
        is_number(item, int, float) or isinstance(item, dict) for item in value.values()),
              "must be a table of numbers, such as {locked = 7}"),
    "gate_limit": (lambda value: is_number(value, int, float) and 0 <= value < 1,
                   "must be a share from 0 up to 1, such as 0.02 for 2%"),
}


def setting_mistake(key, value, registry):
    """What is wrong with a key of [sweep] and its value, or None."""
    if key not in SETTINGS:
        return unknown("key", key, list(SETTINGS))
    if SETTINGS[key] is None:
        valid = {"size": SIZES, "gate": GATES, "interval": INTERVALS, "baseline": registry.names("scheduler")}[key]
        return None if value in valid else unknown(key, value, valid)
    is_valid, must = SETTINGS[key]
    return None if is_valid(value) else f"{key} = {shown(value)}: {must}"


def option_mistake(key, value, owner, definition):
    """The same for an option of a plug-in."""
    kind = definition["type"]
    if kind == "bool":
        good, want = isinstance(value, bool), "true or false"
    elif kind == "enum":
        if isinstance(value, str) and value not in definition["choices"]:
            return unknown(f"{key} of {owner}:", value, definition["choices"])
        good, want = isinstance(value, str), "one of " + listed(map(shown, definition["choices"]))
    else:
        low, high = definition["min"], definition["max"]
        types = (int,) if kind == "uint" else (int, float)
        # What an expression comes to is checked for each cell.
        good = expressions.is_expression(value) or is_number(value, *types) and low <= value <= high
        want = f"a {'whole ' if kind == 'uint' else ''}number from {low} to {high}"
        if isinstance(value, str):
            want += f", or an expression of workers such as {expressions.EXAMPLE}"
    return None if good else f"{key} = {shown(value)}: {owner} wants {want}"
