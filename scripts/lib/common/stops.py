# SPDX-License-Identifier: MIT
"""The signals that ask a command to stop."""

import signal

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heeded():
    """Those of STOPS that stop this process: not a hangup that it was told to ignore, as nohup
    does."""
    return [number for number in STOPS
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
