/* SPDX-License-Identifier: MIT */

/*
 * Doubts about simulated cells: each rule at its boundary, what workers took part against counting
 * by hand, and how actors are dealt against dealing them one by one, as inverted does.
 */

#include "benchmarks/harness/results/doubts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tap.h"

static struct tap tap;
#define check(...) tap_ok(&tap, __VA_ARGS__)

#define BIT(doubt) (1U << (doubt))

static const struct al_evidence sound = {.starter_busy = 0.1,
                                         .took_part = 0.25,
                                         .time_ns = 2e6,
                                         .sleep_ns = 2e6,
                                         .most_dealt = 1.1,
                                         .overrun = 1.05,
                                         .messages = 1000};

static unsigned doubts_of(double starter_busy, double took_part, double time_ns, double most_dealt)
{
    struct al_evidence evidence = {.starter_busy = starter_busy,
                                   .took_part = took_part,
                                   .time_ns = time_ns,
                                   .sleep_ns = 2e6,
                                   .most_dealt = most_dealt};
    return al_doubts(&evidence);
}

static void check_boundaries(void)
{
    check(al_doubts(&sound) == 0, "a cell at all boundaries is sound");
    check(doubts_of(0.101, .25, 2e6, 1.1) == BIT(AL_DOUBT_STARTER), "a busy starter");
    check(doubts_of(0.1, .249, 2e6, 1.1) == BIT(AL_DOUBT_FEW), "few workers");
    check(doubts_of(0.1, .25, 2e6 - 1, 1.1) == BIT(AL_DOUBT_SHORT), "shorter than a sleep");
    check(doubts_of(0.1, .25, 2e6, 1.101) == BIT(AL_DOUBT_UNEVEN), "unevenly dealt");
    check(doubts_of(0.1, 1, 2e6 - 1, 1.1) == 0, "where all take part nobody sleeps for long");
    check(doubts_of(0.1, 1, 1e6, 1.1) == 0, "a millisecond is long enough for them");
    check(doubts_of(0.1, 1, 1e6 - 1, 1.1) == BIT(AL_DOUBT_SHORT), "less than a millisecond is not");
    check(doubts_of(0.1, -1, 1e6, 1.1) == 0, "who took part is not known, as without counters");
    check(doubts_of(-1, -1, -1, -1) == 0, "nothing is known");
    check(doubts_of(1, 0, 0, 2) == BIT(AL_DOUBT_STATES) - 1, "all at once");
    struct al_evidence late = sound;
    late.overrun = 1.051;
    check(al_doubts(&late) == BIT(AL_DOUBT_OVERLOAD), "more load than can be served");
    late.overrun = 1.0199;
    late.messages = 20000;
    check(al_doubts(&late) == 0, "20,000 requests may be late by 2%%");
    late.overrun = 1.0201;
    check(al_doubts(&late) == BIT(AL_DOUBT_OVERLOAD), "but not by more");
    late.messages = 1e9;
    late.overrun = 1.0099;
    check(al_doubts(&late) == 0, "there is always something left to do");
    struct al_evidence apart = sound;
    apart.apart = 1.5;
    check(al_doubts(&apart) == 0, "two states that are not far apart");
    apart.apart = 1.501;
    check(al_doubts(&apart) == BIT(AL_DOUBT_STATES), "two states");
    json_t *list = al_doubts_json(BIT(AL_DOUBT_FEW) | BIT(AL_DOUBT_UNEVEN));
    check(json_array_size(list) == 2 && strcmp(json_string_value(json_array_get(list, 1)),
                                               al_doubt_texts[AL_DOUBT_UNEVEN]) == 0,
          "their texts");
    json_decref(list);
}

static void check_took_part(void)
{
    double received[200] = {97, 1, 1, 1};
    check(al_took_part(received, 4) == 1, "1%% each of three of four");
    received[0] = 98;
    check(al_took_part(received, 4) == .25, "less than 1%% each of three of four");
    for (int i = 0; i < 200; i++)
        received[i] = 5;
    check(al_took_part(received, 200) == 1, "an even share of 200 workers, which is 0.5%%");
    received[0] = 1000;
    check(al_took_part(received, 200) == 1. / 200, "one of 200 workers with half of the messages");
    memset(received, 0, sizeof received);
    check(al_took_part(received, 4) < 0, "no messages");
}

