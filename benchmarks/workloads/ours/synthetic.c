/* SPDX-License-Identifier: MIT */

/*
 * synthetic: messages whose numbers, sizes and ways are parameters. `actors` actors pass on
 * messages to each other. A message that starts a tree has a number of families still to be sent in
 * its name; whoever receives it works, sends one of them, which are `fan_out` messages, and divides
 * the rest among these. `trees` trees are under way from the beginning, with `messages`
 * messages in all.
 *
 * Where a message goes is drawn for each: with `hot_visits` percent to one of `hot` hot actors,
 * else with `local` percent to one of the sender's neighbourhood of `neighbours` actors, else to
 * any. Hot actors are those that were created first, last, or spread over all. Work takes `work` ns
 * on average, distributed as `service` says; with `blocking` percent a behaviour sleeps for as long
 * instead. A message has `bytes` bytes, which are written by its sender and read by its receiver,
 * and comes from malloc. With `phases` phases, each tree changes `phases` - 1 times which actors
 * are hot: the sets follow one another in the order of creation. (Only trees without branches,
 * which take their time: the last generation of others is most of their messages.)
 *
 * Workers count what they have delivered. An actor, the collector, looks at the counts and ends all
 * when they are complete; else it looks again when, at the present rate, half of the rest will have
 * been delivered, but after 10 µs at least. So it takes no part in what is measured.
 *
 * Messages: as many as `messages` says, but for what is left when it is divided among the trees;
 * one or more to the collector, as the schedule decides; and one to end each actor.
 *
 * The answer: the actors have received all of them, with the contents that were sent.
 */

#include "benchmarks/workloads/ours/synthetic.h"

#include <errno.h>

#include "benchmarks/workloads/support/contents.h"
#include "benchmarks/workloads/support/distribution.h"
#include "benchmarks/workloads/support/hub.h"

enum option {
    ACTORS,
    MESSAGES,
    TREES,
    FAN_OUT,
    WORK,
    SERVICE,
    BLOCKING,
    BYTES,
    HOT,
    HOT_VISITS,
    HOT_AT,
    LOCAL,
    NEIGHBOURS,
    PHASES
};

enum hot_at { FIRST, LAST, SPREAD };

static const char *const hot_at_choices[] = {"first", "last", "spread", NULL}; /* enum hot_at */
static const char *const service_choices[] = AL_DISTRIBUTION_CHOICES;

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "1000", 1, 1e8, NULL, "actors"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "1000000", 1, 1e12, NULL, "messages in all"},
    [TREES] = {"trees", AL_OPTION_UINT, "100", 1, 1e8, NULL, "of messages; at most `messages`"},
    [FAN_OUT] = {"fan_out", AL_OPTION_UINT, "1", 1, 1e6, NULL, "messages that a message makes"},
    [WORK] = {"work", AL_OPTION_UINT, "0", 0, 1e10, NULL, "mean work of a message, ns"},
    [SERVICE] = {"service", AL_OPTION_ENUM, "constant", 0, 0, service_choices,
                 AL_DISTRIBUTION_HELP},
    [BLOCKING] = {"blocking", AL_OPTION_REAL, "0", 0, 100, NULL,
                  "percent of messages for which an actor sleeps instead"},
    [BYTES] = {"bytes", AL_OPTION_UINT, "0", 0, 1e9, NULL, "contents of a message"},
    [HOT] = {"hot", AL_OPTION_UINT, "10", 1, 1e8, NULL, "hot actors; at most `actors`"},
    [HOT_VISITS] = {"hot_visits", AL_OPTION_REAL, "0", 0, 100, NULL,
                    "percent of messages that go to them"},
    [HOT_AT] = {"hot_at", AL_OPTION_ENUM, "spread", 0, 0, hot_at_choices,
                "where they are in the order of creation"},
    [LOCAL] = {"local", AL_OPTION_REAL, "0", 0, 100, NULL,
               "percent of the others that stay in the sender's neighbourhood"},
    [NEIGHBOURS] = {"neighbours", AL_OPTION_UINT, "10", 1, 1e8, NULL, "actors of a neighbourhood"},
    [PHASES] = {"phases", AL_OPTION_UINT, "1", 1, 1e6, NULL, "sets of hot actors, one by one"},
    {0},
};

struct visit {
    struct al_message message;
    uint64_t left; /* families to be sent in its name */
    uint64_t seed; /* of all that is drawn for it, and of its contents */
    unsigned char contents[];
};

_Static_assert(sizeof(struct visit) == AL_SYNTHETIC_HEAD, "see synthetic.h");

