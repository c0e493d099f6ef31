/* SPDX-License-Identifier: MIT */
#ifndef AL_CHAT_H
#define AL_CHAT_H

/*
 * Shared by the files of the workload chat: chat.c describes the workload and sets it up,
 * chat_actors.c is the server, and chat_check.c checks the answer.
 */

#include <stdbool.h>

#include "benchmarks/workloads/support/hub.h"
#include "benchmarks/workloads/support/schedule.h"

/* The longest text; a session has a buffer for one on its stack. */
#define AL_CHAT_TEXT_MOST 16384
#define AL_CHAT_TAG_BYTES 16

/* Written by a user, and read by one user or by the members of a group. */
struct al_chat_letter {
    struct al_message message;
    struct al_chat_letter *next; /* waiting in the same cache, or kept by the same group */
    uint64_t written;            /* al_latency_now() before it was written, or when it was due */
    uint32_t from, number;       /* the user, and the number of this letter, from 0 */
    uint32_t to;                 /* user or group */
    uint32_t bytes;
    bool to_group;
    unsigned char text[]; /* enciphered only between a client and its session */
};

/* To the sender's cache and on to the database, which keeps it: the log of who wrote what to
 * whom. */
struct al_chat_record {
    struct al_message message;
    struct al_chat_record *next; /* the sender's next */
    uint32_t from, number, to, bytes;
    bool to_group;
    unsigned char text[];
};

/* From a cache to the database and back. */
struct al_chat_fetch {
    struct al_message message;
    struct al_chat_cache *cache;
    uint32_t id;
    struct al_chat_user *user;
};

/* Every actor counts down the messages that it is `due` to receive, and ends with the last. */
struct al_chat_user {
    /* read only while the actors run */
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_chat *chat;
    uint32_t *friends, *groups, *blocked; /* the first begins their common storage */
    uint32_t n_friends, n_groups, n_blocked;
    uint32_t id;

    /* written by the actor */
    struct al_go tick;
    struct al_random random;     /* of its choices */
    struct al_schedule schedule; /* of its letters */
    uint64_t due;
    uint32_t n_sent;
    uint32_t received, dropped, wrong; /* letters: right, from blocked users, and damaged */
    uint64_t sum; /* over the letters received, of al_contents_first(sender, number) */
};

struct al_chat_group {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_chat *chat;
    uint32_t *members;
    uint32_t n_members;
    uint64_t due;
    struct al_chat_letter *letters; /* kept, newest first */
};

/* A cache's entry for one user. */
struct al_chat_entry {
    struct al_chat_fetch fetch;
    enum al_chat_entry_state { AL_CHAT_ABSENT, AL_CHAT_ASKED, AL_CHAT_PRESENT } state;
    struct al_chat_letter *first, *last; /* ASKED: the waiting letters to this user */
    uint64_t logged, logged_bytes;       /* letters from this user, and their texts */
};

/* Holds the users whose id modulo the number of caches is its index. */
struct al_chat_cache {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_chat *chat;
    struct al_chat_entry *entries; /* the entry of a user is at id / number of caches */
    uint64_t due;
};

/* The database's entry for one user. */
struct al_chat_account {
    struct al_chat_user *user;
    struct al_chat_record *first, *last; /* the log of its letters */
};

struct al_chat_database {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_chat_account *accounts; /* by user id */
    uint64_t due;
};

/* Read-only while the actors run, except the database. */
struct al_chat {
    struct al_chat_user *users;
    struct al_chat_group *groups;
    struct al_chat_cache *caches;
    struct al_chat_entry *entries; /* of all caches */
    uint32_t *members;             /* of all groups */
    uint64_t seed;
    uint64_t total; /* messages that all actors receive */
    uint32_t n_users, n_groups, n_caches;
    uint32_t n_active; /* the first n_active users write letters */
    uint32_t messages; /* the letters of each of them */
    uint32_t group_percent, message_bytes;
    bool open;         /* letters are due on a schedule */
    uint64_t began_ns; /* al_clock_ns() when the actors began */
    struct al_chat_database database;
};

static inline struct al_chat_cache *al_chat_cache_of(const struct al_chat *chat, uint32_t user)
{
    return &chat->caches[user % chat->n_caches];
}

static inline struct al_chat_entry *al_chat_entry_of(const struct al_chat *chat, uint32_t user)
{
    return &chat->caches[user % chat->n_caches].entries[user / chat->n_caches];
}

/* Each user has two random streams of the seed. */
static inline void al_chat_seed_lists(struct al_random *random, uint64_t seed, uint32_t user)
{
    al_random_seed(random, seed, 2 * (uint64_t)user);
}

static inline void al_chat_seed_choices(struct al_random *random, uint64_t seed, uint32_t user)
{
    al_random_seed(random, seed, 2 * (uint64_t)user + 1);
}

struct al_chat_choice {
    bool to_group;
    uint32_t to, bytes;
};

/* A user's next letter: its receiver and its length. Drawn by the user, and drawn again to count
 * and to check its effects. */
static inline struct al_chat_choice al_chat_choose(const struct al_chat_user *user,
                                                   struct al_random *random)
{
    const struct al_chat *chat = user->chat;
    bool to_group = al_random_below(random, 100) < chat->group_percent && user->n_groups > 0;
    uint32_t to = to_group ? user->groups[al_random_below(random, user->n_groups)]
                           : user->friends[al_random_below(random, user->n_friends)];
    return (struct al_chat_choice){to_group, to, 1 + al_random_below(random, chat->message_bytes)};
}

static inline bool al_chat_blocks(const struct al_chat_user *user, uint32_t other)
{
    for (uint32_t i = 0; i < user->n_blocked; i++)
        if (user->blocked[i] == other)
            return true;
    return false;
}

/* The operations `start` and `due_ns` of the workload. */
void al_chat_start(void *chat);
uint64_t al_chat_due_ns(const void *chat);

/* The operation `check` of the workload. */
int al_chat_check(void *chat, struct al_error *error);

#endif
