# SPDX-License-Identifier: MIT
"""Which conclusions of a simulated figure hold whatever its machine costs exactly.

A conclusion is an ordered pair of strategies in a figure. It holds if at least HOLDS of DRAWS
machines, whose costs are drawn from the ranges that the machine file gives, order the two alike;
otherwise they are not separable. The draws of a figure are shared by its conclusions. One that a
second draw contradicts is decided, and a strategy without an undecided conclusion is not
simulated any more."""

import itertools
import random
from dataclasses import dataclass, field

from common import actorlab as command
from validation.simulations import identity, ns_per_message

DRAWS, HOLDS = 32, 31
CONTRADICTIONS = DRAWS - HOLDS + 1  # from then on a conclusion cannot hold
LEAST = 8  # draws from which on correlations are told


def ranges(actorlab, machine):
    """name -> (value, least, most) of the machine's parameters; the frequency is a unit."""
    data = command.ask(actorlab, "machine", machine, "--json")
    return {row["name"]: (row["value"], row["low"], row["high"]) for row in data["parameters"]
            if row["name"] != "frequency" and row["low"] < row["high"]}


def draw(known, number):
    """The parameters of a draw: each anywhere in its range, whatever the others are. A draw does
    not change with the number of draws."""
    generator = random.Random(f"actorlab draw {number}")
    chosen = {name: generator.uniform(low, high) for name, (_, low, high) in sorted(known.items())}
    return {name: round(value) if name == "store.buffer" else float(f"{value:.6g}") for name, value in chosen.items()}


@dataclass
class Conclusion:
    """That the first is faster than the second: cells of one figure with as many workers."""

    first: dict
    second: dict
    ratio: float  # of the second to the first with the machine's own costs
    ratios: dict = field(default_factory=dict)  # draw -> ratio there, or None

    @property
    def against(self):
        return sum(ratio is None or ratio <= 1 for ratio in self.ratios.values())

    @property
    def k(self):
        """How many draws agree."""
        return len(self.ratios) - self.against

    @property
    def decided(self):
        return self.against >= CONTRADICTIONS or len(self.ratios) >= DRAWS

    @property
    def holds(self):
        return self.decided and self.k >= HOLDS


def conclusions(cells):
    """All ordered pairs of the cells of a figure, by their simulated times."""
    found = []
    for one, other in itertools.combinations(cells, 2):
        times = one["ns_per_message"]["median"], other["ns_per_message"]["median"]
        first, second = (one, other) if times[0] <= times[1] else (other, one)
        found.append(Conclusion(first, second, max(times) / min(times)))
    return found


def decide(figure, simulations, known, seed, tell):
    """Runs draws until each conclusion of a figure is decided."""
    for number in range(1, DRAWS + 1):
        open_ones = [one for one in figure if not one.decided]
        if not open_ones:
            return
        cells = {identity(cell): cell for one in open_ones for cell in (one.first, one.second)}
        model = draw(known, number)
        simulations.run([(cell, seed, model) for cell in cells.values()])
        for one in open_ones:
            times = [ns_per_message(simulations.of(cell, seed, model)) for cell in (one.first, one.second)]
            one.ratios[number] = times[1] / times[0] if None not in times else None
        tell(number, sum(not one.decided for one in figure))


def correlation(xs, ys):
    """Spearman's; 0 where one does not vary."""
    from scipy.stats import spearmanr  # scipy is slow to load

    return float(spearmanr(xs, ys).statistic) if len(set(xs)) > 1 and len(set(ys)) > 1 else 0.0


def deciders(conclusion, known):
    """name -> how strongly a parameter decides: the rank correlation of its value with the ratio,
    over the draws."""
    ended = {number: ratio for number, ratio in conclusion.ratios.items() if ratio is not None}
    if len(ended) < LEAST:
        return {}
    models = {number: draw(known, number) for number in ended}
    return {name: correlation([models[number][name] for number in ended], list(ended.values())) for name in known}


def as_json(conclusion, known, labels):
    """labels: of strategies, by their numbers in the summary."""
    strongest = sorted(deciders(conclusion, known).items(), key=lambda item: -abs(item[1]))[:5]
    return {
        "benchmark": conclusion.first["benchmark"], "workers": conclusion.first["workers"],
        "first": labels[conclusion.first["strategy"]], "second": labels[conclusion.second["strategy"]], "ratio": conclusion.ratio,
        "draws": len(conclusion.ratios), "k": conclusion.k, "holds": conclusion.holds,
        "deciders": dict(strongest)}
