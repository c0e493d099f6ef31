# SPDX-License-Identifier: MIT
"""Tests the papers' statements: claims, the records that they need, and their verdicts."""
