/* SPDX-License-Identifier: MIT */

/* The `actorlab` command. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/commands/compare.h"
#include "benchmarks/harness/commands/summarize.h"

static const struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run one workload on one strategy and measure it", al_run_main},
    {"check", "check whether runs would begin, without running them", al_check_main},
    {"list", "list workloads, strategies, victim heuristics and idle policies", al_list_main},
    {"topo", "show the machine and the order in which workers take its PUs", al_topo_main},
    {"env", "show what of the machine would disturb measuring", al_env_main},
    {"summarize", "medians and intervals of recorded runs", al_summarize_main},
    {"export", "recorded runs as CSV, hyperfine's JSON, LaTeX tables or for gnuplot",
     al_export_main},
    {"plot", "a quick look at recorded runs in the terminal", al_plot_main},
    {"compare", "ratios of recorded runs, with verdicts: of two files, or within one",
     al_compare_main},
    {"results", "check each line of a file of records", al_results_main},
};

static void usage(FILE *file)
{
    fputs("usage: actorlab COMMAND …\n\n", file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("\n`actorlab COMMAND --help` says more.\n", file);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return AL_EXIT_USAGE;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return AL_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("actorlab " AL_VERSION);
        return AL_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        for (int k = 2; k < argc; k++) {
            if (is_help(argv[k]))
                return commands[i].run(2, (char *[]){argv[1], "--help", NULL});
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "actorlab: unknown command '%s'; valid:", argv[1]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stderr, "%s %s", i == 0 ? "" : ",", commands[i].name);
    fputc('\n', stderr);
    return AL_EXIT_USAGE;
}

/* Write all of it, or return 0 after keeping the errno of the first failure in *cookie. */
static ssize_t write_all(void *cookie, const char *bytes, size_t length)
{
    int *first_error = cookie;
    size_t written = 0;
    while (written < length) {
        ssize_t n = write(STDOUT_FILENO, bytes + written, length - written);
        if (n == -1 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (*first_error == 0)
                *first_error = n == -1 ? errno : EIO;
            return 0;
        }
        written += (size_t)n;
    }
    return (ssize_t)length;
}

/* Make stdout a stream that remembers why a write failed: ferror() says only that one did, and the errno of fflush()
 * is that of the last write, which may have had nothing left to write. */
static void watch_stdout(int *first_error)
{
    FILE *watched = fopencookie(first_error, "w", (cookie_io_functions_t){.write = write_all});
    if (watched == NULL)
        return; /* without memory for a stream, main() still sees that something failed */
    setvbuf(watched, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = watched;
}

int main(int argc, char **argv)
{
    static int first_error; /* static because exit() flushes after main() has returned */
    watch_stdout(&first_error);
    int code = run(argc, argv);
    if (fflush(stdout) != 0 && first_error == 0)
        first_error = errno;
    if (!ferror(stdout))
        return code;
    fprintf(stderr, "actorlab: could not write to standard output: %s\n", strerror(first_error));
    return AL_EXIT_WRITE;
}
