/* SPDX-License-Identifier: MIT */

/*
 * A strategy of our own: private queues, messages in batches, stealing by request.
 * docs/explanation/custody.md describes it at length. A message passes through these files: send.c,
 * arrivals.h (from another worker) or post.h (from the starter), run.c, deliver.h; forward.c where
 * the queue grows fast; move.c where its receiver changes workers, steal.c where it does so because
 * a worker has asked. This one has the options, the life cycle, and the operations that no message
 * passes.
 *
 * Actors are in shards. A shard has one owner, the only worker that runs its actors, and only the
 * owner gives it away, between two messages (but for seize.h). So "is it mine" is private
 * knowledge: a message to one of its own actors goes into a queue that nobody else can see, without
 * a locked instruction, a lock or a fence. A message to another's actor waits in an outbox, with
 * others for the same shard.
 */

#include "schedulers/custody/custody.h"

#include <errno.h>
#include <string.h>

#include "core/memory/lines.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option {
    SHARDS,
    BLOCK,
    QUANTUM,
    FLUSH,
    GROWN,
    WORTH,
    EPOCH,
    HOLD,
    MESSAGE,
    CHUNK,
    SEIZE,
    SPLIT,
    SCATTER
};

static const struct al_option options[] = {
    [SHARDS] = {"shards", AL_OPTION_UINT, "0", 0, 4096, NULL,
                "groups of actors for each worker: what a thief gets is some of them; 0: 16, or "
                "fewer if there are more than 4 workers, but 2 at least"},
    [BLOCK] =
        {"deal", AL_OPTION_UINT, "0", 0, 1 << 30, NULL,
         "actors from outside dealt in a row to one shard; 0: until the first message all wait, "
         "then those of each type are spread evenly and in order"},
    [QUANTUM] = {"quantum", AL_OPTION_UINT, "8000", 0, 1 << 30, NULL,
                 "cycles of work between two looks at requests and arrivals"},
    [FLUSH] =
        {"flush", AL_OPTION_UINT, "40000", 0, 1 << 30, NULL,
         "cycles that a message may wait in an outbox while its worker is busy; longer behind "
         "a long behaviour, until that is seized"},
    [GROWN] = {"grown", AL_OPTION_UINT, "4000", 0, 1 << 30, NULL,
               "messages by which a queue grows until those to the actors that get most of them "
               "are brought forward; 0: never"},
    [WORTH] = {"worth", AL_OPTION_UINT, "2000", 0, 1000000000000, NULL,
               "cycles of work that must wait before a worker gives some away"},
    [EPOCH] = {"epoch", AL_OPTION_UINT, "100", 0, 1000000, NULL,
               "microseconds between two looks whether fewer workers would be faster; 0: never"},
    [HOLD] = {"hold", AL_OPTION_UINT, "32000", 1, 1000000, NULL,
              "microseconds until all workers are tried again; doubles up to 32 times this"},
    [MESSAGE] = {"exchange_message", AL_OPTION_UINT, "184", 0, 1000000, NULL,
                 "cycles that a message to another worker costs more than one to its own"},
    [CHUNK] = {"exchange_chunk", AL_OPTION_UINT, "1840", 0, 1000000, NULL,
               "cycles that a chunk of messages to another worker costs besides"},
    [SEIZE] = {"seize", AL_OPTION_UINT, "75", 0, 1000000, NULL,
               "microseconds that a behaviour takes until workers without work take what waits "
               "behind it; 0: never"},
    [SPLIT] = {"split", AL_OPTION_UINT, "1", 0, 1, NULL,
               "1: where one shard has most of what waits at a worker, actors that get much of it "
               "get shards of their own, or half of all actors another one; 0: never"},
    [SCATTER] = {"scatter", AL_OPTION_UINT, "0", 0, 1 << 30, NULL,
                 "for tests: after every so many looks give a shard to anybody; and use any number "
                 "of workers"},
    {0},
};

#define SHARDS_LEAST      2
#define ROUTES_STANDARD   64
#define MOST_SHARDS       (1 << 20)
#define MOST_OPENED       1024 /* by all workers together */
#define MOST_CONSOLIDATED 256  /* workers: their traffic takes memory with the square of that */
#define FIRST_COST        4000 /* cycles: a guess, so that the first looks come soon */

