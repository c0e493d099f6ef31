/* SPDX-License-Identifier: MIT */
#include "tests/conformance/combinations.h"

#include <string.h>

#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"
#include "tests/conformance/pairwise.h"
#include "tests/support/short_sleeps.h"
#include "tests/support/tap.h"

/* One thing that the rows of the covering choose: an option and its values. NULL is the default. */
struct factor {
    const char *key;
    const char *values[PAIRWISE_LEVELS];
};

static void add_setting(struct combination *combination, const char *key, const char *value)
{
    CHECK(combination->n_settings < SETTINGS_MOST, "too many settings");
    combination->settings[combination->n_settings++] = (struct al_setting){key, value};
    combination->config.settings = combination->settings;
    combination->config.n_settings = combination->n_settings;
}

/* A setting that is part of the case's name; `memory` is the workloads' and has a field. */
static void choose(struct combination *combination, const char *key, const char *value)
{
    if (strcmp(key, AL_MEMORY) == 0)
        combination->config.memory = AL_MALLOC;
    else
        add_setting(combination, key, value);
    combination->plain = false;
    size_t length = strlen(combination->name);
    snprintf(combination->name + length, sizeof combination->name - length, " %s=%s", key, value);
}

/* Sleeps that are short enough for a test, after few looks. */
static void shorten_sleeps(struct combination *combination)
{
    struct al_setting shorter[SHORT_SLEEPS_MOST];
    size_t n = short_sleeps(combination->config.idle, shorter);
    for (size_t i = 0; i < n; i++)
        add_setting(combination, shorter[i].key, shorter[i].value);
}

static uint32_t add_choices(struct factor *factors, uint32_t n, const struct al_plugin *plugin)
{
    for (size_t i = 0; i < al_options_count(plugin); i++) {
        const struct al_option *option = &plugin->options[i];
        if (option->type != AL_OPTION_ENUM)
            continue;
        CHECK(n < PAIRWISE_FACTORS, "%s has too many options", plugin->name);
        factors[n] = (struct factor){.key = option->name};
        for (uint32_t k = 0; option->choices[k] != NULL; k++) {
            CHECK(k + 1 < PAIRWISE_LEVELS, "%s has too many choices", option->name);
            bool standard = strcmp(option->choices[k], option->standard) == 0;
            factors[n].values[k] = standard ? NULL : option->choices[k];
        }
        n++;
    }
    return n;
}

/* Numbers that make a strategy take its rare paths often; but those of `calming` make attempts to
 * steal rare, or leave a path out, so that their default is preferred. */
static uint32_t add_squeezed(struct factor *factors, uint32_t n, const struct al_plugin *plugin)
{
    static const struct al_setting squeezed[] = {
        {"shards", "2"},           {"mailboxes", "17"}, {"capacity", "1"}, {"steal_after", "1"},
        {"max_throughput", "1"},   {"take", "1"},       {"quantum", "0"},  {"worth", "0"},
        {"scatter", "1"},          {"growth", "3"},     {"deal", "1"},     {"exchange_chunk", "0"},
        {"exchange_message", "0"}, {"grown", "1"},      {"library", "1"},  {"seize", "1"},
    };
    static const struct al_setting calming[] = {
        {"steal_least", "3"}, {"steal_patience", "0"}, {"steal_backoff", "1000"}, {"split", "0"}};
    size_t index;
    for (size_t i = 0; i < sizeof squeezed / sizeof *squeezed; i++) {
        if (!al_option_matches(plugin, squeezed[i].key, &index) ||
            strcmp(plugin->options[index].standard, squeezed[i].value) == 0)
            continue;
        CHECK(n < PAIRWISE_FACTORS, "%s has too many options", plugin->name);
        factors[n++] = (struct factor){squeezed[i].key, {squeezed[i].value, NULL}};
    }
    for (size_t i = 0; i < sizeof calming / sizeof *calming; i++) {
        if (!al_option_matches(plugin, calming[i].key, &index))
            continue;
        CHECK(n < PAIRWISE_FACTORS, "%s has too many options", plugin->name);
        factors[n++] = (struct factor){calming[i].key, {NULL, calming[i].value}};
    }
    return n;
}

static uint32_t count_levels(const struct factor *factor, bool number)
{
    uint32_t n = 0, defaults = 0;
    for (; factor->values[n] != NULL || defaults == 0; n++)
        defaults += factor->values[n] == NULL;
    CHECK(!number || n == 2, "%s has %u values", factor->key, n);
    return n;
}

/* Ask the strategy itself which choices it refuses together. It must accept each on its own. */
static void find_refused(const struct combinations *combinations, const struct combination *plain,
                         const struct factor *factors, struct pairwise *pairs)
{
    struct combination combination;
    for (uint32_t i = 0; i < pairs->n_factors; i++) {
        for (uint32_t a = 0; a < pairs->n_levels[i]; a++) {
            if (factors[i].values[a] == NULL)
                continue;
            combination = *plain;
            choose(&combination, factors[i].key, factors[i].values[a]);
            CHECK(combinations->starts(combinations->argument, &combination), "%s is refused",
                  combination.name);
            for (uint32_t k = i + 1; k < pairs->n_factors; k++) {
                for (uint32_t b = 0; b < pairs->n_levels[k]; b++) {
                    if (factors[k].values[b] == NULL)
                        continue;
                    combination = *plain;
                    choose(&combination, factors[i].key, factors[i].values[a]);
                    choose(&combination, factors[k].key, factors[k].values[b]);
                    pairs->refused[i][a][k][b] = !combinations->starts(combinations->argument,
                                                                       &combination);
                }
            }
        }
    }
}

