/* SPDX-License-Identifier: MIT */
#ifndef AL_TEST_SIM_MACHINE_H
#define AL_TEST_SIM_MACHINE_H

/*
 * A small machine with round numbers, for programs whose simulated time can be worked out by hand.
 * Accesses to the own L1 and most operations of the seam cost nothing, so that neither the compiler
 * nor its options change a time; a test sets what it is about.
 */

#include "core/engine/sim/sim.h"
#include "core/sync/sync.h"
#include "tests/support/tap.h"

#define LINE      64
#define PAGE      4096
#define PUS_MOST  64
#define TASKS     64
#define L1_LINES  64
#define L2_LINES  512
#define L3_LINES  4096
#define L2_NS     4
#define L3_NS     12
#define MEMORY_NS 100 /* of the own node */

/* How many of each part the part above has. */
struct shape {
    uint32_t packages, nodes, l3s, l2s, cores, pus;
};

/* PU i's OS index is i; the PUs of a part are consecutive. */
struct machine {
    struct al_machine machine;
    uint64_t seed;
    double jitter; /* as in struct al_sim_config */
    struct al_pu_parts pus[PUS_MOST];
    uint32_t core_pu[PUS_MOST], handoff[PUS_MOST * PUS_MOST], memory[PUS_MOST * PUS_MOST];
};

void machine_init(struct machine *machine, struct shape shape);
/* What a parameter is: in ns, or in its unit. */
void machine_set(struct machine *machine, enum al_model_key key, uint64_t value);
/* The class of the hand-off between two PUs, and of the memory that the first has from the
 * second's node; and what they cost in ns. */
enum al_model_key handoff_class(const struct machine *machine, uint32_t pu, uint32_t other);
uint64_t handoff_ns(const struct machine *machine, uint32_t pu, uint32_t other);
uint64_t memory_ns(const struct machine *machine, uint32_t pu, uint32_t other);

/* Run function(argument) inside the simulator; no PU is reserved. A run that does not end in order
 * ends the test. */
struct al_sim_report machine_run(const struct machine *machine, void (*function)(void *),
                                 void *argument);

/* Inside a run. */

/* Run function(argument) on this PU, and wait for its end. */
void on(uint32_t pu, void (*function)(void *), void *argument);

/* Functions that run at the same time: all begin at the same simulated moment, each on its PU. */
struct together {
    uint32_t n;
    struct {
        uint32_t pu;
        void (*function)(void *);
        void *argument;
        uint64_t began_ns, ended_ns;
        uint64_t begin_ns; /* when to begin; set by together_run */
        struct al_thread thread;
    } tasks[TASKS];
};
void together_add(struct together *together, uint32_t pu, void (*function)(void *), void *argument);
/* Returns how long it took until the last had ended, in ns. */
uint64_t together_run(struct together *together);

/* Each takes as its argument what it works on, and does one thing to its first word. */
void read_word(void *word);
void write_word(void *word);
void update_word(void *word);

/* How long one of them takes on this PU. */
uint64_t time_of(uint32_t pu, void (*function)(void *), void *argument);

/* So many bytes that begin a page. */
char *new_pages(size_t bytes);

/* Whether a time is within so many per mille of what it should be. */
bool near(uint64_t ns, uint64_t expected_ns, unsigned per_mille);

#endif
