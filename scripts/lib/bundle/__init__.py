# SPDX-License-Identifier: MIT
"""Results folders as one archive that can be cited."""