static void free_custodian(struct al_custodian *mine)
{
    al_pool_fini(&mine->pool);
    al_free(mine->outboxes);
    al_free(mine->filled);
    al_free(mine->own);
    al_free(mine->deal.opened);
    al_free(mine->cut.counts);
    al_free(mine->cut.crossings);
    al_free(mine->seizure.outbox_copied);
    al_free(mine->writers);
    al_free(mine->traffic);
    al_free(mine);
}

/* On lines of its own: others read it. NULL: there is no consolidation, or no memory. */
static struct al_traffic *new_traffic(const struct al_worker *worker)
{
    if (al_custody_of(worker)->epoch_us == 0)
        return NULL;
    return al_lines_new(worker->system->n_workers * sizeof(struct al_traffic));
}

/* The state of a worker, or of the starter. */
static int make_custodian(struct al_worker *worker)
{
    uint32_t n = al_custody_of(worker)->n_shards;
    struct al_custodian *mine = al_lines_new(sizeof *mine + n * sizeof mine->routes.to[0]);
    if (mine == NULL)
        return -ENOMEM;
    bool complete;
    if (worker->id == worker->system->n_workers) {
        mine->writers = al_calloc(n, sizeof *mine->writers);
        complete = mine->writers != NULL;
    } else {
        mine->outboxes = al_calloc(n, sizeof *mine->outboxes);
        mine->filled = al_calloc(n, sizeof *mine->filled);
        mine->own = al_calloc(n, sizeof *mine->own);
        mine->cut.counts = al_calloc(n, sizeof *mine->cut.counts);
        mine->cut.crossings = al_calloc(n + 1, sizeof *mine->cut.crossings);
        mine->traffic = new_traffic(worker);
        mine->seizure.outbox_copied = al_calloc(n, sizeof *mine->seizure.outbox_copied);
        complete = mine->seizure.outbox_copied != NULL && mine->outboxes != NULL &&
                   mine->filled != NULL && mine->own != NULL && mine->cut.counts != NULL &&
                   mine->cut.crossings != NULL &&
                   (mine->traffic != NULL || al_custody_of(worker)->epoch_us == 0);
    }
    if (!complete) {
        free_custodian(mine);
        return -ENOMEM;
    }
    al_pool_init(&mine->pool, &al_custody_of(worker)->depot, AL_CHUNK_BYTES, AL_RECYCLED);
    mine->pace.cost16 = mine->pace.least16 = mine->pace.mean16 = 16 * FIRST_COST;
    /* relaxed, both: no other thread knows of it yet */
    al_u64_store_relaxed(&mine->idle_total, al_custody_of(worker)->began);
    al_u64_store_relaxed(&mine->idle_since, al_custody_of(worker)->began);
    worker->scheduler = mine;
    return 0;
}

struct al_shard *al_custody_make(struct al_custody *custody, uint32_t number,
                                 struct al_input *input, uint32_t owner)
{
    struct al_shard *shard = &custody->shards[number];
    memset(input, 0, sizeof *input);
    memset(shard, 0, sizeof *shard);
    shard->number = number;
    shard->input = input;
    /* relaxed: it is known to others only by messages from here on */
    al_u32_store_relaxed(&shard->owner, owner);
    return shard;
}

/* On the worker's own thread, so that what it owns is first touched on its node. */
static int custody_worker_init(struct al_worker *self)
{
    struct al_custody *custody = al_custody_of(self);
    int code = make_custodian(self);
    if (code != 0)
        return code;
    struct al_custodian *mine = self->scheduler;
    for (uint32_t i = 0; i < custody->n_shards; i++)
        mine->routes.to[i] = &mine->outboxes[i];
    struct al_input *input = custody->inputs + self->id * al_custody_inputs(custody->shards_each);
    for (uint32_t i = 0; i < custody->shards_each; i++)
        al_custody_own(mine, al_custody_make(custody, self->id * custody->shards_each + i,
                                             input + i, self->id));
    mine->seen_active = self->system->n_workers;
    mine->flood.settled = 1;
    al_custody_begin(self);
    self->routes = &mine->routes;
    return 0;
}

/* Shards of each worker: as the option says, or so many that there are not too many in all. What a
 * worker sends to others is in as many chunks as they have shards, so the fewer these are, the more
 * messages are in each. */
static uint64_t shards_of(const struct al_runtime *system)
{
    uint64_t set = system->scheduler.values[SHARDS].uint;
    if (set != 0)
        return set;
    uint32_t n = al_custody_round(ROUTES_STANDARD / system->n_workers);
    return n > SHARDS_LEAST ? n : SHARDS_LEAST;
}

