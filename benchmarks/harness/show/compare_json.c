/* SPDX-License-Identifier: MIT */

/* What `actorlab compare` prints for other programs: JSON and CSV. */

#include "benchmarks/harness/show/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/twins.h"
#include "benchmarks/harness/show/json.h"
#include "benchmarks/harness/text/format.h"

/* Text from the command line; null if it is not UTF-8. */
static json_t *given(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_null();
}

/* The key of what is compared. */
static const char *compared(const struct al_compare *compare)
{
    return compare->newer.of != NULL ? "compared" : "ns_per_message";
}

static json_t *side_json(const struct al_compare *compare, const struct al_cell *cell)
{
    return al_needed(json_pack("{s:I, s:f}", "n", (json_int_t)cell->n, compared(compare),
                               al_cells_median(cell)));
}

static json_t *comparison_json(const struct al_compare *compare,
                               const struct al_comparison *comparison)
{
    json_t *row = al_needed(json_copy(comparison->cell->identity));
    al_json_set(row, "oversubscribed",
                json_boolean(comparison->cell->oversubscribed || comparison->base->oversubscribed));
    al_json_set(row, "mixed_kinds",
                json_boolean(comparison->cell->mixed_kinds || comparison->base->mixed_kinds));
    al_json_set(row, "differs", al_compare_differences(comparison));
    al_json_set(row, "base", side_json(compare, comparison->base));
    al_json_set(row, "cell", side_json(compare, comparison->cell));
    al_comparison_json(row, comparison);
    if (compare->gate) {
        al_json_set(row, "p_holm", al_json_real(comparison->p_holm));
        al_json_set(row, "regression", json_boolean(al_compare_is_regression(compare, comparison)));
    }
    return row;
}

static json_t *average_json(const struct al_compare *compare, size_t place)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    const struct al_average *average = &compare->averages.all[place];
    json_t *row = al_needed(json_copy(comparisons->all[average->first].cell->identity));
    json_t *benchmarks = al_needed(json_array());
    for (size_t c = average->first; c < comparisons->n; c++) {
        if (compare->averages.of[c] == place)
            al_json_append(benchmarks, json_incref(json_object_get(
                                           comparisons->all[c].cell->identity, "benchmark")));
    }
    json_object_del(row, "benchmark");
    json_object_del(row, "parameters");
    al_json_set(row, "benchmarks", benchmarks);
    al_json_set(row, "ratio", al_json_interval(&average->interval));
    return row;
}

