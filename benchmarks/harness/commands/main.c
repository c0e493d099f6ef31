/* SPDX-License-Identifier: MIT */

/* The `actorlab` command. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/streams.h"
#include "benchmarks/harness/plugins/load.h"
#include "benchmarks/harness/text/format.h"
#include "core/names.h"

const struct al_command *const al_commands[] = {
    &al_run_command,       &al_foresee_command,    &al_list_command,
    &al_topo_command,      &al_machine_command,    &al_calibrate_command,
    &al_floors_command,    &al_env_command,        &al_results_command,
    &al_summarize_command, &al_compare_command,    &al_advise_command,
    &al_export_command,    &al_plot_command,       &al_claims_command,
    &al_ratio_command,     &al_plugin_command,     &al_conform_command,
    &al_check_command,     &al_completion_command, NULL,
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

int main(int argc, char **argv)
{
    al_watch_streams();
    return al_streams_end(run(argc, argv));
}
