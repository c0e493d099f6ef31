# SPDX-License-Identifier: MIT
"""Ends a sweep early once its intervals are as narrow as its configuration asks."""

from results import table
from results.summary import Summary

# The numbers of blocks after which a sweep with a precision may end. They are few, because each
# check is one more chance to end by luck, and none comes before an interval of a median can cover
# 95%.
LOOKS = (6, 10, 20, 40, 80, 160, 320, 640)


class Precision:
    def __init__(self, config, options, actorlab):
        self.wanted, self.invocations = config.precision, config.invocations
        self.looks = LOOKS if self.wanted is not None and options.block is None else ()
        self.actorlab = actorlab
        self.ended_early = None  # or a note that says why

    def ends_before(self, blocks, path):
        """Whether the sweep may end after this many whole blocks."""
        widest = self.widest(path) if blocks in self.looks else None
        if widest is None or widest[0] > self.wanted:
            return False
        self.ended_early = (f"ended after {blocks} of {self.invocations} blocks: every interval is "
                            f"narrower than {self.wanted:.3g} of its median")
        return True

    def widest(self, path):
        """(width of the widest interval as a part of its median, name of its cell), or None if
        there is no interval."""
        widths = []
        for machine in Summary(self.actorlab, path).machines:
            for cell in machine.cells:
                time = cell["ns_per_message"]
                width = (time["high"] - time["low"]) / time["median"]
                widths.append((width, table.name(machine, cell)))
        return max(widths, default=None)

    def imprecise(self, path):
        """A note if the sweep ended without reaching its precision."""
        widest = self.widest(path) if self.looks else None
        if widest is None or widest[0] <= self.wanted:
            return None
        return (f"not as precise as {self.wanted:.3g}: the interval of {widest[1]} is "
                f"{widest[0]:.3g} of its median wide")
