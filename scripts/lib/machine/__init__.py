# SPDX-License-Identifier: MIT
"""The machine that a sweep measures on: its noise, its settings and its topology."""
