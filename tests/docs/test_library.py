#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages on the library: their programs are built as a project that has this one as a
subproject, and against the installed library, in C and C++, and do what they say. The library shows
what it says, and needs no more than it says."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from pages import ROOT, blocks

PAGES = [ROOT / "README.md", *(ROOT / f"docs/how-to/{name}.md" for name in ("library", "library-server", "library-pipeline"))]
WARNINGS = ("-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wcast-qual", "-Wcast-align")
COMPILERS = {".c": ("gcc", "clang"), ".cpp": ("g++", "clang++")}
STANDARDS = {".c": ("gnu11", "gnu17", "gnu2x"), ".cpp": ("c++17", "c++20", "c++2b")}
# Whatever is the compiler's own.
OLDEST = {suffix: [f"-std={standards[0]}"] for suffix, standards in STANDARDS.items()}
TEXT = "one two  three\n\n four\tfive\nsix"
# Opens a system, and lets it wait for a second; prints the processor time that this took.
WAITS = """
#include <actorlab/actor.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct al_system *system;
    struct al_error error;
    const struct al_choice choice = {.scheduler = argc > 1 ? argv[1] : NULL};
    if (al_system_open(&choice, NULL, &system, &error) != 0) {
        puts(error.text);
        return 1;
    }
    struct timespec now, second = {.tv_sec = 1};
    nanosleep(&second, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    printf("%ld\\n", (long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    return al_system_stop(system, NULL);
}
"""


# A send in both languages.
SEND = {".c": """
#include <actorlab/actor.h>
struct counter { struct al_actor actor; int sum; };
struct add { struct al_message message; int by; };
AL_ACTOR(counter)
AL_MESSAGE(add)
AL_BEHAVIOUR(counter, add, self, added)
{
    self->sum += added->by;
    return AL_NODELETE;
}
void give(struct counter *to, struct add *added);
void give(struct counter *to, struct add *added)
{
    al_send(counter, add, to, added);
}
""", ".cpp": """
#include <actorlab/actor.hpp>
struct add : actorlab::message<add> { int by = 0; };
struct other : actorlab::message<other> {};
struct counter : actorlab::actor<counter> {
    int sum = 0;
    void receive(add &added) { sum += added.by; }
};
extern "C" void give(counter *to, add *added);
void give(counter *to, add *added)
{
    to->send(*added);
}
#ifdef MISTAKEN
void mistake(counter &to, other &sent)
{
    to.send(sent);
}
#endif
"""}
# Threads send numbers, and ask what they come to so far; an actor of lambdas gets them, too.
THREADS = """
#include <actorlab/actor.hpp>
#include <actorlab/port.hpp>
#include <cstdio>
#include <thread>
#include <vector>

struct add : actorlab::message<add> {
    long by;
    explicit add(long of) : by(of) {}
};
struct total : actorlab::request<total> { long sum = 0; };
struct adder : actorlab::actor<adder> {
    long sum = 0;
    actorlab::bound bound{10};
    void receive(add &added) { sum += added.by; }
    void receive(total &asked) { asked.sum = sum; }
};

// Sends itself messages for ever, and cancels the system while that is being stopped.
struct endless : actorlab::actor<endless> {
    actorlab::system &owner;
    long left = 100000;
    explicit endless(actorlab::system &of) : owner(of) {}
    void receive(add &added)
    {
        if (--left == 0)
            owner.cancel();
        send<add>(added.by);
    }
};

int main()
{
    actorlab::system::options options;
    options.strategy = "custody";
    options.workers = 1;
    {
        actorlab::system cancelled(options);
        endless one(cancelled);
        one.send<add>(1);
        cancelled.stop();
        if (one.left > 0)
            std::abort();
    }
    actorlab::system system(options);
    adder sum;
    long doubled = 0;
    actorlab::behaviours twice([&doubled](add &added) { doubled += 2 * added.by; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&system, &sum, &twice] {
            actorlab::port<total> port;
            total asked;
            for (long n = 1; n <= 1000; n++) {
                auto bounded = std::make_unique<add>(n);
                while (!system.try_post(sum, bounded, std::chrono::seconds(1)))
                    ;
                system.post(twice, std::make_unique<add>(n));
            }
            port.ask(system, sum, asked);
            while (!port.wait(std::chrono::seconds(1)))
                ;
            if (port.take()->sum < 500500)
                std::abort();
        });
    for (std::thread &thread : threads)
        thread.join();
    sum.finish();
    twice.finish();
    system.stop();
    std::printf("%ld %ld\\n", sum.sum, doubled);
}
"""
# Sends what al_message_init never saw.
MISTAKE = """
#include <actorlab/actor.h>
struct counter { struct al_actor actor; };
struct add { struct al_message message; };
AL_ACTOR(counter)
AL_MESSAGE(add)
AL_BEHAVIOUR(counter, add, self, added)
{
    return AL_FINISHED;
}
int main(void)
{
    static struct counter counter;
    static struct add added;
    struct al_system *system;
    struct al_error error;
    if (al_system_open(NULL, NULL, &system, &error) != 0)
        return 1;
    al_send(counter, add, al_actor_init(counter, &counter), &added);
    return al_system_stop(system, NULL);
}
"""


