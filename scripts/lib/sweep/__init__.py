# SPDX-License-Identifier: MIT
"""Sweeps: from a configuration to records."""