/* Shards that all workers together may open, if each may open so many. */
static uint32_t most_opened(const struct al_runtime *system, uint32_t each)
{
    if (system->victim_ops->pick == NULL || system->n_workers == 1)
        return 0; /* nobody takes any */
    return each < MOST_OPENED / system->n_workers ? each * system->n_workers : MOST_OPENED;
}

static int no_memory(const struct al_runtime *system, const char *what, struct al_error *error)
{
    return al_error_set(error, -ENOMEM,
                        "no memory for %s: shards=%llu for %u workers; valid: fewer of either",
                        what, (unsigned long long)shards_of(system), system->n_workers);
}

static void set_options(struct al_custody *custody, const struct al_runtime *system)
{
    const union al_value *values = system->scheduler.values;
    custody->block = (uint32_t)values[BLOCK].uint;
    custody->nursery.closed = custody->block != 0;
    custody->quantum_cycles = values[QUANTUM].uint;
    custody->flush_cycles = values[FLUSH].uint;
    custody->grown_chunks = (values[GROWN].uint + AL_CHUNK_ENVELOPES - 1) / AL_CHUNK_ENVELOPES;
    custody->worth_cycles = values[WORTH].uint;
    custody->steals = system->victim_ops->pick != NULL && system->n_workers > 1;
    custody->scatter = custody->steals ? values[SCATTER].uint : 0;
    bool consolidates = custody->steals && system->n_workers <= MOST_CONSOLIDATED &&
                        !system->stamps_by_clock;
    custody->epoch_us = consolidates ? values[EPOCH].uint : 0;
    custody->hold_us = values[HOLD].uint;
    custody->splits = custody->steals && values[SPLIT].uint != 0 && al_membarrier_ready();
    custody->message_cycles = values[MESSAGE].uint;
    custody->chunk_cycles = values[CHUNK].uint;
}

static int custody_init(struct al_runtime *system, struct al_error *error)
{
    const union al_value *values = system->scheduler.values;
    uint64_t each = shards_of(system), n_dealt = each * system->n_workers,
             n_entered = n_dealt + most_opened(system, AL_OPENED_MOST),
             n = n_entered + most_opened(system, AL_PARTED_MOST);
    if (n_dealt > MOST_SHARDS)
        return al_error_set(
            error, -EINVAL, "shards=%llu for %u workers are too many; valid: 1 to %u",
            (unsigned long long)each, system->n_workers, MOST_SHARDS / system->n_workers);
    struct al_custody *custody = al_aligned_alloc(_Alignof(struct al_custody), sizeof *custody);
    struct al_shard *shards = al_aligned_alloc(_Alignof(struct al_shard), n * sizeof *shards);
    struct al_input *inputs = al_aligned_alloc(
        2 * AL_CACHE_LINE_BYTES, system->n_workers * al_custody_inputs(each) * sizeof *inputs);
    if (custody == NULL || shards == NULL || inputs == NULL) {
        al_free(custody);
        al_free(shards);
        al_free(inputs);
        return no_memory(system, "shards", error);
    }
    memset(custody, 0, sizeof *custody);
    custody->shards = shards;
    custody->inputs = inputs;
    custody->n_dealt = (uint32_t)n_dealt;
    custody->n_entered = (uint32_t)n_entered;
    custody->n_shards = (uint32_t)n;
    al_u32_store_relaxed(&custody->n_used, custody->n_dealt); /* relaxed: no worker runs yet */
    custody->shards_each = (uint32_t)each;
    set_options(custody, system);
    bool seizes = custody->steals && !system->stamps_by_clock && values[SEIZE].uint != 0 &&
                  al_membarrier_ready();
    system->scheduler_state = custody;
    system->in_use = &custody->active;
    int code = al_custody_look_init(system);
    if (code == 0)
        code = al_custody_watch_init(system, seizes ? values[SEIZE].uint : 0);
    if (code == 0)
        code = make_custodian(&system->workers[system->n_workers]);
    if (code == 0)
        return 0;
    al_custody_look_fini(custody);
    al_free(custody->watch.workers);
    al_free(shards);
    al_free(inputs);
    al_free(custody);
    return no_memory(system, "the outboxes of shards", error);
}

static al_sender *custody_choose_send(const struct al_worker *worker)
{
    return worker->id < worker->system->n_workers ? al_custody_send : al_custody_send_external;
}

