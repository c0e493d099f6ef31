# SPDX-License-Identifier: MIT
"""The report of a results folder: one HTML file."""
