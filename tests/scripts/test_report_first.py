#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The first screen of a report: the answer, who wins where, and the map of ratios below it.

AL_BUILD names the build folder."""

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT, ranks
from support.reporting import Reports, failed, per_message, record

REFERENCE = ROOT / "results" / "reference"
COSTS = {("alpha", "inverted"): 1000, ("alpha", "deque"): 1500, ("alpha", "las"): 7000,
         ("beta", "inverted"): 1600, ("beta", "deque"): 800, ("beta", "las"): 801}


def rows(workers=(1, 2), blocks=12, **more):
    """Times of equal cells differ a little."""
    return [record(name, count, block, cost + (block * 5 + count) % 3, benchmark=benchmark, **more)
            for block in range(blocks) for count in workers for (benchmark, name), cost in COSTS.items()]


class First(Reports):
    def test_answer(self):
        """The sentence is that of `actorlab results`, and comes first."""
        page = self.made(rows())
        told = json.loads(subprocess.run([ACTORLAB, "results", self.folder, "--json"], capture_output=True, check=True).stdout)
        headline = told["machines"][0]["headline"]
        self.assertTrue(headline.startswith("inverted is fastest on 1 of 2 workloads with 1 and 2 workers"), headline)
        self.assertLess(page.text.index(headline), page.text.index("fastest with"))
        self.assertLess(page.text.index("fastest with"), page.text.index("Ratios to the fastest"))

    def test_glance(self):
        page = self.made(rows())
        shown = [[text for text, _ in row] for row in page.tables["glance"]]
        self.assertEqual(shown[0], ["fastest with", "1 worker", "2 workers"])
        for row, workload in zip(shown[1:], ("alpha", "beta")):
            self.assertEqual(row[0].strip(), workload)
        self.assertRegex(shown[1][1], r"^inverted 1\.50× \[1\.\d+, 1\.\d+\]$")
        self.assertRegex(shown[2][1], "^=\xa0(deque, las|las, deque)$")
        # Without room for intervals there are none, and a single workload is turned.
        shown = [[text for text, _ in row] for row in self.made(rows((1, 2, 3, 4))).tables["glance"]]
        self.assertEqual((shown[0][3], shown[1][1]), ("3 workers*", "inverted 1.50×"))
        alone = [row for row in rows((1, 2, 3, 4)) if row["benchmark"] == "alpha"]
        shown = [[text for text, _ in row] for row in self.made(alone).tables["glance"]]
        self.assertEqual([row[0] for row in shown], ["fastest on", "1 worker", "2 workers", "3 workers*", "4 workers*"])

    def test_map(self):
        """Ratios to the fastest with the intervals of their verdicts, from the records."""
        made = rows()
        page = self.made(made)
        heads, *lines = [[text for text, _ in row] for row in page.tables["map-2"]]
        names = heads[1:]
        times = {key: per_message([one for one in made if (one["benchmark"], one["scheduler"], one["workers"]) == (*key, 2)])
                 for key in COSTS}
        for workload, *cells in lines:
            best = names[cells.index("1")]
            for name, text in zip(names, cells):
                if name == best:
                    continue
                sign, _, rest = text.rpartition("\xa0")
                ratio = ranks.estimate([a / b for a, b in zip(times[workload, name], times[workload, best])])
                self.assertAlmostEqual(float(rest.split()[0]), ratio, delta=0.0051 * ratio)
                low, high = map(float, rest.split()[1].split("–"))
                self.assertLessEqual(low, 1.006 * ratio)
                self.assertGreaterEqual(high, 0.994 * ratio)
                self.assertEqual(sign, "=" if abs(ratio - 1) < 0.02 else "", (workload, name))

    def test_failed(self):
        """Of a next whose trials failed there is no ratio, but how many did."""
        page = self.made([record(block=block) for block in range(8)]
                         + [record("las", block=0), *(failed("timeout", scheduler="las", block=block) for block in range(1, 8))])
        self.assertEqual([text for text, _ in page.tables["glance"][1]][1], "inverted next: 7 of 8 failed")
        self.assertEqual([text for text, _ in page.tables["map-1"][1]][2], "∞ 7 of 8 failed")

    def test_banner(self):
        self.assertNotIn("Most trials were disturbed", self.made(rows()).text)
        page = self.made(rows(noise={"disturbed": ["others"]}))
        self.assertIn("Most trials were disturbed, 144 of 144: what differs may be the noise. Against other processes: end other "
                      "programs", page.text)

    def test_timeline(self):
        """The winner's name leads to the picture of such a run, if there is one."""
        said = {"benchmark": "alpha", "scheduler": "inverted", "victim": "none", "idle": "spin", "workers": 2, "seed": 1,
                "dropped": [0], "timed_from_us": 1, "timed_until_us": 4}
        (self.folder / "run.json").write_text(json.dumps({
            "traceEvents": [{"ph": "X", "tid": 0, "name": "run", "ts": 1, "dur": 3}], "otherData": said}))
        self.made(rows())
        text = (self.folder / "report.html").read_text()
        self.assertEqual(text.count('<a href="#timeline-1">inverted</a>'), 1)
        self.assertEqual(text.count('<figure id="timeline-1">'), 1)

    def test_nothing_to_compare(self):
        page = self.made([record(block=block) for block in range(3)])
        self.assertIn("Only one strategy has times", page.text)
        self.assertNotIn("glance", page.tables)

    def fits(self, folder):
        """What of the answer and its table is on the first screen of a small laptop."""
        for file in ("records.jsonl", "config.toml", "sweep.json"):
            if (folder / file).exists():
                shutil.copy(folder / file, self.folder)
        records = [json.loads(line) for line in (self.folder / "records.jsonl").read_text().splitlines()]
        self.made(records)
        self.open("""const box = document.getElementById("glance").getBoundingClientRect();
                     return [box.right, box.bottom, document.querySelector(".answer").getBoundingClientRect().top];""",
                  "--window-size=1280,800")
        right, bottom, top = self.result
        self.assertLess(top, 120)
        self.assertLess(bottom, 800)
        self.assertLessEqual(right, 1280)
        return {row[0][0].split()[0]: [text for text, _ in row] for row in self.read().tables["glance"]}

    def test_native(self):
        """17 workloads with one and two workers."""
        shown = self.fits(REFERENCE / "strategies")
        self.assertEqual(len(shown), 18)
        self.assertIn("fan-in", shown["bang"][0])
        self.assertRegex(shown["bang"][2], r"custody [\d.]+×")

    def test_simulated(self):
        """Ten workloads, and up to 48 workers."""
        shown = self.fits(REFERENCE / "simulated" / "scaling" / "epyc-7662-2s")
        self.assertEqual((shown["fastest"][2], shown["fastest"][-1]), ("2 workers", "48 workers"))
        for column in (2, -1):
            self.assertRegex(shown["bang"][column], r"custody \d\.\d+×")

    def test_contrast(self):
        """Text of each colour of the map, on a light and a dark screen."""
        self.made([record(name, 1, block, cost + block % 2) for block in range(12)
                   for name, cost in zip("abcdefg", (1000, 1100, 1400, 2000, 4000, 9000))])
        for mode in ("--blink-settings=preferredColorScheme=0", "--blink-settings=preferredColorScheme=1"):
            self.open("""
                const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
                function luminance(colour) {
                  canvas.fillStyle = colour;
                  canvas.fillRect(0, 0, 1, 1);
                  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(
                    (value) => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                }
                return [getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll(".heat")].map((cell) => {
                  const style = getComputedStyle(cell);
                  const [a, b] = [luminance(style.color), luminance(style.backgroundColor)];
                  return [style.backgroundColor, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
                })];""", mode)
            _, cells = self.result
            self.assertEqual(len({colour for colour, _ in cells}), 6)
            self.assertGreaterEqual(min(contrast for _, contrast in cells), 4.5)


if __name__ == "__main__":
    unittest.main()
