# SPDX-License-Identifier: MIT
"""The figure of simulate-deep: which parameter of the machine decides a conclusion."""

from plots.figure import Figure
from plots.style import DOUBLE, page, styled

MOST = 40  # conclusions: the least sure


def deciders(results, parameters):
    """results: conclusions as `draws.as_json` gives them."""
    shown = sorted(results, key=lambda one: (one["holds"], one["k"] / one["draws"] if one["draws"] else 1))[:MOST]
    names = [name for name in parameters if any(name in one["deciders"] for one in shown)]

    @styled
    def draw(foot=""):
        height = 1.0 + 0.16 * max(len(shown), 1)
        drawing = page(DOUBLE, height, None, foot)
        axes = drawing.subplots()
        values = [[one["deciders"].get(name, 0) for name in names] for one in shown]
        if names and shown:
            image = axes.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
            bar = drawing.colorbar(image, ax=axes, pad=0.02)
            bar.ax.tick_params(labelsize=6)
            bar.ax.set_title("rank\ncorrelation", fontsize=6)
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=6)
        axes.set_yticks(range(len(shown)), [label(one) for one in shown], fontsize=6)
        return drawing

    return Figure("deciders", "What decides a conclusion",
                  "Each row is a conclusion with the five parameters that decide it most, by the rank correlation of their value "
                  "with the ratio of the two times; red: the larger the parameter, the larger the lead of the strategy named "
                  "first. Rows without colours were contradicted by the first draws.", draw)


def label(one):
    mark = "" if one["holds"] else ", not separable"
    return f"{one['benchmark']}: {one['first']} before {one['second']} ({one['k']}/{one['draws']}{mark})"
