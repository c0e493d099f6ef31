/* SPDX-License-Identifier: MIT */

/* `actorlab machine`: the machines that can be simulated. */

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/machines.h"
#include "benchmarks/harness/show/machine.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/machine/model.h"

struct choices {
    const char *svg;
    bool json;
};

static const struct al_argument arguments[] = {
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json), .help = "print JSON"},
    {"svg", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, svg),
     .help = "write a picture to FILE: its parts, the hand-offs between all cores, and what each "
             "step costs"},
    {0},
};

struct loaded {
    struct al_topology *topology;
    struct al_model *model;
    struct al_machine *machine;
};

static void unload(struct loaded *loaded)
{
    al_machine_free(loaded->machine);
    al_model_free(loaded->model);
    al_topology_free(loaded->topology);
}

/* An errno after a line in error. */
static int load(const char *name, struct loaded *loaded, struct al_error *error)
{
    char *path;
    *loaded = (struct loaded){0};
    int code = al_machine_path(name, &path, error);
    if (code != 0)
        return code;
    code = al_topology_load(path, &loaded->topology, error);
    free(path);
    if (code == 0)
        code = al_model_load(loaded->topology, &loaded->model, error);
    if (code == 0)
        loaded->machine = al_needed(al_machine_new(loaded->model));
    else
        unload(loaded);
    return code;
}

static void print_one(const struct loaded *loaded, const char *name)
{
    char *title = al_printable(loaded->model->title);
    printf("  %-20s %s%s\n  %-20s %s\n", name, title,
           loaded->model->hypothetical ? " (hypothetical)" : "", "",
           al_machine_parts(loaded->machine).text);
    free(title);
}

/* The machines that come with the program. */
static int list(bool as_json, struct al_error *error)
{
    struct al_machine_names names;
    json_t *all = json_array();
    int code = al_machine_names(&names, error);
    if (!as_json && code == 0)
        puts("machines");
    for (size_t i = 0; i < names.n && code == 0; i++) {
        struct loaded loaded;
        code = load(names.all[i], &loaded, error);
        if (code != 0)
            break;
        json_t *machine = as_json ? al_machine_json(loaded.model, loaded.machine) : NULL;
        if (as_json) {
            json_object_set_new(machine, "name", json_string(names.all[i]));
            json_array_append_new(all, machine);
        } else {
            print_one(&loaded, names.all[i]);
        }
        unload(&loaded);
    }
    al_machine_names_free(&names);
    if (as_json && code == 0)
        al_print_json(all);
    else
        json_decref(all);
    return code;
}

static int draw(const struct loaded *loaded, const char *path, struct al_error *error)
{
    FILE *file = fopen(path, "w");
    if (file != NULL)
        al_machine_draw(loaded->model, loaded->machine, file);
    if (file != NULL && (ferror(file) | fclose(file)) == 0)
        return AL_EXIT_OK;
    al_error_set(error, -errno, "could not write '%s': %s", path, strerror(errno));
    return AL_EXIT_WRITE;
}

static int machine_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    struct al_error error;
    struct loaded loaded;
    if (!al_arguments_read(&al_machine_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.json && choices.svg != NULL)
        return al_refuse("machine", "--json and --svg; valid: one of them");
    if (choices.svg != NULL && parsed.n_operands == 0)
        return al_refuse("machine", "--svg without a machine; valid: a name or a file");
    int code = parsed.n_operands == 0 ? list(choices.json, &error)
                                      : load(parsed.operands[0], &loaded, &error);
    if (code != 0)
        return al_refuse("machine", "%s", error.text);
    if (parsed.n_operands == 0)
        return AL_EXIT_OK;
    if (choices.svg != NULL)
        code = draw(&loaded, choices.svg, &error);
    else if (choices.json)
        al_print_json(al_machine_json(loaded.model, loaded.machine));
    else
        al_machine_print(loaded.model, loaded.machine, stdout);
    unload(&loaded);
    if (code != AL_EXIT_OK)
        al_refuse("machine", "%s", error.text);
    return code;
}

const struct al_command al_machine_command = {
    .name = "machine",
    .help = "show the machines that can be simulated",
    .operand = "MACHINE",
    .most = 1,
    .usage = "[MACHINE] [options]",
    .about = "Lists the machines that come with actorlab, or shows one: its parts, what each step "
             "costs there, how well that is known, and from which source. MACHINE is one of the "
             "names, or a machine file.",
    .arguments = arguments,
    .run = machine_main,
};
