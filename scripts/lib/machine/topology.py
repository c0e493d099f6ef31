# SPDX-License-Identifier: MIT
"""Questions about a topology, which `actorlab topo` answers."""

import json
import subprocess


def topo(actorlab, topology, pin):
    command = [str(actorlab), "topo"]
    command += ["--topology", topology] if topology is not None else []
    return command + (["--pin", pin] if pin is not None else [])


def order(actorlab, topology, pin):
    """What `actorlab topo --json` says of the order of workers, or None if it fails."""
    done = subprocess.run([*topo(actorlab, topology, pin), "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None


def pus_in_order(actorlab, topology, pin):
    """The PUs in the order of workers, or None if actorlab cannot tell."""
    known = order(actorlab, topology, pin)
    return known and [place["pu"] for place in known["order"]]


def pus_of(actorlab, topology):
    """The number of its PUs, or None if actorlab cannot tell."""
    return (order(actorlab, topology, None) or {}).get("pus")


def place_problem(actorlab, topology, pin):
    """What is wrong with a topology and a placement on it, or None."""
    command = topo(actorlab, topology, pin)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors="replace")
    if done.returncode == 0:
        return None
    problem = done.stderr.strip().removeprefix("actorlab topo: ")
    return problem or f"{' '.join(command)}: exit code {done.returncode}"
