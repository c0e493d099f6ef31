/* SPDX-License-Identifier: MIT */
#ifndef AL_TERMINATION_H
#define AL_TERMINATION_H

/* The end of a system: no actor is alive and none can be created any more. Workers call
 * al_worker_done (core/worker.h). */

struct al_system;

/* End the workers if the system is stopping and no actor is alive. Any worker, and
 * al_system_stop. */
void al_system_finish_if_quiescent(struct al_system *system);

#endif
