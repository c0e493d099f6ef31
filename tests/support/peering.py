# SPDX-License-Identifier: MIT
"""What the tests of peers share: a made-up peer, and sweeps that run it."""

from support.sweeping import Bench

# The first argument says what it does. Each is right but for that.
PEER = r'''#!/usr/bin/python3 -IS
import json, os, signal, sys, time
mode, benchmark, *rest = sys.argv[1:]
flags, given = {}, {}
for flag, value in zip(rest[::2], rest[1::2]):
    if flag == "--set":
        key, value = value.split("=")
        given[key] = int(value) if value.isdigit() else float(value) if value[0].isdigit() else value
    else:
        flags[flag] = int(value)
with open(os.path.dirname(os.path.abspath(__file__)) + "/log", "a") as log:
    log.write(f"peer {os.getpid()} " + " ".join(sys.argv[1:]) + "\n")
    log.write(f"on {sorted(os.sched_getaffinity(0))}\n")
iterations = flags["--iterations"]
record = {"benchmark": benchmark, "parameters": given, "workers": flags["--workers"], "time_ns": [3000000] * iterations,
          "messages": 1000, "peak_rss_bytes": 7000000, "version": "Fake 1.2", "outcome": "ok"}
time.sleep(0.005 * iterations)
code = 0
if mode == "crash":
    print("the end", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
elif mode == "hang":
    if os.fork() == 0:  # a peer may have processes of its own
        with open(os.path.dirname(os.path.abspath(__file__)) + "/log", "a") as log:
            log.write(f"grandchild {os.getpid()}\n")
    time.sleep(1000)
elif mode == "exit":
    sys.exit(print("no such size", file=sys.stderr) or 2)
elif mode == "wrong":
    record.update(outcome="wrong", error="9 of 10 arrived", time_ns=[])
    code = 1
elif mode == "lie":
    code = 1
elif mode == "late":
    code = 7
elif mode == "silent":
    sys.exit(0)
elif mode == "chatty":
    print("welcome")
elif mode == "nan":
    record["messages"] = float("nan")
elif mode == "few":
    record["time_ns"] = [3000000] * (iterations - 1)
elif mode == "slow-clock":
    record["time_ns"] = [10**12] * iterations
elif mode == "negative":
    record["time_ns"] = [-5] * iterations
elif mode == "other":
    record["benchmark"] = "beta"
elif mode == "idler":
    record["messages"] = 5
elif mode == "keyless":
    del record["messages"]
print(json.dumps(record))
sys.exit(code)
'''

SWEEP = """
[sweep]
invocations = 1
iterations = 2
timeout_s = 2
[axes]
benchmark = ["alpha"]
scheduler = [{}]
[set]
workers = 1
"""


def table(*names, **others):
    """A peers.toml of that fake in these modes."""
    text = "".join(f'[{name}]\nhelp = "h"\ncommand = ["./peer", "{name}"]\nworkloads = ["alpha", "beta"]\n' for name in names)
    return text + "".join(f"[{name}]\n{lines}\n" for name, lines in others.items())


class Peers(Bench):
    def setUp(self):
        super().setUp()
        (self.folder / "peer").write_text(PEER)
        (self.folder / "peer").chmod(0o755)
        self.environment["AL_PEERS"] = str(self.folder / "peers.toml")

    def run_with(self, names, text=SWEEP, *words, code=0, peers_toml=None, plots=False, **others):
        (self.folder / "peers.toml").write_text(table(*names, **others) if peers_toml is None else peers_toml)
        listed = ", ".join(f'"{name}"' for name in ["inverted", *names, *others])
        return self.sweep(text.replace("[{}]", f"[{listed}]"), *words, code=code, plots=plots)

    def by_scheduler(self):
        return {row["scheduler"]: row for row in self.rows()}
