/* SPDX-License-Identifier: MIT */

/*
 * chat: a chat server at peak load. What users write is called a letter here, to distinguish it
 * from the messages of actors. Each user's session is an actor with random lists of friends, groups
 * and blocked users. When a tick wakes it, its client has a letter of random length to a friend or
 * to one of its groups, which comes enciphered; the session deciphers it. So it goes until it has
 * sent `messages` letters.
 *
 *   to a friend   The sender asks the friend's cache for the friend's session. A cache that does
 *                 not know it asks the database once; further letters to that friend wait. The
 *                 sender then sends the letter to the session.
 *   to a group    The sender sends the letter to the group, an actor that sends it on to all
 *                 members except the sender.
 *   both          The letter and its text are logged in the sender's cache and then in the
 *                 database.
 *
 * A session drops letters from users that it blocks and enciphers all others for its client. The
 * workload records the time from before a letter is written, or with `rate` from when it was due,
 * until it has been enciphered for the client, for each reader. Source:
 * LAS paper, section V.C, after Riot Games, Chat Service Architecture: Servers (2015). There, too,
 * the receiver is looked up by its id; that its own cache knows it is ours. Differences:
 *   - ticks follow one another at once; in the paper a timer wakes each of a million sessions once
 *     a second, as with `rate=1000000 users=1000000`;
 *   - what a client does, its session does, too: each letter is enciphered once more than in a
 *     server whose clients are elsewhere;
 *   - users are divided among the caches by id; in the paper a cache is local to sessions. A cache
 *     never evicts an entry, because the number of messages would then depend on the schedule.
 *
 * Messages: all choices follow from the seed, so prepare draws them once and counts the messages
 * that each actor is due to receive. With `rate` a tick more begins each user's schedule. A letter
 * to a friend takes the tick, the lookup and its answer, the letter itself, and two messages for
 * its record; a letter to a group goes to the group and to each other member instead. A cache and
 * the database exchange two messages for each user that is looked up. An actor ends with the last
 * message that it is due; an actor that is due none gets a poison pill.
 *
 * The answer: each letter must be authentic when it comes from its client, reach all receivers who
 * do not block its sender as it was written, be dropped by those who do, and be in both logs.
 */

#include "benchmarks/workloads/las/chat.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

enum option {
    USERS,
    GROUPS,
    CACHES,
    ACTIVE,
    MESSAGES,
    GROUP_PERCENT,
    MESSAGE_BYTES,
    FRIENDS,
    MEMBERSHIPS,
    BLOCKED,
    RATE,
    MEMORY
};

static const struct al_option options[] = {
    [USERS] = {"users", AL_OPTION_UINT, "10000", 2, 1e8, NULL, "users"},
    [GROUPS] = {"groups", AL_OPTION_UINT, "100", 1, 1e8, NULL, "groups"},
    [CACHES] = {"caches", AL_OPTION_UINT, "16", 1, 1e5, NULL,
                "caches that the users are divided among"},
    [ACTIVE] = {"active", AL_OPTION_UINT, "0", 0, 1e8, NULL, "users that write letters; 0: all"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "10", 1, 1e9, NULL, "letters of each user"},
    [GROUP_PERCENT] = {"group_percent", AL_OPTION_UINT, "5", 0, 100, NULL,
                       "letters to groups, in percent (users without a group write to friends)"},
    [MESSAGE_BYTES] = {"message_bytes", AL_OPTION_UINT, "1024", 1, AL_CHAT_TEXT_MOST, NULL,
                       "longest text, in bytes; the shortest has 1"},
    [FRIENDS] = {"friends", AL_OPTION_UINT, "100", 1, 1e5, NULL,
                 "most friends of a user; the fewest is 1"},
    [MEMBERSHIPS] = {"memberships", AL_OPTION_UINT, "10", 0, 1000, NULL,
                     "most groups of a user; the fewest is 0"},
    [BLOCKED] = {"blocked", AL_OPTION_UINT, "5", 0, 1e5, NULL,
                 "most users that a user blocks; the fewest is 0"},
    [RATE] = {"rate", AL_OPTION_REAL, "0", 0, 1e12, NULL,
              "letters that all users send in a second, each at equal distances; 0: one after the "
              "other"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double users = (double)values[USERS].uint, groups = (double)values[GROUPS].uint;
    double active = values[ACTIVE].uint == 0 ? users : (double)values[ACTIVE].uint;
    double memberships = users * (double)values[MEMBERSHIPS].uint / 2;
    double listed = users * (double)(values[FRIENDS].uint + values[BLOCKED].uint) / 2 + memberships;
    double letters = active * (double)values[MESSAGES].uint;
    double text = (double)values[MESSAGE_BYTES].uint / 2;
    double letter = sizeof(struct al_chat_letter) + text;
    double per_user = sizeof(struct al_chat_user) + sizeof(struct al_chat_entry) +
                      sizeof(struct al_chat_account);
    return users * per_user + groups * sizeof(struct al_chat_group) +
           (listed + memberships) * sizeof(uint32_t) +
           letters * (sizeof(struct al_chat_record) + text) +
           letters * letter; /* at worst all letters are on their way or kept */
}

static void release(void *argument)
{
    struct al_chat *chat = argument;
    for (uint32_t i = 0; i < chat->n_users; i++)
        al_free(chat->users[i].friends);
    for (uint32_t i = 0; i < chat->n_groups; i++)
        for (struct al_chat_letter *letter = chat->groups[i].letters, *next; letter != NULL;
             letter = next) {
            next = letter->next;
            al_free(letter);
        }
    struct al_chat_account *accounts = chat->database.accounts;
    for (uint32_t i = 0; i < chat->n_users; i++)
        for (struct al_chat_record *record = accounts[i].first, *next; record != NULL;
             record = next) {
            next = record->next;
            al_free(record);
        }
    al_free(accounts);
    al_free(chat->members);
    al_free(chat->entries);
    al_free(chat->caches);
    al_free(chat->groups);
    al_free(chat->users);
    al_free(chat);
}

static uint32_t draw_other(struct al_random *random, const struct al_chat *chat, uint32_t user)
{
    return (user + 1 + al_random_below(random, chat->n_users - 1)) % chat->n_users;
}

static bool contains(const uint32_t *list, uint32_t n, uint32_t value)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == value)
            return true;
    return false;
}

