/* SPDX-License-Identifier: MIT */
#ifndef AL_CHILD_H
#define AL_CHILD_H

#include <stdio.h>

/* Another program that draws for us. Few of them notice when they cannot write: so each writes into memory, and we
 * from there. */

/* A file without a disk that could be full; or NULL, with an errno. */
FILE *al_memory_file(void);

/* Runs a program of the PATH to its end, with these as its standard streams; NULL: ours. It reads `in` from the start.
 * Returns its status as waitpid has it, or a negative errno if it did not start. */
int al_child_run(char *const command[], FILE *in, FILE *out, FILE *error);

/* All of `from`, from the start. Whether all was written, `to` knows. */
void al_copy(FILE *from, FILE *to);

#endif
