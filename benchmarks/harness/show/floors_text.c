/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/show/floors.h: tables. */

#include "benchmarks/harness/show/floors.h"

#include <math.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"

enum { LABEL = 62, TIME = 9, RATIO = 7, WORKLOAD = 14 };

static void print_steps(const struct al_floors *floors, int from, int to, FILE *out)
{
    for (int i = from; i < to; i++)
        fprintf(out, "  %-*s %*s\n", LABEL, al_floor_texts[i].help, TIME,
                al_format_number(floors->ns[i], 3).text);
}

/* Wide enough for a strategy's name, or for its time and ratio. */
static int width_of(const char *strategy)
{
    int length = (int)strlen(strategy);
    return length > TIME + RATIO ? length : TIME + RATIO;
}

static void print_messages(const struct al_floors *floors, FILE *out)
{
    fprintf(out, "  %-*s %*s", WORKLOAD, "", TIME, "ring");
    for (size_t k = 0; k < floors->n_strategies; k++)
        fprintf(out, "  %*s", width_of(floors->strategies[k]), floors->strategies[k]);
    fputc('\n', out);
    for (size_t w = 0; w < AL_FLOOR_WORKLOADS; w++) {
        const double *ns = floors->message_ns[w];
        fprintf(out, "  %-*s %*s", WORKLOAD, al_floor_workloads[w].name, TIME,
                al_format_number(ns[0], 3).text);
        for (size_t k = 0; k < floors->n_strategies; k++)
            fprintf(out, "  %*s %*sx", width_of(floors->strategies[k]) - RATIO,
                    al_format_number(ns[1 + k], 3).text, RATIO - 2,
                    al_format_number(ns[1 + k] / ns[0], 2).text);
        fputc('\n', out);
    }
}

void al_floors_print(const struct al_floors *floors, FILE *out)
{
    fprintf(out, "ns on PU %u\n", floors->pus[0]);
    print_steps(floors, 0, AL_FLOORS_ALONE, out);
    if (floors->n_pus > 1) {
        fprintf(out, "\nns between PUs %u and %u\n", floors->pus[0], floors->pus[1]);
        print_steps(floors, AL_FLOORS_ALONE, AL_FLOORS, out);
    } else {
        fputs("\nnothing between two PUs, as there is only one here\n", out);
    }
    fprintf(out, "\nns per message over one ring%s\n",
            floors->n_strategies > 0 ? ", and with one worker by strategies: how many times as long"
                                     : "");
    print_messages(floors, out);
}
