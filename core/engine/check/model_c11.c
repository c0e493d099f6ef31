/* SPDX-License-Identifier: MIT */

/*
 * c11: what happens before is coherent, and what fences order has no cycle. With accesses that are
 * acquire, release or relaxed, that is all of RC11:
 *
 *   coherence   nothing happens before what it comes after in (rf ∪ co ∪ fr)+
 *   psc         between fences: (hb ∪ hb; (rf ∪ co ∪ fr)+; hb) has no cycle
 *
 * (rf ∪ co ∪ fr)+ is an order of numbers: of a write twice its place in co, of a read one more than
 * of what it reads.
 */

#include "core/engine/check/model.h"
#include "core/engine/check/model_private.h"

enum { FENCES = 64 }; /* that are looked at, at most */

struct fences {
    unsigned n;
    check_id ids[FENCES];
    uint64_t before[FENCES]; /* bits: those that it comes before */
};

static bool is_fence(unsigned kind)
{
    return kind == CHECK_FENCE || kind == CHECK_MEMBARRIER || kind == CHECK_LIGHT;
}

/* Full fences are ordered with each other, light ones with barriers alone. */
static bool ordered(unsigned kind, unsigned other)
{
    return kind == CHECK_LIGHT    ? other == CHECK_MEMBARRIER
           : other == CHECK_LIGHT ? kind == CHECK_MEMBARRIER
                                  : true;
}

static void find_fences(const struct check_graph *graph, struct fences *fences)
{
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        for (unsigned i = 0; i < graph->n[t]; i++) {
            if (!is_fence(graph->events[t][i].kind))
                continue;
            if (fences->n == FENCES) {
                check_orders_too_many = true;
                return;
            }
            fences->ids[fences->n++] = CHECK_ID(t, i);
        }
    }
}

/* Of one word: of what happens after each fence the first in (rf ∪ co ∪ fr)+, of what happens
 * before it the last. */
struct reach {
    unsigned first[FENCES], last[FENCES];
};

static void take(const struct check_graph *graph, const struct fences *fences, check_id id,
                 unsigned number, struct reach *reach)
{
    const struct check_event *event = check_event_of(graph, id);
    for (unsigned f = 0; f < fences->n; f++) {
        check_id fence = fences->ids[f];
        if (check_before(fence, &event->hb) && number < reach->first[f])
            reach->first[f] = number;
        if (check_before(id, &check_event_of(graph, fence)->hb) && number > reach->last[f])
            reach->last[f] = number;
    }
}

static void order_by_word(const struct check_graph *graph, struct fences *fences, unsigned word)
{
    struct reach reach;
    for (unsigned f = 0; f < fences->n; f++) {
        reach.first[f] = UINT32_MAX;
        reach.last[f] = 0;
    }
    check_id id = graph->words[word].first;
    for (; id != CHECK_NONE; id = check_event_of(graph, id)->co_next)
        take(graph, fences, id, 2 * check_place(graph, id), &reach);
    for (id = graph->words[word].reads; id != CHECK_NONE; id = check_event_of(graph, id)->read_next)
        take(graph, fences, id, 2 * check_place(graph, check_event_of(graph, id)->rf) + 1, &reach);
    for (unsigned f = 0; f < fences->n; f++) {
        for (unsigned g = 0; g < fences->n; g++) {
            if (f != g && reach.first[f] < reach.last[g])
                fences->before[f] |= (uint64_t)1 << g;
        }
    }
}

static bool fences_agree(const struct check_graph *graph)
{
    struct fences fences;
    fences.n = 0;
    find_fences(graph, &fences);
    if (fences.n < 2)
        return true;
    for (unsigned f = 0; f < fences.n; f++) {
        fences.before[f] = 0;
        for (unsigned g = 0; g < fences.n; g++) {
            if (f != g && check_before(fences.ids[f], &check_event_of(graph, fences.ids[g])->hb))
                fences.before[f] |= (uint64_t)1 << g;
        }
    }
    for (unsigned w = 0; w < graph->n_words; w++)
        order_by_word(graph, &fences, w);
    for (unsigned f = 0; f < fences.n; f++) {
        for (unsigned g = 0; g < fences.n; g++) {
            if (!ordered(check_event_of(graph, fences.ids[f])->kind,
                         check_event_of(graph, fences.ids[g])->kind))
                fences.before[f] &= ~((uint64_t)1 << g);
        }
    }
    for (unsigned via = 0; via < fences.n; via++) {
        for (unsigned f = 0; f < fences.n; f++) {
            if (fences.before[f] >> via & 1)
                fences.before[f] |= fences.before[via];
        }
    }
    for (unsigned f = 0; f < fences.n; f++) {
        if (fences.before[f] >> f & 1)
            return false;
    }
    return true;
}

static bool consistent(struct check_graph *graph, check_id id)
{
    return check_coherent(&check_c11, graph, id) && fences_agree(graph);
}

/* Thread by thread, as far as each can go: what is read has been written. There may be no order in
 * which each read reads the last write. */
static unsigned order(const struct check_graph *graph, struct check_step *steps)
{
    unsigned done[CHECK_THREADS] = {0}, n = 0, all = 0;
    for (unsigned t = 0; t < CHECK_THREADS; t++)
        all += graph->n[t];
    for (unsigned t = 0; n < all; t = (t + 1) % CHECK_THREADS) {
        for (; done[t] < graph->n[t]; done[t]++) {
            const struct check_event *event = &graph->events[t][done[t]];
            check_id fence = done[t] == 0 ? graph->begins[t] : CHECK_NONE;
            if (fence != CHECK_NONE && done[CHECK_THREAD(fence)] <= CHECK_INDEX(fence))
                break;
            if (event->kind == CHECK_READ && event->rf != CHECK_NONE &&
                done[CHECK_THREAD(event->rf)] <= CHECK_INDEX(event->rf))
                break;
            steps[n++] = (struct check_step){CHECK_ID(t, done[t]), false};
        }
    }
    return n;
}

const struct check_model check_c11 = {
    .name = "c11", .consistent = consistent, .by_hb = true, .order = order};
