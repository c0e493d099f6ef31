/* SPDX-License-Identifier: MIT */

/* The `actorlab` command. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/plugins/load.h"
#include "benchmarks/harness/text/format.h"
#include "core/names.h"

const struct al_command *const al_commands[] = {
    &al_run_command,     &al_check_command,     &al_list_command,       &al_topo_command,
    &al_machine_command, &al_calibrate_command, &al_floors_command,     &al_env_command,
    &al_results_command, &al_summarize_command, &al_compare_command,    &al_advise_command,
    &al_export_command,  &al_plot_command,      &al_claims_command,     &al_ratio_command,
    &al_plugin_command,  &al_conform_command,   &al_completion_command, NULL,
};

static void usage(FILE *file)
{
    fputs("usage: actorlab COMMAND …\n\n", file);
    for (size_t i = 0; al_commands[i] != NULL; i++)
        fprintf(file, "  %-10s %s\n", al_commands[i]->name, al_commands[i]->help);
    fputs("\n`actorlab help COMMAND` describes a command and its options. With the option\n"
          "--plugin FILE.so, anywhere, a command knows the plug-ins of this file, too.\n"
          "`actorlab --version` (or -V) prints the version.\n",
          file);
}

/* The command of this name; NULL after one line on stderr. */
static const struct al_command *find(const char *name)
{
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    struct al_error error;
    for (size_t i = 0; al_commands[i] != NULL; i++) {
        if (strcmp(name, al_commands[i]->name) == 0)
            return al_commands[i];
        al_names_add(&names, al_commands[i]->name);
    }
    (void)al_names_error(&names, "command", &error);
    char *line = al_printable(error.text);
    fprintf(stderr, "actorlab: %s\n", line);
    free(line);
    return NULL;
}

static int run(int argc, char **argv)
{
    if (!al_plugins_load(&argc, argv))
        return AL_EXIT_USAGE;
    if (argc < 2) {
        usage(stderr);
        return AL_EXIT_USAGE;
    }
    bool help = strcmp(argv[1], "help") == 0 || al_is_help(argv[1]);
    if (help && argc == 2) {
        usage(stdout);
        return AL_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("actorlab " AL_VERSION);
        return AL_EXIT_OK;
    }
    const struct al_command *command = find(argv[help ? 2 : 1]);
    if (command == NULL)
        return AL_EXIT_USAGE;
    if (!help)
        return al_command_run(command, argc - 1, argv + 1);
    if (command->passes_on)
        return command->run(2, (char *[]){argv[2], "--help", NULL});
    al_command_help(command, stdout);
    return AL_EXIT_OK;
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

static FILE *messages; /* the standard error, to which stderr writes what may be printed */

/*
 * Make stdout a stream that remembers why a write failed: ferror() says only that one did, and the
 * errno of fflush() is that of the last write, which may have had nothing left to write.
 */
static void watch_stdout(int *first_error)
{
    FILE *watched = fopencookie(first_error, "w", (cookie_io_functions_t){.write = write_all});
    if (watched == NULL)
        return; /* without memory for a stream, main() still sees that something failed */
    setvbuf(watched, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = watched;
}

/* What stderr has got and not written: the start of a character whose rest the next write brings.
 * Nothing ends with one, since each message ends with a line break. */
struct begun {
    char bytes[5]; /* a character of UTF-8 and a NUL */
    size_t n;
};

/* Whether these bytes are less than a character of UTF-8. */
static bool is_part(const struct begun *begun)
{
    unsigned char first = (unsigned char)begun->bytes[0];
    size_t length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < begun->n; i++) {
        if ((begun->bytes[i] & 0xc0) != 0x80)
            return false;
    }
    return begun->n < length;
}

/*
 * Write all of it, with what a terminal would act on escaped: messages quote names of records,
 * configurations and files. It allocates nothing, because memory may be what is lacking.
 */
static ssize_t write_printable(void *cookie, const char *bytes, size_t length)
{
    struct begun *begun = cookie;
    for (size_t at = 0, used; at < length || begun->n > 0; begun->n -= used) {
        while (begun->n < sizeof begun->bytes - 1 && at < length)
            begun->bytes[begun->n++] = bytes[at++];
        begun->bytes[begun->n] = '\0';
        if (is_part(begun))
            break;
        struct al_text shown = {"\n"};
        used = 1;
        if (*begun->bytes != '\n')
            shown = al_printable_character(begun->bytes, &used);
        if (fputs(shown.text, messages) == EOF)
            return 0;
        memmove(begun->bytes, begun->bytes + used, begun->n - used);
    }
    return fflush(messages) == 0 ? (ssize_t)length : 0;
}

/* Progress on a terminal goes to the terminal itself (commands/measuring.h). */
static void watch_stderr(void)
{
    static char buffer[BUFSIZ];
    static struct begun begun;
    messages = stderr;
    FILE *watched = fopencookie(&begun, "w", (cookie_io_functions_t){.write = write_printable});
    if (watched == NULL)
        return;
    setvbuf(messages, buffer, _IOFBF, sizeof buffer);
    setvbuf(watched, NULL, _IONBF, 0);
    stderr = watched;
}

int main(int argc, char **argv)
{
    watch_stderr();
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
