/* SPDX-License-Identifier: MIT */
#ifndef AL_RUN_MACHINE_H
#define AL_RUN_MACHINE_H

/* Where `actorlab run` runs: this machine, or one that is simulated. */

#include "benchmarks/harness/commands/run.h"

/* What al_topology_load takes for this run: the file of its machine, its --topology, or NULL for
 * this machine. -EINVAL with a line in error for an unknown machine. The caller frees it. */
__attribute__((warn_unused_result)) int al_run_topology(const struct al_run *run, char **spec,
                                                        struct al_error *error);

/*
 * The machine of a run that simulates one, with its --model, into its trial; NULL for a native one.
 * -EINVAL with a line in error for a mistake. Free the model with al_model_free in either case.
 */
__attribute__((warn_unused_result)) int al_run_model(struct al_run *run,
                                                     const struct al_topology *topology,
                                                     struct al_model **model,
                                                     struct al_error *error);

#endif
