/* SPDX-License-Identifier: MIT */

/* Checks the answer of the workload chat. */

#include <errno.h>
#include <inttypes.h>

#include "benchmarks/workloads/las/chat.h"
#include "benchmarks/workloads/support/contents.h"

/* What a user should have read, from the seeds. */
struct expected {
    uint32_t received, dropped;
    uint64_t sum;
};

static void expect(const struct al_chat *chat, struct expected *expected, uint32_t to,
                   uint32_t from, uint32_t number)
{
    if (al_chat_blocks(&chat->users[to], from)) {
        expected[to].dropped++;
        return;
    }
    expected[to].received++;
    expected[to].sum += al_contents_first(from, number);
}

/* Draw a user's letters again: note who reads them, and check that the database's log has them in
 * this order. */
static int replay(const struct al_chat *chat, const struct al_chat_user *user,
                  struct expected *expected, struct al_error *error)
{
    const struct al_chat_record *record = chat->database.accounts[user->id].first;
    const struct al_chat_entry *entry = al_chat_entry_of(chat, user->id);
    uint64_t bytes = 0;
    uint32_t letters = user->id < chat->n_active ? chat->messages : 0;
    struct al_random random;
    al_chat_seed_choices(&random, chat->seed, user->id);
    for (uint32_t n = 0; n < letters; n++) {
        struct al_chat_choice choice = al_chat_choose(user, &random);
        bytes += choice.bytes;
        if (record == NULL || record->number != n || record->to_group != choice.to_group ||
            record->to != choice.to || record->bytes != choice.bytes ||
            !al_contents_are(record->text, record->bytes, user->id, n))
            return al_error_set(error, -EBADMSG,
                                "the database's log of user %" PRIu32 " lacks letter %" PRIu32
                                " or holds a wrong one",
                                user->id, n);
        record = record->next;
        if (!choice.to_group) {
            expect(chat, expected, choice.to, user->id, n);
            continue;
        }
        const struct al_chat_group *group = &chat->groups[choice.to];
        for (uint32_t i = 0; i < group->n_members; i++)
            if (group->members[i] != user->id)
                expect(chat, expected, group->members[i], user->id, n);
    }
    if (record != NULL || entry->logged != letters || entry->logged_bytes != bytes)
        return al_error_set(error, -EBADMSG,
                            "the cache's log of user %" PRIu32 " has %" PRIu64
                            " letters with %" PRIu64 " bytes instead of %" PRIu32 " with %" PRIu64
                            ", or the database's has more",
                            user->id, entry->logged, entry->logged_bytes, letters, bytes);
    return 0;
}

static int check_user(const struct al_chat_user *user, const struct expected *expected,
                      struct al_error *error)
{
    if (user->due == 0 && user->received == expected->received &&
        user->dropped == expected->dropped && user->wrong == 0 && user->sum == expected->sum)
        return 0;
    return al_error_set(error, -EBADMSG,
                        "user %" PRIu32 " received %" PRIu32 " letters, dropped %" PRIu32
                        " and got or sent %" PRIu32 " that were damaged; expected %" PRIu32
                        ", %" PRIu32 " and 0%s",
                        user->id, user->received, user->dropped, user->wrong, expected->received,
                        expected->dropped, user->sum == expected->sum ? "" : ", and others");
}

int al_chat_check(void *argument, struct al_error *error)
{
    const struct al_chat *chat = argument;
    struct expected *expected = al_allocate_zeroed(chat->n_users, sizeof *expected);
    int code = 0;
    for (uint32_t i = 0; i < chat->n_users && code == 0; i++)
        code = replay(chat, &chat->users[i], expected, error);
    for (uint32_t i = 0; i < chat->n_users && code == 0; i++)
        code = check_user(&chat->users[i], &expected[i], error);
    al_free(expected);
    return code;
}
