# SPDX-License-Identifier: MIT
"""scripts/package: Debian packages of the committed sources, and a trial of them in a fresh Debian.

The source package has the files that git has, without the reference results, and debian/ beside
them. The same commit makes the same bytes."""

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from common.actorlab import ROOT
from common.arguments import Parser
from common.failure import FAILED, Failure, failing, writing
from common.screen import tell

DEBIAN = Path(__file__).relative_to(ROOT).parent / "debian"
RELEASE = "bookworm"
MAINTAINER = ("The actorlab authors", "actorlab@localhost")


def arguments():
    parser = Parser(
        prog="scripts/package",
        description="Builds Debian packages of what is committed: actorlab (the programs), libactorlab0 and libactorlab-dev (the "
        "library).",
        epilog="Exit codes: 0 done, 1 a step failed, 2 usage, 3 could not write. DEBFULLNAME and DEBEMAIL say who makes the package.")
    add = parser.add_argument
    add("--out", metavar="DIR", type=Path, default=Path("build-package"), help="where to write (default: build-package)")
    add("--source", action="store_true", help="only the source package, to be built elsewhere")
    add("--try", dest="tried", action="store_true", help=f"then install them in a fresh Debian ({RELEASE}) in DIR/debian, with "
        "nothing else, and run their tests there; as root, some 15 minutes")
    options = parser.parse_args()
    if options.source and options.tried:
        parser.error("--source builds no packages that --try could install")
    if options.tried and os.geteuid() != 0:
        parser.error("--try needs root, for chroot")
    return options


def step(*command, folder, what, **environment):
    """Runs a command, whose output is for the user."""
    with failing(command[0]):
        done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **environment})
    if done.returncode != 0:
        raise Failure(f"scripts/package: {what} failed; the output above says why", FAILED)


def git(*words):
    with failing("git"):
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"scripts/package: {done.stderr.strip()}")
    return done.stdout.strip()


def version():
    """That of the project; behind it, unless the commit has the version's tag, time and commit."""
    number = re.search(r"version: '([^']+)'", git("show", "HEAD:meson.build"))[1]
    if f"v{number}" in git("tag", "--points-at", "HEAD").split():
        return number
    when, commit = git("show", "--no-patch", "--date=format:%Y%m%d.%H%M%S", "--format=%cd %H", "HEAD").split()
    return f"{number}~git{when}.{commit[:12]}"


def changelog(number):
    name, address = os.environ.get("DEBFULLNAME", MAINTAINER[0]), os.environ.get("DEBEMAIL", MAINTAINER[1])
    when = git("show", "--no-patch", "--format=%cD", "HEAD")
    # "Mon, 2 Nov" is "Mon, 02 Nov" in a changelog of Debian.
    when = re.sub(r"(?<=, )(\d) ", r"0\1 ", when)
    return f"actorlab ({number}-1) {RELEASE}; urgency=medium\n\n  * CHANGELOG.md says what has changed.\n\n -- {name} <{address}>  {when}\n"


def copyright_file():
    license = git("show", "HEAD:LICENSE").splitlines()
    head = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/", "Upstream-Name: actorlab", "",
            "Files: *", "Copyright: 2026 the actorlab authors", "License: Expat"]
    return "\n".join(head + [f" {line or '.'}" for line in license[4:]]) + "\n"


def made(out):
    """What this command has left there."""
    return sorted(path for path in out.glob("*actorlab*_*")
                  if re.fullmatch(r"(lib)?actorlab[\w-]*_.*\.(dsc|deb|buildinfo|changes|tar\.[gx]z)", path.name))


def make_source(out):
    """The source package, unpacked. Returns its folder."""
    number = version()
    name = f"actorlab-{number}"
    folder = out / name
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        for path in made(out):  # of another commit
            path.unlink()
    archive = out / f"actorlab_{number}.orig.tar.gz"
    git("archive", "--format=tar.gz", f"--prefix={name}/", f"--output={archive}", "HEAD", ".", ":!results/reference")
    step("tar", "-xf", archive.name, folder=out, what="unpacking")
    with writing(folder):
        shutil.copytree(folder / DEBIAN, folder / "debian")  # what is committed
        (folder / "debian/changelog").write_text(changelog(number))
        (folder / "debian/copyright").write_text(copyright_file())
        for path in (folder / "debian").rglob("*"):  # whatever the umask here
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        (folder / "debian").chmod(0o755)
    step("dpkg-source", "--build", name, folder=out, what="making the source package")
    return folder


@contextlib.contextmanager
def fresh(folder):
    """A Debian with nothing but what each has, and with what the kernel shows of the machine."""
    shutil.rmtree(folder, ignore_errors=True)
    step("debootstrap", "--variant=minbase", RELEASE, folder, folder=folder.parent, what="debootstrap")
    mounted = []
    try:
        for kind, name in (("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "dev/shm")):
            (folder / name).mkdir(exist_ok=True)
            step("mount", "-t", kind, kind, folder / name, folder=folder, what=f"mounting /{name}")
            mounted.append(folder / name)
        yield folder
    finally:
        for path in reversed(mounted):
            subprocess.run(["umount", "--lazy", path])


def main():
    options = arguments()
    out = options.out.absolute()
    sources = make_source(out)
    if not options.source:
        step("dpkg-buildpackage", "--build=binary", "--no-sign", folder=sources, what="building the packages")
    files = made(out)
    if options.tried:
        with fresh(out / "debian") as folder:
            packages = [path for path in files if path.suffix in (".deb", ".dsc")]
            step("autopkgtest", "--no-built-binaries", *packages, "--", "chroot", folder, folder=out, what="the trial")
    tell(files)
    return 0
