# SPDX-License-Identifier: MIT
"""sweep.json, in which a sweep keeps the choices of its command line beside its records."""

import json

from common.failure import Failure
from common.files import read_own


def read(path):
    """The JSON object in the file; None if there is no such file."""
    try:
        found = json.loads(read_own(path).decode())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Failure(f"{path}: not written by scripts/sweep: it is not a JSON object")
    return found
