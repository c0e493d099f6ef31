/* SPDX-License-Identifier: MIT */

/* `actorlab topo`: the machine, and the order in which workers take its PUs. */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/text/format.h"
#include "core/machine/topology.h"

static const char usage[] =
    "usage: actorlab topo [--topology SPEC] [--pin POLICY] [--json | --svg FILE]\n\n"
    "  --topology SPEC  a file.xml of lstopo, or hwloc's synthetic form: 'package:2 core:4 pu:2'\n"
    "  --pin POLICY     " AL_TOPOLOGY_POLICIES " (default: close)\n"
    "  --json           the order, and the parts of the machine that each PU lies in\n"
    "  --svg FILE       a picture, drawn by hwloc's lstopo\n";

struct arguments {
    const char *spec, *policy, *svg;
    bool json;
};

static json_t *number_or_null(int number)
{
    return number >= 0 ? json_integer(number) : json_null();
}

static json_t *entry_of(const struct al_topology *topology, size_t worker, unsigned pu)
{
    struct al_place place;
    al_topology_place(topology, pu, &place);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "worker", (json_int_t)worker, "pu",
                     (json_int_t)pu, "core", number_or_null(place.core), "l3",
                     number_or_null(place.l3), "node", number_or_null(place.node), "package",
                     number_or_null(place.package));
}

static int print_json(const struct al_topology *topology, const struct arguments *arguments,
                      struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, arguments->policy, &pus, &n, error);
    if (code != 0)
        return AL_EXIT_USAGE;
    json_t *order = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(order, entry_of(topology, i, pus[i]));
    free(pus);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, al_topology_hash(topology));
    json_t *all = json_pack("{s:s, s:s, s:s, s:I, s:o}", "topology", al_topology_name(topology),
                            "topology_hash", hash, "pin",
                            arguments->policy != NULL ? arguments->policy : "close", "pus",
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
 * lstopo writes viewBox='0 0 511px 400px', but SVG has only numbers there: browsers forgive it, and others show nothing.
 * `from` is at its start, and its first tag is shorter than the buffer.
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

static int draw_svg(const struct al_topology *topology, const struct arguments *arguments,
                    struct al_error *error)
{
    const char *policy = arguments->policy != NULL ? arguments->policy : "close";
    FILE *xml = al_memory_file(), *svg = al_memory_file();
    int code = AL_EXIT_WRITE;
    if (xml == NULL || svg == NULL)
        al_error_set(error, -errno, "no memory for the picture: %s", strerror(errno));
    else if (al_topology_export(topology, policy, xml, error) != 0)
        code = AL_EXIT_USAGE;
    else
        code = run_lstopo(xml, svg, policy, error);
    if (code == AL_EXIT_OK)
        code = copy_to(arguments->svg, svg, error);
    if (xml != NULL)
        fclose(xml);
    if (svg != NULL)
        fclose(svg);
    return code;
}

/* -1 to go on, or the exit code. */
static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return AL_EXIT_OK;
        }
        if (strcmp(argv[i], "--json") == 0) {
            arguments->json = true;
            continue;
        }
        const char **value = strcmp(argv[i], "--topology") == 0 ? &arguments->spec
                             : strcmp(argv[i], "--pin") == 0    ? &arguments->policy
                             : strcmp(argv[i], "--svg") == 0    ? &arguments->svg
                                                                : NULL;
        if (value == NULL || i + 1 == argc) {
            fprintf(stderr,
                    "actorlab topo: %s '%s'; valid: --topology SPEC, --pin POLICY, --json, --svg "
                    "FILE\n",
                    value == NULL ? "unknown option" : "no value after", argv[i]);
            return AL_EXIT_USAGE;
        }
        *value = argv[++i];
    }
    if (!arguments->json || arguments->svg == NULL)
        return -1;
    fprintf(stderr, "actorlab topo: --json and --svg; valid: one of them\n");
    return AL_EXIT_USAGE;
}

int al_topo_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    int code = parse_arguments(&arguments, argc, argv);
    if (code >= 0)
        return code;
    struct al_error error;
    struct al_topology *topology;
    if (al_argument_text("topology", arguments.spec, &error) != 0 ||
        al_argument_text("pin", arguments.policy, &error) != 0 ||
        al_topology_load(arguments.spec, &topology, &error) != 0) {
        fprintf(stderr, "actorlab topo: %s\n", error.text);
        return AL_EXIT_USAGE;
    }
    if (arguments.json)
        code = print_json(topology, &arguments, &error);
    else if (arguments.svg != NULL)
        code = draw_svg(topology, &arguments, &error);
    else
        code = al_topology_print(topology, arguments.policy, stdout, &error) == 0 ? AL_EXIT_OK
                                                                                  : AL_EXIT_USAGE;
    if (code != AL_EXIT_OK)
        fprintf(stderr, "actorlab topo: %s\n", error.text);
    al_topology_free(topology);
    return code;
}
