#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a report offers for a paper compiles, cites what was used, and says what records say.

AL_BUILD names the build folder."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.exporting import HOSTILE
from support.reporting import Reports, failed, record

from report import paper
from report.page import Verbatim
from results.findings import Findings
from results.summary import Summary


class Paper(Reports):
    def offered(self, records):
        """(paragraph, BibTeX)"""
        self.write(records)
        findings = Findings(Summary(ACTORLAB, self.folder / "records.jsonl"))
        return [block.text for block in paper.paper(findings) if isinstance(block, Verbatim)]

    def test_method(self):
        records = [record(name, workers, block, 1000 + block, noise={"disturbed": ["steal"] if block == 0 else []})
                   for block in range(8) for workers in (1, 2) for name in ("inverted", "las")]
        records.append(failed("timeout", block=9, noise={"disturbed": []}))
        text = " ".join(self.offered(records)[0].split())
        for words in ("We compared inverted and las on 1 workload with 1 and 2 workers, using actorlab (revision abcdef)",
                      "The machine was CPU 1 with Linux 6.1. The programs were built with gcc 12.",
                      "by the policy close.", "Each of the 4 combinations was measured by 8 processes, each with 1 warm-up and "
                      "1 measured iteration,", "order-statistic intervals of 95\\%", "Trials of the same block form pairs.",
                      "Other activity disturbed 4 of 33 trials; none was left out for it. 1 of 33 trials failed."):
            self.assertIn(words, text)
        self.assertNotIn("simulated", text)

    def test_simulated(self):
        machine = {"name": "big", "title": "The big one", "hypothetical": False, "model_hash": "0123456789abcdef", "overridden": {},
                   "binary_hash": "00000000000000bb"}
        text = " ".join(self.offered([
            record(name, 2, block, 1000 + block, engine="sim", machine=machine, seed=1 + block, noise=None, schema_version=2,
                   trial=f"{block:031x}{rank}") for block in range(8) for rank, name in enumerate(("inverted", "las"))])[0].split())
        for words in ("All times are simulated: the machine was a model of The big one (hash 0123456789abcdef), whose costs",
                      "Each of the 2 combinations was simulated with 8 seeds", "Trials of the same seed form pairs",
                      "Intervals show the sensitivity to jitter in the model's costs, and not how far"):
            self.assertIn(words, text)
        self.assertNotIn("disturbed", text)

    def test_sources(self):
        """Those of what was used, and no others; what is cited is there."""
        text, bib = self.offered([record(name, benchmark="bang", block=block) for block in range(6) for name in ("mercury", "custody")])
        keys = re.findall(r"^@\w+\{(\w+),", bib, re.MULTILINE)
        self.assertEqual(keys, ["actorlab", "barghi2018", "bone2012", "aronis2012", "wilcoxon1945", "hodges1963", "benjamini2005",
                                "schuirmann1987"])
        self.assertLessEqual(set(re.findall(r"\\cite\{(\w+)\}", text)), set(keys))
        self.assertNotIn("keywords", bib)
        self.assertIn("Revision abcdef", bib)

    def test_every_source(self):
        """Each strategy and workload has one, and keywords name nothing else."""
        known = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)
        names = {entry["name"] for kind in ("schedulers", "benchmarks") for entry in known[kind]}
        words = {word for found in re.findall(r"keywords *= \{(.*)\}", paper.REFERENCES.read_text()) for word in found.split(", ")}
        self.assertEqual(names - words, set())
        self.assertEqual(words - names, {"all", "caf-stealing", "caf-sharing"})

    def test_compiles(self):
        """With names that LaTeX would take for commands."""
        records = [record(name, block=block) for block in range(6) for name in (HOSTILE, "inverted", "deque", "las", "mercury")]
        for one in records:
            one["environment"] |= {"cpu": HOSTILE, "revision": "50%_&#"}
        text, bib = self.offered(records)
        (self.folder / "sources.bib").write_text(bib)
        (self.folder / "paper.tex").write_text(
            "\\documentclass{article}\n\\usepackage[T1]{fontenc}\\usepackage{amssymb,url}\n\\begin{document}\n"
            + text.encode("ascii", "ignore").decode() + "\n\\bibliographystyle{plain}\\bibliography{sources}\\end{document}\n")
        for words in (["pdflatex"], ["bibtex"], ["pdflatex"], ["pdflatex"]):
            options = ["-interaction=nonstopmode", "-halt-on-error"] if words == ["pdflatex"] else []
            done = subprocess.run([*words, *options, "paper"], cwd=self.folder, capture_output=True, text=True, errors="replace")
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        log = (self.folder / "paper.log").read_text(errors="replace")
        self.assertNotIn("undefined", log)


if __name__ == "__main__":
    unittest.main()
