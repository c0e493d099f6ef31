/* SPDX-License-Identifier: MIT */

/* How often send-dynamic calls malloc, whose calls the linker sends here (--wrap): never for each
 * send where memory is recycled, whatever the strategy; with malloc once for each actor, message,
 * envelope and inbox. */

#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "core/memory/object.h"
#include "schedulers/registry.h"
#include "tests/support/tap.h"

#define SENDS  20000
#define SPARED (SENDS / 50) /* what a strategy may allocate that does not grow with the sends */

extern const struct al_benchmark_ops al_benchmark_send_dynamic;

static struct al_atomic_u64 calls;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    al_u64_add_relaxed(&calls, 1); /* relaxed: read when the workers have ended */
    return __real_malloc(bytes);
}

/* How many calls there are while the messages are sent and delivered. */
static uint64_t count(const struct al_plugin *scheduler, enum al_source memory,
                      const struct al_setting *settings, size_t n_settings)
{
    const struct al_benchmark_ops *benchmark = &al_benchmark_send_dynamic;
    struct al_selection parameters = {.plugin = &benchmark->plugin}, *selections[] = {&parameters};
    struct al_setting sends = {"sends", "20000"};
    struct al_config config = {.workers = 1,
                               .pin = "none",
                               .memory = memory,
                               .settings = settings,
                               .n_settings = n_settings};
    struct al_error error;
    CHECK(al_options_parse(selections, 1, &sends, 1, &error) == 0, "%s", error.text);
    struct al_choice choice = {.scheduler = scheduler->name};
    CHECK(al_choose(&choice, &config, &error) == 0, "%s", error.text);
    void *state = benchmark->prepare(parameters.values, 1);
    struct al_system *system;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    uint64_t before = al_u64_load_relaxed(&calls);
    benchmark->start(state);
    CHECK(al_system_stop(system, NULL) == 0, "messages were left");
    uint64_t all = al_u64_load_relaxed(&calls) - before;
    CHECK(benchmark->check(state, &error) == 0, "%s", error.text);
    benchmark->release(state);
    return all;
}

static void check(struct tap *tap, const struct al_plugin *scheduler, const char *queue)
{
    size_t index;
    bool envelopes = al_option_matches(scheduler, AL_ENVELOPES, &index);
    struct al_setting settings[] = {{"queue", queue}, {AL_ENVELOPES, "malloc"}};
    const struct al_setting *first = queue != NULL ? settings : settings + 1;
    size_t n = queue != NULL;
    const char *name = scheduler->name, *with = queue != NULL ? " with queue=" : "";
    const char *shown = queue != NULL ? queue : "";

    uint64_t recycled = count(scheduler, AL_RECYCLED, first, n);
    tap_ok(tap, recycled <= (AL_RECYCLES ? SPARED : 5 * SENDS),
           "%s%s%s: %llu calls of malloc for %d sends, of which none allocates", name, with, shown,
           (unsigned long long)recycled, SENDS);
    uint64_t objects = count(scheduler, AL_MALLOC, first, n);
    tap_ok(tap, objects >= 2 * SENDS && (!AL_RECYCLES || objects <= 2 * SENDS + SPARED),
           "%s%s%s: %llu for as many actors and messages", name, with, shown,
           (unsigned long long)objects);
    if (!envelopes)
        return;
    uint64_t all = count(scheduler, AL_MALLOC, first, n + 1) - 2 * SENDS;
    bool copied = queue != NULL && strcmp(queue, "copy") == 0;
    /* An actor-centric strategy has an inbox for each actor, too. */
    bool inboxes = al_option_matches(scheduler, "max_throughput", &index);
    uint64_t least = (copied ? 0 : inboxes ? 2 : 1) * SENDS;
    tap_ok(tap, all >= least && all <= least + SPARED, "%s%s%s: %llu more for as many envelopes%s",
           name, with, shown, (unsigned long long)all, inboxes ? " and inboxes" : "");
}

int main(void)
{
    struct tap tap = {0};
    for (size_t i = 0; al_schedulers[i] != NULL; i++) {
        size_t index;
        bool lists = al_option_matches(al_schedulers[i], "queue", &index);
        check(&tap, al_schedulers[i], lists ? "copy" : NULL);
        if (lists)
            check(&tap, al_schedulers[i], "list");
    }
    return tap_done(&tap);
}
