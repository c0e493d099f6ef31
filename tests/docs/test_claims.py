#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What README and docs say of which strategy wins is what the reference records say, and each such
claim says how sure it is.

AL_BUILD names the build folder."""

import functools
import json
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

README = ROOT / "README.md"
REFERENCE = ROOT / "results/reference/README.md"
STRATEGIES = r"`(?:custody|inverted|deque|las|mercury|sharing|central|preset=tuned)`|\b(?:CAF|Erlang)\b"
BETTER = re.compile(
    r"\b(?:faster|slower|slowest|fastest|ahead|behind|wins?|loses?|(?:least|most|less|more) time|times as "
    r"(?:long|fast|much)|as (?:long|much) as|(?:less|more) for)\b")
FIGURE = re.compile(r"\d\s?(?:ns|µs|ms|s|%|times)\b|\b\d+\.\d+\b|\b\d+ of \d+")
# An interval, a number of repetitions, or instructions counted, which are the same each time.
SURE = re.compile(r"\[[\d.,]+[^],]*, [\d.,]+|\bintervals? (?:from|of) \d|\[with intervals\]\(|\binstructions\b|"
                  r"\b(?:\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|fifteen) (?:\S+ ){0,3}?"
                  r"(?:seeds?|processes|iterations|runs?|sweeps?|blocks|comparisons)\b", re.IGNORECASE)
END = re.compile(r"(?<=[.!?:;]) +(?=[A-Z`*\[(])")  # of a sentence
CHAPTER = ("scheduler=inverted", "preset=chapter")
# The columns of a table of medians: which cells they show.
TUNED = {"scheduler": "inverted", "preset": "tuned"}
COLUMNS = {
    "`custody`, 1 worker": ({"scheduler": "custody"}, [1]),
    "2 workers": ({"scheduler": "custody"}, [2]),
    "`custody`": ({"scheduler": "custody"}, [1, 2]),
    "`inverted`": ({"scheduler": "inverted", "preset": "chapter"}, [1, 2]),
    "`inverted`, tuned": (TUNED, [1, 2]),
    "`deque`": ({"scheduler": "deque", "deque": "locked"}, [1, 2]),
    "C++ threads": ({"scheduler": "threads"}, [1, 2]),
    "Java 17": ({"scheduler": "java"}, [1, 2]),
    "ring": ({"scheduler": "ring"}, [1]),
    "Go, mailboxes": ({"scheduler": "go-mailboxes"}, [1, 2]),
    "Go, channels": ({"scheduler": "go-channels"}, [1, 2]),
    "Tokio": ({"scheduler": "tokio"}, [1, 2]),
    "Asio": ({"scheduler": "asio"}, [1, 2]),
    "oneTBB, tasks": ({"scheduler": "tbb-tasks"}, [1, 2]),
    "oneTBB, flow": ({"scheduler": "tbb-flow"}, [1, 2]),
    "CAF, stealing": ({"scheduler": "caf-stealing"}, [1, 2]),
    "CAF, sharing": ({"scheduler": "caf-sharing"}, [1, 2]),
    "Erlang/OTP": ({"scheduler": "erlang"}, [1, 2]),
}
NO_CELL = "–"  # in a table


@functools.cache
def told(command, folder, *options):
    """What `actorlab results` or `compare` finds in a reference folder. Verdicts give it an exit
    code of its own."""
    done = subprocess.run([ACTORLAB, command, ROOT / "results/reference" / folder, *options, "--json"],
                          capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def cells(folder):
    return [cell for machine in told("results", folder)["machines"] for cell in machine["cells"]]


def median_of(folder, benchmark, wanted, workers):
    """ns per message of the one cell that a column of a table means."""
    found = [cell for cell in cells(folder) if cell["benchmark"] == benchmark and cell["workers"] == workers
             and all({**cell["options"], **cell}.get(key) == value for key, value in wanted.items())]
    assert len(found) == 1, (benchmark, wanted, workers, len(found))
    return found[0]["ns_per_message"]


def digits(number):
    """Three of them, as the tables have."""
    text = f"{number:#.3g}".rstrip(".")
    return f"{float(text):.0f}" if "e" in text else text


def verdicts(folder, *against, workers=None, benchmarks=None, without=()):
    """without: these schedulers."""
    options = [word for setting in against for word in ("--against", setting)]
    return Counter(one["verdict"] for one in told("compare", folder, *options)["comparisons"]
                   if workers in (None, one["workers"]) and one["scheduler"] not in without
                   and (benchmarks is None or one["benchmark"] in benchmarks))


def text_of(path):
    return " ".join(path.read_text().split())


def paragraphs(path):
    """Paragraphs and items of lists, without code and tables."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for part in re.split(r"\n\s*\n|\n(?= *[-*] |\d+\. )", text):
        if not part.lstrip().startswith(("|", "    ")):
            yield " ".join(part.split())


