/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_ITEMS_H
#define AL_CHECK_ITEMS_H

/* What the search has still to explore: a stack of choices, each with the graph before it. */

#include "core/engine/check/search.h"

enum check_item_kind {
    CHECK_ITEM_READ,
    CHECK_ITEM_WRITE,
    CHECK_ITEM_REVISIT,
    CHECK_ITEM_CHOICE,
    CHECK_ITEM_THREADS,
};

/* The options of thread t's next event, of which the first is being explored. */
void check_push(struct check_search *search, enum check_item_kind kind, unsigned t,
                const struct check_operation *operation, const check_id *options, unsigned n);
/* A read is to read a write, the last event of the graph; of each thread `keep` events stay. None
 * of its options is being explored; it may have none, if the model allows none. */
void check_push_revisit(struct check_search *search, check_id read, check_id write,
                        const struct check_operation *operation,
                        const uint16_t keep[CHECK_THREADS]);
/* Of these threads the first is being explored. */
void check_push_threads(struct check_search *search, unsigned threads);

/* Make the graph that is to be explored next. False: there is none. */
bool check_next(struct check_search *search);
void check_items_free(struct check_search *search);

/* Of search.c: let thread t do this read, of this write; or wait. */
void check_apply_read(struct check_search *search, unsigned t,
                      const struct check_operation *operation, check_id option);

#endif
