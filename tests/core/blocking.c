/* SPDX-License-Identifier: MIT */

/*
 * The blocking primitives (core/sync/blocking.h): the mutex excludes, and no signal or post is
 * lost. Runs on threads, and on the virtual engine (AL_VIRTUAL), which reports a lost wake-up as a
 * deadlock.
 */

#include "core/sync/blocking.h"

#include <unistd.h>

#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS  500
#define ROUNDS 5
#else
#define SEEDS  1
#define ROUNDS 20000
#endif

#define THREADS 8

static void run_threads(void (*const *functions)(void *), uint32_t n, void *argument)
{
    struct al_thread threads[THREADS];
    for (uint32_t i = 0; i < n; i++)
        CHECK(al_thread_start(&threads[i], functions[i], argument) == 0, "no thread");
    for (uint32_t i = 0; i < n; i++)
        al_thread_join(&threads[i]);
}

/* Mutex */

struct counter {
    struct al_mutex mutex;
    uint64_t count; /* under the mutex */
};

static void count(void *argument)
{
    struct counter *counter = argument;
    for (int i = 0; i < ROUNDS; i++) {
        al_mutex_lock(&counter->mutex);
        uint64_t seen = counter->count;
        if (i % 16 == 0)
            al_yield(); /* so that others wait, and sleep */
        counter->count = seen + 1;
        al_mutex_unlock(&counter->mutex);
    }
}

static void run_mutex(void *argument)
{
    (void)argument;
    struct counter counter = {.count = 0};
    void (*functions[THREADS])(void *);
    for (int i = 0; i < THREADS; i++)
        functions[i] = count;
    run_threads(functions, THREADS, &counter);
    CHECK(counter.count == (uint64_t)THREADS * ROUNDS, "counted %llu",
          (unsigned long long)counter.count);
    CHECK(al_u32_load_relaxed(&counter.mutex.state) == 0, "not free at the end");
}

/* Condition: a buffer with two places. A signal wakes one waiter that it concerns; the end wakes
 * all. */

#define PRODUCERS 3
#define CONSUMERS 4
#define PLACES    2

struct buffer {
    struct al_mutex mutex;
    struct al_condition not_empty, not_full;
    uint32_t items[PLACES], first, n; /* under the mutex, like the next two */
    uint32_t made, producing;
    uint64_t n_taken, sum;
};

static void produce(void *argument)
{
    struct buffer *buffer = argument;
    al_mutex_lock(&buffer->mutex);
    for (int i = 0; i < ROUNDS; i++) {
        while (buffer->n == PLACES)
            al_condition_wait(&buffer->not_full, &buffer->mutex);
        buffer->items[(buffer->first + buffer->n++) % PLACES] = ++buffer->made;
        al_condition_signal(&buffer->not_empty, 1);
        al_mutex_unlock(&buffer->mutex);
        al_mutex_lock(&buffer->mutex);
    }
    if (--buffer->producing == 0)
        al_condition_signal(&buffer->not_empty, UINT32_MAX);
    al_mutex_unlock(&buffer->mutex);
}

static void consume(void *argument)
{
    struct buffer *buffer = argument;
    al_mutex_lock(&buffer->mutex);
    for (;;) {
        while (buffer->n == 0 && buffer->producing > 0)
            al_condition_wait(&buffer->not_empty, &buffer->mutex);
        if (buffer->n == 0)
            break;
        buffer->sum += buffer->items[buffer->first];
        buffer->first = (buffer->first + 1) % PLACES;
        buffer->n--;
        buffer->n_taken++;
        al_mutex_unlock(&buffer->mutex);
        al_condition_signal(&buffer->not_full, 1); /* signalling after the change is allowed, too */
        al_mutex_lock(&buffer->mutex);
    }
    al_mutex_unlock(&buffer->mutex);
}

static void run_condition(void *argument)
{
    (void)argument;
    struct buffer buffer = {.producing = PRODUCERS};
    void (*functions[PRODUCERS + CONSUMERS])(void *);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        functions[i] = i < PRODUCERS ? produce : consume;
    run_threads(functions, PRODUCERS + CONSUMERS, &buffer);
    uint64_t n = (uint64_t)PRODUCERS * ROUNDS;
    CHECK(buffer.n_taken == n && buffer.sum == n * (n + 1) / 2, "%llu items, sum %llu",
          (unsigned long long)buffer.n_taken, (unsigned long long)buffer.sum);
}

/* Semaphore: posts that hand something over, and posts by several threads; one thread waits. */

#define POSTERS 3
#define AHEAD   2 /* posted before anybody waits */

struct gate {
    struct al_semaphore handed, posted;
    uint32_t values[ROUNDS]; /* plain: the i-th is read after i posts */
    struct al_atomic_u32 n_posted;
};

static void hand_over(void *argument)
{
    struct gate *gate = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        gate->values[i] = i + 1;
        al_semaphore_post(&gate->handed);
    }
}

static void post(void *argument)
{
    struct gate *gate = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        al_u32_add_relaxed(&gate->n_posted, 1);
        al_semaphore_post(&gate->posted);
    }
}

static void await(void *argument)
{
    struct gate *gate = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        al_semaphore_wait(&gate->handed);
        CHECK(gate->values[i] == i + 1, "%u was not handed over", i);
    }
    for (uint32_t i = 0; i < POSTERS * ROUNDS + AHEAD; i++) {
        al_semaphore_wait(&gate->posted);
        CHECK(al_u32_load_relaxed(&gate->n_posted) + AHEAD > i, "woken without a post");
    }
}

static void run_semaphore(void *argument)
{
    (void)argument;
    static struct gate gate;
    gate = (struct gate){0};
    for (int i = 0; i < AHEAD; i++)
        al_semaphore_post(&gate.posted);
    void (*functions[POSTERS + 2])(void *) = {hand_over, await};
    for (int i = 0; i < POSTERS; i++)
        functions[i + 2] = post;
    run_threads(functions, POSTERS + 2, &gate);
    CHECK(al_u32_load_relaxed(&gate.posted.value) == 0 &&
              al_u32_load_relaxed(&gate.handed.value) == 0,
          "posts are left over");
}

static void run(struct tap *tap, void (*function)(void *), const char *name)
{
    alarm(120); /* a lost wake-up would hang */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_seed(seed, function, NULL);
    }
    tap_ok(tap, true, "%s", name);
}

int main(void)
{
    struct tap tap = {0};
    run(&tap, run_mutex, "the mutex excludes, and wakes who waits");
    run(&tap, run_condition, "no signal of a condition is lost");
    run(&tap, run_semaphore, "no post of a semaphore is lost");
    return tap_done(&tap);
}