/* Who seizes reads the shard of the actor whose behaviour runs, until here. */
static void custody_leave(struct al_worker *self, struct al_actor *actor)
{
    (void)actor;
    (void)al_custody_interrupt(self, self->scheduler);
}

static void undelivered(struct al_runtime *system, const struct al_envelope *first,
                        const struct al_envelope *end)
{
    for (; first < end; first++)
        al_undelivered(system, first);
}

static void undelivered_parcel(struct al_runtime *system, struct al_parcel parcel)
{
    for (struct al_chunk *c = parcel.first; c != NULL; c = al_chunk_next(c))
        undelivered(system, c->envelopes, c->end);
}

/* What waits for a shard and its owner has not seen. */
static void undelivered_shard(struct al_runtime *system, struct al_shard *shard)
{
    if (shard->input == NULL) /* its number was reserved, but not used */
        return;
    undelivered_parcel(system, shard->parcel);
    undelivered_parcel(system, al_arrivals_take(&shard->input->arrivals));
    struct al_custodian *outside = system->workers[system->n_workers].scheduler;
    const struct al_post *post = &shard->input->post;
    for (uint64_t n = al_post_waiting(post, shard->reader.taken); n > 0; n--) {
        struct al_envelope envelope = al_post_take(post, &shard->reader, &outside->pool);
        al_undelivered(system, &envelope);
    }
}

/* What is in the queue of a worker and in its outboxes. */
static void undelivered_custodian(struct al_runtime *system, struct al_custodian *theirs)
{
    theirs->last->end = theirs->routes.own.tail;
    for (struct al_chunk *c = theirs->first;; c = al_chunk_next(c)) {
        undelivered(system, c == theirs->first ? theirs->read : c->envelopes, c->end);
        if (c == theirs->last)
            break;
    }
    for (uint32_t i = 0; i < theirs->n_filled; i++) {
        const struct al_route *outbox = &theirs->outboxes[theirs->filled[i]];
        undelivered(system, al_chunk_of(outbox->limit)->envelopes, outbox->tail);
    }
}

static void custody_fini(struct al_runtime *system)
{
    struct al_custody *custody = system->scheduler_state;
    for (uint32_t w = 0; w < system->n_workers; w++) {
        struct al_custodian *theirs = system->workers[w].scheduler;
        if (theirs != NULL) /* NULL: the start failed */
            undelivered_custodian(system, theirs);
    }
    /* relaxed: the workers have ended */
    for (uint32_t i = 0; i < al_u32_load_relaxed(&custody->n_used); i++)
        if (i >= custody->n_dealt || system->workers[i / custody->shards_each].scheduler != NULL)
            undelivered_shard(system, &custody->shards[i]);
    for (uint32_t w = 0; w <= system->n_workers; w++)
        if (system->workers[w].scheduler != NULL)
            free_custodian(system->workers[w].scheduler);
    al_custody_look_fini(custody);
    al_free(custody->watch.workers);
    al_custody_nursery_fini(&custody->nursery);
    al_free(custody->shards);
    al_free(custody->inputs);
    al_free(custody);
}

static uint64_t custody_held(const struct al_runtime *system)
{
    const struct al_custody *custody = system->scheduler_state;
    uint64_t bytes = custody->n_shards * sizeof *custody->shards +
                     system->n_workers * al_custody_inputs(custody->shards_each) *
                         sizeof *custody->inputs;
    for (uint32_t w = 0; w <= system->n_workers; w++) {
        const struct al_custodian *theirs = system->workers[w].scheduler;
        bytes += theirs->pool.bytes;
        bytes += theirs->deal.opened_room * sizeof *theirs->deal.opened;
    }
    return bytes;
}

const struct al_scheduler_ops al_scheduler_custody = {
    .plugin = {"custody", "ours: private queues, messages in batches, stealing by request",
               options},
    .victim = &al_victim_nearest,
    .idle = &al_idle_park,
    .steals = true,
    .init = custody_init,
    .fini = custody_fini,
    .worker_init = custody_worker_init,
    .run = al_custody_run,
    .enter = al_custody_enter,
    .enter_near = al_custody_enter_near,
    .leave = custody_leave,
    .send = al_custody_send,
    .choose_send = custody_choose_send,
    .nap = al_custody_nap,
    .held = custody_held,
    .length = al_custody_length,
};
