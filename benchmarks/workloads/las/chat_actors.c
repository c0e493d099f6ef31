/* SPDX-License-Identifier: MIT */

/* The server of the workload chat: sessions, groups, caches and the database. */

#include "benchmarks/workloads/las/chat.h"

#include <sodium.h>

#include "benchmarks/workloads/support/contents.h"
#include "benchmarks/workloads/support/hub.h"

/* Asks a cache for the session of the letter's receiver. */
struct lookup {
    struct al_message message;
    struct al_chat_letter *letter;
};

struct found {
    struct al_message message;
    struct al_chat_letter *letter;
    struct al_chat_user *user;
};

AL_ACTOR(al_chat_user)
AL_ACTOR(al_chat_group)
AL_ACTOR(al_chat_cache)
AL_ACTOR(al_chat_database)
AL_MESSAGE(al_chat_letter)
AL_MESSAGE(al_chat_record)
AL_MESSAGE(al_chat_fetch)
AL_MESSAGE(lookup)
AL_MESSAGE(found)
AL_RECYCLE(lookup)
AL_RECYCLE(found)

AL_BEHAVIOUR_DECLARE(al_chat_user, found)
AL_BEHAVIOUR_DECLARE(al_chat_user, al_chat_letter)
AL_BEHAVIOUR_DECLARE(al_chat_cache, al_chat_fetch)

_Static_assert(AL_CHAT_TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES, "libsodium's tag");

/* Enciphering, between a session and its client. A load generator has no secrets, so keys follow
 * from the seed and the user. */

struct cipher {
    unsigned char key[crypto_aead_chacha20poly1305_ietf_KEYBYTES];
    unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
};

_Static_assert(sizeof((struct al_random){0}.state) == sizeof((struct cipher){0}.key), "as drawn");
_Static_assert(sizeof((struct cipher){0}.nonce) == sizeof(uint32_t) + sizeof(uint64_t),
               "sender and number");

/* One key for each user. No nonce is used twice with a key: a letter reaches a client once. */
static struct cipher cipher_of(const struct al_chat_user *user, const struct al_chat_letter *letter)
{
    struct cipher cipher;
    struct al_random random;
    uint64_t number = letter->number;
    al_random_seed(&random, user->chat->seed, UINT64_C(1) << 63 | user->id);
    memcpy(cipher.key, random.state, sizeof cipher.key);
    memcpy(cipher.nonce, &letter->from, sizeof letter->from);
    memcpy(cipher.nonce + sizeof letter->from, &number, sizeof number);
    return cipher;
}

/* Tell the simulated machine what the cipher does, measured with libsodium 1.0.18 and AVX2. */
static void declare_cipher(const unsigned char *from, const unsigned char *to, uint32_t bytes)
{
    al_touch(from, bytes, AL_TOUCH_READ);
    al_compute(1000 + bytes * 7 / 4);
    al_touch(to, bytes, AL_TOUCH_WRITE);
}

/* Encipher a letter's text as between this user's client and its session. text: where to; others
 * may read the letter at the same time. */
static void encipher(const struct al_chat_user *user, const struct al_chat_letter *letter,
                     unsigned char *text, unsigned char *tag)
{
    struct cipher cipher = cipher_of(user, letter);
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(text, tag, NULL, letter->text, letter->bytes,
                                                       NULL, 0, NULL, cipher.nonce, cipher.key);
    declare_cipher(letter->text, text, letter->bytes);
}

/* Decipher a letter of the user's client. False if it is not authentic. */
static bool decipher(const struct al_chat_user *user, struct al_chat_letter *letter,
                     const unsigned char *tag)
{
    struct cipher cipher = cipher_of(user, letter);
    bool authentic = crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                         letter->text, NULL, letter->text, letter->bytes, tag, NULL, 0,
                         cipher.nonce, cipher.key) == 0;
    declare_cipher(letter->text, letter->text, letter->bytes);
    return authentic;
}

/* Groups */

/* All members receive the same letter. It is kept, since no member knows that it is the last
 * reader. */
AL_BEHAVIOUR(al_chat_group, al_chat_letter, self, msg)
{
    msg->next = self->letters;
    self->letters = msg;
    for (uint32_t i = 0; i < self->n_members; i++)
        if (self->members[i] != msg->from)
            al_send(al_chat_user, al_chat_letter, &self->chat->users[self->members[i]], msg);
    return al_count_down(&self->due);
}

