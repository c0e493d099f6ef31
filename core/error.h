/* SPDX-License-Identifier: MIT */
#ifndef AL_ERROR_H
#define AL_ERROR_H

#include <stddef.h>

/* Errors for users: one line that says what is wrong, where, and what would be right. */
struct al_error {
    char text[512];
};

/* Writes the line (error may be NULL) and returns code, so that a caller can `return
 * al_error_set(…)`. */
__attribute__((format(printf, 3, 4))) int al_error_set(struct al_error *error, int code,
                                                       const char *format, ...);

/* A broken rule of the program under test: print one line and abort. */
__attribute__((noreturn, cold, format(printf, 1, 2))) void al_fatal(const char *format, ...);

/* Likewise, but go on. */
__attribute__((cold, format(printf, 1, 2))) void al_warn(const char *format, ...);

/* Print what could not be allocated and exit in order, with status AL_EXIT_MEMORY. */
#define AL_EXIT_MEMORY 70
__attribute__((noreturn, cold)) void al_out_of_memory(const char *what, size_t bytes);

#endif