struct look {
    struct al_message message;
};

struct member {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t received, torn;
};

struct collector {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct look look;
    uint64_t began; /* al_clock_ns() at its first look; 0: none yet */
};

/* What a worker has delivered; written by it. */
struct tally {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_atomic_u64 delivered;
};

/* Read-only while the actors run, except the collector and the tallies. */
struct state {
    struct member *members;
    struct tally *tallies; /* of each worker */
    uint32_t n_workers;
    uint64_t n, n_trees, families, bytes, fan_out, hot, neighbours, phases, work_ns, seed;
    double work; /* mean, as al_work() takes it */
    double blocking, hot_visits, local;
    enum al_distribution service;
    enum hot_at hot_at;
    struct collector collector;
};

AL_ACTOR(collector)
AL_ACTOR(member)
AL_MESSAGE(look)
AL_MESSAGE(visit)

AL_BEHAVIOUR_DECLARE(member, visit)

static uint64_t below(uint64_t *seed, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)al_random_split(seed) * bound) >> 64);
}

/* True in so many percent of the draws. */
static bool draw(uint64_t *seed, double percent)
{
    return (double)(al_random_split(seed) >> 11) * 0x1p-53 * 100 < percent;
}

/* The i-th of the actors that are hot in some phase. */
static uint64_t hot_actor(const struct state *state, uint64_t i)
{
    uint64_t n = state->n, hot = state->hot;
    switch (state->hot_at) {
    case FIRST:
        return i % n;
    case LAST:
        return n - 1 - i % n;
    default:
        return (i % hot * (n / hot) + i / hot) % n;
    }
}

/* Where the sender's next message goes. */
static uint64_t target(const struct state *state, uint64_t sender, uint64_t left, uint64_t *seed)
{
    if (draw(seed, state->hot_visits)) {
        uint64_t phase = (state->families - left) * state->phases / (state->families + 1);
        return hot_actor(state, phase * state->hot + below(seed, state->hot));
    }
    if (!draw(seed, state->local))
        return below(seed, state->n);
    uint64_t first = sender / state->neighbours * state->neighbours, rest = state->n - first;
    return first + below(seed, state->neighbours < rest ? state->neighbours : rest);
}

static void send_visit(struct state *state, uint64_t sender, uint64_t left, uint64_t seed)
{
    struct visit *visit = al_allocate(sizeof *visit + state->bytes);
    al_message_init(visit, visit, AL_DELETE);
    struct member *to = &state->members[target(state, sender, left, &seed)];
    visit->left = left;
    visit->seed = seed;
    al_contents_write(visit->contents, state->bytes, seed, left);
    al_send(member, visit, to, visit);
}

/* How many messages there are in the trees. */
static uint64_t all_visits(const struct state *state)
{
    return state->n_trees * (1 + state->families * state->fan_out);
}

