/* SPDX-License-Identifier: MIT */
#ifndef AL_EXIT_H
#define AL_EXIT_H

/* The exit codes of subcommands. */
enum al_exit {
    AL_EXIT_OK,
    AL_EXIT_FAILED,        /* a trial failed, or a line was no record */
    AL_EXIT_USAGE,         /* usage or configuration */
    AL_EXIT_WRITE,         /* results could not be written */
    AL_EXIT_UNSURE,        /* compare: a gate that could not have failed */
    AL_EXIT_TIMEOUT = 124, /* run: no message was delivered for too long */
};

#endif
