/* SPDX-License-Identifier: MIT */

/* `actorlab topo`: the machine, and the order in which workers take its PUs. */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/text/format.h"
#include "core/machine/topology.h"

struct choices {
    const char *spec, *policy, *svg;
    bool json;
};

static const struct al_argument arguments[] = {
    {"topology", "SPEC", AL_ARGUMENT_NAME, offsetof(struct choices, spec),
     .help = "another machine: a file.xml of lstopo, or hwloc's synthetic form, such as "
             "'package:2 core:4 pu:2'"},
    {"pin", "POLICY", AL_ARGUMENT_NAME, offsetof(struct choices, policy),
     .help = "order of the PUs: " AL_TOPOLOGY_POLICIES, .standard = "close"},
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print the order as JSON, with the parts of the machine that each PU lies in"},
    {"svg", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, svg),
     .help = "write a picture to FILE, drawn by hwloc's lstopo"},
    {0},
};

static json_t *number_or_null(int number)
{
    return number >= 0 ? json_integer(number) : json_null();
}

static json_t *entry_of(const struct al_topology *topology, size_t worker, unsigned pu)
{
    struct al_place place;
    al_topology_place(topology, pu, &place);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "worker", (json_int_t)worker, "pu",
                     (json_int_t)pu, "core", number_or_null(place.core), "l3",
                     number_or_null(place.l3), "node", number_or_null(place.node), "package",
                     number_or_null(place.package), "kind", al_kind_json(topology, (int)pu));
}

static int print_json(const struct al_topology *topology, const struct choices *choices,
                      struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, choices->policy, &pus, &n, error);
    if (code != 0)
        return AL_EXIT_USAGE;
    json_t *order = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(order, entry_of(topology, i, pus[i]));
    free(pus);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, al_topology_hash(topology));
    json_t *all = json_pack("{s:s, s:s, s:s, s:I, s:o}", "topology", al_topology_name(topology),
                            "topology_hash", hash, "pin", choices->policy, "pus",
                            (json_int_t)al_topology_n_pus(topology), "order", order);
    al_print_json(all);
    return AL_EXIT_OK;
}

static int run_lstopo(FILE *xml, FILE *svg, const char *policy, struct al_error *error)
{
    char legend[128];
    snprintf(legend, sizeof legend, "Workers take PUs in the order of policy %.64s.", policy);
    char *command[] = {
        "lstopo-no-graphics", "--if", "xml", "-i", "-", "--of", "svg", "--no-default-legend",
        "--append-legend",    legend, "-",   NULL};
    int status = al_child_run(command, xml, svg, NULL);
    if (status < 0) {
        al_error_set(error, status, "cannot start %s: %s; Debian's package is hwloc", command[0],
                     strerror(-status));
        return AL_EXIT_USAGE;
    }
    if (status == 0)
        return AL_EXIT_OK;
    al_error_set(error, -EIO, "lstopo failed");
    return AL_EXIT_WRITE;
}

/*
 * lstopo writes viewBox='0 0 511px 400px', but SVG has only numbers there: browsers forgive it, and
 * others show nothing. `from` is at its start, and its first tag is shorter than the buffer.
 */
static void copy_svg(FILE *from, FILE *to)
{
    char buffer[4096];
    size_t length;
    rewind(from);
    length = fread(buffer, 1, sizeof buffer - 1, from);
    buffer[length] = '\0';
    char *box = strstr(buffer, "viewBox='"), *end = NULL;
    if (box != NULL)
        end = strchr(box + strlen("viewBox='"), '\'');
    for (const char *c = buffer; c < buffer + length; c++) {
        bool unit = end != NULL && c > box && c + 1 < end && c[0] == 'p' && c[1] == 'x';
        if (unit)
            c++;
        else
            fputc(*c, to);
    }
    while ((length = fread(buffer, 1, sizeof buffer, from)) > 0)
        fwrite(buffer, 1, length, to);
}

static int copy_to(const char *path, FILE *from, struct al_error *error)
{
    FILE *to = fopen(path, "w");
    if (to != NULL)
        copy_svg(from, to);
    if (to != NULL && (ferror(to) | fclose(to)) == 0)
        return AL_EXIT_OK;
    al_error_set(error, -errno, "could not write '%s': %s", path, strerror(errno));
    return AL_EXIT_WRITE;
}

static int draw_svg(const struct al_topology *topology, const struct choices *choices,
                    struct al_error *error)
{
    FILE *xml = al_memory_file(), *svg = al_memory_file();
    int code = AL_EXIT_WRITE;
    if (xml == NULL || svg == NULL)
        al_error_set(error, -errno, "no memory for the picture: %s", strerror(errno));
    else if (al_topology_export(topology, choices->policy, xml, error) != 0)
        code = AL_EXIT_USAGE;
    else
        code = run_lstopo(xml, svg, choices->policy, error);
    if (code == AL_EXIT_OK)
        code = copy_to(choices->svg, svg, error);
    if (xml != NULL)
        fclose(xml);
    if (svg != NULL)
        fclose(svg);
    return code;
}

static int topo_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_topo_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.json && choices.svg != NULL)
        return al_refuse("topo", "--json and --svg; valid: one of them");
    struct al_error error;
    struct al_topology *topology;
    if (al_topology_load(choices.spec, &topology, &error) != 0)
        return al_refuse("topo", "%s", error.text);
    int code;
    if (choices.json)
        code = print_json(topology, &choices, &error);
    else if (choices.svg != NULL)
        code = draw_svg(topology, &choices, &error);
    else
        code = al_topology_print(topology, choices.policy, stdout, &error) == 0 ? AL_EXIT_OK
                                                                                : AL_EXIT_USAGE;
    if (code != AL_EXIT_OK)
        al_refuse("topo", "%s", error.text);
    al_topology_free(topology);
    return code;
}

const struct al_command al_topo_command = {
    .name = "topo",
    .help = "show the order in which workers take the PUs of a machine",
    .usage = "[options]",
    .about = "Shows the PUs (hardware threads) of a machine in the order in which workers take "
             "them.",
    .arguments = arguments,
    .run = topo_main,
};
