/* SPDX-License-Identifier: MIT */

/*
 * How fast the cores of a package run. Turbo frequencies fall with the number of cores that run
 * (Intel, "Intel Turbo Boost Technology in Intel Core Microarchitecture (Nehalem) Based
 * Processors", 2008), in steps that differ from model to model; between one core and all, the speed
 * here falls linearly.
 */

#include "core/engine/sim/pace.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/sim/private.h"

static void set_pace(struct package *package)
{
    uint32_t others = package->cores - 1, beside = package->run > 1 ? package->run - 1 : 0;
    if (others == 0)
        return;
    uint32_t whole = 100 * others, speed = whole - (100 - package->all) * beside;
    package->pace = (uint32_t)(((uint64_t)whole << PACE_SHIFT) / speed);
}

int sim_pace_new(struct sim *sim)
{
    const struct al_machine *machine = sim->machine;
    sim->packages = calloc(machine->n_packages, sizeof *sim->packages);
    if (sim->packages == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < machine->n_packages; i++)
        sim->packages[i] = (struct package){
            .all = (uint32_t)sim->ps[AL_MODEL_CORES_ALL],
            .pace = 1 << PACE_SHIFT,
        };
    bool slows = false;
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        struct package *package = &sim->packages[sim->cores[i].parts->package];
        sim->cores[i].package = package;
        slows |= ++package->cores > 1 && package->all != 100;
    }
    sim->full_speed = slows ? -1 : 1;
    return 0;
}

void sim_pace_free(struct sim *sim)
{
    free(sim->packages);
}

void sim_core_runs(struct core *core)
{
    if (core->held++ == 0) {
        core->package->run++;
        set_pace(core->package);
    }
}

void sim_core_rests(struct core *core)
{
    if (--core->held == 0) {
        core->package->run--;
        set_pace(core->package);
    }
}
