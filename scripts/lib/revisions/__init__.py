# SPDX-License-Identifier: MIT
"""Comparing revisions: builds them, and measures them side by side in one sweep."""
