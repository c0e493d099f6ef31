# SPDX-License-Identifier: MIT
"""Builds and runs the tests: scripts/test."""
