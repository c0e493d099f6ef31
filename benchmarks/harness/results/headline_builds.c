/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/headline.h"

#include <stdlib.h>
#include <string.h>

#include "core/counted.h"

/* "new against old: faster in 3 of 8 cells, 1.1 to 1.3 times; slower in 1, 1.2 times; undecided in
 * 4." */
static void print_build(const struct al_comparisons *builds, const char *build, const char *first,
                        FILE *out)
{
    static const char *const words[AL_VERDICTS] = {"faster", "slower", "equivalent", "undecided",
                                                   "undecided"};
    size_t counts[AL_VERDICTS] = {0}, n = 0, said = 0;
    struct al_range times[AL_VERDICTS] = {AL_NO_RANGE, AL_NO_RANGE};
    for (size_t c = 0; c < builds->n; c++) {
        const struct al_comparison *one = &builds->all[c];
        enum al_verdict verdict = one->judged.verdict;
        const char *name = json_string_value(json_object_get(one->cell->identity, "binary"));
        double ratio = one->ratio.estimate;
        if (name == NULL || strcmp(name, build) != 0)
            continue;
        n++;
        counts[verdict == AL_NO_VERDICT ? AL_INCONCLUSIVE : verdict]++;
        if (verdict <= AL_SLOWER && ratio > 0 && isfinite(ratio))
            al_range_widen(&times[verdict], verdict == AL_FASTER ? 1 / ratio : ratio,
                           verdict == AL_FASTER ? 1 / ratio : ratio);
    }
    for (size_t v = 0; v < AL_VERDICTS; v++) {
        if (counts[v] == 0)
            continue;
        if (said == 0) {
            char *shown = al_printable(build);
            fprintf(out, "%s against %s: ", shown, first);
            free(shown);
        }
        fprintf(out, "%s%s in %zu", said > 0 ? "; " : "", words[v], counts[v]);
        if (said++ == 0)
            fprintf(out, " of %s", al_counted(n, "cell").text);
        if (v <= AL_SLOWER)
            al_range_times(times[v], "", out);
    }
    fputs(said > 0 ? ". " : "", out);
}

void al_headline_builds(const struct al_study *study, FILE *out)
{
    json_t *known = al_needed(json_object()), *unused;
    const char *name;
    char *first = al_printable(study->first_binary);
    for (size_t c = 0; c < study->to_baseline.n; c++) {
        const json_t *identity = study->to_baseline.all[c].cell->identity;
        name = json_string_value(json_object_get(identity, "binary"));
        if (name != NULL)
            al_json_set(known, name, json_true());
    }
    json_object_foreach(known, name, unused) print_build(&study->to_baseline, name, first, out);
    if (json_object_size(known) == 0)
        fputs("No cell was measured with two programs. ", out);
    free(first);
    json_decref(known);
}
