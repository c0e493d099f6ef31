# SPDX-License-Identifier: MIT
"""Simulated trials that another sweep has run: to run them again would give the same records."""

from common.failure import Failure
from common.files import open_to_read
from results import records as recording


class Reuse:
    def __init__(self, sweep, folders):
        """folders: of results, to which sweeps that are running may be adding."""
        self.sweep = sweep
        self._read = {folder / "records.jsonl": 0 for folder in folders}  # how many bytes
        self._known = {}  # (cell, seed) -> record

    def find(self, cell, seed):
        """A copy of the record of an equal trial, or None. It is of the same cell, seed, model,
        program and number of iterations."""
        for path in self._read:
            self._look(path)
        record = self._known.get((cell.id, seed))
        if record is None or self.sweep.difference([record]):
            return None
        return {**record, "trial": recording.new_trial()}

    def _look(self, path):
        """Reads the records that have been added."""
        try:
            with open(path, "rb", opener=open_to_read) as file:
                file.seek(self._read[path])
                content = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None
        whole = content[:content.rfind(b"\n") + 1]
        self._read[path] += len(whole)
        for record in filter(None, map(recording.load, whole.splitlines())):
            if record.get("engine") == "sim" and record.get("outcome") == "ok" and isinstance(record.get("sweep"), dict):
                self._known[record["sweep"].get("cell"), record.get("seed")] = record
