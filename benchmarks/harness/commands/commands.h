/* SPDX-License-Identifier: MIT */
#ifndef AL_COMMANDS_H
#define AL_COMMANDS_H

/* The subcommands of `actorlab`. Each takes its arguments with its own name in argv[0] and returns
 * an exit code. */

enum al_exit {
    AL_EXIT_OK,
    AL_EXIT_FAILED,        /* a trial failed */
    AL_EXIT_USAGE,         /* usage or configuration */
    AL_EXIT_WRITE,         /* results could not be written */
    AL_EXIT_UNSURE,        /* compare: the machine was too loud to see a regression */
    AL_EXIT_TIMEOUT = 124, /* run: no message was delivered for too long */
};

int al_run_main(int argc, char **argv);
int al_check_main(int argc, char **argv);
int al_list_main(int argc, char **argv);
int al_env_main(int argc, char **argv);
int al_topo_main(int argc, char **argv);
int al_export_main(int argc, char **argv);
int al_plot_main(int argc, char **argv);
int al_results_main(int argc, char **argv);

#endif
