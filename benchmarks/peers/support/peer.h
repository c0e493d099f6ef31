/* SPDX-License-Identifier: MIT */
#ifndef AL_PEER_H
#define AL_PEER_H

/* What the peers in C share: the protocol of docs/reference/peers.md. */

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/option.h"

/* A peer's command line. */
struct al_peer_arguments {
    const char *workload;
    uint64_t workers, iterations, warmup, seed;
    struct al_setting settings[AL_OPTIONS_MOST]; /* of --set, in order */
    size_t n_settings;
};

/* Print "PROGRAM: …" and exit with 2: the user's mistake, or what is not supported. */
__attribute__((noreturn, format(printf, 1, 2))) void al_peer_refuse(const char *format, ...);

/* A whole number of at least `least`; refuses any other text. */
uint64_t al_peer_number(const char *text, uint64_t least);

/* Parse a command line; refuses what is no part of the protocol. It cuts KEY=VALUE at the equals
 * sign. */
void al_peer_parse(int argc, char **argv, struct al_peer_arguments *arguments);

/* Bind the calling thread to the id-th PU that this process may use; if that fails, it stays
 * unbound. */
void al_peer_bind(uint64_t id);

/* Monotonic time in nanoseconds. */
uint64_t al_peer_now_ns(void);

/*
 * Print the record and return the exit code. `parameters` and `times` (in nanoseconds) are released
 * here. error: what was got and what is right, if the answer was wrong; or NULL.
 */
int al_peer_print(const struct al_peer_arguments *arguments, json_t *parameters, json_t *times,
                  uint64_t messages, const char *version, const char *error);

#endif
