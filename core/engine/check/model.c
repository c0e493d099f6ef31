/* SPDX-License-Identifier: MIT */
#include "core/engine/check/model_private.h"

bool check_orders_too_many;

/* What a thread has to know of before the event. */
static struct check_clock known(const struct check_model *model, const struct check_graph *graph,
                                check_id id)
{
    const struct check_event *before = check_graph_before(graph, id);
    if (before == NULL)
        return (struct check_clock){0};
    return model->by_hb ? before->hb : before->porf;
}

/* Whether a write, or a read of it, is among what is known: then older ones are out of date. */
static bool is_known(const struct check_graph *graph, check_id write,
                     const struct check_clock *clock)
{
    if (check_before(write, clock))
        return true;
    check_id read = graph->words[check_event_of(graph, write)->word].reads;
    for (; read != CHECK_NONE; read = check_event_of(graph, read)->read_next) {
        if (check_event_of(graph, read)->rf == write && check_before(read, clock))
            return true;
    }
    return false;
}

/* Whether nothing that is known comes after this write in co. */
static bool up_to_date(const struct check_graph *graph, unsigned word, check_id write,
                       const struct check_clock *clock)
{
    for (check_id id = check_co_next(graph, word, write); id != CHECK_NONE;
         id = check_event_of(graph, id)->co_next) {
        if (is_known(graph, id, clock))
            return false;
    }
    return true;
}

bool check_coherent(const struct check_model *model, const struct check_graph *graph, check_id id)
{
    const struct check_event *event = check_event_of(graph, id);
    struct check_clock clock = known(model, graph, id);
    return up_to_date(graph, event->word, event->kind == CHECK_READ ? event->rf : id, &clock);
}

/* Whether an exclusive write between this one and the next would keep the next one's
 * read-modify-write, if it is one, atomic. */
static bool splits(const struct check_graph *graph, unsigned word, check_id after)
{
    check_id next = check_co_next(graph, word, after);
    return next != CHECK_NONE && (check_event_of(graph, next)->flags & CHECK_EXCLUSIVE) != 0;
}

/* The writes of a word in the order of co, the initial value first. Returns how many. */
static unsigned writes_of(const struct check_graph *graph, unsigned word,
                          check_id writes[CHECK_EVENTS])
{
    unsigned n = 0;
    writes[n++] = CHECK_NONE;
    for (check_id id = graph->words[word].first; id != CHECK_NONE && n < CHECK_EVENTS;
         id = check_event_of(graph, id)->co_next)
        writes[n++] = id;
    return n;
}

unsigned check_read_options(const struct check_model *model, struct check_graph *graph,
                            check_id read, check_id options[CHECK_EVENTS])
{
    unsigned word = check_event(graph, read)->word, n = 0;
    struct check_clock clock = known(model, graph, read);
    check_id writes[CHECK_EVENTS];
    for (unsigned i = writes_of(graph, word, writes); i-- > 0;) {
        bool last = n == 0;
        check_graph_read(graph, read, writes[i]);
        if (last || model->consistent(graph, read))
            options[n++] = writes[i];
        check_graph_unread(graph, read);
        if (writes[i] != CHECK_NONE && is_known(graph, writes[i], &clock))
            break;
    }
    return n;
}

unsigned check_write_options(const struct check_model *model, struct check_graph *graph,
                             check_id write, check_id options[CHECK_EVENTS])
{
    return check_revisit_options(model, graph, write, CHECK_NONE, options);
}

unsigned check_revisit_options(const struct check_model *model, struct check_graph *graph,
                               check_id write, check_id read, check_id options[CHECK_EVENTS])
{
    const struct check_event *event = check_event(graph, write);
    unsigned word = event->word, n = 0, n_writes = 1;
    struct check_clock clock = known(model, graph, write);
    check_id writes[CHECK_EVENTS];
    if (event->flags & CHECK_EXCLUSIVE)
        writes[0] = event[-1].rf;
    else
        n_writes = writes_of(graph, word, writes);
    for (unsigned i = n_writes; i-- > 0;) {
        bool last = check_co_next(graph, word, writes[i]) == CHECK_NONE;
        if (!splits(graph, word, writes[i])) {
            check_graph_place(graph, write, writes[i]);
            if (read != CHECK_NONE)
                check_graph_read(graph, read, write);
            if (last || (model->consistent(graph, write) &&
                         (read == CHECK_NONE || model->consistent(graph, read))))
                options[n++] = writes[i];
            if (read != CHECK_NONE)
                check_graph_unread(graph, read);
            check_graph_unplace(graph, write);
        }
        if (writes[i] != CHECK_NONE && is_known(graph, writes[i], &clock))
            break;
    }
    return n;
}

bool check_is_first_part(const struct check_graph *graph, check_id id)
{
    unsigned next = CHECK_INDEX(id) + 1u;
    const struct check_event *event = check_event_of(graph, id);
    return event->kind == CHECK_READ && next < graph->n[CHECK_THREAD(id)] &&
           event[1].kind == CHECK_WRITE && (event[1].flags & CHECK_EXCLUSIVE) != 0;
}

unsigned check_order(const struct check_model *model, const struct check_graph *graph,
                     struct check_step steps[CHECK_STEPS])
{
    unsigned n = model->order(graph, steps);
    /* The read comes later, to its write: no other write of the word is in between. */
    for (unsigned i = 0; i < n; i++) {
        if (!steps[i].commits && check_is_first_part(graph, steps[i].id)) {
            unsigned write = i + 1;
            while (steps[write].commits || steps[write].id != steps[i].id + 1)
                write++;
            struct check_step read = steps[i];
            memmove(&steps[i], &steps[i + 1], (write - i - 1) * sizeof *steps);
            steps[write - 1] = read;
            i = write == i + 1 ? i : i - 1; /* what is here now has not been looked at */
        }
    }
    return n;
}
