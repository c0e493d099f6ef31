# SPDX-License-Identifier: MIT
"""The records of a results folder, and what they say."""
