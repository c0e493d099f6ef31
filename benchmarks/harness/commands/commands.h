/* SPDX-License-Identifier: MIT */
#ifndef AL_COMMANDS_H
#define AL_COMMANDS_H

#include "benchmarks/harness/text/exit.h"

/* The subcommands of `actorlab`. Each takes its arguments with its own name in argv[0] and returns
 * an exit code. */

int al_run_main(int argc, char **argv);
int al_check_main(int argc, char **argv);
int al_list_main(int argc, char **argv);
int al_env_main(int argc, char **argv);
int al_topo_main(int argc, char **argv);
int al_export_main(int argc, char **argv);
int al_plot_main(int argc, char **argv);
int al_results_main(int argc, char **argv);

#endif
