# SPDX-License-Identifier: MIT
"""Debian packages of the committed sources."""
