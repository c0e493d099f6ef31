/* SPDX-License-Identifier: MIT */

/*
 * No memory, where a program can act: al_pool_try and al_try_new return NULL, what there was is
 * whole, and they go on when there is some again. The program is linked so that its allocations,
 * and those of the static libraries, come through here.
 */

#include <string.h>

#include "core/actor.h"
#include "schedulers/registry.h"
#include "tests/support/tap.h"

#define BLOCK_BYTES 48
#define MOST        1000000

static bool exhausted;

void *__real_malloc(size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return exhausted ? NULL : __real_malloc(bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return exhausted ? NULL : __real_aligned_alloc(alignment, bytes);
}

static void check_pool(struct tap *tap, enum al_source source, const char *name)
{
    struct al_depot depot;
    struct al_pool pool;
    memset(&depot, 0, sizeof depot);
    al_pool_init(&pool, &depot, BLOCK_BYTES, source);
    char *first = al_pool_try(&pool, BLOCK_BYTES), *block = first;
    CHECK(first != NULL, "no block although there is memory");
    memset(first, 1, BLOCK_BYTES);
    exhausted = true;
    uint32_t n = 0;
    for (; block != NULL && n < MOST; n++)
        block = al_pool_try(&pool, BLOCK_BYTES);
    exhausted = false;
    CHECK(block == NULL, "it never ends");
    tap_ok(tap, source == AL_MALLOC ? n == 1 : n > 1, "%s: %u blocks, then none", name, n - 1);
    al_pool_give(&pool, first);
    block = al_pool_try(&pool, BLOCK_BYTES);
    tap_ok(tap, block != NULL && (source == AL_MALLOC || block == first), "%s: one again", name);
    al_pool_give(&pool, block);
    al_pool_fini(&pool);
}

struct ping {
    struct al_message message;
    char rest[100];
};

struct counter {
    struct al_actor actor;
    uint32_t n;
};

AL_ACTOR(counter)
AL_MESSAGE(ping)
AL_RECYCLE(ping)

AL_BEHAVIOUR(counter, ping, self, msg)
{
    self->n++;
    (void)msg;
    return AL_NODELETE;
}

/* The thread that started a system sends until there is no memory for a message. */
static void check_messages(struct tap *tap, enum al_source memory, const char *name)
{
    struct al_config config = {.workers = 1, .memory = memory};
    struct al_system *system;
    struct al_error error;
    static struct counter counter;
    static struct ping *made[MOST];
    counter.n = 0;
    CHECK(al_choose(&(struct al_choice){.scheduler = "inverted"}, &config, &error) == 0, "%s",
          error.text);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_actor_init(counter, &counter);
    uint32_t n = 0;
    made[n] = al_try_new(ping);
    CHECK(made[n] != NULL, "no message although there is memory");
    exhausted = true;
    while (n < MOST - 1 && made[n] != NULL)
        made[++n] = al_try_new(ping);
    exhausted = false;
    CHECK(made[n] == NULL, "it never ends");
    made[n] = al_try_new(ping);
    CHECK(made[n] != NULL, "no message when there is memory again");
    for (uint32_t i = 0; i <= n; i++) {
        memset(made[i]->rest, 7, sizeof made[i]->rest);
        al_send(counter, ping, &counter, al_message_init(ping, made[i], AL_DELETE));
    }
    al_send_pill(&counter.actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    tap_ok(tap, counter.n == n + 1, "%s: %u messages, then none, and all arrive", name, n);
}

int main(void)
{
    struct tap tap = {0};
    check_pool(&tap, AL_RECYCLED, "a pool");
    check_pool(&tap, AL_MALLOC, "a pool with malloc");
    check_messages(&tap, AL_RECYCLED, "recycled");
    check_messages(&tap, AL_MALLOC, "from malloc");
    return tap_done(&tap);
}
