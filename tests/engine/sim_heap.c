/* SPDX-License-Identifier: MIT */

/* The simulator's heap against an array of clocks that is searched for the least (clock, id). */

#include "core/engine/sim/heap.h"

#include "core/random.h"
#include "tests/support/tap.h"

#define IDS   200
#define STEPS 100000

/* What the heap should hold. */
struct model {
    uint64_t clocks[IDS];
    bool there[IDS];
    uint32_t n;
};

static uint32_t first(const struct model *model)
{
    uint32_t least = NOWHERE;
    for (uint32_t i = 0; i < IDS; i++) {
        if (model->there[i] && (least == NOWHERE || model->clocks[i] < model->clocks[least]))
            least = i;
    }
    return least;
}

static bool alike(const struct heap *heap, const struct model *model)
{
    bool equal = heap->n == model->n;
    for (uint32_t i = 0; i < IDS && equal; i++)
        equal = heap_holds(heap, i) == model->there[i];
    uint32_t n = 0; /* its invariants */
    for (uint32_t i = heap->leaves; i < 2 * heap->leaves && equal; i++) {
        uint32_t id = (uint32_t)heap->nodes[i];
        n += heap->nodes[i] != NOBODY;
        equal = heap->nodes[i] == NOBODY ||
                (heap->places[id] == i && heap_clock(heap->nodes[i]) == model->clocks[id]);
    }
    for (uint32_t i = 1; i < heap->leaves && equal; i++) {
        heap_key left = heap->nodes[2 * i], right = heap->nodes[2 * i + 1];
        equal = heap->nodes[i] == (left < right ? left : right);
    }
    return equal && n == model->n && (uint32_t)heap_first(heap) == first(model);
}

static void put_in(struct model *model, uint32_t id, uint64_t clock)
{
    model->clocks[id] = clock;
    model->there[id] = true;
    model->n++;
}

static void take_out(struct model *model, uint32_t id)
{
    model->there[id] = false;
    model->n--;
}

/* One random step on both. Few clocks, so that many are equal; and the greatest. */
static bool step(struct heap *heap, struct model *model, struct al_random *random, uint32_t ids)
{
    uint32_t id = al_random_below(random, ids), what = al_random_below(random, 4);
    uint64_t clock = al_random_below(random, 50);
    clock = clock == 49 ? NEVER : clock;
    if (what == 0 && model->there[id]) {
        heap_remove(heap, id);
        take_out(model, id);
    } else if (what == 1 && !model->there[id] && model->n > 0) {
        uint32_t least = first(model);
        take_out(model, least);
        put_in(model, id, clock);
        if (heap_exchange(heap, clock, id) != least)
            return false;
    } else if (what > 1 && !model->there[id]) {
        put_in(model, id, clock);
        heap_push(heap, clock, id);
    }
    return alike(heap, model);
}

int main(void)
{
    struct tap tap = {0};
    for (uint32_t ids = 1; ids <= IDS; ids = ids * 2 + 1) {
        struct heap heap = {0};
        struct model model = {0};
        struct al_random random;
        al_random_seed(&random, ids, 0);
        uint32_t n = 0, most = 0;
        for (uint32_t id = 0; id < ids; id++) { /* each has been there before it is exchanged */
            heap_push(&heap, id, id);
            heap_remove(&heap, id);
        }
        for (; n < STEPS / ids && step(&heap, &model, &random, ids); n++)
            most = model.n > most ? model.n : most;
        tap_ok(&tap, n == STEPS / ids, "of up to %u tasks the first is that with the least clock",
               most);
        heap_free(&heap);
    }
    return tap_done(&tap);
}
