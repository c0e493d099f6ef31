#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Machines to simulate: the list, one of them as text and JSON, and how mistakes in their files and
names are refused.

AL_BUILD names the build folder."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build")).absolute()
NAMES = sorted(path.stem for path in (ROOT / "configs/machines").glob("*.xml"))


def machine(*arguments, **options):
    return subprocess.run([BUILD / "actorlab", "machine", *arguments], capture_output=True, text=True, timeout=60, **options)


class Machines(unittest.TestCase):
    def test_list(self):
        listed = json.loads(machine("--json").stdout)
        self.assertEqual([entry["name"] for entry in listed], NAMES)
        text = machine().stdout
        for entry in listed:
            self.assertIn(f"{entry['name']} ", text)
            self.assertIn(entry["title"], text)

    def test_shipped(self):
        """The chapter's two machines and the LAS paper's two, as they describe them, and one that
        does not exist."""
        for name, packages, nodes, l3s, cores, threads, matrix in (
                ("epyc-7662-2s", 2, 2, 32, 128, 2, False), ("xeon-5220r-2s", 2, 2, 2, 48, 2, False),
                ("opteron-6276-4s", 4, 8, 8, 64, 1, True), ("xeon-e5-4s", 4, 4, 4, 32, 1, False),
                ("hypothetical-1024", 4, 16, 128, 1024, 1, False)):
            said = json.loads(machine("--json", name).stdout)
            self.assertEqual([said[key] for key in ("packages", "nodes", "l3", "cores", "pus", "matrix", "hypothetical")],
                             [packages, nodes, l3s, cores, threads * cores, matrix, name.startswith("hypothetical")])
            self.assertRegex(said["hash"], "^[0-9a-f]{16}$")
            pairs = sum(handoff["pairs"] for handoff in said["handoffs"])
            self.assertEqual(pairs, cores * (cores - 1) // 2 + (cores if threads > 1 else 0))
            for parameter in said["parameters"]:
                self.assertLessEqual(parameter["low"], parameter["value"])
                self.assertLessEqual(parameter["value"], parameter["high"])
                self.assertIn(parameter["quality"], ("measured", "proxy", "estimated"))
                self.assertGreater(len(parameter["source"]), 10)

    def test_text(self):
        said = json.loads(machine("--json", "xeon-5220r-2s").stdout)
        title, text = machine("xeon-5220r-2s").stdout.split("\n", 1)
        self.assertEqual((title, said["title"]), ("2 x Intel Xeon Gold 5220R",) * 2)
        rows = [line.split(maxsplit=7) for line in text.partition("parameters\n\n")[2].splitlines()]
        self.assertEqual([(name, float(value), unit, float(low), float(high), quality, source)
                          for name, value, unit, low, _, high, quality, source in rows],
                         [tuple(parameter[key] for key in ("name", "value", "unit", "low", "high", "quality", "source"))
                          for parameter in said["parameters"]])

    def drawn(self, name):
        """The elements of the picture, by their tags."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "machine.svg")
            done = machine(name, "--svg", path)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            root = xml.etree.ElementTree.parse(path).getroot()
        left, top, width, height = map(float, root.get("viewBox").split())
        self.assertEqual((left, top, root.get("width"), root.get("height")), (0, 0, f"{width:g}", f"{height:g}"))
        elements = {}
        for node in root.iter():
            elements.setdefault(node.tag.rpartition("}")[2], []).append(node)
            for at, most in (("x", width), ("y", height)):
                self.assertTrue(-1 <= float(node.get(at, 0)) <= most, (node.tag, node.attrib))
        return root, elements

    def test_svg(self):
        for name in [*NAMES, ROOT / "tests/machines/two-cores.xml", ROOT / "tests/machines/two-sockets.xml"]:
            said = json.loads(machine("--json", name).stdout)
            root, elements = self.drawn(name)
            titles = [node.text for node in elements["title"]]
            self.assertEqual([title for title in titles if title.startswith("core ") and title[5:].isdigit()],
                             [f"core {core}" for core in range(said["cores"])])
            times = [parameter for parameter in said["parameters"] if parameter["unit"] == "ns"]
            self.assertEqual([title for title in titles if ": " in title],
                             [f"{parameter['quality']}: {parameter['source']}" for parameter in times])
            self.assertEqual(len(elements["circle"]), len(times) + 3)  # and the legend
            text = " ".join("".join(node.itertext()) for node in elements["text"])
            self.assertEqual("no such machine exists" in text, said["hypothetical"])
            for expected in (said["title"], said["hash"], *(parameter["name"] for parameter in said["parameters"])):
                self.assertIn(expected, text)

    def test_one_node(self):
        """Two packages in one NUMA node: there are frames for packages and none for a node."""
        text = (ROOT / "tests/machines/two-sockets.xml").read_text()
        node = re.compile(r'\s*<object type="NUMANode".*/>')
        first, *_ = node.findall(text)
        text = re.sub(r'(nodeset)="0x0000000[123]"', r'\1="0x00000001"', node.sub("", text))
        text = re.sub(r'\s*<info name="actorlab.memory.machine".*', "", text)
        package = text.index('    <object type="Package"')
        first = first.replace("0x000000ff", "0x0000ffff").strip()
        text = text[:package] + first + "\n" + text[package:]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "one-node.xml")
            path.write_text(text)
            self.assertIn("2 packages, 1 NUMA node,", machine(path).stdout)
            _, elements = self.drawn(path)
        words = ["".join(label.itertext()) for label in elements["text"]]
        self.assertEqual([word for word in words if word.startswith("package ")][:2], ["package 0", "package 1"])
        self.assertEqual([word for word in words if "node " in word and "NUMA" not in word and "#" not in word and
                          "handoff" not in word], [])
        self.assertEqual(sum(word.endswith("; 1 NUMA node for all packages") for word in words), 1)

    def test_heat_map(self):
        """Each cell has one colour, that of its class; far pairs are darker."""
        _, elements = self.drawn("opteron-6276-4s")
        heat = next(node for node in elements["g"] if node.get("shape-rendering"))
        cells = {}
        for rect in heat:
            x, y, width, height = (int(rect.get(key)) for key in ("x", "y", "width", "height"))
            for cell in ((row, column) for row in range(y, y + height) for column in range(x, x + width)):
                self.assertTrue(cell[0] == cell[1] or cell not in cells, cell)
                cells[cell] = rect.get("fill")
        self.assertEqual(len(cells), 64 * 64)
        brightness = [sum(bytes.fromhex(cells[0, other][1:])) for other in (1, 2, 8, 16, 63)]
        self.assertEqual(brightness, sorted(brightness, reverse=True))
        self.assertEqual(len(set(brightness)), 5)
        for (row, column), colour in cells.items():
            self.assertEqual(colour, cells[column, row])

    def test_odd_titles(self):
        text = (ROOT / "tests/machines/two-cores.xml").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text.replace("two cores that share an L3", "a &lt;b&gt; &amp; c"))
            file.flush()
            root, elements = self.drawn(file.name)
        self.assertIn("a <b> & c", "".join(elements["text"][0].itertext()))

    def test_page(self):
        """The reference has every parameter, and a section for every machine."""
        page = (ROOT / "docs/reference/machines.md").read_text()
        table = " ".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))
        names = re.sub(r"`(\.\w+)`", r"`handoff\1`", table)
        self.assertEqual(re.findall("`([^`]+)`", names), re.findall(
            r'^    X\(\w+, "([^"]+)"', (ROOT / "core/machine/model.h").read_text(), re.MULTILINE))
        self.assertEqual(sorted(re.findall(r"^### (\S+)$", page, re.MULTILINE)), NAMES)

    def test_order_of_latencies(self):
        """The farther, the slower."""
        for name in NAMES:
            values = {parameter["name"]: parameter["value"] for parameter in json.loads(machine("--json", name).stdout)["parameters"]}
            for chain in (("access", "l1.hit", "l2.hit", "l3.hit", "memory.node", "memory.package", "memory.machine"),
                          ("handoff.core", "handoff.l2", "handoff.l3", "handoff.node", "handoff.package", "handoff.machine")):
                there = [values[key] for key in chain if key in values]
                self.assertEqual(there, sorted(there), name)

    def test_mistakes(self):
        for arguments, said in (
                (["epyc-7662"], "unknown machine 'epyc-7662'; did you mean 'epyc-7662-2s'?; valid: " + ", ".join(NAMES)),
                (["./no"], "'./no' does not name a machine file; valid: a name that `actorlab machine` lists, or a file.xml"),
                (["no.xml"], "cannot read the topology 'no.xml': No such file"),
                ([ROOT / "tests/topologies/eight-nodes.xml"], "eight-nodes.xml': it has no latencies; valid: "),
                ([ROOT / "tests/topologies/far-memory.xml"],
                 "far-memory.xml': its core 2 has no memory of its own; valid: a NUMA node for each core"),
                (["xeon-5220r-2s", "epyc-7662-2s"], "epyc-7662-2s"),
                (["xeon-5220r-2s", "--json", "--svg", "x.svg"], "--json and --svg; valid: one of them"),
                (["--svg", "x.svg"], "--svg without a machine; valid: a name or a file")):
            with self.subTest(arguments=arguments):
                done = machine(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(said, done.stderr)

    def test_full_disk(self):
        done = machine("xeon-5220r-2s", "--svg", "/dev/full")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1))
        self.assertIn("could not write '/dev/full': No space left", done.stderr)

    def refused(self, text, said):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(text)
            file.flush()
            done = machine(file.name)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(said, done.stderr)

    def test_malformed_values(self):
        text = (ROOT / "tests/machines/two-sockets.xml").read_text()
        value = re.search(r'value="(.*?)"', text[text.index("actorlab.pause"):])[1]
        self.assertTrue(value.startswith("20 ns [18, 33] estimated: "), value)
        for new, said in (
                ("20", "pause has '' after its number; valid: ns [LOW, HIGH]"), ("20 us [18, 33] estimated: x", "pause has 'us' after"),
                ("20 ns 18, 33] estimated: x", "pause has 'ns' after"), ("20 ns [18, 33] guessed: x", "QUALITY is measured, proxy or"),
                ("20 ns [18 33] estimated: x", "valid: NUMBER ns [LOW, HIGH] QUALITY: SOURCE"),
                ("20 ns [18, 33] estimated", "valid: NUMBER ns"), ("20 ns [18, 33] estimated: ", "valid: NUMBER ns"),
                ("twenty ns [18, 33] estimated: x", "valid: NUMBER ns"), ("nan ns [18, 33] estimated: x", "valid: NUMBER ns"),
                ("-20 ns [-30, 33] estimated: x", "pause is -20 ns; valid: 0 to 10000 ns"),
                ("20 ns [-18, 33] estimated: x", "pause has the range [-18, 33] ns; valid: within 0 to 10000"),
                ("20 ns [21, 33] estimated: x", "pause is 20 ns, which its range [21, 33] does not contain"),
                ("20 ns [33, 18] estimated: x", "does not contain"), ("1e5 ns [1, 1e5] estimated: x", "valid: 0 to 10000 ns")):
            with self.subTest(new=new):
                self.refused(text.replace(value, new), said)

    def test_malformed_keys(self):
        text = (ROOT / "tests/machines/two-sockets.xml").read_text()
        pause = re.search('.*"actorlab.pause".*\n', text)[0]
        for new, said in (
                ("", "it has no actorlab.pause (a pause instruction, in ns)"), (2 * pause, "it has two values of pause"),
                (pause.replace("pause", "puase"), "unknown parameter 'puase'; did you mean 'pause'?"),
                (pause + pause.replace("pause", "handoff.l2"), "it has actorlab.handoff.l2 (between two cores that share an L2), but no"),
                (pause + '<info name="actorlab.hypothetical" value="no"/>', "actorlab.hypothetical is 'no'; valid: yes"),
                (pause + '<info name="actorlab.title" value="x"/>', "it has two titles"),
                (pause + '<info name="actorlab.handoff" value="matrix"/>', "the attribute actorlab.handoff, but no matrix")):
            with self.subTest(new=new):
                self.refused(text.replace(pause, new), said)

    def test_half_a_core(self):
        text = (ROOT / "tests/machines/two-cores.xml").read_text()
        without = re.sub(r'<object type="Core" os_index="1"[^>]*>\s*(<object type="PU"[^>]*/>)\s*</object>', r"\1", text)
        self.refused(without, "its PU 1 is in no core; valid: cores for all PUs, or for none")

    def test_malformed_matrix(self):
        text = (ROOT / "configs/machines/opteron-6276-4s.xml").read_text()
        matrix = re.search(r'  <distances2 type="Core".*?</distances2>\n', text, re.DOTALL)[0]
        rows = re.findall(r"<u64values[^>]*>(.*?)<", matrix)
        indexes = re.search(r'<indexes length="([0-9]+)">(.*?)<', matrix)

        def changed(row, column, value, other=None):
            """The matrix with another value there, and maybe at the pair's other place."""
            new = matrix
            for r, c, v in ((row, column, value), (column, row, other)):
                if v is not None:
                    fields = rows[r].split()
                    fields[c] = v
                    line = " ".join(fields) + " "
                    new = new.replace(f'length="{len(rows[r])}">{rows[r]}', f'length="{len(line)}">{line}', 1)
            return new

        first, second = indexes[2].split()[:2]
        for new, said in (
                (changed(0, 1, "19000"), "asymmetric: 19000 ps from core 0 to core 1, but 18000 ps back"),
                (changed(0, 1, "-5", "-5"), "a matrix of distances has '-5'; valid: numbers from 0"),
                (changed(0, 1, "0", "0"), "has 0 ps from core 0 to core 1; valid: 1 to"),
                (changed(0, 0, "7"), "has 7 ps from core 0 to core 0"), (changed(0, 1, "1.5"), "has '1.5'"),
                (changed(0, 1, "200000000", "200000000"), "has 200000000 ps from core 0 to core 1"),
                (matrix.replace(rows[0], "0 18000 "), "has 4034 values; valid: 4096"),
                (matrix.replace('nbobjs="64"', 'nbobjs="63"'), "between 63 objects has 4096 values; valid: 3969"),
                (matrix.replace(indexes[0], f'<indexes length="{int(indexes[1]) + 5 - len(first)}">99999{indexes[2][len(first):]}<'),
                 "for 63 cores of 64"),
                (matrix.replace(f">{first} {second} ", f">{first} {first} "), "names core 0 twice"),
                (matrix.replace('"Core"', '"PU"'), "no matrix of this name between its cores"),
                (matrix.replace("actorlab.handoff", "actorlab.hndoff"), "unknown matrix 'actorlab.hndoff'; valid: actorlab.handoff"),
                (2 * matrix, "it has two matrices actorlab.handoff"), ("", "the attribute actorlab.handoff, but no matrix")):
            with self.subTest(said=said):
                self.assertNotEqual(new, matrix)
                self.refused(text.replace(matrix, new), said)
        self.refused(re.sub('.*"actorlab.handoff".*\n', "", text, count=1), "no attribute of this name with the value matrix")


if __name__ == "__main__":
    unittest.main()
