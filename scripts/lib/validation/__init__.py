# SPDX-License-Identifier: MIT
"""How far simulated results can be believed: against native ones, and with other costs."""
