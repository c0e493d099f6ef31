/* SPDX-License-Identifier: MIT */

/*
 * csll: a sorted linked list as an actor. `actors` workers send it requests, and each waits for the
 * answer before its next request. A write inserts a value unless it is there, a read asks whether a
 * value is there, and both walk half of the list on average; a size query walks all of it. The list
 * creates the workers. Requests and answers are allocated for each send. Source: CSLL of the LAS
 * paper, section V.A; Savina's Concurrent Sorted Linked-List, whose sizes are the defaults. Savina
 * draws values from all integers, so that reads almost never find one; here they are drawn from
 * `values`.
 *
 * Messages: one to the list to begin with; one to each worker to begin with and `messages` answers;
 * from each worker `messages` requests and a farewell.
 *
 * Requests of different workers come in any order, so answers are checked against what holds in
 * every order. In the end the list is sorted and has each value that the seeds let any worker
 * write, once. To each worker, a value that it wrote or found stays in the list, and a value that
 * no worker writes is never there. The list never shrinks, grows with each new value that the
 * worker writes, and is never shorter than the number of values that the worker knows of, nor
 * longer than at the end.
 */

#include <errno.h>
#include <stdbool.h>

#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, MESSAGES, WRITES, SIZES, VALUES, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "20", 1, 1e6, NULL, "workers that use the list"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "8000", 1, 1e9, NULL, "requests of each worker"},
    [WRITES] = {"writes", AL_OPTION_UINT, "10", 0, 100, NULL, "requests that write, in percent"},
    [SIZES] = {"sizes", AL_OPTION_UINT, "1", 0, 100, NULL,
               "requests that ask for the size, in percent"},
    [VALUES] = {"values", AL_OPTION_UINT, "1048576", 1, 1 << 28, NULL,
                "values to draw from, for writes and reads"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct item {
    struct item *next;
    uint32_t value;
};

struct list {
    struct al_hub hub;
    struct state *state;
    struct item *first;
    uint32_t length;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_random random;
    uint32_t *answers; /* to each request */
    uint64_t answered;
};

enum kind { WRITE, READ, SIZE };

struct request {
    struct al_message message;
    struct worker *worker;
    enum kind kind;
    uint32_t value; /* to write or to find */
};

struct answer {
    struct al_message message;
    /* WRITE: the new length, or 0 if the value was there; READ: 1 if it is there; SIZE: the
     * length */
    uint32_t number;
};

/* Workers and sizes are read only while the actors run. */
struct state {
    struct list list;
    struct al_service service;
    struct worker *workers;
    uint32_t *answers; /* of all workers */
    uint32_t writes, sizes, values;
};

AL_ACTOR_DERIVED(list, al_hub, hub)
AL_INHERIT(list, al_hub, al_done)
AL_ACTOR(worker)
AL_MESSAGE(request)
AL_MESSAGE(answer)
AL_RECYCLE(request)
AL_RECYCLE(answer)

AL_BEHAVIOUR_DECLARE(worker, al_go)
AL_BEHAVIOUR_DECLARE(worker, answer)

/* The list */

/* The link to the first item that is not less than the value. */
static struct item **find(struct list *list, uint32_t value)
{
    struct item **link = &list->first;
    while (*link != NULL && (*link)->value < value)
        link = &(*link)->next;
    return link;
}

AL_BEHAVIOUR(list, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t i = 0; i < state->service.actors; i++) {
        struct worker *worker = &state->workers[i];
        *worker = (struct worker){.state = state,
                                  .answers = state->answers + i * state->service.requests};
        al_service_seed(&state->service, i, &worker->random);
        al_actor_init(worker, worker);
        al_send(worker, al_go, worker, msg);
    }
    return AL_NODELETE;
}

/* Returns the new length, or 0 if the value is there already. */
static uint32_t insert(struct list *list, uint32_t value)
{
    struct item **link = find(list, value);
    if (*link != NULL && (*link)->value == value)
        return 0;
    struct item *item = al_allocate(sizeof *item);
    *item = (struct item){.next = *link, .value = value};
    *link = item;
    return ++list->length;
}

static bool contains(struct list *list, uint32_t value)
{
    const struct item *item = *find(list, value);
    return item != NULL && item->value == value;
}

static uint32_t count(const struct list *list)
{
    uint32_t n = 0;
    for (const struct item *item = list->first; item != NULL; item = item->next)
        n++;
    return n;
}

AL_BEHAVIOUR(list, request, self, msg)
{
    struct answer *answer = al_new(answer);
    al_message_init(answer, answer, AL_DELETE);
    answer->number = msg->kind == WRITE  ? insert(self, msg->value)
                     : msg->kind == READ ? contains(self, msg->value)
                                         : count(self);
    al_send(worker, answer, msg->worker, answer);
    return AL_NODELETE;
}

/* Workers */

/* A worker's next random choices; drawn again to check the answers. */
static void draw(struct al_random *random, const struct state *state, enum kind *kind,
                 uint32_t *value)
{
    uint32_t percent = al_random_below(random, 100);
    *kind = percent < state->writes ? WRITE : percent < state->writes + state->sizes ? SIZE : READ;
    *value = al_random_below(random, state->values);
}

static void ask(struct worker *self)
{
    struct request *request = al_new(request);
    al_message_init(request, request, AL_DELETE);
    request->worker = self;
    draw(&self->random, self->state, &request->kind, &request->value);
    al_send(list, request, &self->state->list, request);
}

