# SPDX-License-Identifier: MIT
"""Processes that run beside a test."""

import os
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def processor_s(pid):
    """The processor time that the process has used so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) * TICK_S
