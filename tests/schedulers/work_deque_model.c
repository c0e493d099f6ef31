/* SPDX-License-Identifier: MIT */

/*
 * The deques of ready actors (schedulers/queues/work_deque.h), each kind with each order of its
 * owner, on one thread: against arrays that do what the header says. Items are numbers from 1 on.
 */

#include "schedulers/queues/work_deque.h"

#include <string.h>

#include "core/random.h"
#include "tests/support/tap.h"

#define KINDS       3
#define LOCKS       3
#define SLOTS       64 /* in a new ring */
#define MODEL_SEEDS 300
#define DEQUES      2 /* each the other's thief */
#define STEPS       2000
#define ITEMS_MOST  STEPS

static const char *const owners[] = {"lifo", "fifo"};

struct list {
    uintptr_t items[ITEMS_MOST]; /* oldest first */
    uint32_t n;
};

/* What the header says, in arrays: `side` holds what was pushed behind, except with the locked
 * kind. */
struct model {
    struct list main, side;
    enum al_deque_kind kind;
    enum al_deque_owner owner;
};

static void list_add(struct list *list, uintptr_t item)
{
    CHECK(list->n < ITEMS_MOST, "the test is wrong");
    list->items[list->n++] = item;
}

static uintptr_t list_newest(struct list *list)
{
    return list->n > 0 ? list->items[--list->n] : 0;
}

static uintptr_t list_oldest(struct list *list)
{
    if (list->n == 0)
        return 0;
    uintptr_t item = list->items[0];
    memmove(list->items, list->items + 1, --list->n * sizeof *list->items);
    return item;
}

static void model_push_behind(struct model *model, uintptr_t item)
{
    if (model->kind != AL_DEQUE_LOCKED) {
        list_add(&model->side, item);
    } else if (model->owner == AL_OWNER_FIFO) {
        list_add(&model->main, item);
    } else { /* the owner begins at the newest, so behind is before the oldest */
        list_add(&model->main, 0);
        memmove(model->main.items + 1, model->main.items, (model->main.n - 1) * sizeof item);
        model->main.items[0] = item;
    }
}

static uintptr_t model_pop(struct model *model)
{
    uintptr_t item = model->owner == AL_OWNER_LIFO ? list_newest(&model->main)
                                                   : list_oldest(&model->main);
    return item != 0 ? item : list_oldest(&model->side);
}

static uintptr_t model_steal(struct model *victim, struct model *own, uint32_t *n)
{
    *n = 1;
    if (victim->kind == AL_DEQUE_LOCKED && victim->owner == AL_OWNER_FIFO)
        return list_newest(&victim->main);
    if (victim->main.n == 0)
        return list_oldest(&victim->side);
    uint32_t half = (victim->main.n + 1) / 2;
    *n = victim->kind != AL_DEQUE_STEAL_HALF ? 1 : half < 64 ? half : 64;
    uintptr_t first = list_oldest(&victim->main), rest[64];
    for (uint32_t i = 1; i < *n; i++)
        rest[i] = list_oldest(&victim->main);
    /* The thief runs `first`; then it pops the others, from the oldest to the newest. */
    for (uint32_t i = 1; i < *n; i++)
        list_add(&own->main, own->owner == AL_OWNER_FIFO ? rest[i] : rest[*n - i]);
    return first;
}

/* The extremes that occurred, over all seeds. */
struct extent {
    uint32_t longest, most_stolen;
};

