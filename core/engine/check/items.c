/* SPDX-License-Identifier: MIT */
#include "core/engine/check/items.h"

#include <stdlib.h>

#include "core/error.h"

struct check_item {
    struct check_graph *graph; /* before the choice; of a revisit: without it */
    struct check_operation operation;
    enum check_item_kind kind;
    check_id event; /* that the options are of */
    check_id read;  /* of a revisit */
    uint16_t n, next;
    int last; /* as in struct check_search */
    unsigned preemptions;
    check_id options[CHECK_EVENTS];
};

static struct check_graph *new_graph(struct check_search *search)
{
    if (search->n_spare > 0)
        return search->spare[--search->n_spare];
    struct check_graph *graph = malloc(sizeof *graph);
    if (graph == NULL)
        al_out_of_memory("the checker", sizeof *graph);
    return graph;
}

static struct check_item *push(struct check_search *search)
{
    if (search->n_items == search->capacity) {
        search->capacity = 2 * search->capacity + 64;
        search->items = realloc(search->items, search->capacity * sizeof *search->items);
        search->spare = realloc(search->spare, search->capacity * sizeof *search->spare);
        if (search->items == NULL || search->spare == NULL)
            al_out_of_memory("the checker", search->capacity * sizeof *search->items);
    }
    struct check_item *item = &search->items[search->n_items++];
    item->graph = new_graph(search);
    check_graph_copy(item->graph, &search->graph);
    item->n = item->next = 0;
    item->last = search->last;
    item->preemptions = search->preemptions;
    return item;
}

static void pop(struct check_search *search)
{
    search->spare[search->n_spare++] = search->items[--search->n_items].graph;
}

void check_push(struct check_search *search, enum check_item_kind kind, unsigned t,
                const struct check_operation *operation, const check_id *options, unsigned n)
{
    struct check_item *item = push(search);
    item->kind = kind;
    item->operation = *operation;
    item->event = CHECK_ID(t, search->graph.n[t]);
    item->n = (uint16_t)n;
    item->next = 1;
    memcpy(item->options, options, n * sizeof *options);
}

void check_push_revisit(struct check_search *search, check_id read, check_id write,
                        const struct check_operation *operation, const uint16_t keep[CHECK_THREADS])
{
    struct check_item *item = push(search);
    struct check_graph *graph = item->graph;
    check_graph_keep(graph, keep, check_event(graph, read)->stamp);
    check_graph_unread(graph, read);
    item->kind = CHECK_ITEM_REVISIT;
    item->operation = *operation;
    item->event = write;
    item->read = read;
    item->n = (uint16_t)check_revisit_options(search->options->model, graph, write, read,
                                              item->options);
    /* A read that is to block must read the co-last. */
    const struct check_event *event = check_event(graph, read);
    if (!check_likes(event->await, event->awaited, check_event(graph, write)->value))
        item->n = item->n > 0 && check_co_next(graph, event->word, item->options[0]) == CHECK_NONE;
    if (item->n == 0)
        pop(search);
}

void check_push_threads(struct check_search *search, unsigned threads)
{
    struct check_item *item = push(search);
    item->kind = CHECK_ITEM_THREADS;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        if (threads >> t & 1)
            item->options[item->n++] = (check_id)t;
    }
    item->next = 1;
}

/* The event that the item is about, again in the search's graph. */
static check_id add(struct check_search *search, const struct check_item *item)
{
    return check_operation_add(&item->operation, &search->graph, CHECK_THREAD(item->event), 0);
}

static void explore(struct check_search *search, struct check_item *item)
{
    struct check_graph *graph = &search->graph;
    check_id option = item->options[item->next++];
    check_graph_copy(graph, item->graph);
    search->revisited = CHECK_NONE;
    search->chosen = -1;
    search->last = item->last;
    search->preemptions = item->preemptions;
    switch (item->kind) {
    case CHECK_ITEM_READ:
        check_apply_read(search, CHECK_THREAD(item->event), &item->operation, option);
        break;
    case CHECK_ITEM_WRITE:
        check_graph_place(graph, add(search, item), option);
        break;
    case CHECK_ITEM_REVISIT:
        check_graph_place(graph, item->event, option);
        check_graph_read(graph, item->read, item->event);
        check_event(graph, item->read)->flags &= (uint8_t)~CHECK_BLOCKED;
        search->revisited = item->read;
        search->seen = (struct check_wait){0};
        break;
    case CHECK_ITEM_CHOICE:
        check_event(graph, add(search, item))->value = option;
        break;
    case CHECK_ITEM_THREADS:
        search->chosen = option;
        break;
    }
}

bool check_next(struct check_search *search)
{
    while (search->n_items > 0) {
        struct check_item *item = &search->items[search->n_items - 1];
        if (item->next == item->n) {
            pop(search);
            continue;
        }
        explore(search, item);
        return true;
    }
    return false;
}

void check_items_free(struct check_search *search)
{
    while (search->n_items > 0)
        pop(search);
    while (search->n_spare > 0)
        free(search->spare[--search->n_spare]);
    free(search->items);
    free(search->spare);
}