static void draw_lists(struct al_chat_user *user, const union al_value *values)
{
    struct al_chat *chat = user->chat;
    struct al_random random;
    al_chat_seed_lists(&random, chat->seed, user->id);
    user->n_friends = 1 + al_random_below(&random, (uint32_t)values[FRIENDS].uint);
    user->n_groups = al_random_below(&random, (uint32_t)values[MEMBERSHIPS].uint + 1);
    user->n_blocked = al_random_below(&random, (uint32_t)values[BLOCKED].uint + 1);
    user->friends = al_allocate((user->n_friends + user->n_groups + user->n_blocked) *
                                sizeof *user->friends);
    user->groups = user->friends + user->n_friends;
    user->blocked = user->groups + user->n_groups;
    for (uint32_t i = 0; i < user->n_friends; i++)
        user->friends[i] = draw_other(&random, chat, user->id);
    for (uint32_t i = 0; i < user->n_groups; i++)
        do
            user->groups[i] = al_random_below(&random, chat->n_groups);
        while (contains(user->groups, i, user->groups[i]));
    for (uint32_t i = 0; i < user->n_blocked; i++)
        user->blocked[i] = draw_other(&random, chat, user->id);
}

/* List the members of each group. */
static void list_members(struct al_chat *chat)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < chat->n_users; i++)
        for (uint32_t k = 0; k < chat->users[i].n_groups; k++, n++)
            chat->groups[chat->users[i].groups[k]].n_members++;
    uint32_t *place = chat->members = al_allocate((n + 1) * sizeof *chat->members);
    for (uint32_t i = 0; i < chat->n_groups; i++) {
        chat->groups[i].members = place;
        place += chat->groups[i].n_members;
        chat->groups[i].n_members = 0;
    }
    for (uint32_t i = 0; i < chat->n_users; i++)
        for (uint32_t k = 0; k < chat->users[i].n_groups; k++) {
            struct al_chat_group *group = &chat->groups[chat->users[i].groups[k]];
            group->members[group->n_members++] = i;
        }
}

/* Count the messages that a user's letters cause, except those that groups send on. is_known: users
 * looked up so far. */
static void count_letters(struct al_chat *chat, struct al_chat_user *user, bool *is_known)
{
    struct al_random random;
    al_chat_seed_choices(&random, chat->seed, user->id);
    user->due += chat->open; /* the first tick */
    for (uint32_t n = 0; n < chat->messages; n++) {
        struct al_chat_choice choice = al_chat_choose(user, &random);
        user->due++; /* the tick */
        al_chat_cache_of(chat, user->id)->due++;
        chat->database.due++; /* the record, to cache and database */
        if (choice.to_group) {
            chat->groups[choice.to].due++;
            user->due--; /* a member does not get its own letters to the group */
            continue;
        }
        user->due++; /* the answer to the lookup */
        chat->users[choice.to].due++;
        al_chat_cache_of(chat, choice.to)->due++; /* the lookup */
        if (!is_known[choice.to]) {
            is_known[choice.to] = true;
            al_chat_cache_of(chat, choice.to)->due++;
            chat->database.due++; /* the fetch, to the database and back */
        }
    }
}

