/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/names.h"

/* The option's name with its dashes, as users write it. */
struct shown {
    char text[64];
};

static struct shown shown(const struct al_argument *argument)
{
    struct shown shown;
    snprintf(shown.text, sizeof shown.text, "--%s", argument->name);
    return shown;
}

static int unknown_option(const struct al_command *command, const char *word,
                          struct al_error *error)
{
    struct al_names names = {.wanted = word, .distance = SIZE_MAX};
    for (const struct al_argument *a = command->arguments; a->name != NULL; a++)
        al_names_add(&names, shown(a).text);
    al_names_add(&names, "--help");
    return al_names_error(&names, "option", error);
}

/*
 * The option that a word such as "--json", "--js" or "--json=FILE" means; NULL with a line in
 * error.
 */
static const struct al_argument *find(const struct al_command *command, const char *word,
                                      struct al_error *error)
{
    size_t length = strcspn(word, "="), n = 0;
    const struct al_argument *found = NULL;
    struct al_names several = {.wanted = word, .distance = SIZE_MAX};
    for (const struct al_argument *a = command->arguments; a->name != NULL; a++) {
        const char *name = a->name;
        if (length < 3 || strncmp(word, "--", 2) != 0 || strncmp(name, word + 2, length - 2) != 0)
            continue;
        if (name[length - 2] == '\0')
            return a;
        al_names_add(&several, shown(a).text);
        found = a;
        n++;
    }
    if (n == 0)
        (void)unknown_option(command, word, error);
    if (n > 1)
        al_error_set(error, -EINVAL, "'%s' is ambiguous; valid: %s", word, several.text);
    return n == 1 ? found : NULL;
}

/* Whether the word after an option whose value may be left out is its value. */
static bool is_value(const struct al_argument *argument, const char *word)
{
    char *end;
    if (word == NULL)
        return false;
    for (size_t i = 0; argument->kind == AL_ARGUMENT_WORD && argument->words[i] != NULL; i++) {
        if (strcmp(argument->words[i], word) == 0)
            return true;
    }
    strtod(word, &end);
    bool number = argument->kind == AL_ARGUMENT_UINT || argument->kind == AL_ARGUMENT_REAL;
    return number && end != word && *end == '\0';
}

static int store_pair(const struct al_argument *argument, char *text, struct al_pairs *pairs,
                      struct al_error *error)
{
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0')
        return al_error_set(error, -EINVAL, "--%s '%s' is not of the form %s; valid: --%s %s",
                            argument->name, text, argument->value, argument->name, argument->value);
    pairs->all = al_needed(reallocarray(pairs->all, pairs->n + 1, sizeof *pairs->all));
    *equals = '\0';
    pairs->all[pairs->n++] = (struct al_setting){text, equals + 1};
    return 0;
}

static int store_name(const struct al_argument *argument, const char *text, const char **where,
                      struct al_error *error)
{
    json_t *utf8 = json_string(text); /* NULL if it is not; jansson checks it */
    if (utf8 == NULL)
        return al_error_set(error, -EINVAL,
                            "--%s '%s' is not UTF-8, which the JSON of a record requires; valid: "
                            "another name",
                            argument->name, text);
    json_decref(utf8);
    *where = text;
    return 0;
}

static int store(const struct al_argument *argument, char *text, void *values,
                 struct al_error *error)
{
    static const enum al_option_type types[] = {[AL_ARGUMENT_UINT] = AL_OPTION_UINT,
                                                [AL_ARGUMENT_REAL] = AL_OPTION_REAL,
                                                [AL_ARGUMENT_WORD] = AL_OPTION_ENUM};
    void *where = (char *)values + argument->at;
    switch (argument->kind) {
    case AL_ARGUMENT_FLAG:
        *(bool *)where = true;
        return 0;
    case AL_ARGUMENT_NAME:
        return store_name(argument, text, where, error);
    case AL_ARGUMENT_FILE:
        *(const char **)where = text;
        return 0;
    case AL_ARGUMENT_PAIR:
        return store_pair(argument, text, where, error);
    default:
        break;
    }
    struct shown name = shown(argument);
    struct al_option option = {.name = name.text,
                               .type = types[argument->kind],
                               .min = argument->min,
                               .max = argument->max,
                               .choices = argument->words};
    union al_value value = {.uint = AL_ARGUMENT_AS_WORD};
    if (argument->instead == NULL || strcmp(text, argument->instead) != 0) {
        int code = al_option_parse(&option, text, &value, error);
        size_t used = strlen(error->text);
        if (code != 0 && argument->instead != NULL)
            snprintf(error->text + used, sizeof error->text - used, ", or %s", argument->instead);
        if (code != 0 && argument->example != NULL)
            snprintf(error->text + used, sizeof error->text - used, ", %s", argument->example);
        if (code != 0)
            return code;
    }
    if (argument->kind == AL_ARGUMENT_UINT)
        *(uint64_t *)where = value.uint;
    else if (argument->kind == AL_ARGUMENT_REAL)
        *(double *)where = value.real;
    else
        *(unsigned *)where = (unsigned)value.uint;
    return 0;
}

