/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/standings.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"

const char *const al_lead_names[AL_LEADS] = {"alone", "won", "tied", "undecided"};

static const char *scheduler_of(const struct al_study *study, size_t place)
{
    return json_string_value(json_object_get(study->cells[place]->identity, "scheduler"));
}

/* "victim longest", where a single key that is not a number's name tells the strategies apart. */
static char *strategy_name(const struct al_study *study, size_t strategy)
{
    const struct al_keys *keys = &study->strategy_keys;
    const char *label = study->strategies.labels[strategy];
    return keys->n == 1 && al_key_is_bare(&keys->all[0])
               ? al_text("%s %s", keys->all[0].name, label)
               : al_text("%s", label);
}

static void add_contestant(struct al_standings *out, char *name)
{
    out->names = al_needed(reallocarray(out->names, out->n_contestants + 1, sizeof *out->names));
    out->names[out->n_contestants++] = name;
}

static void name_strategies(const struct al_study *study, struct al_standings *out)
{
    for (size_t s = 0; s < study->strategies.n; s++)
        add_contestant(out, strategy_name(study, s));
    for (size_t place = 0; place < study->n; place++)
        out->of[place] = study->strategies.of[place];
}

static void find_contestants(const struct al_study *study, struct al_standings *out)
{
    out->of = al_needed(calloc(study->n + 1, sizeof *out->of));
    for (size_t place = 0; place < study->n; place++) {
        const char *scheduler = scheduler_of(study, place);
        size_t c = 0;
        while (c < out->n_contestants && strcmp(out->names[c], scheduler) != 0)
            c++;
        if (c == out->n_contestants)
            add_contestant(out, al_text("%s", scheduler));
        out->of[place] = c;
    }
    if (out->n_contestants > 1 && study->first_binary == NULL)
        return;
    for (size_t c = 0; c < out->n_contestants; c++)
        free(out->names[c]);
    out->n_contestants = 0;
    out->by_strategy = true;
    name_strategies(study, out);
}

/* with_first: by place, the comparison with the first of its group, or NULL. */
static struct al_standing stand(const struct al_study *study, const struct al_standings *out,
                                size_t group, const struct al_comparison *const *with_first)
{
    const size_t *members = &study->members[study->groups[group]];
    size_t n = study->groups[group + 1] - study->groups[group], rivals = 0, open = 0, apart = 0;
    struct al_standing standing = {.first = members[0], .next = SIZE_MAX};
    for (size_t m = 1; m < n; m++) {
        const struct al_comparison *one = with_first[members[m]], *known = standing.comparison;
        if (out->of[members[m]] == out->of[members[0]])
            continue;
        rivals++;
        open += study->fastest[members[m]];
        apart += study->fastest[members[m]] &&
                 (one == NULL || one->judged.verdict != AL_EQUIVALENT);
        bool closer = known == NULL || study->fastest[members[m]] > study->fastest[standing.next] ||
                      (study->fastest[members[m]] == study->fastest[standing.next] && one != NULL &&
                       one->ratio.estimate < known->ratio.estimate);
        if (one != NULL && closer) {
            standing.comparison = one;
            standing.next = members[m];
        }
    }
    standing.lead = rivals == 0 ? AL_ALONE
                    : open == 0 ? AL_WON
                    : apart > 0 ? AL_UNDECIDED
                                : AL_TIED;
    return standing;
}

void al_standings_make(const struct al_study *study, struct al_standings *out)
{
    *out = (struct al_standings){.n = study->n_groups};
    find_contestants(study, out);
    const struct al_comparison **with_first = al_needed(calloc(study->n + 1, sizeof *with_first));
    for (size_t c = 0; c < study->to_fastest.n; c++)
        with_first[al_study_place(study, study->to_fastest.all[c].cell)] =
            &study->to_fastest.all[c];
    out->all = al_needed(calloc(out->n + 1, sizeof *out->all));
    for (size_t g = 0; g < out->n; g++)
        out->all[g] = stand(study, out, g, with_first);
    free(with_first);
}

json_t *al_standing_names(const struct al_study *study, const struct al_standings *standings,
                          size_t group)
{
    size_t n = 0;
    json_t *names = al_needed(json_array()), *known = al_needed(json_object());
    for (size_t m = study->groups[group]; m < study->groups[group + 1]; m++) {
        const char *name = standings->names[standings->of[study->members[m]]];
        if (!study->fastest[study->members[m]])
            continue;
        if (json_object_get(known, name) == NULL)
            al_json_append(names, json_string(name));
        al_json_set(known, name, json_true());
        n++;
    }
    json_decref(known);
    size_t strategy = study->strategies.of[standings->all[group].first];
    if (n == 1 && !standings->by_strategy &&
        json_array_set_new(names, 0, json_string(study->strategies.labels[strategy])) != 0)
        al_no_memory();
    return names;
}

bool al_standing_is_hopeless(const struct al_standing *standing)
{
    const struct al_comparison *one = standing->comparison;
    return standing->lead == AL_UNDECIDED && one != NULL && one->ratio.paired &&
           one->judged.interval.low <= 0 && !isfinite(one->judged.interval.high);
}

char *al_standing_reasons(const struct al_study *study, const struct al_standing *standing,
                          size_t most)
{
    const size_t places[2] = {standing->first, standing->next};
    const struct al_cell *cells[2];
    const char *names[2];
    if (standing->lead != AL_WON && !al_standing_is_hopeless(standing))
        return NULL;
    for (size_t i = 0; i < 2; i++) {
        if (places[i] == SIZE_MAX)
            return NULL;
        cells[i] = study->cells[places[i]];
        names[i] = study->strategies.labels[study->strategies.of[places[i]]];
    }
    return al_reasons(cells, names, most);
}

void al_standings_release(struct al_standings *standings)
{
    for (size_t c = 0; c < standings->n_contestants; c++)
        free(standings->names[c]);
    free(standings->names);
    free(standings->of);
    free(standings->all);
}
