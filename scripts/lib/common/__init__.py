# SPDX-License-Identifier: MIT
"""What all scripts share: the actorlab command, failures, arguments and the screen."""
