# SPDX-License-Identifier: MIT
"""The records of a results folder, and the results computed from them."""
