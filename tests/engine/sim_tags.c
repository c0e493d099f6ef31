/* SPDX-License-Identifier: MIT */

/* The simulator's tags against a list of all entries in the order of their last use. */

#include "core/engine/sim/tags.h"

#include <string.h>

#include "core/random.h"
#include "tests/support/tap.h"

#define STEPS        200000
#define ENTRIES_MOST 256
#define LINES        300
#define EPOCHS       3

/* For each set its entries, the last used first. */
struct model {
    uint32_t sets, ways;
    uint64_t entries[ENTRIES_MOST];
};

static uint64_t *set_of(struct model *model, uint64_t entry)
{
    return &model->entries[(uint32_t)entry % model->sets * model->ways];
}

/* The entry's place in its set; ways: it is not there. */
static uint32_t place_of(struct model *model, uint64_t entry)
{
    uint32_t i = 0;
    while (i < model->ways && set_of(model, entry)[i] != entry)
        i++;
    return i;
}

/* Move to the front what is at this place. */
static void use(struct model *model, uint64_t entry, uint32_t place)
{
    uint64_t *set = set_of(model, entry);
    memmove(set + 1, set, place * sizeof *set);
    set[0] = entry;
}

static bool step(struct model *model, const struct tags *tags, struct al_random *random)
{
    uint64_t line = 1 + al_random_below(random, LINES);
    uint64_t entry = (uint64_t)al_random_below(random, EPOCHS) << 32 | line;
    uint32_t place = place_of(model, entry), ways = model->ways;
    bool there = place < ways;
    if (al_random_below(random, 8) == 0) {
        tags_remove(tags, entry);
        uint64_t *set = set_of(model, entry);
        if (there) {
            memmove(set + place, set + place + 1, (ways - 1 - place) * sizeof *set);
            set[ways - 1] = NO_ENTRY;
        }
    } else if (there) {
        use(model, entry, place);
        if (!tags_find(tags, entry))
            return false;
    } else {
        uint64_t victim = set_of(model, entry)[ways - 1];
        use(model, entry, ways - 1);
        if (tags_find(tags, entry) || tags_put_in(tags, entry) != victim)
            return false;
    }
    return true;
}

static bool test(uint32_t sets, uint32_t ways)
{
    uint64_t entries[ENTRIES_MOST] = {0};
    struct model model = {.sets = sets, .ways = ways};
    struct tags tags;
    struct al_random random;
    tags_init(&tags, (struct al_cache_size){sets, ways}, entries);
    al_random_seed(&random, sets, ways);
    uint32_t n = 0;
    while (n < STEPS && step(&model, &tags, &random))
        n++;
    return n == STEPS;
}

int main(void)
{
    static const struct al_cache_size sizes[] = {{1, 1}, {7, 1}, {1, 16}, {8, 8}, {12, 20}, {3, 5}};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tap_ok(&tap, test(sizes[i].sets, sizes[i].ways), "of %u sets of %u ways the last used stay",
               sizes[i].sets, sizes[i].ways);
    }
    struct tags none;
    tags_init(&none, (struct al_cache_size){0, 0}, NULL);
    tags_remove(&none, 1);
    tap_ok(&tap, tags_put_in(&none, 1) == NO_ENTRY && !tags_find(&none, 1),
           "a cache of no size holds nothing");
    return tap_done(&tap);
}
