/* SPDX-License-Identifier: MIT */
#include "core/engine/check/graph.h"

uint64_t check_value(const struct check_graph *graph, unsigned word, check_id write)
{
    return write == CHECK_NONE ? graph->words[word].initial : check_event_of(graph, write)->value;
}

void check_graph_clear(struct check_graph *graph)
{
    graph->stamps = 0;
    graph->n_words = 0;
    memset(graph->n, 0, sizeof graph->n);
    memset(graph->waits, 0, sizeof graph->waits);
    memset(graph->begins, 0xff, sizeof graph->begins);
}

void check_graph_copy(struct check_graph *to, const struct check_graph *from)
{
    memcpy(to, from, offsetof(struct check_graph, words));
    memcpy(to->words, from->words, from->n_words * sizeof *from->words);
    for (unsigned t = 0; t < CHECK_THREADS; t++)
        memcpy(to->events[t], from->events[t], from->n[t] * sizeof *from->events[t]);
}

int check_graph_word(struct check_graph *graph, uint64_t address, uint32_t life, uint8_t bytes,
                     uint64_t initial)
{
    for (unsigned i = 0; i < graph->n_words; i++) {
        if (graph->words[i].address == address && graph->words[i].life == life)
            return (int)i;
    }
    if (graph->n_words == CHECK_WORDS)
        return -1;
    graph->words[graph->n_words] = (struct check_word){
        .address = address,
        .initial = initial,
        .life = life,
        .bytes = bytes,
        .first = CHECK_NONE,
        .reads = CHECK_NONE,
    };
    return graph->n_words++;
}

/* What an acquiring read of a write by this thread, which has done `n` events, receives from before
 * the write: what came before the last fence. */
static struct check_clock fenced(const struct check_graph *graph, unsigned t, unsigned n)
{
    while (n-- > 0) {
        const struct check_event *event = &graph->events[t][n];
        if (event->kind == CHECK_FENCE || event->kind == CHECK_MEMBARRIER)
            return event->hb;
    }
    return (struct check_clock){0};
}

/* The clocks of thread t's event i, by what comes before it in program order. */
static void inherit(struct check_graph *graph, unsigned t, unsigned i)
{
    struct check_event *event = &graph->events[t][i];
    const struct check_event *before = check_graph_before(graph, CHECK_ID(t, i));
    event->porf = event->hb = event->acquirable = (struct check_clock){0};
    if (before != NULL) {
        event->porf = before->porf;
        event->hb = before->hb;
        event->acquirable = before->acquirable;
    }
    event->porf.of[t] = event->hb.of[t] = (uint8_t)(i + 1);
}

check_id check_graph_add(struct check_graph *graph, unsigned t, enum check_kind kind,
                         unsigned flags, unsigned word)
{
    unsigned n = graph->n[t];
    if (n == CHECK_EVENTS)
        return CHECK_NONE;
    struct check_event *event = &graph->events[t][n];
    const struct check_event *before = n > 0 ? event - 1 : NULL;
    *event = (struct check_event){
        .kind = (uint8_t)kind,
        .flags = (uint8_t)flags,
        .word = (uint16_t)word,
        .rf = CHECK_NONE,
        .co_next = CHECK_NONE,
        .read_next = CHECK_NONE,
        .stamp = graph->stamps++,
    };
    inherit(graph, t, n);
    if (kind == CHECK_FENCE || kind == CHECK_MEMBARRIER)
        check_join(&event->hb, &event->acquirable);
    if (kind == CHECK_WRITE) {
        event->released = flags & CHECK_RELEASE ? event->hb : fenced(graph, t, n);
        /* A read-modify-write passes on what it has read: the release sequence goes on. */
        if ((flags & CHECK_EXCLUSIVE) != 0 && before->rf != CHECK_NONE)
            check_join(&event->released, &check_event_of(graph, before->rf)->released);
    }
    graph->n[t]++;
    return CHECK_ID(t, n);
}

void check_graph_read(struct check_graph *graph, check_id read, check_id write)
{
    struct check_event *event = check_event(graph, read);
    struct check_word *word = &graph->words[event->word];
    event->rf = write;
    event->value = check_value(graph, event->word, write);
    event->read_next = word->reads;
    word->reads = read;
    if (write == CHECK_NONE)
        return;
    const struct check_event *from = check_event_of(graph, write);
    check_join(&event->porf, &from->porf);
    check_join(&event->acquirable, &from->released);
    if (event->flags & CHECK_ACQUIRE)
        check_join(&event->hb, &from->released);
}

