# SPDX-License-Identifier: MIT
"""What validate-sim says, in Markdown."""

import math
import statistics

from validation.comparison import APART, CHANGED, MOST, biases, farthest, group, speed_ups


def percent(value):
    return f"{100 * value:+.0f}%"


def share(part, whole):
    return f"{100 * part / whole:.0f}% ({part} of {whole})" if whole else "–"


def significant(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def name(cell, labels):
    return f"{cell['benchmark']}, {labels[cell['strategy']]}, {cell['workers']}"


def rows(header, lines):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *("| " + " | ".join(line) + " |" for line in lines)]


def overview(points, pairs):
    """Fitted and held-out cells, with one and more workers."""
    lines = []
    counts = sorted({one.cell["workers"] for one in points})
    for words, fitted in (("fitted", True), ("held out", False)):
        for workers in (*counts, None):
            chosen = [one for one in points if one.fitted == fitted and workers in (None, one.cell["workers"])]
            found = group(chosen)
            if found is None:
                continue
            told = [pair for pair in pairs if pair.fitted == fitted and workers in (None, pair.first["workers"])]
            lines.append([words, "all" if workers is None else str(workers), str(found["cells"]),
                          f"{100 * found['mean']:.0f}%", f"{100 * found['median']:.0f}%", percent(found["bias"]),
                          f"{100 * found['within']:.0f}%", share(sum(pair.same for pair in told), len(told))])
    return rows(["cells", "workers", "number", "mean error", "median", "mean ratio − 1", f"within {100 * MOST:.0f}%",
                 "pairs in the same order"], lines)


def by_strategy(points, labels):
    """How far each strategy's simulated times are from its native ones, over all workloads."""
    found = biases(points)
    counts = list(next(iter(found.values()), {None: None}))
    lines = []
    for strategy, bias in found.items():
        worst = farthest(found, strategy)
        lines.append([labels[strategy], *(f"{bias[count]:.2f}" if bias[count] is not None else "–" for count in counts),
                      f"{worst[1]:.2f} to {labels[worst[0]]}" if worst else "–"])
    return rows(["strategy", *("all" if count is None else f"{count} worker{'s' * (count != 1)}" for count in counts),
                 "of its ratios, the farthest off"], lines)


def from_one_to_two(points):
    """In a sentence, how well speed-ups are predicted; None without any."""
    found = speed_ups(points)
    if not found:
        return None
    errors = [abs(simulated / native - 1) for native, simulated in found]
    changed = [(native, simulated) for native, simulated in found if not 1 / CHANGED < native < CHANGED]
    right = sum((native > 1) == (simulated > 1) for native, simulated in changed)
    mean = math.exp(statistics.fmean(abs(math.log(simulated / native)) for native, simulated in found))
    return (f"Speed-up from one to two workers: off by a factor of {mean:.2f} on average (error {100 * statistics.fmean(errors):.0f}%); "
            f"its sign is right in {share(right, len(changed))} cells whose native time changes by more than "
            f"{100 * (CHANGED - 1):.0f}%.")


def outside(points, labels):
    """Each cell beyond MOST, with room for its cause."""
    wrong = [one for one in points if one.error is None or abs(one.error) > MOST]
    wrong.sort(key=lambda one: (one.error is not None, -abs(one.error or 0)))
    lines = [[name(one.cell, labels), significant(one.native),
              significant(one.simulated) if one.simulated is not None else "–",
              percent(one.error) if one.error is not None else "did not end",
              "fitted" if one.fitted else "", ""] for one in wrong]
    return rows(["workload, strategy, workers", "native ns", "simulated ns", "error", "", "cause"], lines)


def contradicted(pairs, labels):
    wrong = [pair for pair in pairs if not pair.same]
    wrong.sort(key=lambda pair: -max(pair.native, 1 / pair.native))
    lines = [[f"{pair.second['benchmark']}, {pair.second['workers']}",
              f"{labels[pair.second['strategy']]} / {labels[pair.first['strategy']]}",
              f"{pair.native:.2f}", f"{pair.simulated:.2f}"] for pair in wrong]
    return rows(["workload, workers", "strategies", "native ratio", "simulated"], lines)


def document(points, pairs, labels, command, where):
    """All of it. where: what was compared with what, in words."""
    speed_up = from_one_to_two(points)
    within = [one for one in points if one.error is not None and abs(one.error) <= MOST]
    lines = [f"<!-- {command} -->", "", where, "", *overview(points, pairs), "",
             f"Pairs: two strategies on one workload that native verdicts tell apart by more than {100 * (APART - 1):.0f}%.",
             "", "Simulated over native times, geometric means over the workloads:", "", *by_strategy(points, labels), ""]
    if speed_up:
        lines += [speed_up, ""]
    if len(within) < len(points):
        lines += [f"Cells beyond {100 * MOST:.0f}%:", "", *outside(points, labels), ""]
    if not all(pair.same for pair in pairs):
        lines += ["Pairs in the other order:", "", *contradicted(pairs, labels), ""]
    return "\n".join(lines)