/* The database */

AL_BEHAVIOUR(al_chat_database, al_chat_fetch, self, msg)
{
    msg->user = self->accounts[msg->id].user;
    al_send(al_chat_cache, al_chat_fetch, msg->cache, msg);
    return al_count_down(&self->due);
}

AL_BEHAVIOUR(al_chat_database, al_chat_record, self, msg)
{
    struct al_chat_account *account = &self->accounts[msg->from];
    if (account->last == NULL)
        account->first = msg;
    else
        account->last->next = msg;
    account->last = msg;
    return al_count_down(&self->due);
}

/* Caches */

static void answer(const struct al_chat *chat, struct al_chat_letter *letter,
                   struct al_chat_user *user)
{
    struct found *found = al_message_init(found, al_new(found), AL_DELETE);
    found->letter = letter;
    found->user = user;
    al_send(al_chat_user, found, &chat->users[letter->from], found);
}

AL_BEHAVIOUR(al_chat_cache, lookup, self, msg)
{
    struct al_chat *chat = self->chat;
    struct al_chat_letter *letter = msg->letter;
    struct al_chat_entry *entry = al_chat_entry_of(chat, letter->to);
    if (entry->state == AL_CHAT_PRESENT) {
        answer(chat, letter, entry->fetch.user);
    } else if (entry->state == AL_CHAT_ASKED) {
        entry->last->next = letter;
        entry->last = letter;
    } else {
        entry->state = AL_CHAT_ASKED;
        entry->first = entry->last = letter;
        struct al_chat_fetch *fetch = al_message_init(al_chat_fetch, &entry->fetch, AL_NODELETE);
        fetch->cache = self;
        fetch->id = letter->to;
        al_send(al_chat_database, al_chat_fetch, &chat->database, fetch);
    }
    return al_count_down(&self->due);
}

AL_BEHAVIOUR_DEFINE(al_chat_cache, al_chat_fetch, self, msg)
{
    struct al_chat_entry *entry = al_chat_entry_of(self->chat, msg->id);
    struct al_chat_letter *letter = entry->first;
    entry->state = AL_CHAT_PRESENT;
    entry->first = entry->last = NULL;
    while (letter != NULL) {
        struct al_chat_letter *next =
            letter->next; /* after the answer the letter belongs to its sender */
        answer(self->chat, letter, msg->user);
        letter = next;
    }
    return al_count_down(&self->due);
}

AL_BEHAVIOUR(al_chat_cache, al_chat_record, self, msg)
{
    struct al_chat_entry *entry = al_chat_entry_of(self->chat, msg->from);
    entry->logged++;
    entry->logged_bytes += msg->bytes;
    al_send(al_chat_database, al_chat_record, &self->chat->database, msg);
    return al_count_down(&self->due);
}

/* Users */

/* What the client does, and what its session does first. */
static struct al_chat_letter *write_letter(struct al_chat_user *self)
{
    bool open = self->chat->open;
    uint64_t written = open ? al_schedule_take(&self->schedule) : al_latency_now();
    unsigned char tag[AL_CHAT_TAG_BYTES];
    struct al_chat_choice choice = al_chat_choose(self, &self->random);
    struct al_chat_letter *letter = al_allocate(sizeof *letter + choice.bytes);
    al_message_init(al_chat_letter, letter, choice.to_group ? AL_NODELETE : AL_DELETE);
    letter->next = NULL;
    letter->written = written;
    letter->from = self->id;
    letter->number = self->n_sent++;
    letter->to = choice.to;
    letter->bytes = choice.bytes;
    letter->to_group = choice.to_group;
    al_contents_write(letter->text, letter->bytes, letter->from, letter->number);
    encipher(self, letter, letter->text, tag);
    self->wrong += !decipher(self, letter, tag);
    return letter;
}

