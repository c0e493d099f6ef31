# SPDX-License-Identifier: MIT
"""One archive of results folders, with what a reader needs to check, repeat and cite them.

The same folders make the same bytes: names are sorted, times are that of the last trial, and
nobody owns the files."""

import gzip
import io
import json
import re
import shlex
import tarfile
from datetime import datetime, timezone
from pathlib import Path

import jinja2

from common.arguments import Parser
from common import actorlab
from common.failure import FAILED, Failure, failing, writing
from common.files import write_whole
from common.screen import printable, tell
from common.words import LATEX
from report.reproduction import given
from results import sweep_file

TEMPLATES = Path(__file__).parent / "templates"
# What README.md says of a machine. environment.json has everything.
SHOWN = ("cpu", "cpus_allowed", "kernel", "compiler", "revision", "binary_hash", "topology_hash")


def templates():
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True,
                              undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    made.filters |= {"quote": shlex.quote, "bibtex": lambda text: text.translate(LATEX),
                     "text": lambda text: json.dumps(text, ensure_ascii=False)}  # YAML, too
    return made


def check_folders(folders):
    """The folders by name, or Failure."""
    found = {}
    for folder in folders:
        name = folder.resolve().name
        if not (folder / "records.jsonl").is_file():
            raise Failure(f"{folder}: no records.jsonl in it; valid: a results folder")
        if name in found:
            raise Failure(f"{found[name]} and {folder}: both are called {name}; valid: folders of "
                          "different names")
        found[name] = folder
    return found


def values(machine, key):
    """The values of a key of the environment that the machine's records have, as text."""
    entries = {entry["key"]: entry for entry in machine["environment"]}
    return [printable(str(one["value"])) for one in entries.get(key, {}).get("values", ())]


def when(text):
    """A record's started_at as a time; 1980 if it is none."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=timezone.utc)


def machine_facts(machine):
    trials = machine["trials"]
    known = {key: ", ".join(values(machine, key)) for key in SHOWN}
    first, last = (printable(trials[key] or "") for key in ("first", "last"))
    return {"trials": trials["n"], "first": first, "last": last,
            "environment": {key: text for key, text in known.items() if text}}


def folder_facts(name, folder):
    """How the folder's sweep is run again."""
    choices = sweep_file.read(folder / "sweep.json") or {}
    config, again = shlex.quote(f"results/{name}/config.toml"), shlex.quote(f"results/{name}-again")
    sweep = " ".join(["scripts/sweep", config, *given(choices), "--results", again])
    changes = [shlex.quote(f"results/{name}/{path.name}") for path in sorted(folder.glob("sources-*.diff"))]
    return {"name": printable(name), "again": again, "changes": changes,
            "sweep": sweep if (folder / "config.toml").is_file() else None}


def files_of(folder):
    """Regular files, also in folders below it; none that are hidden, as a sweep's lock. Raises
    Failure for a link out of the folder: whoever made it would have a file of ours published."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    found = sorted(path for path in paths if not any(part.startswith(".") for part in path.parts))
    for path in found:
        if not (folder / path).resolve().is_relative_to(folder.resolve()):
            raise Failure(f"{folder / path}: a link to {(folder / path).resolve()}, outside the folder; valid: a copy")
    return found


def texts(folders, found, given_words):
    """{name: bytes} of the files that describe the others, and when the last trial began."""
    machines = [machine_facts(machine) for machine in found["machines"]]
    if not sum(source["records"] for source in found["sources"]):
        names = ", ".join(map(str, folders.values()))
        raise Failure(f"{names}: no line is a record; valid: folders with records")
    last = max((when(machine["last"]) for machine in machines), default=when(""))
    revisions = sorted({one for machine in found["machines"]
                        for one in values(machine, "revision")})
    words = {
        "title": printable(given_words.title or f"actorlab measurements: {', '.join(folders)}"),
        "authors": [printable(author) for author in given_words.author or ["the actorlab authors"]],
        "version": ", ".join(revisions) or "unknown",
        "date": f"{last:%Y-%m-%d}",
        "machines": machines,
        "dirty": any(one.endswith("-dirty") for one in revisions),
        "revisions": [one.removesuffix("-dirty") for one in revisions if not one.startswith("-")],
        "peers": any(machine["peers"] for machine in found["machines"]),
        "folders": [folder_facts(name, folder) for name, folder in sorted(folders.items())],
    }
    environment = [{"machine": machine["machine"], "environment": machine["environment"]}
                   for machine in found["machines"]]
    made = {name: templates().get_template(name).render(words)
            for name in ("README.md", "CITATION.cff", "citation.bib")}
    made["README.md"] = re.sub(r"\n{3,}", "\n\n", made["README.md"])
    made["environment.json"] = json.dumps(environment, indent=1) + "\n"
    return {name: text.encode() for name, text in made.items()}, last


def archive(top, contents, last):
    """The archive's bytes. contents: {name: bytes}; last: the time of all files."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as squeezed, \
            tarfile.open(mode="w", fileobj=squeezed, format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(contents):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(contents[name]), int(last.timestamp()), 0o644
            tar.addfile(entry, io.BytesIO(contents[name]))
    return packed.getvalue()


def bundle(program, words):
    """Writes the archive. Returns where, and whether all lines of the folders are records."""
    folders = check_folders(words.folders)
    name = next(iter(folders)) if len(folders) == 1 else "actorlab-bundle"
    out = words.out or Path(f"{name}.tar.gz")
    for folder in folders.values():
        if out.resolve().is_relative_to(folder.resolve()):
            raise Failure(f"{out}: inside {folder}, which it packs; valid: a file elsewhere")
    found = actorlab.ask(program, "results", *folders.values(), "--json", accept=(0, 1))
    contents, last = texts(folders, found, words)
    for called, folder in folders.items():
        for path in files_of(folder):
            with failing(f"{folder / path}: cannot read"):
                contents[f"results/{called}/{path}"] = (folder / path).read_bytes()
    with writing(out):
        write_whole(out, archive(name, contents, last))
    return out, not any(source["problems"] for source in found["sources"])


def main():
    parser = Parser(
        prog="scripts/bundle",
        description="Packs results folders into one .tar.gz with records, configurations, reports, "
        "figures, the environment, the commands that repeat them, and a citation.",
        epilog="Exit codes: 0 done, 1 done, but some lines are not records, 2 usage, 3 could not "
        "write. AL_ACTORLAB names an actorlab to use instead of building one.")
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path, help="a results folder")
    parser.add_argument("--out", metavar="FILE", type=Path, help="default: FOLDER.tar.gz, here")
    parser.add_argument("--title", help="title of the citation")
    parser.add_argument("--author", metavar="NAME", action="append",
                        help="author in the citation; may be repeated")
    given = parser.parse_args()
    written, complete = bundle(actorlab.build(), given)
    tell([written])
    return 0 if complete else FAILED
