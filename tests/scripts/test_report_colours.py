#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Contrasts of a report as Chromium computes them, on a light and on a dark page; and how far apart
the colours of strategies are.

AL_BUILD names the build folder."""

import base64
import io
import itertools
import json
import sys
import unittest
from pathlib import Path

import numpy
import PIL.Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.plotting import DRIFT, noise
from support.plotting import record as measured
from support.reporting import Reports

from common.actorlab import palette
from plots import style, timeline
from report import dark

TEXT, MARKS = 4.5, 3  # WCAG 2.1: 1.4.3 and 1.4.11
# In OKLab, whose lightness is from 0 to 1, as everybody sees them, and without red or green cones.
APART, BLIND = 0.12, 0.05
# G. Machado, M. Oliveira, L. Fernandes: A physiologically-based model for simulation of color
# vision deficiency, 2009.
CONES = (((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
         ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)))

# Of all that is visible: [contrast, what it is], below the limits. FAINT: colours behind what is
# measured; KEPT: those that stand for values.
MEASURE = """
    const parse = (words) => { // rgb(255, …), or color(srgb 1 …) of a mixture
      const parts = (words.match(/[\\d.]+/g) || []).map(Number);
      return words.startsWith("color(srgb") ? parts.map((part, i) => i < 3 ? 255 * part : part) : parts;
    };
    const over = ([r, g, b, a = 1], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
    const light = (colour) => {
      const [r, g, b] = colour.map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
      const [dim, bright] = [light(a), light(b)].sort((x, y) => x - y);
      return (bright + 0.05) / (dim + 0.05);
    };
    const behind = (element) => {
      const layers = [];
      for (let one = element; one; one = one.parentElement)
        layers.push(parse(getComputedStyle(one).backgroundColor));
      return layers.reverse().reduce((below, layer) => layer.length ? over(layer, below) : below, [255, 255, 255]);
    };
    const paper = behind(document.body), found = [], counts = {};
    const check = (kind, limit, value, what) => {
      counts[kind] = (counts[kind] || 0) + 1;
      if (value < limit) found.push([kind, value, what.slice(0, 160)]);
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest("svg") || !element.getClientRects().length) continue;
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
      const below = behind(element), own = over(parse(getComputedStyle(element).color), below);
      check("text", %TEXT%, contrast(own, below), element.outerHTML);
    }
    const painted = (element, what) => {
      const css = getComputedStyle(element);
      if (css[what] === "none" || what === "stroke" && !parseFloat(css.strokeWidth)) return null;
      let [r, g, b, a = 1] = parse(css[what]);
      a *= css[what + "Opacity"] * css.opacity;
      return over([r, g, b, a], paper);
    };
    const same = (a, b) => contrast(a, b) < 1.001;
    const faint = %FAINT%.map((name) => parse(getComputedStyle(Object.assign(
      document.body.appendChild(document.createElement("i")), {style: `color: var(--${name})`})).color));
    for (const svg of document.querySelectorAll("figure svg")) {
      const filled = [];
      for (const element of svg.querySelectorAll("text, path, use")) {
        if (element.closest("defs, clipPath")) continue;
        const box = element.getBoundingClientRect(), fill = painted(element, "fill");
        if (element.tagName === "text") {
          const x = box.left + box.width / 2, y = box.top + box.height / 2;
          const under = filled.findLast(([at]) => at.left < x && x < at.right && at.top < y && y < at.bottom);
          const below = under ? under[1] : paper;
          check(same(below, paper) ? "label" : "value", %TEXT%, contrast(fill, below), element.textContent);
          continue;
        }
        const kept = %KEPT%.includes((element.getAttribute("style") || "").match(/fill: #([0-9a-f]{6})/)?.[1]);
        if (element.tagName === "path" && fill) filled.push([box, fill]);
        const colours = [fill, painted(element, "stroke")]
          .filter((one) => one && !same(one, paper) && !faint.some((other) => same(one, other)));
        if (colours.length && !kept)
          check("mark", %MARKS%, Math.max(...colours.map((one) => contrast(one, paper))), element.parentElement.outerHTML);
      }
    }
    const pictures = [...document.querySelectorAll("#timeline-1 image")].filter((one) => getComputedStyle(one).display !== "none");
    const legend = [...document.querySelectorAll("#timeline-1 .legend path")].map((one) => painted(one, "fill"));
    return [found, counts, paper, pictures.map((one) => one.getAttribute("href")), legend];"""


class Contrast(Reports):
    def test_both_modes(self):
        names = palette(ACTORLAB)["strategies"]
        rows = [measured(benchmark, name, workers, block, (1 + place / 4) * 100 * DRIFT[block] * noise(block, benchmark, name)
                         * (30 if place == 4 else 1))
                for benchmark in ("alpha", "beta") for place, name in enumerate(names) for workers in (1, 2, 4, 8)
                for block in range(6)]
        states = [{"ph": "X", "tid": place % 2, "name": name, "ts": 100 * (place // 2), "dur": 100 - 30 * (place % 2)}
                  for place, name in enumerate(timeline.COLOURS)]
        (self.folder / "run.json").write_text(json.dumps({"traceEvents": states, "otherData": {
            "benchmark": "alpha", "scheduler": "inverted", "victim": "none", "idle": "spin", "seed": 1, "dropped": [0],
            "timed_from_us": 0, "timed_until_us": 300}}))
        self.made(rows, drawn=True)
        faint = [f"{round(255 * float(grey)):02x}" * 3 for grey in (style.GRID, style.STRIPE)]
        script = MEASURE
        for word, value in (("TEXT", TEXT), ("MARKS", MARKS), ("FAINT", faint), ("KEPT", sorted(style.KEPT))):
            script = script.replace(f"%{word}%", str(value))
        papers = []
        for scheme in (1, 0):
            self.open(script, f"--blink-settings=preferredColorScheme={scheme}")
            found, counts, paper, pictures, legend = self.result
            self.pixels([colour if scheme else dark.dark(colour) for colour in timeline.COLOURS.values()], pictures, legend, paper)
            papers.append(sum(paper))
            for kind, least in (("text", 200), ("label", 100), ("value", 50), ("mark", 300)):
                self.assertGreater(counts.get(kind, 0), least, (scheme, kind))
            self.assertEqual(found, [], f"{len(found)} below {TEXT} or {MARKS} in {'light' if scheme else 'dark'} mode")
        self.assertGreater(papers[0], 700)
        self.assertLess(papers[1], 100)

    def pixels(self, colours, pictures, legend, paper):
        """The one picture and its legend have these colours and nothing else, each in enough
        contrast to the page."""
        picture, = pictures
        with PIL.Image.open(io.BytesIO(base64.b64decode(picture.partition(",")[2]))) as opened:
            found = {pixel[:3] for _, pixel in opened.convert("RGBA").getcolors() if pixel[3]}
        self.assertEqual(found, {tuple(bytes.fromhex(colour[1:])) for colour in colours})
        self.assertEqual(sorted(map(tuple, legend)), sorted(found))
        for colour in found:
            below, above = sorted((self.light(colour), self.light(paper)))
            self.assertGreaterEqual((above + 0.05) / (below + 0.05), MARKS, (colour, paper))

    @staticmethod
    def light(colour):
        channels = numpy.array(colour) / 255
        linear = numpy.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    def test_colours_apart(self):
        """Those of strategies, peers, plug-ins and a timeline, in both modes, to everybody."""
        strategies = palette(ACTORLAB)["colours"]
        self.assertEqual(len(strategies), len(palette(ACTORLAB)["strategies"]) + 3)
        for light, dim in itertools.product((strategies, list(timeline.COLOURS.values())), (False, True)):
            mode = [dark.dark(colour) for colour in light] if dim else light
            for least, seen in ((APART, mode), *((BLIND, [self.without(cones, colour) for colour in mode]) for cones in CONES)):
                for one, other in itertools.combinations(seen, 2):
                    self.assertGreater(numpy.linalg.norm(dark.lab_of(one) - dark.lab_of(other)), least, (one, other))

    @staticmethod
    def without(cones, colour):
        channels = numpy.array(list(bytes.fromhex(colour[1:]))) / 255
        linear = numpy.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        linear = numpy.clip(numpy.array(cones) @ linear, 0, 1)
        seen = numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
        return "#" + bytes(numpy.round(255 * seen).astype(int).tolist()).hex()


if __name__ == "__main__":
    unittest.main()
