/* SPDX-License-Identifier: MIT */

/* Does code that is compiled for the simulator report every byte that it accesses, once? */

#include "tests/engine/reported.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/operation.h"
#include "core/engine/ops.h"
#include "tests/support/tap.h"

/* An engine with one task, which sums up what is reported of one function, but for its own
 * variables: compilers differ in which of these are in memory. */
struct counting {
    struct al_engine engine;
    const char *memory; /* 2 * MEMORY_BYTES: where the function reads and writes */
    struct bytes bytes;
};

static struct al_task *choose(struct al_engine *engine)
{
    return engine->tasks[0];
}

static void operation(struct al_engine *engine, int operation, uint64_t amount)
{
    (void)amount;
    ((struct counting *)engine)->bytes.fences += operation == AL_SYNC_FENCE;
}

static void count_access(struct al_engine *engine, const void *address, size_t bytes,
                         enum al_access_kind kind, bool atomic)
{
    struct counting *counting = (struct counting *)engine;
    struct bytes *sum = &counting->bytes;
    if ((size_t)((const char *)address - counting->memory) >= 2 * MEMORY_BYTES)
        return;
    sum->read += kind == AL_ACCESS_READ ? bytes : 0;
    sum->written += kind == AL_ACCESS_WRITE ? bytes : 0;
    sum->updated += kind == AL_ACCESS_UPDATE ? bytes : 0;
    sum->atomic += atomic ? bytes : 0;
}

static void park(struct al_engine *engine, uint64_t ns)
{
    (void)engine, (void)ns;
}

static uint64_t clock_ns(const struct al_engine *engine)
{
    return engine->steps;
}

static uint64_t cycles(struct al_engine *engine)
{
    return engine->steps;
}

static const struct al_engine_ops counting_ops = {
    .name = "counting",
    .engine_bytes = sizeof(struct counting),
    .task_bytes = sizeof(struct al_task),
    .choose = choose,
    .operation = operation,
    .access = count_access,
    .park = park,
    .clock = clock_ns,
    .cycles = cycles,
};

static bool as_expected(const struct reported_case *one, const struct bytes *bytes)
{
    return bytes->read >= one->least.read && bytes->read <= one->least.read + one->maybe_read &&
           bytes->written == one->least.written && bytes->updated == one->least.updated &&
           bytes->atomic == one->least.atomic && bytes->fences == one->least.fences;
}

static void run_all(void *argument)
{
    struct tap *tap = argument;
    char *memory = aligned_alloc(64, 2 * MEMORY_BYTES);
    CHECK(memory != NULL, "no memory");
    memset(memory, 1, 2 * MEMORY_BYTES);
    struct counting *counting = (struct counting *)al_engine;
    counting->memory = memory;
    for (const struct reported_case *one = reported_cases; one->name != NULL; one++) {
        counting->bytes = (struct bytes){0};
        one->function(memory, memory + MEMORY_BYTES);
        struct bytes sum = counting->bytes;
        if (!tap_ok(tap, as_expected(one, &sum), "%s", one->name))
            printf("# reported: %zu read, %zu written, %zu updated, %zu of them atomic, %zu "
                   "fences\n",
                   sum.read, sum.written, sum.updated, sum.atomic, sum.fences);
    }
    free(memory);
}

int main(void)
{
    struct tap tap = {0};
    struct al_engine_result result;
    al_engine_run(&(struct al_engine_config){.ops = &counting_ops}, run_all, &tap, &result);
    tap_ok(&tap, result.end == AL_ENGINE_DONE, "the run ends");
    return tap_done(&tap);
}