def tables_of(path, folder):
    """[(head, rows)] of the tables that follow the mention of the folder's records in a section."""
    _, section = re.split(rf"`build/actorlab\s+summarize\s+results/reference/{folder}`", path.read_text())
    for table in re.findall(r"^\|.*\n(?:\|.*\n)+", section.partition("\n## ")[0], re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
        yield head, rows


class Headlines(unittest.TestCase):
    def test_headlines(self):
        """README quotes the sentences of `actorlab results` on the folders that it names."""
        quoted = re.findall(r"`build/actorlab\s+results\s+results/reference/(\S+?)`[^`]*(?:`custody`[^>]*)?\n\n((?:> .*\n)+)",
                            README.read_text())
        self.assertEqual([folder for folder, _ in quoted], ["strategies", "savina", "simulated/scaling/epyc-7662-2s"])
        for folder, lines in quoted:
            (machine,) = told("results", folder)["machines"]
            self.assertEqual(" ".join(lines.replace("> ", "").split()), machine["headline"])


class Tables(unittest.TestCase):
    def check_medians(self, path, folder, n=1):
        """n: how many tables there are."""
        tables = list(tables_of(path, folder))
        self.assertEqual(len(tables), n)
        for head, rows in tables:
            self.assertGreater(len(rows), 5)
            self.check_table(head, rows, folder)

    def check_table(self, head, rows, folder):
        for benchmark, *values in rows:
            for column, value in zip(head[1:], values, strict=True):
                wanted, workers = COLUMNS[column]
                if value == NO_CELL:
                    self.assertFalse([cell for cell in cells(folder) if (cell["benchmark"], cell["scheduler"]) == (benchmark, wanted["scheduler"])])
                    continue
                found = [median_of(folder, benchmark, wanted, one) for one in workers]
                said = " / ".join(digits(one["median"]) for one in found)
                if "[" in value:
                    said += f" [{digits(found[0]['low'])}, {digits(found[0]['high'])}]"
                with self.subTest(folder=folder, benchmark=benchmark, column=column):
                    self.assertEqual(value.replace(",", "") if "[" not in value else value, said)

    def test_messages(self):
        self.check_medians(README, "strategies")

    def test_peers(self):
        self.check_medians(README, "peers", n=2)

    def test_verdicts_by_workers(self):
        """The tables of verdicts in results/reference/README.md."""
        text = REFERENCE.read_text()
        tables = re.findall(r"\| workers \| faster .*?\n((?:\|.*\n)+)", text)
        for (folder, *against), table in zip((("strategies", *CHAPTER), ("strategies", "scheduler=custody"),
                                              ("messages", "scheduler=custody")), tables, strict=True):
            rows = [[int(cell) for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]
            for workers, *numbers in rows:
                with self.subTest(folder=folder, workers=workers):
                    found = verdicts(folder, *against, workers=workers)
                    self.assertEqual(numbers, [found[one] for one in ("faster", "slower", "equivalent", "inconclusive")])


class Sentences(unittest.TestCase):
    def numbers(self, path, pattern):
        """Those that a page says, in the one place that the pattern fits."""
        found = re.findall(pattern, text_of(path))
        self.assertEqual(len(found), 1, pattern)
        return [int(number.replace("none", "0")) for number in found[0]]

    def test_custody_against_the_others(self):
        found = verdicts("strategies", "scheduler=custody")
        self.assertEqual(self.numbers(README, r"Of (\d+) comparisons of other strategies with `custody` on all 17 workloads "
                                              r"(\d+) have the verdict \*slower\*, (none|\d+) \*faster\*, (\d+) \*equivalent\*, "
                                              r"and (\d+) \*inconclusive\*"),
                         [found.total(), found["slower"], found["faster"], found["equivalent"], found["inconclusive"]])
        ((_, rows),) = tables_of(README, "strategies")
        ten = {row[0] for row in rows}
        found = verdicts("strategies", "scheduler=custody", benchmarks=ten)
        self.assertEqual(self.numbers(README, r"On the ten workloads of the table (\d+) of (\d+) comparisons have the verdict \*slower\*"),
                         [found["slower"], found.total()])
        found = verdicts("messages", "scheduler=custody")
        self.assertEqual(self.numbers(README, r"older sweep on an Intel Xeon\]\S+ gives (\d+) \*slower\*, (\d+) \*faster\*, and "
                                              r"(\d+) \*equivalent\*"),
                         [found["slower"], found["faster"], found["equivalent"]])

    def test_peers_against_custody(self):
        found = verdicts("peers", "scheduler=custody", without=("inverted", "deque", "ring"))
        self.assertEqual(self.numbers(README, r"Of (\d+) comparisons of these systems with `custody` (\d+) have the verdict "
                                              r"\*slower\*, (\d+) \*faster\*, (\d+) \*equivalent\*, and (\d+) \*inconclusive\*"),
                         [found.total(), found["slower"], found["faster"], found["equivalent"], found["inconclusive"]])

    def test_losses(self):
        """The page is what its own command gives, and README's caption of waits has its numbers."""
        page = (ROOT / "docs/losses.md").read_text()
        command = re.search(r"```sh\n(.*?)\n```", page, re.DOTALL)[1].replace("\\\n", "").split()
        self.assertEqual(command[-2:], ["--document", "docs/losses.md"])
        done = subprocess.run(command[:-2], cwd=ROOT, env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)}, capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stdout.split(), re.sub(r"^!\[.*\n\n", "", page, flags=re.MULTILINE).split())
        caption = next(text for text in paragraphs(README) if text.startswith("*Seven strategies"))
        told_there = re.findall(r"[\d.]+ \[[\d.]+, [\d.]+\]", caption)
        self.assertEqual(len(told_there), 1)
        for ratio, kind, fastest in zip(told_there, ("pingpong",), ("inverted",)):
            self.assertRegex(page, rf"`bystander beside={kind}`, longest latency \| \d \| measured[^|]* \| {re.escape(ratio)} \| `{fastest}`")

    def test_first_picture(self):
        """The ratios below it, of two workers, in the order of the text."""
        caption = next(text for text in paragraphs(README) if text.startswith("*With two workers"))
        pairs = {(one["benchmark"], one["scheduler"]): one["ratio"] for one in
                 told("compare", "quick", "--against", "scheduler=inverted")["comparisons"] if one["workers"] == 2}
        shown = [pairs[key] for key in (("executor", "custody"), ("executor", "deque"), ("executor", "sharing"),
                                        ("send-static", "deque"), ("repeat", "deque"))]
        self.assertEqual({one["disturbed"] for one in told("compare", "quick", "--against", "scheduler=inverted")["comparisons"]},
                         {False})
        self.assertEqual([tuple(map(float, found)) for found in re.findall(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", caption)],
                         [tuple(float(f"{one[key]:.2g}") if one[key] < 10 else round(one[key], 1)
                                for key in ("median", "low", "high")) for one in shown])

    def test_strategies_against_the_default(self):
        found = verdicts("strategies", *CHAPTER)
        self.assertEqual(self.numbers(README, r"Of (\d+) \[comparisons\]\S+ (\d+) are inconclusive"),
                         [found.total(), found["inconclusive"]])
        self.assertEqual(self.numbers(REFERENCE, r"verdicts on the (\d+) comparisons: (\d+) faster, (\d+) slower, (\d+) "
                                                 r"equivalent, (\d+) inconclusive"),
                         [found.total(), found["faster"], found["slower"], found["equivalent"], found["inconclusive"]])

    def test_equal_cells(self):
        """How many twins differ from their cells."""
        said = re.findall(r"(\d+) of (\d+) in `([\w-]+)`", text_of(REFERENCE).partition("Of all twins")[2].partition(". ")[0])
        self.assertEqual(len(said), 9)
        for differ, n, folder in said:
            with self.subTest(folder=folder):
                check, = (machine["twins"] for machine in told("results", folder)["machines"])
                self.assertEqual([check["differ"], check["n"], check["too_many"]], [int(differ), int(n), False])

    def test_simulated_cells(self):
        """In how many cells of a simulated figure custody takes less time than all others there, in
        median and with every seed."""
        said = self.numbers(ROOT / "docs/explanation/custody.md", r"takes the least time in (\d+) of (\d+) cells, with each of "
                                                                  r"its (\d+) seeds in (\d+); on the \[simulated EPYC\]\S+ in "
                                                                  r"(\d+) of (\d+), with each of its (\d+) seeds in (\d+)")
        found = []
        for machine in ("xeon-5220r-2s", "epyc-7662-2s"):
            groups = {}
            for cell in cells(f"simulated/scaling/{machine}"):
                groups.setdefault((cell["benchmark"], cell["workers"]), []).append(cell)
            seeds, = {cell["n"] for group in groups.values() for cell in group}

            def wins(group, time_of):
                return min(group, key=time_of)["scheduler"] == "custody"

            in_median = [wins(group, lambda cell: cell["ns_per_message"]["median"]) for group in groups.values()]
            always = [all(wins(group, lambda cell: cell["ns_per_message"]["values"][seed]) for seed in range(seeds))
                      for group in groups.values()]
            found += [sum(in_median), len(groups), seeds, sum(always)]
        self.assertEqual(said, found)

    def test_each_says_how_sure(self):
        """Whoever compares strategies by figures says from how many runs, or in which interval."""
        pages = [README, REFERENCE, *sorted((ROOT / "docs").rglob("*.md"))]
        claims = [(path, sentence) for path in pages for text in paragraphs(path) if re.search(STRATEGIES, text)
                  for sentence in END.split(text) if BETTER.search(sentence) and FIGURE.search(sentence)]
        self.assertGreater(len(claims), 5)
        for path, sentence in claims:
            with self.subTest(page=str(path.relative_to(ROOT)), sentence=sentence):
                self.assertRegex(sentence, SURE)


if __name__ == "__main__":
    unittest.main()
