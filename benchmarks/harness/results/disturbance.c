/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/disturbance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"

bool al_record_is_watched(const json_t *record, bool *disturbed)
{
    const json_t *noise = json_object_get(record, "noise");
    const json_t *reasons = json_object_get(noise, "disturbed");
    *disturbed = json_array_size(reasons) > 0;
    return json_is_array(reasons);
}

void al_disturbance_add(struct al_disturbance *disturbance, const json_t *record)
{
    const json_t *noise = json_object_get(record, "noise"), *reason;
    size_t i;
    bool disturbed;
    if (!json_is_object(json_object_get(record, "sweep")))
        return;
    if (!al_record_is_watched(record, &disturbed)) {
        disturbance->unwatched++;
        return;
    }
    disturbance->watched++;
    disturbance->disturbed += disturbed;
    disturbance->waited_s += json_number_value(
        json_object_get(json_object_get(noise, "gate"), "waited_s"));
    json_t *reasons = al_json_made(&disturbance->reasons);
    json_array_foreach(json_object_get(noise, "disturbed"), i, reason)
        al_json_count(reasons, json_string_value(reason));
}

/* Reasons as records have them. */
static const struct {
    const char *reason, *words, *advice;
} known[] = {
    {"busy", "other processes just before", "end other programs, or set gate = \"wait\""},
    {"others", "other processes",
     "end other programs, or leave them PUs that no worker is bound to"},
    {"steal", "steal", "use another machine: this one's host runs others on its PUs"},
    {"quota", "CPU quota", "raise the CPU quota of the control group"},
    {"heat", "heat or power", "cool the machine, or turn turbo off with `scripts/quiet on`"},
    {"stopped", "stopped by a signal", "do not suspend the sweep"},
    {"waited", "workers waited for their PUs", "end other programs, or use fewer workers"},
    {"unbound", "workers not on their PUs", "permit binding, and leave the cpuset as it is"},
};

static size_t place_of(const char *reason)
{
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i].reason, reason) != 0)
        i++;
    return i;
}

/* In words. */
static const char *in_words(const char *reason)
{
    size_t i = place_of(reason);
    return i < sizeof known / sizeof *known ? known[i].words : reason;
}

/* The most frequent first, and equally frequent ones as they came. */
static void print_reasons(const json_t *reasons, FILE *out)
{
    const char *reason, *before = " (";
    json_t *count, *left = al_needed(json_copy((json_t *)reasons));
    while (json_object_size(left) > 0) {
        const char *most = NULL;
        json_int_t n = 0;
        json_object_foreach(left, reason, count)
        {
            if (json_integer_value(count) > n) {
                most = reason;
                n = json_integer_value(count);
            }
        }
        char *words = al_printable(in_words(most));
        fprintf(out, "%s%s: %" JSON_INTEGER_FORMAT, before, words, n);
        free(words);
        before = ", ";
        json_object_del(left, most);
    }
    fputs(json_object_size(reasons) > 0 ? ")" : "", out);
    json_decref(left);
}

char *al_disturbance_text(const struct al_disturbance *disturbance)
{
    struct al_growing text;
    size_t disturbed = disturbance->disturbed;
    if (disturbance->watched == 0)
        return NULL;
    FILE *out = al_growing_open(&text);
    char *number = disturbed > 0 ? al_text("%zu", disturbed) : al_text("none");
    fprintf(out, "noise: %s of %s disturbed", number,
            al_counted(disturbance->watched, "trial").text);
    free(number);
    if (disturbance->reasons != NULL)
        print_reasons(disturbance->reasons, out);
    if (disturbance->waited_s >= 1)
        fprintf(out, "; waited %.0f s for calm", disturbance->waited_s);
    if (disturbance->unwatched > 0)
        fprintf(out, "; %zu more were not watched", disturbance->unwatched);
    return al_growing_close(&text);
}

char *al_disturbance_warning(const struct al_disturbance *disturbance)
{
    struct al_growing text;
    const char *reason, *before = "Against";
    json_t *count;
    if (2 * disturbance->disturbed <= disturbance->watched)
        return NULL;
    FILE *out = al_growing_open(&text);
    fprintf(out, "Most trials were disturbed, %zu of %zu: what differs may be the noise. ",
            disturbance->disturbed, disturbance->watched);
    json_object_foreach(disturbance->reasons, reason, count)
    {
        size_t i = place_of(reason);
        if (i == sizeof known / sizeof *known ||
            4 * (size_t)json_integer_value(count) < disturbance->disturbed)
            continue;
        fprintf(out, "%s %s: %s", before, known[i].words, known[i].advice);
        before = "; against";
    }
    fprintf(out,
            "%s`scripts/quiet on` steadies the clock rate, and `actorlab env` lists what else "
            "distorts measurements.",
            *before == ';' ? ". " : "");
    return al_growing_close(&text);
}

json_t *al_disturbance_json(const struct al_disturbance *disturbance)
{
    char *text = al_disturbance_text(disturbance), *warning = al_disturbance_warning(disturbance);
    json_t *reasons = disturbance->reasons != NULL ? json_incref(disturbance->reasons)
                                                   : json_object();
    json_t *object = al_needed(
        json_pack("{s:I, s:I, s:I, s:f, s:o, s:s?, s:s?}", "watched",
                  (json_int_t)disturbance->watched, "disturbed", (json_int_t)disturbance->disturbed,
                  "unwatched", (json_int_t)disturbance->unwatched, "waited_s",
                  disturbance->waited_s, "reasons", reasons, "text", text, "warning", warning));
    free(text);
    free(warning);
    return object;
}

void al_disturbance_release(struct al_disturbance *disturbance)
{
    json_decref(disturbance->reasons);
}