/*
 * One option and its value, which are word and perhaps next; `used` is how many of them they were.
 */
static int parse_option(struct al_parsed *parsed, char *word, char *next, void *values, int *used,
                        struct al_error *error)
{
    const struct al_argument *argument = find(parsed->command, word, error);
    if (argument == NULL)
        return -EINVAL;
    char *equals = strchr(word, '='), *value = equals != NULL ? equals + 1 : NULL;
    bool flag = argument->kind == AL_ARGUMENT_FLAG;
    if (flag && value != NULL)
        return al_error_set(error, -EINVAL, "'%s': the option takes no value; valid: --%s", word,
                            argument->name);
    *used = 1;
    parsed->given |= (uint64_t)1 << (argument - parsed->command->arguments);
    if (value == NULL && !flag && (!argument->optional || is_value(argument, next))) {
        value = next;
        *used = 2;
    }
    if (value == NULL && !flag && !argument->optional)
        return al_error_set(error, -EINVAL, "no value after '--%s'; valid: --%s %s", argument->name,
                            argument->name, argument->value);
    return value != NULL || flag ? store(argument, value, values, error) : 0;
}

static int check_operands(const struct al_parsed *parsed, struct al_error *error)
{
    const struct al_command *command = parsed->command;
    size_t first_line = strcspn(command->usage, "\n");
    if (parsed->n_operands < command->least)
        return al_error_set(error, -EINVAL, "no %s; valid: actorlab %s %.*s", command->operand,
                            command->name, (int)first_line, command->usage);
    if (parsed->n_operands <= command->most)
        return 0;
    return al_error_set(error, -EINVAL, "unexpected word '%s'; valid: actorlab %s %.*s",
                        parsed->operands[command->most], command->name, (int)first_line,
                        command->usage);
}

int al_arguments_parse(const struct al_command *command, int argc, char **argv, void *values,
                       struct al_parsed *parsed, struct al_error *error)
{
    *parsed = (struct al_parsed){.command = command, .operands = argv + 1};
    for (const struct al_argument *a = command->arguments; a->name != NULL; a++) {
        if (a->standard != NULL && store(a, (char *)a->standard, values, error) != 0)
            al_fatal("%s --%s: its own default is not valid: %s", command->name, a->name,
                     error->text);
    }
    bool options = true;
    for (int i = 1, used; i < argc; i += used) {
        used = 1;
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (!options || argv[i][0] != '-' || argv[i][1] == '\0') {
            parsed->operands[parsed->n_operands++] = argv[i];
        } else {
            char *next = i + 1 < argc ? argv[i + 1] : NULL;
            int code = parse_option(parsed, argv[i], next, values, &used, error);
            if (code != 0)
                return code;
        }
    }
    return check_operands(parsed, error);
}

bool al_arguments_read(const struct al_command *command, int argc, char **argv, void *values,
                       struct al_parsed *parsed)
{
    struct al_error error;
    bool good = al_arguments_parse(command, argc, argv, values, parsed, &error) == 0;
    if (!good)
        al_refuse(command->name, "%s", error.text);
    return good;
}

bool al_argument_given(const struct al_parsed *parsed, const char *name)
{
    const struct al_argument *argument = parsed->command->arguments;
    for (size_t i = 0; argument[i].name != NULL; i++) {
        if (strcmp(argument[i].name, name) == 0)
            return (parsed->given >> i & 1) != 0;
    }
    al_fatal("%s has no option --%s", parsed->command->name, name);
}

void al_pairs_free(struct al_pairs *pairs)
{
    free(pairs->all);
    *pairs = (struct al_pairs){NULL, 0};
}

int al_refuse(const char *command, const char *format, ...)
{
    struct al_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    char *line = al_printable(error.text);
    fprintf(stderr, "actorlab %s: %s\n", command, line);
    free(line);
    return AL_EXIT_USAGE;
}

bool al_are_known(const char *command, const char *option, json_t *asked, json_t *known)
{
    const char *name;
    json_t *unused;
    json_object_foreach(asked, name, unused)
    {
        if (json_object_size(known) == 0 || json_object_get(known, name) != NULL)
            continue;
        char *given = al_printable(name), *valid = al_printable_keys(known);
        fprintf(stderr, "actorlab %s: --%s '%s': no trial of it finished; valid: %s\n", command,
                option, given, valid);
        free(given);
        free(valid);
        return false;
    }
    return true;
}
