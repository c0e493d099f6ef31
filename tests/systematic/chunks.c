/* SPDX-License-Identifier: MIT */

/* custody's chunks of messages on their way to a shard: arrivals, which any worker adds to and the
 * owner takes, and the starter's posts. */

#include <string.h>

#include "core/engine/check/scenario.h"
#include "schedulers/custody/arrivals.h"
#include "schedulers/custody/post.h"

enum size { CHUNKS, TAKES };

static const struct al_scenario *scenario;
static struct al_atomic_ptr *arrivals;
static struct al_chunk *chunks[8][4];
static struct taken {
    unsigned next[8];
} * taken;

/* A chunk's first envelope says who has added it, as which. */
static void set_up_arrivals(const struct al_scenario *self)
{
    scenario = self;
    arrivals = al_calloc(1, sizeof *arrivals);
    taken = al_calloc(1, sizeof *taken);
    for (unsigned t = 0; t < self->threads; t++) {
        for (unsigned i = 0; i < self->sizes[CHUNKS]; i++)
            chunks[t][i] = al_malloc(sizeof(struct al_chunk));
    }
}

/* As the owner does: it frees what it has read. */
static void take(void)
{
    struct al_parcel parcel = al_arrivals_take(arrivals);
    for (struct al_chunk *chunk = parcel.first, *next; chunk != NULL; chunk = next) {
        next = al_chunk_next(chunk);
        uintptr_t what = (uintptr_t)chunk->envelopes[0].message;
        if (taken->next[what >> 8] != (what & 0xff))
            al_scenario_fail("chunk %u of thread %u comes when %u is due", (unsigned)what & 0xff,
                             (unsigned)(what >> 8), taken->next[what >> 8]);
        taken->next[what >> 8]++;
        al_free(chunk);
    }
}

static void arrivals_thread(unsigned number)
{
    if (number == 0) {
        for (unsigned i = 0; i < scenario->sizes[TAKES]; i++)
            take();
        return;
    }
    for (unsigned i = 0; i < scenario->sizes[CHUNKS]; i++) {
        struct al_chunk *chunk = chunks[number][i];
        chunk->envelopes[0].message = (struct al_message *)(uintptr_t)(number << 8 | i);
        chunk->end = chunk->envelopes + 1;
        (void)al_arrivals_add(arrivals, chunk);
    }
}

static void look_arrivals(void)
{
    take();
    for (unsigned t = 1; t < scenario->threads; t++) {
        if (taken->next[t] != scenario->sizes[CHUNKS])
            al_scenario_fail("of thread %u, %u of %u chunks have come", t, taken->next[t],
                             scenario->sizes[CHUNKS]);
    }
}

/* The starter posts two messages fewer than fill a chunk, then some more. */
static struct {
    struct al_post post;
    struct al_post_writer writer;
    struct al_post_reader reader;
    struct al_depot depot;
    struct al_pool pools[2];
} * posts;

static void post(unsigned i)
{
    struct al_envelope envelope = {.message = (struct al_message *)(uintptr_t)(i + 1)};
    al_post_add(&posts->post, &posts->writer, &posts->pools[0], envelope);
}

static void read_posts(void)
{
    uint64_t n = al_post_waiting(&posts->post, posts->reader.taken);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t due = posts->reader.taken + 1;
        struct al_envelope envelope = al_post_take(&posts->post, &posts->reader, &posts->pools[1]);
        if ((uintptr_t)envelope.message != due)
            al_scenario_fail("message %u comes when %u is due",
                             (unsigned)(uintptr_t)envelope.message, (unsigned)due);
    }
}

static void set_up_posts(const struct al_scenario *self)
{
    scenario = self;
    posts = al_aligned_alloc(2 * AL_CACHE_LINE_BYTES, sizeof *posts);
    memset(posts, 0, sizeof *posts);
    for (unsigned i = 0; i < 2; i++)
        al_pool_init(&posts->pools[i], &posts->depot, sizeof(struct al_chunk), AL_RECYCLED);
    for (unsigned i = 0; i + 1 < AL_CHUNK_ENVELOPES; i++)
        post(i);
    read_posts();
}

static void posts_thread(unsigned number)
{
    for (unsigned i = 0; i < 3; i++) {
        if (number == 0)
            post(AL_CHUNK_ENVELOPES - 1 + i);
        else
            read_posts();
    }
}

static void look_posts(void)
{
    read_posts();
    if (posts->reader.taken != AL_CHUNK_ENVELOPES + 2)
        al_scenario_fail("%u messages were read", (unsigned)posts->reader.taken);
}

static const struct al_scenario scenarios[] = {
#define ARRIVALS(text, n, ...)                                                                     \
    {                                                                                              \
        .name = "arrivals/" text,                                                                  \
        .shows = "each chunk is taken once, after those that its sender added before",             \
        .threads = n, .sizes = {__VA_ARGS__}, .set_up = set_up_arrivals,                           \
        .thread = arrivals_thread, .look = look_arrivals                                           \
    }
    ARRIVALS("1-sender", 2, 2, 2),
    ARRIVALS("2-senders", 3, 1, 2),
    ARRIVALS("2-senders-twice", 3, 2, 2),
    ARRIVALS("3-senders", 4, 1, 2),
    {.name = "post",
     .shows = "each message is read once, in order",
     .threads = 2,
     .set_up = set_up_posts,
     .thread = posts_thread,
     .look = look_posts},
};
AL_SCENARIOS(scenarios)