/* Do one random operation to deque i and to its model; both must return the same. */
static void step(struct al_deque *deques, struct model *models, uint32_t i, uint32_t dice,
                 uintptr_t *next, struct extent *extent)
{
    if (dice < 10) {
        al_deque_push_owner(&deques[i], (void *)*next);
        list_add(&models[i].main, (*next)++);
    } else if (dice < 12) {
        al_deque_push_behind_any(&deques[i], (void *)*next);
        model_push_behind(&models[i], (*next)++);
    } else if (dice < 14) {
        uintptr_t popped = (uintptr_t)al_deque_pop_owner(&deques[i]),
                  wanted = model_pop(&models[i]);
        CHECK(popped == wanted, "popped %zu instead of %zu", (size_t)popped, (size_t)wanted);
    } else {
        uint32_t n_wanted;
        bool lost;
        void *items[AL_STEAL_MOST];
        uint32_t n = al_deque_steal_any(&deques[i], items, &lost);
        uintptr_t stolen = n > 0 ? (uintptr_t)al_deque_keep_owner(&deques[!i], items, n) : 0,
                  wanted = model_steal(&models[i], &models[!i], &n_wanted);
        CHECK(stolen == wanted, "stole %zu instead of %zu", (size_t)stolen, (size_t)wanted);
        CHECK(stolen == 0 || n == n_wanted, "stole %u instead of %u", n, n_wanted);
        CHECK(!lost, "lost to nobody");
        if (stolen != 0 && n > extent->most_stolen)
            extent->most_stolen = n;
    }
    for (uint32_t k = 0; k < DEQUES; k++)
        CHECK(al_deque_length(&deques[k]) == models[k].main.n + models[k].side.n,
              "length %llu instead of %u", (unsigned long long)al_deque_length(&deques[k]),
              models[k].main.n + models[k].side.n);
}

static void follow_model(enum al_deque_kind kind, enum al_deque_owner owner, enum al_lock_kind lock,
                         uint64_t seed, struct extent *extent)
{
    static struct al_deque deques[DEQUES];
    static struct model models[DEQUES];
    struct al_random random;
    al_random_seed(&random, seed, 0);
    for (uint32_t i = 0; i < DEQUES; i++) {
        al_deque_init(&deques[i], kind, owner, lock);
        models[i].main.n = models[i].side.n = 0;
        models[i].kind = kind;
        models[i].owner = owner;
    }
    /* Phases fill and empty the deque in turn, with a few or with hundreds of items. */
    uint32_t phase = 1 + al_random_below(&random, 900);
    uintptr_t next = 1;
    bool filling = true;
    for (uint32_t i = 0; i < STEPS; i++) {
        if (i % phase == phase - 1)
            filling = !filling;
        uint32_t dice = filling ? al_random_below(&random, 15) : 12 + al_random_below(&random, 3);
        step(deques, models, al_random_below(&random, 4) == 0, dice, &next, extent);
        if (models[0].main.n > extent->longest)
            extent->longest = models[0].main.n;
    }
    for (uint32_t i = 0; i < DEQUES; i++) {
        uintptr_t wanted;
        while ((wanted = model_pop(&models[i])) != 0)
            CHECK((uintptr_t)al_deque_pop_owner(&deques[i]) == wanted, "not in order at the end");
        CHECK(al_deque_pop_owner(&deques[i]) == NULL, "more than was pushed");
        al_deque_fini(&deques[i]);
    }
}

static void test_model(struct tap *tap, enum al_deque_kind kind, enum al_deque_owner owner,
                       enum al_lock_kind lock)
{
    struct extent extent = {0};
    for (uint64_t seed = 0; seed < MODEL_SEEDS; seed++)
        follow_model(kind, owner, lock, seed, &extent);
    tap_ok(tap,
           extent.longest > 4 * SLOTS &&
               extent.most_stolen == (kind == AL_DEQUE_STEAL_HALF ? AL_STEAL_MOST : 1),
           "%s, %s, owner %s: as the model, with up to %u items, %u at a time",
           al_deque_choices[kind], al_deque_lock_choices[lock], owners[owner], extent.longest,
           extent.most_stolen);
}

int main(void)
{
    struct tap tap = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        for (int owner = 0; owner < 2; owner++)
            test_model(&tap, kind, owner, AL_LOCK_EXCHANGE);
    }
    for (int lock = AL_LOCK_EXCHANGE + 1; lock < LOCKS; lock++) {
        for (int owner = 0; owner < 2; owner++)
            test_model(&tap, AL_DEQUE_LOCKED, owner, lock);
    }
    return tap_done(&tap);
}