AL_BEHAVIOUR(collector, look, self, msg)
{
    const struct state *state = self->state;
    const double least_ns = 10e3, most_ns = 1e9;
    uint64_t all = all_visits(state), delivered = 0, now = al_clock_ns();
    for (uint32_t i = 0; i < state->n_workers; i++)
        delivered += al_u64_load_relaxed(&state->tallies[i].delivered); /* relaxed: a count */
    if (delivered < all) {
        self->began = self->began == 0 ? now : self->began;
        double each = delivered > 0 ? (double)(now - self->began) / (double)delivered : 0;
        double half = each * (double)(all - delivered) / 2;
        al_send_after(collector, look, self, msg, (uint64_t)fmin(fmax(half, least_ns), most_ns));
        return AL_NODELETE;
    }
    for (uint64_t i = 0; i < state->n; i++)
        al_send_pill(&state->members[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

static void count_delivered(const struct state *state)
{
    struct al_atomic_u64 *delivered = &state->tallies[al_worker_number()].delivered;
    /* relaxed: nobody else writes it, and nothing else is read because of it */
    al_u64_store_relaxed(delivered, al_u64_load_relaxed(delivered) + 1);
}

static void work(const struct state *state, uint64_t *seed)
{
    struct al_random random;
    al_random_seed(&random, al_random_split(seed), 0);
    double times = al_distribution_draw(state->service, &random);
    if (draw(seed, state->blocking))
        al_sleep_ns((uint64_t)(times * (double)state->work_ns));
    else
        al_work((uint64_t)(times * state->work + al_random_real(&random)));
}

AL_BEHAVIOUR_DEFINE(member, visit, self, msg)
{
    struct state *state = self->state;
    uint64_t seed = msg->seed;
    self->received++;
    self->torn += !al_contents_are(msg->contents, state->bytes, seed, msg->left);
    if (state->work_ns > 0)
        work(state, &seed);
    for (uint64_t i = 0, n = state->fan_out; msg->left > 0 && i < n; i++) {
        uint64_t left = (msg->left - 1) / n + (i < (msg->left - 1) % n);
        send_visit(state, (uint64_t)(self - state->members), left, al_random_split(&seed));
    }
    count_delivered(state);
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t actors = values[ACTORS].uint, hot = values[HOT].uint;
    uint64_t trees = values[TREES].uint, all = values[MESSAGES].uint;
    if (hot > actors)
        return al_error_set(error, -EINVAL, "hot=%llu; valid: at most actors=%llu",
                            (unsigned long long)hot, (unsigned long long)actors);
    if (values[PHASES].uint > 1 && values[FAN_OUT].uint > 1)
        return al_error_set(error, -EINVAL, "phases=%llu with fan_out=%llu; valid: one of them",
                            (unsigned long long)values[PHASES].uint,
                            (unsigned long long)values[FAN_OUT].uint);
    if (trees > all)
        return al_error_set(error, -EINVAL, "trees=%llu; valid: at most messages=%llu",
                            (unsigned long long)trees, (unsigned long long)all);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint64_t n = values[ACTORS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .members = al_allocate_lines(n, sizeof *state->members),
        .n = n,
        .n_trees = values[TREES].uint,
        .families = (values[MESSAGES].uint / values[TREES].uint - 1) / values[FAN_OUT].uint,
        .bytes = values[BYTES].uint,
        .fan_out = values[FAN_OUT].uint,
        .hot = values[HOT].uint,
        .neighbours = values[NEIGHBOURS].uint,
        .phases = values[PHASES].uint,
        .work_ns = values[WORK].uint,
        .seed = seed,
        .blocking = values[BLOCKING].real,
        .hot_visits = values[HOT_VISITS].real,
        .local = values[LOCAL].real,
        .service = (enum al_distribution)values[SERVICE].uint,
        .hot_at = (enum hot_at)values[HOT_AT].uint,
    };
    state->collector = (struct collector){.state = state};
    al_message_init(look, &state->collector.look, AL_NODELETE);
    for (uint64_t i = 0; i < n; i++)
        state->members[i] = (struct member){.state = state};
    return state;
}

/* As if as many messages were under way as there are trees, or as a tree has leaves. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double trees = (double)values[TREES].uint;
    double most = values[FAN_OUT].uint > 1 ? (double)values[MESSAGES].uint / 2 : trees;
    return (double)values[ACTORS].uint * sizeof(struct member) +
           most * (sizeof(struct visit) + (double)values[BYTES].uint);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return all_visits(state) + 1 + state->n;
}

static void start(void *argument)
{
    struct state *state = argument;
    uint64_t seed = state->seed;
    state->work = (double)al_work_of(state->work_ns);
    state->n_workers = al_workers();
    state->tallies = al_allocate_lines(state->n_workers, sizeof *state->tallies);
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_u64_store_relaxed(&state->tallies[i].delivered, 0); /* relaxed: no actor runs yet */
    for (uint64_t i = 0; i < state->n; i++)
        al_actor_init(member, &state->members[i]);
    for (uint64_t i = 0; i < state->n_trees; i++)
        send_visit(state, i % state->n, state->families, al_random_split(&seed));
    al_send(collector, look, al_actor_init(collector, &state->collector), &state->collector.look);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t received = 0, torn = 0, sent = all_visits(state);
    for (uint64_t i = 0; i < state->n; i++) {
        received += state->members[i].received;
        torn += state->members[i].torn;
    }
    if (torn > 0)
        return al_error_set(error, -EBADMSG, "%llu messages have other contents than were sent",
                            (unsigned long long)torn);
    if (received == sent)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu messages were received of %llu",
                        (unsigned long long)received, (unsigned long long)sent);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->members);
    al_free(state->tallies);
    al_free(state);
}

static uint64_t alike(const union al_value *values)
{
    return values[HOT_VISITS].real > 0 ? 0 : values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_synthetic = {
    .plugin = {"synthetic", "messages whose numbers, sizes and ways are parameters", options},
    .stresses = "what its parameters say",
    .more_messages = true,
    .small = "actors=50 messages=2000 trees=10",
    .sim = "actors=3840 messages=200000 trees=3840",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
