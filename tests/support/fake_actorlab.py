#!/usr/bin/python3 -IS
# SPDX-License-Identifier: MIT
"""An actorlab for the sweep's tests, which have it in a folder of theirs: it notes there what it is
told, and can crash, hang and answer wrong. What it answers about itself is in files there, if they
exist."""

import os, sys, time
here = os.path.dirname(os.path.abspath(sys.argv[0]))
def loads(text):
    import json  # takes longer to load than the rest of a trial takes
    return json.loads(text)
def dumps(value):
    if isinstance(value, dict):
        return "{" + ", ".join(dumps(str(key)) + ": " + dumps(item) for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(dumps, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\u{ord(c):04x}" for c in value) + '"'
    return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else repr(value)
def note(text):
    with open(here + "/log", "a") as file:
        file.write(text + "\n")
def state(name, default=""):
    try:
        return open(here + "/" + name).read()
    except OSError:
        return default
def optional(name):
    return loads(state(name)) if state(name) else {}
def uint(name, low, high, default):
    return {"name": name, "type": "uint", "default": str(default), "min": float(low), "max": float(high), "help": ""}
def enum(name, *choices):
    return {"name": name, "type": "enum", "default": choices[0], "choices": choices, "help": ""}
def plugin(name, *options, **more):
    return {"name": name, "help": "", "options": options, **more}
environment = {"cpu": "Fake 3000", "kernel": "6.1", "cpus_allowed": state("cpus", "0-1"), "topology_hash": "t", "compiler": "cc 1", "build_type": "release",
               "binary_hash": state("hash", "h1"), "revision": "r", **optional("more")}
listing = {
    "schema_version": 2, "limits": {"workers": 4096, "noise_ticks": 3, "waited_ns": 10**6, "quiet_within": 1.25},
    "benchmarks": [
        plugin("alpha", uint("size", 1, 1000, 10), uint("sleep_ms", 0, 100000, 0),
               enum("mode", "ok", "crash", "exit", "hang", "wrong", "garbage", "late", "lie", "refuse",
                    "family", "daemon", "moody"),
               small="size=1 sleep_ms=2", paper=None, sim="size=3 sleep_ms=1"),
        plugin("beta", uint("size", 1, 50, 10), uint("rounds", 1, 9, 2),
               {"name": "share", "type": "real", "default": "0.5", "min": 0.0, "max": 1.0, "help": ""},
               small="rounds=1", sim=None),
        plugin("gamma"),
    ],
    "schedulers": [
        plugin("inverted", uint("shards", 1, 64, 16), enum("queue", "copy", "list"), uint("batch", 1, 8, 1),
               steals=True, victim="longest", idle="spin", sleeps="policy"),
        plugin("central", uint("capacity", 1, 64, 16), steals=False, victim="none", idle="park", sleeps="policy"),
        plugin("mercury", steals=True, victim="random", idle="own", sleeps="either"),
        plugin("sharing", steals=False, victim="none", idle="own", sleeps="own"),
    ],
    "victims": [plugin("none"), plugin("random"), plugin("longest", uint("batch", 1, 8, 1))],
    "idle": [plugin("spin"), plugin("park", uint("spins", 0, 99, 9)), plugin("own")],
    "pin": ["close", "spread", "smt", "package", "none"], "pus": 2, "environment": environment,
    "palette": {"strategies": ["inverted", "central", "mercury", "sharing"], "colours": ["#0072B2"], "shades": [0],
                "most_shades": 4},
}
listing.update(optional("listing"))  # of another version
version = listing["schema_version"]
command, *words = sys.argv[1:]
if command == "list":
    time.sleep(float(state("slow-list", "0")))
    print(dumps(listing))
elif command == "topo":
    if "package:x" in words or "9" in words:
        sys.exit(print("actorlab topo: no such place", file=sys.stderr) or 2)
    print(dumps({"pus": 1, "order": [{"pu": int(pu)} for pu in state("order").split()]}))
elif command == "foresee":
    if state("ctrl-c") and "--messages" in words:  # what a terminal does
        os.killpg(os.getpgid(os.getppid()), 2)  # SIGINT
    for number, line in enumerate(sys.stdin, 1):
        given = loads(line)
        unlucky = state("unlucky", "size=13")
        print(dumps({"line": number, **({"messages": 1000} if "--messages" in words else {}), **({"problem": unlucky + " brings bad luck"} if {unlucky, "--workers"} <= set(given) else {})}))
elif command == "results":  # what records say, the real one knows
    note("results " + " ".join(words))
    time.sleep(float(state("slow-results", "0")) if "--json" in words else 0)
    os.execv(os.environ["AL_REAL"], ["actorlab", "results", *words])
elif command in ("machine", "summarize"):
    os.execv(os.environ["AL_REAL"], ["actorlab", command, *words])
elif command == "compare" and state("real-compare"):
    os.execv(os.environ["AL_REAL"], ["actorlab", "compare", *words])
elif command == "compare":
    print("compared", *words)
elif command == "run":
    flags, given = {"benchmark": words[0]}, {}
    rest = iter(words[1:])
    for word in rest:
        if word == "--set":
            key, value = next(rest).split("=")
            given[key.rpartition(".")[2]] = value
        elif word not in ("--oversubscribe", "--profile"):
            flags[word[2:]] = next(rest)
    own = {entry["name"]: entry for kind in ("benchmarks", "schedulers") for entry in listing[kind]}
    scheduler = flags.get("scheduler", "inverted")
    def options(name):
        return {o["name"]: int(given.get(o["name"], o["default"])) if o["type"] == "uint" else given.get(o["name"], o["default"])
                for o in own[name]["options"]}
    parameters = options(flags["benchmark"])
    note(f"begin {os.getpid()} " + " ".join(words))
    exec(state("meanwhile"))  # what somebody else does during a trial
    mode = parameters.get("mode", "ok")
    time.sleep(parameters.get("sleep_ms", 0) / 1000)
    if mode == "crash" or (mode == "moody" and state("mood") == "bad"):
        print("x" * 3000 + "the end", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 11)  # SIGSEGV
    if mode == "exit":
        sys.exit(7)
    if mode == "refuse":
        sys.exit(print("actorlab run: too few shards", file=sys.stderr) or 2)
    if mode == "family" and os.fork() == 0:
        note(f"child {os.getpid()}")
    if mode == "daemon" and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note(f"child {os.getpid()}")
            time.sleep(1000)
        os._exit(0)
    if mode in ("hang", "family", "daemon"):
        time.sleep(1000)
    if mode == "garbage":
        sys.exit(print("hello"))
    workers = int(flags.get("workers", 2))
    print("a line for people", file=sys.stderr)
    handoffs = optional("handoffs")  # of each trial in turn; then of the last
    handoff = handoffs[min(state("log").count("begin ") - 1, len(handoffs) - 1)] if handoffs else None
    print(dumps({
        "schema_version": version, **({"trial": os.urandom(16).hex()} if version > 1 else {}), "benchmark": flags["benchmark"], "parameters": parameters, "scheduler": scheduler,
        "victim": flags.get("victim", own[scheduler]["victim"]), "idle": flags.get("idle", own[scheduler]["idle"]),
        "options": options(scheduler), "workers": workers, "pus": [0], "bound": [0], "pin": "close",
        "topology": "this machine", "oversubscribed": workers > 2, "seed": int(flags["seed"]), "engine": "native",
        **({"warmup": 3, "warmup_rule": "auto"} if flags["warmup"] == "auto" else {"warmup": int(flags["warmup"])}), "iterations": int(flags["iterations"]),
        "time_ns": [int(float(state("factor", "1")) * 8000 // workers) + 17 * int(flags["seed"]) % 100] * int(flags["iterations"]), "messages": 1000,
        **({"handoff": {"from": 0, "to": [1], "ns": [handoff], "median_ns": handoff, "took_ns": 1}} if handoff else {}),
        "counters": [], "peak_rss_bytes": 5000000, "environment": environment,
        **({"outcome": "wrong", "error": "9 of 10 arrived"} if mode == "wrong" else {"outcome": "ok"})}), flush=True)
    note(f"end {os.getpid()}")
    if mode == "late":
        os.kill(os.getpid(), 6)  # SIGABRT
    sys.exit(1 if mode in ("wrong", "lie") else 0)
