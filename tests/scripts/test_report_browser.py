#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A report in headless Chromium: sorting, filtering, pointing, and a narrow window.

AL_BUILD names the build folder."""

import json
import sys
import unittest
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.reporting import Reports, chromium, failed, record
from plots.style import SMALLEST


class Scripts(Reports):
    html = None  # made once

    def setUp(self):
        super().setUp()
        if Scripts.html is None:
            self.make()
        (self.folder / "report.html").write_text(Scripts.html)

    def make(self):
        times = {"inverted": 1000, "deque": 30000, "las": 2000, "central": 900}
        records = [record(name, workers, block, time * workers + 7 * block) for block in range(6)
                   for workers in (1, 2) for name, time in times.items()]
        self.made([*records, failed("timeout", scheduler="mercury")], drawn=True)
        Scripts.html = (self.folder / "report.html").read_text()

    def test_sorting(self):
        page = self.open("""
            const table = document.getElementById("times"), heads = [...table.tHead.rows[0].cells];
            const column = (name) => heads.findIndex((head) => head.textContent === name);
            const state = (name) => [heads.map((head) => head.getAttribute("aria-sort")),
                                     [...table.tBodies[0].rows].map((row) => row.cells[column(name)].textContent)];
            const results = [state("ns/message")];
            for (const name of ["ns/message", "ns/message", "scheduler"]) {
              heads[column(name)].querySelector("button").click();
              results.push(state(name));
            }
            return results;""")
        (_, written), (up, ascending), (down, descending), (text, names) = self.result
        numbers = [float(word.replace(",", "")) for word in written]
        self.assertNotEqual(numbers, sorted(numbers))
        self.assertEqual([float(word.replace(",", "")) for word in ascending], sorted(numbers))
        self.assertEqual(descending, ascending[::-1])
        self.assertEqual(names, sorted(names))
        self.assertEqual([list(filter(None, states)) for states in (up, down, text)],
                         [["ascending"], ["descending"], ["ascending"]])
        self.assertEqual(up.index("ascending"), 3)
        self.assertEqual(len(page.column("times", "n")), 8)

    def test_unknown_is_last(self):
        before, table = (self.folder / "report.html").read_text().split('<table id="times"')
        table = table.replace("<td>deque</td>", "<td></td>", 1).replace("<td>las</td>", "<td>zz</td>", 1)
        (self.folder / "report.html").write_text(before + '<table id="times"' + table)
        self.open("""
            const table = document.getElementById("times");
            return [0, 1].map(() => {
              table.tHead.rows[0].cells[1].querySelector("button").click();
              return [...table.tBodies[0].rows].map((row) => row.cells[1].textContent);
            });""")
        self.assertEqual(self.result, [["central", "central", "deque", "inverted", "inverted", "las", "zz", ""],
                                       ["zz", "las", "inverted", "inverted", "deque", "central", "central", ""]])

    def test_points(self):
        """By keyboard, by pointer and by tap: the values of that cell."""
        self.open("""
            const svg = document.querySelector("figure svg"), points = [...svg.querySelectorAll("[data-cell]")];
            const tip = document.getElementById("tip"), said = [];
            const say = () => said.push(tip.hidden ? null : tip.innerText);
            const at = (type, point, down = 0) => {
              const box = point.getBoundingClientRect();
              svg.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: box.left + box.width / 2,
                                                        clientY: box.top + box.height / 2 + down}));
              say();
            };
            say();
            points[0].focus(); say();
            points[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); say();
            document.activeElement.blur(); say();
            at("pointermove", points[2]);
            at("pointermove", points[2], 500);
            at("click", points[3]);
            at("pointermove", points[2], 500);
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})); say();
            return [points.map((point) => Number(point.dataset.cell)), said,
                    points.map((point) => point.getAttribute("tabindex")).join(" "),
                    points[0].getAttribute("aria-label")];""")
        cells, said, stops, label = self.result
        self.assertEqual(sorted(set(cells)), list(range(8)))
        self.assertEqual([text is None for text in said], [True, False, False, True, False, True, False, False, True])
        self.assertEqual(said[6], said[7], "a tapped one stays")
        self.assertEqual(stops.split()[:3], ["-1", "0", "-1"], "where the arrow went")
        self.assertEqual(len({said[1], said[2], said[4], said[6]}), 4)
        found = False
        for name, time in (("inverted", 1000), ("deque", 30000), ("las", 2000), ("central", 900)):
            for workers in (1, 2):
                if not said[1].startswith(f"alpha, {name}, {workers} worker"):
                    continue
                values = [(time * workers + 7 * block) / 100 for block in range(6)]
                self.assertIn(f"{median(values):.6g} ns/message", said[1])
                self.assertIn("  ".join(f"{value:.6g}" for value in values), said[1])
                self.assertIn("96.88%", said[1])
                self.assertIn(f"{median(values):.6g} ns/message", label)
                found = True
        self.assertTrue(found, said[1])

    def test_narrow(self):
        """Nothing is wider than a phone; what is, is in a box of its own. Type in figures is
        readable there, as they do not shrink, and has one size on a wide page."""
        text = (self.folder / "report.html").read_text()
        (self.folder / "phone.html").write_text(text.replace("</body>", """<script>
            const page = document.scrollingElement, scales = [];
            for (const svg of document.querySelectorAll("figure svg"))
              scales.push(svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
            parent.postMessage(JSON.stringify([innerWidth, page.scrollWidth, scales]), "*");
            </script></body>"""))
        frame = self.folder / "frame.html"
        frame.write_text("<script>onmessage = (event) => document.documentElement.dataset.result = event.data</script>"
                         '<iframe src="phone.html" style="width: 360px; height: 800px; border: 0"></iframe>')
        inner, whole, scales = json.loads(chromium(frame).attributes["data-result"])
        self.assertEqual(inner, 360)
        self.assertLessEqual(whole, 360)
        self.assertGreaterEqual(min(scales) * SMALLEST, 8.5, "pixels")
        frame.write_text(frame.read_text().replace("360px", "1280px"))
        inner, whole, scales = json.loads(chromium(frame, "--window-size=1400,900").attributes["data-result"])
        self.assertEqual(inner, 1280)
        self.assertLessEqual(whole, 1280)
        self.assertGreaterEqual(min(scales) * SMALLEST, 10)
        self.assertLess(max(scales) - min(scales), 0.05)

    # What is left: rows of a table by strategy and workers, medians of a figure, the sentences
    # above them, and the fragment.
    LEFT = """
        const form = document.getElementById("filter"), svg = document.querySelector("figure svg");
        const left = () => [
          [...document.querySelectorAll("#times tbody tr")].filter((row) => row.checkVisibility())
            .map((row) => row.cells[1].textContent + row.cells[2].textContent),
          svg.matches(".narrowed") ? svg.querySelectorAll(".in").length : null,
          form.querySelector("output").textContent, location.hash];
        const ask = (name, value) => {
          form.elements[name].value = value;
          form.elements[name].dispatchEvent(new Event("input", {bubbles: true}));
        };"""

    def test_filter(self):
        """By words, workload, strategy and verdict; what is asked for is in the fragment."""
        self.open(self.LEFT + """
            const seen = [left()];
            ask("strategy", "deque"); seen.push(left());
            ask("verdict", "faster"); seen.push(left(), document.querySelector("#times.empty") !== null);
            form.reset(); ask("verdict", ""); seen.push(left());
            ask("search", "LAS  2 work"); seen.push(left());
            ask("search", "alpha"); seen.push(left()[0].length);
            const labels = [...form.querySelectorAll("input, select, button")].map((one) => one.labels.length || one.textContent);
            return [seen, labels, [...form.elements.workload.options].map((one) => one.value)];""")
        (all_left, deque, faster, empty, reset, words, alpha), labels, workloads = self.result
        self.assertEqual((len(all_left[0]), *all_left[1:]), (8, None, "", ""))
        self.assertEqual(deque, [["deque1", "deque2"], 2, "2 of 8 cells", "#strategy=deque"])
        self.assertEqual(faster, [[], 0, "0 of 8 cells", "#strategy=deque&verdict=faster"])
        self.assertTrue(empty)
        self.assertEqual((reset[0], reset[1:3]), (all_left[0], [None, ""]))
        self.assertEqual(words, [["las2"], 1, "1 of 8 cells", "#search=LAS++2+work"])
        self.assertEqual(alpha, 8)
        self.assertEqual(labels, [1, 1, 1, 1, "Show all"])
        self.assertEqual(workloads, ["", "alpha"])

    def test_fragment(self):
        """A link opens what it asks for, and a section; paper shows all."""
        self.open(self.LEFT + """
            const sheet = [...document.styleSheets[0].cssRules];
            const hiding = sheet.filter((rule) => rule.cssText.includes("tr.out")).map((rule) => rule.media?.mediaText);
            return [left(), form.elements.verdict.value, hiding];""", fragment="#tables&strategy=las&verdict=nonsense")
        (rows, medians, said, fragment), verdict, hiding = self.result
        self.assertEqual((rows, medians, said, verdict), (["las1", "las2"], 2, "2 of 8 cells", ""))
        self.assertEqual(fragment, "#tables&strategy=las&verdict=nonsense")
        self.assertEqual(hiding, ["screen"])

    def test_keys_of_a_filtered_figure(self):
        """The arrows stop at what matches."""
        self.open(self.LEFT + """
            ask("strategy", "las");
            const points = [...svg.querySelectorAll("[data-cell]")], stops = [];
            points[0].focus();
            for (let i = 0; i < 3; i++) {
              document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
              stops.push(document.activeElement.getAttribute("aria-label").split(",")[1].trim());
            }
            return stops;""")
        self.assertEqual(self.result, ["las"] * 3)

    def test_collector(self):
        """What these tests rely on: errors, and what a page would load, are seen."""
        with self.assertRaises(AssertionError) as caught:
            self.open("""document.body.innerHTML += '<img src="file:///x.png">';
                         fetch("http://localhost:9/").catch(() => 0);
                         missing();""")
        for problem in ("Uncaught ReferenceError: missing is not defined", "img-src file", "connect-src http://localhost:9/"):
            self.assertIn(problem, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
