/* SPDX-License-Identifier: MIT */
#ifndef AL_COMMANDS_H
#define AL_COMMANDS_H

/* The subcommands of `actorlab`; arguments.h says what each is made of. */

#include "benchmarks/harness/text/exit.h"

struct al_command;

extern const struct al_command al_run_command, al_check_command, al_list_command, al_topo_command,
    al_env_command, al_machine_command, al_calibrate_command, al_floors_command, al_results_command,
    al_summarize_command, al_compare_command, al_advise_command, al_export_command, al_plot_command;

#endif