static bool apart(double expected, const double *times, size_t n)
{
    return fabs(al_states_apart(times, n) - expected) < 1e-9;
}

static void check_states(void)
{
    check(apart(2400 / 80., (double[]){80, 2479, 67, 2400, 70}, 5), "two groups, in any order");
    check(apart(4, (double[]){400, 100, 100}, 3), "one seed beside two others");
    check(apart(1.2, (double[]){1.0, 1.2, 1.2}, 3), "near each other");
    check(apart(0, (double[]){100, 200, 400, 800}, 4), "evenly spread");
    check(apart(8, (double[]){1, 2, 16}, 3) && apart(0, (double[]){1, 2, 15.9}, 3),
          "a gap of three times a group's width, and of less");
    check(apart(0, (double[]){100, 400}, 2), "two seeds are no groups");
    check(apart(0, NULL, 0), "no seeds");
}

/* By dealing them one by one. */
static double dealt_by_hand(uint64_t actors, uint64_t mailboxes, uint32_t n_workers)
{
    uint64_t *has = calloc(n_workers, sizeof *has), most = 0;
    for (uint64_t i = 0; i < actors; i++) {
        uint32_t w = 0;
        while (i % mailboxes >= (w + 1ULL) * mailboxes / n_workers)
            w++;
        most = ++has[w] > most ? has[w] : most;
    }
    free(has);
    return (double)most * n_workers / (double)actors;
}

static void check_dealing(void)
{
    check(al_most_dealt(672, 768, 48) == 16 * 48 / 672., "672 rows to 48 workers");
    check(al_most_dealt(768, 768, 48) == 1, "768 rows to 48 workers");
    bool alike = true;
    for (uint64_t actors = 1; actors <= 300; actors += 13) {
        for (uint32_t workers = 1; workers <= 9; workers++) {
            for (uint64_t mailboxes = workers; mailboxes < 60; mailboxes += 7)
                alike &= fabs(al_most_dealt(actors, mailboxes, workers) -
                              dealt_by_hand(actors, mailboxes, workers)) < 1e-9;
        }
    }
    check(alike, "as by dealing them one by one");
}

static struct al_evidence of(const char *benchmark, const char *scheduler, const char *idle,
                             const char *options)
{
    json_t *identity = json_pack("{s:s, s:s, s:s, s:i, s:{s:i}, s:o}", "benchmark", benchmark,
                                 "scheduler", scheduler, "idle", idle, "workers", 48, "parameters",
                                 "rows", 672, "options", json_loads(options, 0, NULL));
    struct al_evidence evidence = al_evidence_of(identity);
    json_decref(identity);
    return evidence;
}

static void check_plugins(void)
{
    struct al_evidence found = of("matrix", "inverted", "polling", "{\"relaxed_sleep\": 7000}");
    check(found.most_dealt == 16 * 48 / 672. && found.sleep_ns == 7e6, "of a record");
    check(found.took_part == 1, "so many rows that each worker may take part");
    check(of("matrix", "inverted", "spin", "{\"mailboxes\": 96}").most_dealt == 1,
          "in 96 mailboxes");
    check(of("matrix", "inverted", "backoff", "{}").sleep_ns == 1e6, "a default");
    check(of("matrix", "custody", "own", "{}").most_dealt < 0, "a strategy that deals evenly");
    check(of("send-static", "deque", "park", "{}").took_part < 0, "a workload of no such actors");
    found = of("matrix", "caf-stealing", "polling", "{}");
    check(found.most_dealt < 0 && found.sleep_ns == 0 && found.took_part < 0, "a peer");
}

int main(void)
{
    check_boundaries();
    check_took_part();
    check_states();
    check_dealing();
    check_plugins();
    return tap_done(&tap);
}