void al_compare_json(const struct al_compare *compare, FILE *out)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    json_t *root = al_needed(json_object()), *rows = al_needed(json_array());
    json_t *averages = al_needed(json_array()), *alone = al_needed(json_array());
    for (size_t c = 0; c < comparisons->n; c++)
        al_json_append(rows, comparison_json(compare, &comparisons->all[c]));
    for (size_t a = 0; a < compare->averages.n; a++) {
        if (compare->averages.all[a].n > 1)
            al_json_append(averages, average_json(compare, a));
    }
    for (size_t a = 0; a < comparisons->n_alone; a++) {
        json_t *row = al_needed(json_copy(comparisons->alone[a].cell->identity));
        al_json_set(row, "of", json_string(comparisons->alone[a].is_base ? "old" : "new"));
        al_json_set(row, "why", json_string(comparisons->alone[a].why));
        al_json_set(row, "regression", json_boolean(comparisons->alone[a].lost));
        al_json_append(alone, row);
    }
    if (compare->n_against > 0) {
        json_t *against = al_needed(json_object());
        for (size_t a = 0; a < compare->n_against; a++)
            al_json_set(against, compare->against[a].key, json_string(compare->against[a].value));
        al_json_set(root, "file", given(compare->names[1]));
        al_json_set(root, "against", against);
    } else {
        al_json_set(root, "old", given(compare->names[0]));
        al_json_set(root, "new", given(compare->names[1]));
        al_json_set(root, "environment", al_compare_environment(compare));
    }
    al_json_set(root, "measure",
                json_string(compare->newer.of != NULL ? compare->newer.of : "ns_per_message"));
    al_json_set(root, "level", json_real(compare->newer.level));
    al_json_set(root, "margin_percent", json_real(comparisons->rules.margin_percent));
    al_json_set(root, "family", al_family_json(&comparisons->family));
    size_t needs = al_compare_gate_needs(compare);
    if (compare->gate)
        al_json_set(root, "regressions",
                    json_pack("{s:f, s:I, s:o}", "percent", compare->gate_percent, "count",
                              (json_int_t)compare->regressions, "needs",
                              needs > 0 ? json_integer((json_int_t)needs) : json_null()));
    const struct al_summary *files[] = {&compare->older, &compare->newer};
    json_t *disturbances = al_needed(json_array()), *twins = al_needed(json_array());
    for (int f = compare->n_against > 0; f < 2; f++) {
        struct al_twins check;
        al_twins_make(files[f], &check);
        al_json_append(twins, al_twins_json(&check));
        al_json_append(disturbances, al_disturbance_json(&files[f]->disturbance));
    }
    al_json_set(root, "twins", twins);
    al_json_set(root, "disturbances", disturbances);
    al_json_set(root, "comparisons", rows);
    al_json_set(root, "averages", averages);
    al_json_set(root, "left_out", alone);
    (void)al_put_json(root, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(root);
}

static void print_number(FILE *out, double value, char end)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    fputc(end, out);
}

static bool is_build(size_t key)
{
    return (al_identity_keys[key].roles & AL_BUILD) != 0;
}

void al_compare_csv(const struct al_compare *compare, FILE *out)
{
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if (!is_build(k))
            fprintf(out, "%s,", al_identity_keys[k].name);
    }
    fprintf(out,
            "differs,base_%s,cell_%s,base_n,cell_n,base_failed,cell_failed,paired,ratio,low,high,"
            "achieved,p,p_bh,verdict,more_blocks,disturbed\r\n",
            compared(compare), compared(compare));
    for (size_t c = 0; c < compare->comparisons.n; c++) {
        const struct al_comparison *comparison = &compare->comparisons.all[c];
        const struct al_judgement *judged = &comparison->judged;
        json_t *differ = al_compare_differences(comparison);
        for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
            if (is_build(k)) /* it is among what differs, if it does */
                continue;
            al_csv_value(out,
                         json_object_get(comparison->cell->identity, al_identity_keys[k].name));
            fputc(',', out);
        }
        al_csv_value(out, differ);
        fputc(',', out);
        json_decref(differ);
        print_number(out, al_cells_median(comparison->base), ',');
        print_number(out, al_cells_median(comparison->cell), ',');
        fprintf(out, "%zu,%zu,%zu,%zu,%s,", comparison->base->n, comparison->cell->n,
                comparison->base->n_failed, comparison->cell->n_failed,
                comparison->ratio.paired ? "true" : "false");
        bool bounded = al_interval_is_bounded(&judged->interval);
        bool open = judged->verdict == AL_INCONCLUSIVE && judged->more < SIZE_MAX;
        print_number(out, judged->interval.median, ',');
        print_number(out, bounded ? judged->interval.low : NAN, ',');
        print_number(out, bounded ? judged->interval.high : NAN, ',');
        print_number(out, judged->interval.achieved, ',');
        print_number(out, judged->ratio != NULL ? comparison->ratio.p : NAN, ',');
        print_number(out, judged->p_bh, ',');
        const char *verdict = al_verdict_names[judged->verdict];
        fprintf(out, "%s,", verdict != NULL ? verdict : "");
        if (open)
            fprintf(out, "%zu", judged->more);
        fprintf(out, ",%s\r\n", al_comparison_is_disturbed(comparison) ? "true" : "false");
    }
}
