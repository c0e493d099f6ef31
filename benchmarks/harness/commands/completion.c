/* SPDX-License-Identifier: MIT */

/* `actorlab completion`: what may stand in place of a word, from the tables of all commands. The
 * scripts in completion/ ask it for bash, zsh and fish. */

#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/machines.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/machine/topology.h"
#include "schedulers/registry.h"

/* A command line as far as it has been typed: the last word is being typed, and may be empty. */
struct line {
    char **words;
    size_t n;
    const char *before; /* what stands before the part of the last word that is completed */
    const char *typed;  /* that part */
};

/* Print a word if it begins as what was typed does. */
static void offer(const struct line *line, const char *word, const char *behind)
{
    if (strncmp(word, line->typed, strlen(line->typed)) == 0)
        printf("%s%s%s\n", line->before, word, behind);
}

static void offer_words(const struct line *line, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        offer(line, words[i], "");
}

static void offer_plugins(const struct line *line, const struct al_plugin *const *registry)
{
    for (size_t i = 0; registry[i] != NULL; i++)
        offer(line, registry[i]->name, "");
}

static void offer_machines(const struct line *line)
{
    struct al_machine_names names;
    struct al_error error;
    if (al_machine_names(&names, &error) == 0) {
        for (size_t i = 0; i < names.n; i++)
            offer(line, names.all[i], "");
    }
    al_machine_names_free(&names);
}

static void offer_commands(const struct line *line)
{
    for (size_t i = 0; al_commands[i] != NULL; i++)
        offer(line, al_commands[i]->name, "");
}

/* The keys of a plug-in's options, or the values of the one whose key has been typed. */
static void offer_settings(const struct line *line, const struct al_plugin *plugin)
{
    for (const struct al_option *option = plugin->options; option != NULL && option->name != NULL;
         option++) {
        size_t length = strlen(option->name);
        if (strncmp(line->typed, option->name, length) != 0 || line->typed[length] != '=') {
            offer(line, option->name, "=");
        } else if (option->type == AL_OPTION_ENUM) {
            char before[64];
            snprintf(before, sizeof before, "%s%s=", line->before, option->name);
            struct line value = {line->words, line->n, before, line->typed + length + 1};
            offer_words(&value, option->choices);
        }
    }
}

/* Those of all plug-ins of a kind that the line names. */
static void offer_named_settings(const struct line *line, const struct al_plugin *const *registry)
{
    for (size_t i = 0; registry[i] != NULL; i++) {
        bool named = false;
        for (size_t k = 1; k + 1 < line->n; k++)
            named |= strcmp(line->words[k], registry[i]->name) == 0;
        if (named)
            offer_settings(line, registry[i]);
    }
}

/* What the value of an option may be. Nothing: a file, or a number. */
static void offer_values(const struct line *line, const struct al_argument *argument)
{
    if (argument->kind == AL_ARGUMENT_WORD)
        offer_words(line, argument->words);
    else if (argument->instead != NULL)
        offer(line, argument->instead, "");
    else if (strcmp(argument->name, "scheduler") == 0)
        offer_plugins(line, al_schedulers);
    else if (strcmp(argument->name, "victim") == 0)
        offer_plugins(line, al_victims);
    else if (strcmp(argument->name, "idle") == 0)
        offer_plugins(line, al_idles);
    else if (strcmp(argument->name, "machine") == 0)
        offer_machines(line);
    else if (strcmp(argument->name, "pin") == 0)
        offer_words(line, al_topology_policies);
    else if (strcmp(argument->name, "set") == 0) {
        offer_named_settings(line, al_benchmarks);
        offer_named_settings(line, al_schedulers);
        offer_named_settings(line, al_victims);
        offer_named_settings(line, al_idles);
    }
}

static void offer_operands(const struct line *line, const struct al_command *command)
{
    static const char *const actions[] = {"new", "build", "flags", NULL};
    const char *operand = command->operand != NULL ? command->operand : "";
    if (strcmp(operand, "WORKLOAD") == 0)
        offer_plugins(line, al_benchmarks);
    if (strcmp(operand, "MACHINE") == 0)
        offer_machines(line);
    if (strcmp(operand, "ACTION") == 0 && line->n == 2)
        offer_words(line, actions);
    if (strcmp(operand, "NAME") == 0) {
        offer_plugins(line, al_schedulers);
        offer_plugins(line, al_victims);
        offer_plugins(line, al_idles);
        offer_plugins(line, al_benchmarks);
    }
}

static void offer_options(const struct line *line, const struct al_command *command)
{
    char shown[64];
    for (const struct al_argument *a = command->arguments; a->name != NULL; a++) {
        snprintf(shown, sizeof shown, "--%s", a->name);
        offer(line, shown, "");
    }
    offer(line, "--plugin", "");
    offer(line, "--help", "");
}

/* The option of a word such as "--size" or "--size=small"; NULL: it is none of the command's. */
static const struct al_argument *option_of(const struct al_command *command, const char *word)
{
    size_t length = strcspn(word, "=");
    for (const struct al_argument *a = command->arguments; a->name != NULL; a++) {
        if (strncmp(word, "--", 2) == 0 && strlen(a->name) == length - 2 &&
            strncmp(word + 2, a->name, length - 2) == 0)
            return a;
    }
    return NULL;
}

static void complete(struct line *line, const struct al_command *command)
{
    const char *last = line->typed, *equals = strchr(last, '=');
    const struct al_argument *before = option_of(command, line->words[line->n - 2]);
    const struct al_argument *own = equals != NULL ? option_of(command, last) : NULL;
    char prefix[64];
    if (before != NULL && before->kind != AL_ARGUMENT_FLAG && !before->optional &&
        strchr(line->words[line->n - 2], '=') == NULL) {
        offer_values(line, before);
    } else if (own != NULL) {
        snprintf(prefix, sizeof prefix, "--%s=", own->name);
        line->before = prefix;
        line->typed = equals + 1;
        offer_values(line, own);
    } else if (*last == '-') {
        offer_options(line, command);
    } else {
        offer_operands(line, command);
    }
}

static const struct al_argument arguments[] = {{0}};

static int completion_main(int argc, char **argv)
{
    struct al_parsed parsed;
    if (!al_arguments_read(&al_completion_command, argc, argv, NULL, &parsed))
        return AL_EXIT_USAGE;
    struct line line = {parsed.operands, parsed.n_operands, "",
                        parsed.operands[parsed.n_operands - 1]};
    if (line.n == 1) {
        offer_commands(&line);
        offer(&line, "help", "");
        offer(&line, "--version", "");
    } else if (line.n == 2 && strcmp(line.words[0], "help") == 0) {
        offer_commands(&line);
    }
    for (size_t i = 0; al_commands[i] != NULL && line.n > 1; i++) {
        if (strcmp(al_commands[i]->name, line.words[0]) == 0 && !al_commands[i]->passes_on)
            complete(&line, al_commands[i]);
    }
    return AL_EXIT_OK;
}

const struct al_command al_completion_command = {
    .name = "completion",
    .help = "words for a shell that completes a command line",
    .operand = "WORD",
    .least = 1,
    .most = SIZE_MAX,
    .usage = "-- WORD …",
    .about = "Prints what may stand in place of the last word, a candidate on each line. The "
             "words are those of a command line behind `actorlab`; the last one may be empty. "
             "`meson install` installs completions for bash, zsh and fish, which call this.",
    .arguments = arguments,
    .run = completion_main,
};
