/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/json.h"

#include <stdlib.h>

#include "benchmarks/harness/text/json.h"

static json_t *verdict_json(enum al_verdict verdict)
{
    const char *name = al_verdict_names[verdict];
    return name != NULL ? json_string(name) : json_null();
}

static json_t *ends_json(const struct al_interval *interval)
{
    json_t *whole = al_json_interval(interval);
    json_t *ends = json_pack("{s:O, s:O}", "low", json_object_get(whole, "low"), "high",
                             json_object_get(whole, "high"));
    json_decref(whole);
    return al_needed(ends);
}

static json_t *quiet_json(const struct al_comparison *comparison)
{
    int holds = al_comparison_holds(comparison);
    const struct al_judgement *judged = &comparison->judged_quiet;
    if (!comparison->stratified)
        return json_null();
    return al_needed(json_pack(
        "{s:I, s:o, s:o, s:b, s:o, s:o}", "n", (json_int_t)comparison->quiet.n[0], "ratio",
        judged->ratio != NULL ? al_json_interval(&judged->interval) : json_null(), "equivalence",
        judged->ratio != NULL ? ends_json(&judged->equivalence) : json_null(), "differs",
        al_comparison_has_states(comparison), "verdict", verdict_json(judged->verdict), "holds",
        holds < 0 ? json_null() : json_boolean(holds)));
}

void al_comparison_json(json_t *row, const struct al_comparison *comparison)
{
    const struct al_judgement *judged = &comparison->judged;
    const size_t *n = comparison->ratio.n;
    al_json_set(row, "paired", json_boolean(comparison->ratio.paired));
    al_json_set(row, "n", json_integer((json_int_t)(n[0] < n[1] ? n[0] : n[1])));
    al_json_set(row, "ratio", al_json_interval(&judged->interval));
    al_json_set(row, "equivalence", ends_json(&judged->equivalence));
    bool known = judged->ratio != NULL;
    al_json_set(row, "p", known ? al_json_real(comparison->ratio.p) : json_null());
    al_json_set(row, "p_bh", al_json_real(judged->p_bh));
    al_json_set(row, "verdict", verdict_json(judged->verdict));
    char *failed = al_comparison_failed_text(comparison);
    al_json_set(row, "failed",
                failed == NULL ? json_null()
                               : json_pack("{s:I, s:I, s:b, s:s}", "cell",
                                           (json_int_t)comparison->cell->n_failed, "base",
                                           (json_int_t)comparison->base->n_failed, "more",
                                           judged->failed[0] > judged->failed[1], "text", failed));
    free(failed);
    al_json_set(row, "disturbed", json_boolean(al_comparison_is_disturbed(comparison)));
    al_json_set(row, "more_blocks",
                judged->verdict == AL_INCONCLUSIVE && judged->more < SIZE_MAX
                    ? json_integer((json_int_t)judged->more)
                    : json_null());
    al_json_set(row, "quiet", quiet_json(comparison));
}

json_t *al_family_json(const struct al_family *family)
{
    return al_needed(json_pack("{s:I, s:I, s:f, s:f}", "m", (json_int_t)family->m, "rejected",
                               (json_int_t)family->rejected, "level", family->level,
                               "equivalence_level", family->equivalence));
}
