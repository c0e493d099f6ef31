/* SPDX-License-Identifier: MIT */
#ifndef AL_EXIT_H
#define AL_EXIT_H

/* What a subcommand ends with. */
enum al_exit {
    AL_EXIT_OK,
    AL_EXIT_FAILED,        /* a trial failed, or a line was no record */
    AL_EXIT_USAGE,         /* usage or configuration */
    AL_EXIT_WRITE,         /* results could not be written */
    AL_EXIT_UNSURE,        /* compare: the machine was too loud to see a regression */
    AL_EXIT_TIMEOUT = 124, /* run: no message was delivered for too long */
};

#endif