static void log_letter(struct al_chat *chat, const struct al_chat_letter *letter)
{
    struct al_chat_record *record = al_allocate(sizeof *record + letter->bytes);
    al_message_init(al_chat_record, record, AL_NODELETE);
    record->next = NULL;
    record->from = letter->from;
    record->number = letter->number;
    record->to = letter->to;
    record->bytes = letter->bytes;
    record->to_group = letter->to_group;
    al_contents_copy(record->text, letter->text, letter->bytes);
    al_send(al_chat_cache, al_chat_record, al_chat_cache_of(chat, letter->from), record);
}

AL_BEHAVIOUR(al_chat_user, al_go, self, msg)
{
    struct al_chat *chat = self->chat;
    if (chat->open && al_schedule_begin(&self->schedule)) {
        al_send_at(al_chat_user, al_go, self, msg, (uint64_t)self->schedule.due);
        return al_count_down(&self->due);
    }
    struct al_chat_letter *letter = write_letter(self);
    log_letter(chat, letter);
    if (letter->to_group) {
        al_send(al_chat_group, al_chat_letter, &chat->groups[letter->to], letter);
    } else {
        struct lookup *lookup = al_new(lookup);
        al_message_init(lookup, lookup, AL_DELETE);
        lookup->letter = letter;
        al_send(al_chat_cache, lookup, al_chat_cache_of(chat, letter->to), lookup);
    }
    if (self->n_sent < chat->messages && chat->open)
        al_send_at(al_chat_user, al_go, self, msg, (uint64_t)self->schedule.due);
    else if (self->n_sent < chat->messages)
        al_send(al_chat_user, al_go, self, msg);
    return al_count_down(&self->due);
}

AL_BEHAVIOUR_DEFINE(al_chat_user, found, self, msg)
{
    al_send(al_chat_user, al_chat_letter, msg->user, msg->letter);
    return al_count_down(&self->due);
}

AL_BEHAVIOUR_DEFINE(al_chat_user, al_chat_letter, self, msg)
{
    unsigned char text[AL_CHAT_TEXT_MOST], tag[AL_CHAT_TAG_BYTES];
    if (al_chat_blocks(self, msg->from)) {
        self->dropped++;
        return al_count_down(&self->due);
    }
    encipher(self, msg, text, tag);
    al_latency_record(msg->written);
    if (al_contents_are(msg->text, msg->bytes, msg->from, msg->number)) {
        self->received++;
        self->sum += al_contents_first(msg->from, msg->number);
    } else {
        self->wrong++;
    }
    return al_count_down(&self->due);
}

/* End an actor that is due no message. */
static void end_idle(struct al_actor *actor, uint64_t due)
{
    if (due == 0)
        al_send_pill(actor, &al_finished_msg);
}

uint64_t al_chat_due_ns(const void *argument)
{
    const struct al_chat *chat = argument;
    double last = (double)chat->began_ns;
    for (uint32_t i = 0; i < chat->n_active; i++)
        last = fmax(last, chat->users[i].schedule.last);
    return (uint64_t)last - chat->began_ns;
}

void al_chat_start(void *argument)
{
    struct al_chat *chat = argument;
    chat->began_ns = al_clock_ns();
    /* Create all actors before any of them gets a message. */
    al_actor_init_at(al_chat_database, &chat->database, AL_PLACE_HUB);
    for (uint32_t i = 0; i < chat->n_caches; i++)
        al_actor_init_at(al_chat_cache, &chat->caches[i], AL_PLACE_HUB);
    for (uint32_t i = 0; i < chat->n_groups; i++)
        al_actor_init_at(al_chat_group, &chat->groups[i], AL_PLACE_HUB);
    for (uint32_t i = 0; i < chat->n_users; i++)
        al_actor_init(al_chat_user, &chat->users[i]);
    for (uint32_t i = 0; i < chat->n_caches; i++)
        end_idle(&chat->caches[i].actor, chat->caches[i].due);
    for (uint32_t i = 0; i < chat->n_groups; i++)
        end_idle(&chat->groups[i].actor, chat->groups[i].due);
    for (uint32_t i = chat->n_active; i < chat->n_users; i++)
        end_idle(&chat->users[i].actor, chat->users[i].due);
    for (uint32_t i = 0; i < chat->n_active; i++) {
        struct al_chat_user *user = &chat->users[i];
        al_message_init(al_go, &user->tick, AL_NODELETE);
        al_send(al_chat_user, al_go, user, &user->tick);
    }
}
