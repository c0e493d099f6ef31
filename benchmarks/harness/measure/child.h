/* SPDX-License-Identifier: MIT */
#ifndef AL_CHILD_H
#define AL_CHILD_H

#include <stddef.h>
#include <stdio.h>

#include "benchmarks/harness/measure/calibrate.h"
#include "core/error.h"

/*
 * Running another program that draws for us. Most do not report failed writes, so each
 * writes to memory, and we copy from there.
 */

/* A file in memory; NULL with an errno if there is none. A full disk cannot harm it. */
FILE *al_memory_file(void);

/*
 * Run a program of the PATH to its end with these standard streams; NULL stands for ours. It reads
 * `in` from the start. Returns its status as waitpid does, or a negative errno if it did not start.
 */
int al_child_run(char *const command[], FILE *in, FILE *out, FILE *error);

/*
 * The same with each line that it prints, without its end, passed to a function as it comes.
 */
int al_child_lines(char *const command[], void (*take)(void *argument, const char *line),
                   void *argument);

/* The path of another program, by where it lies from the folder of this one. 0, or a negative errno
 * with a line in error. Whether it is there was not looked at. */
__attribute__((warn_unused_result)) int al_child_beside(const char *name, char path[], size_t size,
                                                        struct al_error *error);

/* The path of what is there of the two, each by where it lies from the folder of this program, the
 * built one first; that of the installed one if neither is. Returns like al_child_beside. */
__attribute__((warn_unused_result)) int al_child_place(const char *built, const char *installed,
                                                       char path[], size_t size,
                                                       struct al_error *error);

/* Copy all of `from`, from its start. Errors show in ferror(to). */
void al_copy(FILE *from, FILE *to);

/* Runs of a workload in a process of their own. */

/*
 * Run a program that prints one record, as `actorlab run --json -` and peers do, and add the time
 * of each of its iterations, in nanoseconds for each message. A negative errno with a line in error
 * if it fails: what it said first, or what its record says.
 */
__attribute__((warn_unused_result)) int al_child_times(char *const command[], struct al_samples *ns,
                                                       struct al_error *error);

#endif
