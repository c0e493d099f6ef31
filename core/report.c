/* SPDX-License-Identifier: MIT */
#include "core/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/machine/locality.h"
#include "core/observe/histogram.h"
#include "core/system_private.h"

static void merge_latencies(const struct al_system *system, struct al_report *report)
{
    report->latencies = al_histogram_new();
    for (uint32_t i = 0; i < system->shown.n_workers; i++)
        al_histogram_merge(report->latencies, system->shown.workers[i].latencies);
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        al_histogram_merge(report->latencies, w->latencies);
}

/* Locality and counters are released with the system: copy what a worker's report needs of them. */
static void copy_levels(struct al_worker_report *report, const struct al_worker *worker)
{
    if (worker->steals_by_level == NULL)
        return;
    const struct al_locality *locality = worker->system->locality;
    report->n_levels = al_locality_n_levels(locality, worker->id);
    report->steals_by_level = calloc(report->n_levels, sizeof *report->steals_by_level);
    if (report->steals_by_level == NULL)
        al_out_of_memory("the report", report->n_levels * sizeof *report->steals_by_level);
    for (uint32_t k = 0; k < report->n_levels; k++) {
        struct al_level_steals *level = &report->steals_by_level[k];
        level->steals = worker->steals_by_level[k];
        snprintf(level->level, sizeof level->level, "%s",
                 al_locality_level(locality, worker->id, k)->name);
    }
}

void al_report_fill(struct al_report *report, const struct al_system *system)
{
    uint64_t ns, cycles;
    al_clock_pair(&ns, &cycles);
    ns -= system->started_ns;
    cycles -= system->started_cycles;
    *report = (struct al_report){
        .n_workers = system->shown.n_workers,
        .workers = calloc(system->shown.n_workers + 1, sizeof *report->workers),
        .scheduler = system->shown.scheduler,
        .victim = system->shown.victim,
        .idle = system->shown.idle,
        .oversubscribed = system->shown.oversubscribed,
        .ns_per_cycle = cycles > 0 ? (double)ns / (double)cycles : 1,
        .started_ns = system->started_ns,
        .started_cycles = system->started_cycles,
    };
    if (report->workers == NULL)
        al_out_of_memory("the report", (system->shown.n_workers + 1) * sizeof *report->workers);
    al_locality_describe(system->shown.locality, report->locality, sizeof report->locality);
    for (uint32_t i = 0; i <= system->shown.n_workers; i++) {
        struct al_worker *worker = &system->shown.workers[i];
        report->workers[i] = (struct al_worker_report){
            .actors_created = al_u64_load_relaxed(&worker->created),
            .actors_terminated = al_u64_load_relaxed(&worker->terminated),
            .counters = worker->counters,
            .pu = worker->pu,
            .bound = worker->bound,
            .node = worker->node,
            .trace = worker->trace,
        };
        worker->trace = NULL; /* the report's now */
        copy_levels(&report->workers[i], worker);
    }
    if (system->latencies)
        merge_latencies(system, report);
    struct al_worker_report *outside = &report->workers[system->shown.n_workers];
    if (AL_COUNTERS)
        outside->counters.messages_sent += system->outside.n_posted;
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next) {
        outside->actors_created += al_u64_load_relaxed(&w->created);
        outside->actors_terminated += al_u64_load_relaxed(&w->terminated);
#define ADD(name, help) outside->counters.name += w->counters.name;
        AL_COUNTERS_LIST(ADD)
#undef ADD
    }
}

void al_report_free(struct al_report *report)
{
    for (uint32_t i = 0; report->workers != NULL && i <= report->n_workers; i++) {
        free(report->workers[i].trace);
        free(report->workers[i].steals_by_level);
    }
    free(report->workers);
    free(report->latencies);
    report->workers = NULL;
    report->latencies = NULL;
}