/* Count the messages that each actor is due to receive, and their total. */
static void count_messages(struct al_chat *chat)
{
    bool *is_known = al_allocate_zeroed(chat->n_users, sizeof *is_known);
    for (uint32_t i = 0; i < chat->n_active; i++)
        count_letters(chat, &chat->users[i], is_known);
    al_free(is_known);
    chat->total = chat->database.due;
    for (uint32_t i = 0; i < chat->n_users; i++) {
        struct al_chat_user *user = &chat->users[i];
        for (uint32_t k = 0; k < user->n_groups; k++)
            user->due += chat->groups[user->groups[k]].due;
        chat->total += user->due == 0 ? 1 : user->due; /* 1: the pill */
    }
    for (uint32_t i = 0; i < chat->n_groups; i++)
        chat->total += chat->groups[i].due == 0 ? 1 : chat->groups[i].due;
    for (uint32_t i = 0; i < chat->n_caches; i++)
        chat->total += chat->caches[i].due == 0 ? 1 : chat->caches[i].due;
}

static void *allocate_zeroed_lines(uint64_t n, size_t bytes)
{
    return memset(al_allocate_lines(n, bytes), 0, n * bytes);
}

static void fill(struct al_chat *chat, const union al_value *values)
{
    uint32_t per_cache = (chat->n_users + chat->n_caches - 1) / chat->n_caches;
    chat->users = allocate_zeroed_lines(chat->n_users, sizeof *chat->users);
    chat->groups = allocate_zeroed_lines(chat->n_groups, sizeof *chat->groups);
    chat->caches = allocate_zeroed_lines(chat->n_caches, sizeof *chat->caches);
    chat->entries = al_allocate_zeroed((uint64_t)chat->n_caches * per_cache, sizeof *chat->entries);
    chat->database.accounts = al_allocate_zeroed(chat->n_users, sizeof *chat->database.accounts);
    for (uint32_t i = 0; i < chat->n_groups; i++)
        chat->groups[i].chat = chat;
    for (uint32_t i = 0; i < chat->n_caches; i++) {
        chat->caches[i].chat = chat;
        chat->caches[i].entries = chat->entries + (uint64_t)i * per_cache;
    }
    for (uint32_t i = 0; i < chat->n_users; i++) {
        struct al_chat_user *user = &chat->users[i];
        user->chat = chat;
        user->id = i;
        al_chat_seed_choices(&user->random, chat->seed, i);
        al_random_seed(&user->schedule.random, chat->seed, UINT64_C(1) << 62 | i);
        user->schedule.arrivals = AL_FIXED;
        if (chat->open)
            user->schedule.gap_ns = 1e9 / values[RATE].real * chat->n_active;
        chat->database.accounts[i].user = user;
        draw_lists(user, values);
    }
    list_members(chat);
    count_messages(chat);
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t users = values[USERS].uint, active = values[ACTIVE].uint;
    if (active > users)
        return al_error_set(error, -EINVAL, "active=%llu exceeds users=%llu",
                            (unsigned long long)active, (unsigned long long)users);
    if (values[MEMBERSHIPS].uint > values[GROUPS].uint)
        return al_error_set(error, -EINVAL, "memberships=%llu exceeds groups=%llu",
                            (unsigned long long)values[MEMBERSHIPS].uint,
                            (unsigned long long)values[GROUPS].uint);
    double letters = (double)(active > 0 ? active : users) * (double)values[MESSAGES].uint;
    if (values[RATE].real > 0 && al_schedule_check(letters, values[RATE].real, error) != 0)
        return -EINVAL;
    if (sodium_init() < 0)
        return al_error_set(error, -EINVAL,
                            "libsodium finds no source of random numbers on this machine");
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint64_t users = values[USERS].uint, active = values[ACTIVE].uint;
    struct al_chat *chat = al_allocate_lines(1, sizeof *chat);
    *chat = (struct al_chat){.seed = seed,
                             .n_users = (uint32_t)users,
                             .n_groups = (uint32_t)values[GROUPS].uint,
                             .n_caches = (uint32_t)values[CACHES].uint,
                             .n_active = (uint32_t)(active == 0 ? users : active),
                             .messages = (uint32_t)values[MESSAGES].uint,
                             .group_percent = (uint32_t)values[GROUP_PERCENT].uint,
                             .message_bytes = (uint32_t)values[MESSAGE_BYTES].uint,
                             .open = values[RATE].real > 0};
    fill(chat, values);
    return chat;
}

static uint64_t messages(const void *argument)
{
    const struct al_chat *chat = argument;
    return chat->total;
}

static uint64_t alike(const union al_value *values)
{
    return values[USERS].uint;
}

const struct al_benchmark_ops al_benchmark_chat = {
    .plugin = {"chat", "a chat server: friends, groups, caches, a database, and a cipher", options},
    .stresses = "many actors of several kinds, long and short messages: latency under full load",
    .latencies = true,
    .small = "users=100 groups=10 caches=3 messages=5",
    .sim = "users=768 groups=48 caches=24 messages=40",
    .paper = "users=1000000 groups=10000",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .due_ns = al_chat_due_ns,
    .start = al_chat_start,
    .check = al_chat_check,
    .release = release,
};