def run(*words, folder, code=0, **options):
    done = subprocess.run([str(word) for word in words], cwd=folder, text=True, capture_output=True, timeout=400, **options)
    if done.returncode != code:
        raise AssertionError(f"{shlex.join(map(str, words))}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def headers_of(flags):
    return [flag for flag in flags if flag.startswith("-I")]


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        found = [block for page in PAGES for block in blocks(page.read_text())]
        programs = [block for block in found if block.language in ("c", "cpp") and block.path]
        cls.programs = [block.path for block in programs]
        for block in programs:
            (cls.folder / block.path).write_text(block.text)
        for name, text in {"waits.c": WAITS, "threads.cpp": THREADS, "mistake.c": MISTAKE,
                           **{f"send{suffix}": text for suffix, text in SEND.items()}}.items():
            (cls.folder / name).write_text(text)
        build, = (block.text for block in found if block.language == "meson")
        (cls.folder / "meson.build").write_text("project('words', 'c')\n" + build)
        (cls.folder / "subprojects").mkdir()
        (cls.folder / "subprojects/actorlab").symlink_to(ROOT)
        os.environ.pop("DESTDIR", None)
        cls.prefix = cls.install("prefix")

    @classmethod
    def install(cls, name, *options):
        """Install a library there, as a project that has this one as a subproject does."""
        prefix, build = cls.folder / name, f"build-{name}"
        run("meson", "setup", build, f"--prefix={prefix}", "--libdir=lib", *options, folder=cls.folder)
        run("meson", "install", "-C", build, folder=cls.folder)
        return prefix

    def flags(self, prefix=None):
        return shlex.split(run("pkg-config", "--cflags", "--libs", "actorlab", folder=self.folder,
                               env={**os.environ, "PKG_CONFIG_PATH": str((prefix or self.prefix) / "lib/pkgconfig")}))

    def build(self, source, *more, compiler=None, prefix=None):
        compiler = compiler or COMPILERS[Path(source).suffix][0]
        run(compiler, *OLDEST[Path(source).suffix], "-o", "program", source, *more, *self.flags(prefix), f"-Wl,-rpath,{(prefix or self.prefix) / 'lib'}", folder=self.folder)
        return self.folder / "program"

    def each(self, source):
        """Pairs of a compiler and a standard for it."""
        suffix = Path(source).suffix
        return [(compiler, f"-std={standard}") for compiler in COMPILERS[suffix] for standard in STANDARDS[suffix]]

    def test_subproject(self):
        self.assertEqual(run("build-prefix/words", folder=self.folder, input=TEXT), "6\n")

    def test_programs(self):
        """Without a warning, with both compilers and each standard."""
        self.assertEqual(len(self.programs), 7)
        for source in self.programs:
            for compiler, standard in self.each(source):
                with self.subTest(source, compiler=compiler, standard=standard):
                    run(compiler, standard, *WARNINGS, "-fsyntax-only", source, *headers_of(self.flags()), folder=self.folder)

    def test_words(self):
        for source in ("words.c", "words.cpp"):
            for compiler in COMPILERS[Path(source).suffix]:
                with self.subTest(source, compiler=compiler):
                    self.assertEqual(run(self.build(source, "-O2", compiler=compiler), folder=self.folder, input=TEXT), "6\n")

    def test_sum(self):
        self.assertEqual(run(self.build("sum.cpp", "-O2"), folder=self.folder), "3\n")

    def test_pipeline(self):
        lines = [f"line {'x' * (i % 200)} {i}" for i in range(5000)]
        expected = "".join(f"{i} {line.upper()[::-1]}\n" for i, line in enumerate(lines, 1))
        for source in ("pipeline.c", "pipeline.cpp"):
            with self.subTest(source):
                program = self.build(source, "-O2")
                self.assertEqual(run(program, folder=self.folder, input="\n".join(lines)), expected)
                self.assertEqual(run(program, folder=self.folder, input=""), "")

    def test_server(self):
        for source in ("server.c", "server.cpp"):
            with self.subTest(source):
                self.talk(self.build(source, "-O2"))

    def talk(self, program):
        """Ask the server, as its clients do, until it has ended with its standard input."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            address = free.getsockname()
        with subprocess.Popen([program, str(address[1])], stdin=subprocess.PIPE) as server, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.2)
            client.connect(address)

            def ask(text):
                for _ in range(300):  # it may be starting; and a datagram may be lost
                    try:
                        client.send(text.encode())
                        return client.recv(200).decode()
                    except OSError:
                        time.sleep(0.05)
                self.fail(f"{text}: no answer")

            self.assertEqual(ask("get lab"), "nothing")
            client.send(b"nonsense")  # gets no answer
            for i in range(200):
                self.assertEqual(ask(f"set key{i} value{i}"), f"value{i}")
            client.settimeout(10)
            for i in range(50):  # several at once: answers of different stores in any order
                client.send(f"get key{i}".encode())
            self.assertEqual({client.recv(200).decode() for i in range(50)}, {f"value{i}" for i in range(50)})
            server.stdin.close()
            self.assertEqual(server.wait(60), 0)

    def test_threads(self):
        for compiler in COMPILERS[".cpp"]:
            program = self.build("threads.cpp", *WARNINGS, "-O2", "-pthread", compiler=compiler)
            self.assertEqual(run(program, folder=self.folder), "2002000 4004000\n")

    def test_headers(self):
        """They ask for no extension of POSIX."""
        for suffix, header in ((".c", "actor.h"), (".cpp", "actor.h"), (".cpp", "actor.hpp"), (".cpp", "bound.hpp"), (".cpp", "port.hpp")):
            for compiler, standard in self.each(f"{header}{suffix}"):
                with self.subTest(header, compiler=compiler, standard=standard):
                    run(compiler, standard.replace("gnu", "c"), *WARNINGS, "-fsyntax-only", "-include", f"actorlab/{header}",
                        "-xc" + "++" * (suffix == ".cpp"), "/dev/null", *headers_of(self.flags()), folder=self.folder)

    def test_same_instructions(self):
        """A send is the same in C++, but for where things are."""
        for compilers in zip(*COMPILERS.values()):
            with self.subTest(compilers):
                self.assertEqual(*(self.instructions(compiler, f"send{suffix}") for compiler, suffix in zip(compilers, COMPILERS)))

    def instructions(self, compiler, source):
        run(compiler, *OLDEST[Path(source).suffix], "-O2", "-c", "-o", "send.o", source, *headers_of(self.flags()), folder=self.folder)
        listed = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=give", "send.o", folder=self.folder)
        lines = re.findall(r"^\s+[0-9a-f]+:\t(.*)", listed, re.MULTILINE)
        self.assertGreater(len(lines), 20)
        # Where it jumps to, and where the behaviour is; and how it is padded.
        lines = [re.sub(r"(?<=\s)-?(0x)?[0-9a-f]+(?=\(%rip\)|\s+<)|\s*[#<].*", "", line).split() for line in lines]
        return [line for line in lines if line[0] not in ("nop", "nopw", "nopl", "data16", "xchg", "cs")]

    def test_no_behaviour(self):
        for compiler in COMPILERS[".cpp"]:
            done = subprocess.run([compiler, "-std=c++17", "-DMISTAKEN", "-fsyntax-only", "send.cpp", *headers_of(self.flags())],
                                  cwd=self.folder, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("the actor has no behaviour for this message", done.stderr)

    def test_checks(self):
        """A library that was built with the checks."""
        prefix = self.install("checked", "-Dactorlab:checks=true")
        self.assertEqual(run(self.build("words.cpp", prefix=prefix), folder=self.folder, input=TEXT), "6\n")
        program = self.build("mistake.c", prefix=prefix)
        done = subprocess.run([program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, -6, done.stderr)
        self.assertRegex(done.stderr, "^actorlab: error: an actor of type 'counter' was sent a message that al_message_init never saw\n$")

    def test_archive(self):
        """Linked with the archive, it does not need the shared library."""
        (self.folder / "archive").mkdir()
        (self.folder / "archive/libactorlab.a").symlink_to(self.prefix / "lib/libactorlab.a")
        words = [word for word in self.flags() if not word.startswith("-L")]
        run("cc", "-o", "alone", "words.c", "-Larchive", *words, "-lhwloc", "-lm", "-pthread", folder=self.folder)
        self.assertEqual(run("./alone", folder=self.folder, input=TEXT), "6\n")
        self.assertNotIn("libactorlab", run("readelf", "--dynamic", "alone", folder=self.folder))

    def test_reproducible(self):
        """Built in two folders, it is the same byte for byte."""
        built = []
        for name in ("first", "second/deeper"):
            copy = self.folder / name / "sources"
            for part in ("core", "schedulers", "benchmarks"):
                shutil.copytree(ROOT / part, copy / part)
            for part in ("meson.build", "meson_options.txt"):
                shutil.copy(ROOT / part, copy)
            run("meson", "setup", "build", "-Doptimization=0", "-Dharness=disabled", folder=copy)
            run("ninja", "-C", "build", folder=copy, env={**os.environ, "CCACHE_DISABLE": "1"})
            built.append({path.name: path.read_bytes() for path in (copy / "build/schedulers/library").glob("libactorlab.*") if path.is_file()})
        self.assertEqual([sorted(files) for files in built], [["libactorlab.a", "libactorlab.so", "libactorlab.so.0", "libactorlab.so.0.1.0"]] * 2)
        for name in built[0]:
            self.assertTrue(built[0][name] == built[1][name], name)

    def test_needs(self):
        library = self.prefix / "lib/libactorlab.so"
        needed = re.findall(r"\(NEEDED\).*\[(\w+)", run("readelf", "--dynamic", library, folder=self.folder))
        self.assertLessEqual(set(needed), {"libhwloc", "libc", "libm", "ld"})
        self.assertFalse(list(self.prefix.rglob("bin/*")))

    def test_shows(self):
        """What the map lists, each with its version, and nothing else."""
        listed = set(re.findall(r"(?m)^    ([\w*]+);$", (ROOT / "schedulers/library/exported.map").read_text())) - {"*", "al_check_*"}
        shown = run("nm", "--dynamic", "--defined-only", self.prefix / "lib/libactorlab.so", folder=self.folder)
        names = {re.sub("^al_built_with_.*", "al_built_with_*", name) for name in re.findall(r"\b(al_\w+)@@ACTORLAB_0$", shown, re.MULTILINE)}
        self.assertEqual(names, listed)
        self.assertEqual(len(shown.splitlines()), len(names) + 1)  # the version itself

    def test_waits(self):
        """A system without work takes no processor time, whatever the strategy."""
        program = self.build("waits.c")
        for strategy in ("inverted", "deque", "las", "mercury", "sharing", "custody", "central"):
            with self.subTest(strategy=strategy):
                self.assertLess(int(run(program, strategy, folder=self.folder)), 300)
        self.assertIn("did you mean 'custody'?", run(program, "custodi", folder=self.folder, code=1))


if __name__ == "__main__":
    unittest.main()
