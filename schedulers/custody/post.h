/* SPDX-License-Identifier: MIT */
#ifndef AL_POST_H
#define AL_POST_H

/*
 * The messages of the starting thread to one shard: a queue of chunks with one writer, the starter,
 * and one reader, whoever owns the shard. The starter has no loop that would hand over a chunk that
 * it has begun, so it publishes each message by itself: with a store, not an exchange.
 *
 * Invariants
 *   (1) sent only grows; the messages below it, and the chunks that hold them, are written
 *   (2) taken <= sent; the reader's part moves with the shard (give and take in move.c)
 *
 * Memory order: the release of sent publishes the envelopes below it and the links between their
 * chunks, including `first`.
 */

#include "schedulers/custody/chunk.h"

/* What both see. */
struct al_post {
    struct al_atomic_u64 sent;  /* messages */
    struct al_atomic_ptr first; /* the first chunk of all */
};

struct al_post_writer {
    struct al_chunk *last;
    struct al_envelope *tail;
    uint64_t sent;
};

struct al_post_reader {
    struct al_chunk *chunk; /* NULL: nothing was ever taken */
    struct al_envelope *read;
    uint64_t taken;
};

/* Starter only. */
static inline void al_post_add(struct al_post *post, struct al_post_writer *writer,
                               struct al_pool *pool, struct al_envelope envelope)
{
    if (writer->last == NULL || writer->tail == al_chunk_limit(writer->last)) {
        struct al_chunk *chunk = al_chunk_new(pool);
        if (writer->last == NULL)
            al_ptr_store_relaxed(&post->first, chunk);
        else
            al_chunk_link(writer->last, chunk);
        writer->last = chunk;
        writer->tail = chunk->envelopes;
    }
    *writer->tail++ = envelope;
    /* release: partner is the acquire in al_post_waiting. Without it the envelope might be read
     * before it is written. */
    al_u64_store_release(&post->sent, ++writer->sent);
}

/* How many messages the owner has not taken yet, who has taken so many. Owner only. */
static inline uint64_t al_post_waiting(const struct al_post *post, uint64_t taken)
{
    return al_u64_load_acquire(&post->sent) - taken;
}

/* Take the next message; one waits. Frees the chunks that it empties. Owner only. */
static inline struct al_envelope al_post_take(const struct al_post *post,
                                              struct al_post_reader *reader, struct al_pool *pool)
{
    if (reader->chunk == NULL) {
        reader->chunk = al_ptr_load_relaxed(&post->first); /* relaxed: published by sent */
        reader->read = reader->chunk->envelopes;
    } else if (reader->read == al_chunk_limit(reader->chunk)) {
        struct al_chunk *empty = reader->chunk;
        reader->chunk = al_chunk_next(empty); /* likewise */
        reader->read = reader->chunk->envelopes;
        al_pool_give(pool, empty);
    }
    reader->taken++;
    return *reader->read++;
}

#endif
