/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/twins.h"

#include <stdlib.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/pairs.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

bool al_twin_ratio(const struct al_cell *cell, struct al_ratio *out)
{
    return cell->twin != NULL && al_cells_paired(cell->twin, cell, out);
}

/* One more twin that differs with this chance, beside n others; shares[k]: the chance that k of
 * them differ. */
static void add_one(double *shares, size_t n, double chance)
{
    shares[n + 1] = shares[n] * chance;
    for (size_t k = n; k > 0; k--)
        shares[k] = shares[k] * (1 - chance) + shares[k - 1] * chance;
    shares[0] *= 1 - chance;
}

void al_twins_make(const struct al_summary *summary, struct al_twins *out)
{
    double *shares = al_needed(calloc(summary->count + 1, sizeof *shares));
    *out = (struct al_twins){.alpha = 1 - summary->level};
    shares[0] = 1;
    for (size_t c = 0; c < summary->count; c++) {
        struct al_ratio ratio;
        if (!al_twin_ratio(&summary->cells[c], &ratio))
            continue;
        double chance = 1 - al_ratio_interval(&ratio, summary->level).achieved;
        if (chance > 0) {
            add_one(shares, out->n++, chance);
            out->expected += chance;
            out->differ += al_significant(ratio.p, out->alpha);
        }
        al_ratio_release(&ratio);
    }
    for (size_t k = out->differ; k <= out->n; k++)
        out->chance += shares[k];
    free(shares);
}

bool al_twins_are_too_many(const struct al_twins *twins)
{
    return twins->chance < AL_TWINS_CHANCE;
}

char *al_twins_text(const struct al_twins *twins)
{
    if (twins->n == 0)
        return NULL;
    char *differ = twins->differ > 0 ? al_text("%zu", twins->differ) : al_text("none");
    char *found = al_text("%s of %s %s at %.3g%%; %s expected by chance", differ,
                          al_counted(twins->n, "twin").text,
                          twins->differ > 1 ? "differ from their cells" : "differs from its cell",
                          100 * twins->alpha, al_format_number(twins->expected, 2).text);
    free(differ);
    char *text = al_twins_are_too_many(twins)
                     ? al_text(
                           "WARNING: A/A: %s. That many have a chance of %s%%: equal cells look "
                           "different here, so do not trust these verdicts "
                           "(docs/explanation/statistics.md, A/A)",
                           found, al_format_number(100 * twins->chance, 2).text)
                     : al_text("A/A: %s", found);
    free(found);
    return text;
}

json_t *al_twins_json(const struct al_twins *twins)
{
    char *text = al_twins_text(twins);
    json_t *object = al_needed(json_pack("{s:I, s:I, s:f, s:f, s:b, s:s?}", "n",
                                         (json_int_t)twins->n, "differ", (json_int_t)twins->differ,
                                         "expected", twins->expected, "chance", twins->chance,
                                         "too_many", al_twins_are_too_many(twins), "text", text));
    free(text);
    return object;
}
