/* SPDX-License-Identifier: MIT */

/* The help of a command, from its tables. */

#include "benchmarks/harness/commands/arguments.h"

#include <string.h>

#include "benchmarks/harness/text/format.h"

#define COLUMNS 80 /* of a line of help, if its words allow */
#define LEFT_MOST                                                                                  \
    26 /* of an option with its value; the help of a longer one starts on the next line */
#define TEXT_BYTES 1024

/* "--interval KIND" */
static size_t left_side(const struct al_argument *argument, char *out, size_t size)
{
    const char *value = argument->kind != AL_ARGUMENT_FLAG ? argument->value : "";
    bool optional = argument->optional, file = argument->kind == AL_ARGUMENT_FILE;
    const char *before = *value == '\0' ? "" : !optional ? " " : file ? "[=" : " [";
    snprintf(out, size, "--%s%s%s%s", argument->name, before, value, optional ? "]" : "");
    return al_characters(out, strlen(out));
}

/* The option's help, and in parentheses its range or its words, and its default. */
static void right_side(const struct al_argument *argument, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s", argument->help);
    const char *separator = " (";
    for (size_t i = 0; argument->kind == AL_ARGUMENT_WORD && argument->words[i] != NULL; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", separator, argument->words[i]);
        bool before_last = argument->words[i + 1] != NULL && argument->words[i + 2] == NULL;
        separator = before_last ? " or " : ", ";
    }
    if (argument->kind == AL_ARGUMENT_UINT || argument->kind == AL_ARGUMENT_REAL)
        used += (size_t)snprintf(out + used, size - used, " (%.10g to %.10g", argument->min,
                                 argument->max);
    if (argument->instead != NULL)
        used += (size_t)snprintf(out + used, size - used, ", or %s", argument->instead);
    bool open = used > strlen(argument->help);
    if (argument->standard != NULL)
        used += (size_t)snprintf(out + used, size - used, "%sdefault: %s", open ? "; " : " (",
                                 argument->standard);
    if (open || argument->standard != NULL)
        snprintf(out + used, size - used, ")");
}

/* What all commands have, behind their own. */
static const struct al_argument common[] = {
    {"plugin", "FILE.so", AL_ARGUMENT_FILE, 0,
     .help = "add the plug-ins of a shared object; may be repeated"},
    {.name = "help", .help = "print this help"},
    {0},
};

/* The widest option with its value that leaves room for its help beside it. */
static size_t left_column(const struct al_argument *arguments, size_t column)
{
    char left[64];
    for (const struct al_argument *a = arguments; a->name != NULL; a++) {
        size_t columns = left_side(a, left, sizeof left);
        if (columns > column && columns <= LEFT_MOST)
            column = columns;
    }
    return column;
}

static void print_options(const struct al_argument *arguments, size_t column, FILE *out)
{
    size_t indent = 2 + column + 2;
    char left[64], right[TEXT_BYTES];
    for (const struct al_argument *a = arguments; a->name != NULL; a++) {
        size_t columns = left_side(a, left, sizeof left);
        right_side(a, right, sizeof right);
        fprintf(out, "  %s", left);
        if (columns > column)
            fprintf(out, "\n%*s", (int)indent, "");
        else
            fprintf(out, "%*s", (int)(column - columns) + 2, "");
        al_wrap(right, indent, indent, COLUMNS, out);
    }
}

void al_command_help(const struct al_command *command, FILE *out)
{
    size_t column = left_column(common, 0), second = strcspn(command->usage, "\n");
    fprintf(out, "usage: actorlab %s %.*s\n", command->name, (int)second, command->usage);
    if (command->usage[second] != '\0')
        fprintf(out, "       actorlab %s %s\n", command->name, command->usage + second + 1);
    if (command->about != NULL) {
        fputc('\n', out);
        al_wrap(command->about, 0, 0, COLUMNS, out);
    }
    fputc('\n', out);
    column = left_column(command->arguments, column);
    print_options(command->arguments, column, out);
    print_options(common, column, out);
    if (command->more != NULL) {
        fputc('\n', out);
        al_wrap(command->more, 0, 0, COLUMNS, out);
    }
}

bool al_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int al_command_run(const struct al_command *command, int argc, char **argv)
{
    for (int i = 1; i < argc && !command->passes_on; i++) {
        if (al_is_help(argv[i])) {
            al_command_help(command, stdout);
            return AL_EXIT_OK;
        }
    }
    return command->run(argc, argv);
}