void check_graph_unread(struct check_graph *graph, check_id read)
{
    struct check_event *event = check_event(graph, read);
    check_id *link = &graph->words[event->word].reads;
    while (*link != read)
        link = &check_event(graph, *link)->read_next;
    *link = event->read_next;
    unsigned t = CHECK_THREAD(read), i = CHECK_INDEX(read);
    event->rf = CHECK_NONE;
    inherit(graph, t, i);
}

/* Count the places in co anew. */
static void renumber(struct check_graph *graph, unsigned word)
{
    uint16_t place = 0;
    for (check_id id = graph->words[word].first; id != CHECK_NONE;
         id = check_event(graph, id)->co_next)
        check_event(graph, id)->place = ++place;
}

static check_id *co_link(struct check_graph *graph, unsigned word, check_id after)
{
    return after == CHECK_NONE ? &graph->words[word].first : &check_event(graph, after)->co_next;
}

void check_graph_place(struct check_graph *graph, check_id write, check_id after)
{
    struct check_event *event = check_event(graph, write);
    check_id *link = co_link(graph, event->word, after);
    event->co_next = *link;
    *link = write;
    renumber(graph, event->word);
}

void check_graph_unplace(struct check_graph *graph, check_id write)
{
    struct check_event *event = check_event(graph, write);
    check_id *link = &graph->words[event->word].first;
    while (*link != write)
        link = &check_event(graph, *link)->co_next;
    *link = event->co_next;
    event->co_next = CHECK_NONE;
    renumber(graph, event->word);
}

void check_graph_pop(struct check_graph *graph, unsigned t)
{
    check_id last = CHECK_ID(t, graph->n[t] - 1);
    const struct check_event *event = check_event(graph, last);
    if (event->kind == CHECK_READ)
        check_graph_unread(graph, last);
    graph->n[t]--;
}

void check_graph_keep(struct check_graph *graph, const uint16_t keep[CHECK_THREADS], unsigned stamp)
{
    for (unsigned w = 0; w < graph->n_words; w++) {
        check_id *link = &graph->words[w].first;
        while (*link != CHECK_NONE) {
            if (CHECK_INDEX(*link) >= keep[CHECK_THREAD(*link)])
                *link = check_event(graph, *link)->co_next;
            else
                link = &check_event(graph, *link)->co_next;
        }
        renumber(graph, w);
        link = &graph->words[w].reads;
        while (*link != CHECK_NONE) {
            if (CHECK_INDEX(*link) >= keep[CHECK_THREAD(*link)])
                *link = check_event(graph, *link)->read_next;
            else
                link = &check_event(graph, *link)->read_next;
        }
    }
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        check_id fence = graph->begins[t];
        if (fence != CHECK_NONE && CHECK_INDEX(fence) >= keep[CHECK_THREAD(fence)])
            graph->begins[t] = CHECK_NONE;
        struct check_wait *wait = &graph->waits[t];
        while (wait->n_stamps > 0 && wait->stamps[wait->n_stamps - 1] > stamp)
            wait->n_stamps--;
        if (keep[t] < graph->n[t] || wait->n_stamps == 0)
            *wait = (struct check_wait){0};
        graph->n[t] = keep[t];
    }
}

uint64_t check_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* A number for the writes that a waiting thread does not read. */
static uint64_t refused(const struct check_graph *graph, unsigned t)
{
    const struct check_wait *wait = &graph->waits[t];
    uint64_t sum = 1;
    check_id id = graph->words[wait->word - 1].first;
    for (; id != CHECK_NONE; id = check_event_of(graph, id)->co_next) {
        if (check_event_of(graph, id)->stamp <= wait->stamps[wait->n_stamps - 1])
            sum += check_mix(7, id);
    }
    return sum;
}

uint64_t check_graph_hash(const struct check_graph *graph)
{
    uint64_t hash = 0;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        hash = check_mix(hash, graph->n[t]);
        if (graph->waits[t].word != 0)
            hash = check_mix(hash, refused(graph, t));
        for (unsigned i = 0; i < graph->n[t]; i++) {
            const struct check_event *event = &graph->events[t][i];
            hash = check_mix(hash, (uint64_t)event->kind << 40 | (uint64_t)event->rf << 16 |
                                       (event->kind == CHECK_WRITE ? event->place : 0u));
            if (event->kind == CHECK_CHOICE)
                hash = check_mix(hash, event->value);
        }
    }
    return hash;
}
