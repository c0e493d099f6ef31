/* SPDX-License-Identifier: MIT */

/*
 * banking: accounts between which a teller has money moved. The teller sends `transfers` orders to
 * random accounts, each to pass an amount to another account. An account that has an order debits
 * itself, tells the other account, and puts off all messages until that has answered; then it
 * answers the teller. After the last answer the teller ends all. Source: Savina (Imam and Sarkar,
 * 2014), "Bank Transaction", whose sizes are the defaults.
 *
 * As in Savina, an amount goes to an account with a larger number, so that accounts do not wait for
 * each other in a circle, and orders are allocated for each send. There, accounts begin with 3e300,
 * to which an amount adds nothing; here amounts are whole numbers of a 65,536th, and none is 0.
 * There, a message that was put
 * off goes to the end of the account's mailbox; here the account handles it at once, so that the
 * number of messages does not depend on the schedule.
 *
 * Messages: one to the teller to begin with; four for each transfer; and one to end each account.
 *
 * The answer: each account has what a loop over all transfers gives it, so no money is lost.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { ACCOUNTS, TRANSFERS, MEMORY };

static const struct al_option options[] = {
    [ACCOUNTS] = {"accounts", AL_OPTION_UINT, "1000", 10, 60000, NULL, "accounts"},
    [TRANSFERS] = {"transfers", AL_OPTION_UINT, "50000", 1, 1e9, NULL, "transfers"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's, but for the balance and the unit. */
enum { SEED = 123456, UNIT = 65536, MOST = 1000 * UNIT, BALANCE = 1000 * UNIT };

struct account;

/* Pass on an amount. */
struct credit {
    struct al_message message;
    struct account *to;
    int64_t amount;
};

/* An amount comes. */
struct debit {
    struct al_message message;
    struct account *from;
    int64_t amount;
};

/* Of an account or to the teller. */
struct reply {
    struct al_message message;
};

/* A message that was put off. */
struct put_off {
    bool is_credit;
    struct account *other;
    int64_t amount;
};

struct account {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    int64_t balance;
    bool waits; /* for the answer to its debit */
    struct put_off *stash;
    size_t first, n, room; /* of the stash */
};

struct teller {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t left; /* answers to come */
};

/* Read-only while the actors run, except the teller. */
struct state {
    struct account *accounts;
    uint32_t n;
    uint64_t transfers;
    struct al_go go;
    struct reply reply;
    struct teller teller;
};

AL_ACTOR(account)
AL_ACTOR(teller)
AL_MESSAGE(credit)
AL_MESSAGE(debit)
AL_MESSAGE(reply)
AL_RECYCLE(credit)
AL_RECYCLE(debit)

AL_BEHAVIOUR_DECLARE(account, debit)
AL_BEHAVIOUR_DECLARE(account, reply)
AL_BEHAVIOUR_DECLARE(teller, reply)

struct transfer {
    uint32_t from, to;
    int64_t amount;
};

static struct transfer draw(struct al_savina_random *random, uint32_t n)
{
    uint32_t from = (uint32_t)al_savina_below(random, n / 10 * 8);
    uint32_t distance = (uint32_t)al_savina_below(random, n - from);
    return (struct transfer){
        .from = from,
        .to = from + (distance > 0 ? distance : 1),
        .amount = (int64_t)(al_savina_real(random) * MOST),
    };
}

static void pass_on(struct account *self, struct account *to, int64_t amount)
{
    struct debit *debit = al_message_init(debit, al_new(debit), AL_DELETE);
    debit->from = self;
    debit->amount = amount;
    self->balance -= amount;
    self->waits = true;
    al_send(account, debit, to, debit);
}

static void accept(struct account *self, struct account *from, int64_t amount)
{
    self->balance += amount;
    al_send(account, reply, from, &self->state->reply);
}

static void put_off(struct account *self, struct put_off message)
{
    if (self->n == self->room) { /* all are in use, from the first on */
        self->room = 2 * self->room + 4;
        self->stash = al_realloc(self->stash, self->room * sizeof *self->stash);
        if (self->stash == NULL)
            al_out_of_memory("the workload", self->room * sizeof *self->stash);
    }
    self->stash[self->n++] = message;
}

AL_BEHAVIOUR(account, credit, self, msg)
{
    if (self->waits)
        put_off(self, (struct put_off){true, msg->to, msg->amount});
    else
        pass_on(self, msg->to, msg->amount);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(account, debit, self, msg)
{
    if (self->waits)
        put_off(self, (struct put_off){false, msg->from, msg->amount});
    else
        accept(self, msg->from, msg->amount);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(account, reply, self, msg)
{
    struct state *state = self->state;
    self->waits = false;
    al_send(teller, reply, &state->teller, &state->reply);
    while (self->first < self->n && !self->waits) {
        struct put_off message = self->stash[self->first++];
        if (message.is_credit)
            pass_on(self, message.other, message.amount);
        else
            accept(self, message.other, message.amount);
    }
    if (self->first == self->n)
        self->first = self->n = 0;
    return AL_NODELETE;
}

AL_BEHAVIOUR(teller, al_go, self, msg)
{
    struct state *state = self->state;
    struct al_savina_random random = {SEED};
    for (uint64_t i = 0; i < state->transfers; i++) {
        struct transfer transfer = draw(&random, state->n);
        struct credit *credit = al_message_init(credit, al_new(credit), AL_DELETE);
        credit->to = &state->accounts[transfer.to];
        credit->amount = transfer.amount;
        al_send(account, credit, &state->accounts[transfer.from], credit);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(teller, reply, self, msg)
{
    struct state *state = self->state;
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->n; i++)
        al_send_pill(&state->accounts[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[ACCOUNTS].uint;
    uint64_t transfers = values[TRANSFERS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.accounts = al_allocate_lines(n, sizeof *state->accounts),
                            .n = n,
                            .transfers = transfers,
                            .teller = {.state = state, .left = transfers}};
    for (uint32_t i = 0; i < n; i++)
        state->accounts[i] = (struct account){.state = state, .balance = BALANCE};
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(reply, &state->reply, AL_NODELETE);
    return state;
}

/* Each transfer is an order on its way, or put off. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[ACCOUNTS].uint * sizeof(struct account) +
           (double)values[TRANSFERS].uint * (sizeof(struct credit) + sizeof(struct put_off));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 4 * state->transfers + state->n;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++)
        al_actor_init(account, &state->accounts[i]);
    al_send(teller, al_go, al_actor_init(teller, &state->teller), &state->go);
}

/* The accounts take back what the transfers gave them. */
static int check(void *argument, struct al_error *error)
{
    struct state *state = argument;
    struct al_savina_random random = {SEED};
    for (uint64_t i = 0; i < state->transfers; i++) {
        struct transfer transfer = draw(&random, state->n);
        state->accounts[transfer.from].balance += transfer.amount;
        state->accounts[transfer.to].balance -= transfer.amount;
    }
    for (uint32_t i = 0; i < state->n; i++) {
        int64_t over = state->accounts[i].balance - BALANCE;
        if (over != 0)
            return al_error_set(error, -EBADMSG, "account %u has %lld too much", i,
                                (long long)over);
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++)
        al_free(state->accounts[i].stash);
    al_free(state->accounts);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[ACCOUNTS].uint;
}

const struct al_benchmark_ops al_benchmark_banking = {
    .plugin = {"banking", "accounts that pass on money, one transfer at a time each", options},
    .stresses = "actors that put off messages while they wait for an answer",
    .small = "accounts=20 transfers=300",
    .sim = "accounts=1000 transfers=20000",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
