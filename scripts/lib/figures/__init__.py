# SPDX-License-Identifier: MIT
"""The papers' figures, each from a sweep of its own."""