/* With as many workers as the smallest machines have PUs, those that spin never yield, and burn
 * what the kernel gives them while another program has the PU of whom they wait for. So with two
 * workers each strategy runs as it is; the rest runs with more. */
#ifdef AL_VIRTUAL
static const uint32_t worker_counts[] = {1, 4};
#define AS_IT_IS 0
#else
static const uint32_t worker_counts[] = {2, 3, 8};
#define AS_IT_IS 2
#endif
#if defined AL_VIRTUAL && !defined AL_ACCESSES
#define PAIR_TURNS 1
#else
#define PAIR_TURNS 2 /* the rows of a covering take the other numbers of workers in turns */
#endif

static void run_pairs(const struct combinations *combinations, const struct combination *plain)
{
    const struct al_plugin *scheduler = &plain->config.scheduler->plugin;
    struct factor factors[PAIRWISE_FACTORS];
    static struct pairwise pairs;
    pairs = (struct pairwise){0};
    factors[0] = (struct factor){AL_MEMORY, {NULL, al_source_names[AL_MALLOC]}};
    uint32_t n = add_choices(factors, 1, scheduler);
    n = add_choices(factors, n, &plain->config.victim->plugin);
    pairs.first_squeezed = n = add_choices(factors, n, &plain->config.idle->plugin);
    pairs.n_factors = n = add_squeezed(factors, n, scheduler);
    for (uint32_t i = 0; i < n; i++)
        pairs.n_levels[i] = count_levels(&factors[i], i >= pairs.first_squeezed);
    find_refused(combinations, plain, factors, &pairs);
    CHECK(pairwise_cover(&pairs), "%s: some options cannot be combined with the others",
          plain->name);
    for (uint32_t r = 0; r < pairs.n_rows; r++) {
        struct combination combination = *plain;
        for (uint32_t i = 0; i < n; i++) {
            const char *value = factors[i].values[pairs.rows[r][i]];
            if (value == NULL)
                continue;
            choose(&combination, factors[i].key, value);
            combination.chosen |= i < pairs.first_squeezed;
        }
        bool turn = r % PAIR_TURNS == plain->config.workers % PAIR_TURNS;
        if (!combination.plain && (turn || !combination.chosen))
            combinations->each(combinations->argument, &combination);
    }
}

/* With another heuristic or policy, run each kind of deque. */
static void run_deques(const struct combinations *combinations, const struct combination *plain)
{
    const struct al_plugin *scheduler = &plain->config.scheduler->plugin;
    size_t index;
    if (!al_option_matches(scheduler, "deque", &index))
        return;
    const struct al_option *option = &scheduler->options[index];
    for (size_t k = 0; option->choices[k] != NULL; k++) {
        if (strcmp(option->choices[k], option->standard) == 0)
            continue;
        struct combination combination = *plain;
        choose(&combination, option->name, option->choices[k]);
        combinations->each(combinations->argument, &combination);
    }
}

static void run_heuristic(const struct combinations *combinations, const struct al_config *config)
{
    const struct al_scheduler_ops *ops = config->scheduler;
    for (size_t i = 0; al_idles[i] != NULL; i++) {
        const struct al_idle_ops *idle = AL_OPS(al_idles[i], al_idle_ops);
        bool own_victim = config->victim == ops->victim;
        struct combination plain = {
            .config = *config,
            .own = own_victim && idle == ops->idle,
            .sleeps = own_victim && idle->wake != NULL,
            .plain = true,
        };
        plain.config.idle = idle;
        bool few = config->workers == AS_IT_IS;
        if (al_scheduler_takes(ops, config->victim, idle, NULL) != 0 ||
            ((combinations->subset || few) && !plain.own))
            continue;
        snprintf(plain.name, sizeof plain.name, "%s/%s/%s workers=%u", ops->plugin.name,
                 config->victim->plugin.name, idle->plugin.name, config->workers);
        shorten_sleeps(&plain);
        struct combination combination = plain;
        combination.config.settings = combination.settings;
        combinations->each(combinations->argument, &combination);
        if (!few)
            (plain.own || plain.sleeps ? run_pairs : run_deques)(combinations, &plain);
    }
}

/* Seconds without a delivery, on threads. */
#define STALL_SECONDS 60

void for_each_combination(const struct combinations *combinations,
                          const struct al_topology *topology)
{
    /* If a message is lost, the watch says what waits where, before the alarm says only which case
     * it was. */
    struct al_config config = {
        .oversubscribe = true, .pin = "none", .topology = topology, .stall_s = STALL_SECONDS};
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        config.scheduler = AL_OPS(al_schedulers[s], al_scheduler_ops);
        for (size_t w = 0; w < sizeof worker_counts / sizeof *worker_counts; w++) {
            config.workers = worker_counts[w];
            for (size_t v = 0; al_victims[v] != NULL; v++) {
                config.victim = AL_OPS(al_victims[v], al_victim_ops);
                run_heuristic(combinations, &config);
            }
        }
    }
}