AL_BEHAVIOUR_DEFINE(worker, al_go, self, msg)
{
    ask(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(worker, answer, self, msg)
{
    struct state *state = self->state;
    self->answers[self->answered++] = msg->number;
    if (self->answered < state->service.requests) {
        ask(self);
        return AL_NODELETE;
    }
    al_send(list, al_done, &state->list, &state->service.done);
    return AL_FINISHED;
}

/* Called by the harness */

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double workers = (double)values[ACTORS].uint;
    double requests = workers * (double)values[MESSAGES].uint;
    double items = requests * (double)values[WRITES].uint / 100;
    double checking = (double)values[VALUES].uint * (sizeof(bool) + sizeof(uint32_t));
    return workers * sizeof(struct worker) + requests * sizeof(uint32_t) +
           items * sizeof(struct item) + checking;
}

static void release(void *argument)
{
    struct state *state = argument;
    for (struct item *item = state->list.first; item != NULL;) {
        struct item *next = item->next;
        al_free(item);
        item = next;
    }
    al_free(state->answers);
    al_free(state->workers);
    al_free(state);
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t writes = values[WRITES].uint, sizes = values[SIZES].uint;
    if (writes + sizes > 100)
        return al_error_set(error, -EINVAL,
                            "writes=%llu and sizes=%llu add up to more than 100 percent",
                            (unsigned long long)writes, (unsigned long long)sizes);
    return 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint64_t actors = values[ACTORS].uint, requests = values[MESSAGES].uint;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .list = {.hub.working = actors, .state = state},
        .service = {.actors = actors, .requests = requests, .seed = seed},
        .workers = al_allocate_lines(actors, sizeof *state->workers),
        .answers = al_allocate_zeroed(actors * requests, sizeof *state->answers),
        .writes = (uint32_t)values[WRITES].uint,
        .sizes = (uint32_t)values[SIZES].uint,
        .values = (uint32_t)values[VALUES].uint,
    };
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return al_service_messages(&state->service);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_service_init(&state->service);
    al_actor_init_at(list, &state->list, AL_PLACE_HUB);
    al_send(list, al_go, &state->list, &state->service.go);
}

/* Set is_written for each value that any worker writes; returns their number. */
static uint32_t find_written(const struct state *state, bool *is_written)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < state->service.actors; i++) {
        struct al_random random;
        al_service_seed(&state->service, i, &random);
        for (uint64_t k = 0; k < state->service.requests; k++) {
            enum kind kind;
            uint32_t value;
            draw(&random, state, &kind, &value);
            if (kind != WRITE || is_written[value])
                continue;
            is_written[value] = true;
            n++;
        }
    }
    return n;
}

static int check_list(const struct state *state, const bool *is_written, uint32_t n_written,
                      struct al_error *error)
{
    uint32_t n = 0;
    for (const struct item *item = state->list.first; item != NULL; item = item->next, n++) {
        if (!is_written[item->value])
            return al_error_set(error, -EBADMSG, "%u is in the list, but no worker writes it",
                                item->value);
        if (item->next != NULL && item->next->value <= item->value)
            return al_error_set(error, -EBADMSG, "the list is not sorted: %u comes after %u",
                                item->next->value, item->value);
    }
    if (n != n_written)
        return al_error_set(error, -EBADMSG, "the list has %u values instead of %u", n, n_written);
    return 0;
}

/*
 * Check the answers to worker i. known_by[value] is i + 1 if worker i was the last to learn that
 * the value is in the list; *n_new grows by the number of writes whose value was new.
 */
static int check_answers(const struct state *state, uint64_t i, const bool *is_written,
                         uint32_t n_written, uint32_t *known_by, uint64_t *n_new,
                         struct al_error *error)
{
    struct al_random random;
    al_service_seed(&state->service, i, &random);
    uint32_t known = 0, length = 0; /* the worker knows that the list is at least this long */
    for (uint64_t k = 0; k < state->service.requests; k++) {
        enum kind kind;
        uint32_t value, answer = state->workers[i].answers[k];
        draw(&random, state, &kind, &value);
        bool is_known = kind != SIZE && known_by[value] == i + 1;
        uint32_t least = length, most = n_written;
        if (kind == READ) {
            least = is_known;
            most = is_written[value];
        } else if (kind == WRITE && is_known) {
            least = most = 0;
        } else if (kind == WRITE) {
            least = answer == 0 ? 0 : length + 1;
        }
        if (answer < least || answer > most)
            return al_error_set(error, -EBADMSG,
                                "the answer to request %llu of worker %llu is %u; right would be "
                                "%u to %u",
                                (unsigned long long)k, (unsigned long long)i, answer, least, most);
        if (!is_known && (kind == WRITE || (kind == READ && answer != 0))) {
            known_by[value] = (uint32_t)i + 1;
            known++;
        }
        if (kind != READ && answer > length)
            length = answer;
        if (known > length)
            length = known;
        *n_new += kind == WRITE && answer != 0;
    }
    return 0;
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    bool *is_written = al_allocate_zeroed(state->values, sizeof *is_written);
    uint32_t *known_by = al_allocate_zeroed(state->values, sizeof *known_by);
    uint32_t n_written = find_written(state, is_written);
    uint64_t n_new = 0;
    int code = check_list(state, is_written, n_written, error);
    for (uint64_t i = 0; i < state->service.actors && code == 0; i++)
        code = check_answers(state, i, is_written, n_written, known_by, &n_new, error);
    if (code == 0 && n_new != n_written)
        code = al_error_set(error, -EBADMSG, "%llu writes found their value new instead of %u",
                            (unsigned long long)n_new, n_written);
    al_free(is_written);
    al_free(known_by);
    return code;
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_csll = {
    .plugin = {"csll", "workers read and write a sorted linked list: one actor, linear access",
               options},
    .stresses = "a hub that all workers wait for and that computes for a long time",
    .small = "messages=100 sizes=10 values=1000",
    .sim = "actors=256 messages=600 sizes=10 values=500",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
