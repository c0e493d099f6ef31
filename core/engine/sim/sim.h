/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_H
#define AL_SIM_H

/*
 * The simulated machine: a virtual engine that runs the tasks in the order of their PUs' clocks and
 * charges each reported access, and each operation of the seam, what it costs on a machine model
 * (core/machine/model.h). Pass &al_engine_sim as ops of an al_engine_config, and this as its model.
 *
 * The first task, which is the starter, and tasks that are not placed (al_engine_place) run on PUs
 * that nobody was placed on, if there are any.
 */

#include "core/engine/ops.h"
#include "core/machine/model.h"

struct al_sim_report {
    uint64_t accesses, switches, misses, transfers; /* transfers: misses served by another core */
    uint64_t page_faults;
    uint64_t queued_ps; /* time that transfers waited for others of the same line */
    uint64_t left_out;  /* looks of waiting tasks that were not simulated one by one */
    uint64_t ended_ps;  /* the starter's clock at the end */
    uint64_t hash;      /* of the event log */
    bool starter_alone; /* it had a PU of its own */
};

struct al_sim_config {
    const struct al_machine *machine;
    const unsigned *reserved; /* OS indices of the PUs that workers will be placed on */
    uint32_t n_reserved;
    struct al_sim_report *report; /* filled in at the end of the run; or NULL */
    /* By how many percent each cost of the machine may differ in this run, drawn from its seed: one
     * factor for each parameter, and for each pair in a matrix. */
    double jitter;
    bool each_look; /* looks of tasks that await an update are simulated one by one: to compare */
    bool exact;     /* every transfer and pause takes the same time: for programs without races */
};

#endif
