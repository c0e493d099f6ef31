/* SPDX-License-Identifier: MIT */

/* The checker on programs whose number of executions is known: by counting, or from the literature
 * on memory models. */

#include "tests/engine/check_programs.h"

#include "core/sync/sync.h"
#include "tests/support/tap.h"

enum { X, Y, Z };

/* How many executions under sc, tso and c11. */
static const struct litmus {
    struct program program;
    uint64_t counts[3];
} litmus[] = {
    {{"SB", {{{STORE, X, 1}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {LOAD, X, 0}}}, 2}, {3, 4, 4}},
    {{"SB with fences",
      {{{STORE, X, 1}, {FENCE, 0, 0}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {FENCE, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 3, 3}},
    {{"SB with one fence",
      {{{STORE, X, 1}, {FENCE, 0, 0}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {LOAD, X, 0}}},
      2},
     {3, 4, 4}},
    {{"SB with a light fence and a barrier",
      {{{STORE, X, 1}, {LIGHT, 0, 0}, {LOAD, Y, 0}},
       {{STORE, Y, 1}, {MEMBARRIER, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 3, 3}},
    {{"SB with light fences",
      {{{STORE, X, 1}, {LIGHT, 0, 0}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {LIGHT, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 4, 4}},
    {{"SB with a light and a full fence",
      {{{STORE, X, 1}, {LIGHT, 0, 0}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {FENCE, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 4, 4}},
    {{"SB with exchanges",
      {{{EXCHANGE_ACQ_REL, X, 1}, {LOAD, Y, 0}}, {{EXCHANGE_ACQ_REL, Y, 1}, {LOAD, X, 0}}},
      2},
     {3, 3, 4}},
    {{"SB with exchanges that fail",
      {{{STORE, X, 1}, {STORE, Z, 5}, {CAS_ACQ_REL, Z, 7}, {LOAD, Y, 0}},
       {{STORE, Y, 1}, {FENCE, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 3, 4}},
    {{"MP", {{{STORE, X, 1}, {STORE, Y, 1}}, {{LOAD, Y, 0}, {LOAD, X, 0}}}, 2}, {3, 3, 4}},
    {{"MP with release", {{{STORE, X, 1}, {STORE_RELEASE, Y, 1}}, {{LOAD, Y, 0}, {LOAD, X, 0}}}, 2},
     {3, 3, 4}},
    {{"MP with release and acquire",
      {{{STORE, X, 1}, {STORE_RELEASE, Y, 1}}, {{LOAD_ACQUIRE, Y, 0}, {LOAD, X, 0}}},
      2},
     {3, 3, 3}},
    {{"MP with fences",
      {{{STORE, X, 1}, {FENCE, 0, 0}, {STORE, Y, 1}}, {{LOAD, Y, 0}, {FENCE, 0, 0}, {LOAD, X, 0}}},
      2},
     {3, 3, 3}},
    {{"MP through a read-modify-write",
      {{{STORE, X, 1}, {STORE_RELEASE, Y, 1}}, {{ADD, Y, 1}}, {{LOAD_ACQUIRE, Y, 0}, {LOAD, X, 0}}},
      3},
     {9, 9, 9}},
    {{"LB", {{{LOAD, X, 0}, {STORE, Y, 1}}, {{LOAD, Y, 0}, {STORE, X, 1}}}, 2}, {3, 3, 3}},
    {{"2+2W", {{{STORE, X, 1}, {STORE, Y, 2}}, {{STORE, Y, 1}, {STORE, X, 2}}}, 2}, {3, 3, 4}},
    {{"R", {{{STORE, X, 1}, {STORE, Y, 1}}, {{STORE, Y, 2}, {LOAD, X, 0}}}, 2}, {3, 4, 4}},
    {{"S", {{{STORE, X, 2}, {STORE, Y, 1}}, {{LOAD, Y, 0}, {STORE, X, 1}}}, 2}, {3, 3, 4}},
    {{"S with release and acquire",
      {{{STORE, X, 2}, {STORE_RELEASE, Y, 1}}, {{LOAD_ACQUIRE, Y, 0}, {STORE, X, 1}}},
      2},
     {3, 3, 3}},
    {{"W+RWC", {{{STORE, X, 1}}, {{LOAD, X, 0}, {LOAD, Y, 0}}, {{STORE, Y, 1}, {LOAD, X, 0}}}, 3},
     {7, 8, 8}},
    {{"IRIW",
      {{{STORE, X, 1}},
       {{STORE, Y, 1}},
       {{LOAD_ACQUIRE, X, 0}, {LOAD_ACQUIRE, Y, 0}},
       {{LOAD_ACQUIRE, Y, 0}, {LOAD_ACQUIRE, X, 0}}},
      4},
     {15, 15, 16}},
    {{"IRIW with fences",
      {{{STORE, X, 1}},
       {{STORE, Y, 1}},
       {{LOAD, X, 0}, {FENCE, 0, 0}, {LOAD, Y, 0}},
       {{LOAD, Y, 0}, {FENCE, 0, 0}, {LOAD, X, 0}}},
      4},
     {15, 15, 15}},
    {{"CoRR", {{{STORE, X, 1}}, {{LOAD, X, 0}, {LOAD, X, 0}}}, 2}, {3, 3, 3}},
    {{"CoWR", {{{STORE, X, 1}, {LOAD, X, 0}}, {{STORE, X, 2}}}, 2}, {3, 3, 3}},
    {{"4 increments", {{{ADD, X, 1}}, {{ADD, X, 1}}, {{ADD, X, 1}}, {{ADD, X, 1}}}, 4},
     {24, 24, 24}},
    {{"2 threads with 2 increments", {{{ADD, X, 1}, {ADD, X, 1}}, {{ADD, X, 1}, {ADD, X, 1}}}, 2},
     {6, 6, 6}},
    {{"a writer and 5 readers",
      {{{STORE, X, 1}},
       {{LOAD, X, 0}},
       {{LOAD, X, 0}},
       {{LOAD, X, 0}},
       {{LOAD, X, 0}},
       {{LOAD, X, 0}}},
      6},
     {32, 32, 32}},
    {{"2 compare-and-swaps", {{{CAS, X, 1}}, {{CAS, X, 2}}}, 2}, {2, 2, 2}},
    {{"3 compare-and-swaps", {{{CAS, X, 1}}, {{CAS, X, 2}}, {{CAS, X, 3}}}, 3}, {3, 3, 3}},
    {{"a lock, 2 threads", {{{LOCK, X, 0}, {UNLOCK, X, 0}}, {{LOCK, X, 0}, {UNLOCK, X, 0}}}, 2},
     {2, 2, 2}},
    {{"a lock, 3 threads",
      {{{LOCK, X, 0}, {UNLOCK, X, 0}},
       {{LOCK, X, 0}, {UNLOCK, X, 0}},
       {{LOCK, X, 0}, {UNLOCK, X, 0}}},
      3},
     {6, 6, 6}},
    {{"a lock, twice by 2 threads",
      {{{LOCK, X, 0}, {UNLOCK, X, 0}, {LOCK, X, 0}, {UNLOCK, X, 0}},
       {{LOCK, X, 0}, {UNLOCK, X, 0}, {LOCK, X, 0}, {UNLOCK, X, 0}}},
      2},
     {6, 6, 6}},
    {{"a choice", {{{CHOOSE, X, 3}}, {{LOAD, X, 0}}}, 2}, {6, 6, 6}},
    {{"a loop that waits", {{{STORE, X, 1}, {STORE, X, 2}}, {{AWAIT, X, 2}}}, 2}, {1, 1, 1}},
};

static const struct check_model *const models[] = {&check_sc, &check_tso, &check_c11};

static void count(struct tap *tap, enum check_way way)
{
    for (size_t i = 0; i < sizeof litmus / sizeof *litmus; i++) {
        for (size_t m = 0; m < 3; m++) {
            struct check_options options = {.model = models[m], .way = way, .count_graphs = true};
            struct check_result result = search_program(&litmus[i].program, &options, 0, 0);
            uint64_t complete = way == CHECK_ALL ? result.graphs : result.complete;
            tap_ok(tap,
                   result.outcome == CHECK_COMPLETE && complete == litmus[i].counts[m] &&
                       result.graphs == complete,
                   "%s: %s under %s: %llu, %llu different ones, %llu dropped %s",
                   way == CHECK_ALL ? "all" : "dpor", litmus[i].program.name, models[m]->name,
                   (unsigned long long)complete, (unsigned long long)result.graphs,
                   (unsigned long long)result.dropped, result.reason);
        }
    }
}

/* Abdulla and others, Optimal dynamic partial order reduction (POPL 2014): thread 0 looks for the
 * last zero of an array; thread i sets its element to one more than the one before. */
enum { ZEROS = 5 };
static struct al_atomic_u32 zeros[ZEROS + 1];

static void set_zeros(const struct al_scenario *self)
{
    (void)self;
    for (unsigned i = 0; i <= ZEROS; i++)
        al_u32_store_relaxed(&zeros[i], 0);
}

static void last_zero(unsigned number)
{
    if (number != 0) {
        al_u32_store_relaxed(&zeros[number], al_u32_load_relaxed(&zeros[number - 1]) + 1);
        return;
    }
    for (unsigned i = ZEROS; al_u32_load_relaxed(&zeros[i]) != 0; i--)
        continue;
}

int main(void)
{
    struct tap tap = {0};
    count(&tap, CHECK_ALL);
    count(&tap, CHECK_DPOR);
    static const struct al_scenario zero = {
        .name = "lastzero", .threads = ZEROS + 1, .set_up = set_zeros, .thread = last_zero};
    struct check_options options = {.model = &check_sc};
    struct check_result result;
    bool done = check_search(&zero, &options, &result) == 0;
    tap_ok(&tap, done && result.complete == 64, "lastzero(5): %llu",
           (unsigned long long)result.complete);
    return tap_done(&tap);
}
