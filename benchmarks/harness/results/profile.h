/* SPDX-License-Identifier: MIT */
#ifndef AL_RESULTS_PROFILE_H
#define AL_RESULTS_PROFILE_H

#include <jansson.h>
#include <stdint.h>

#include "core/error.h"

/*
 * The profile of a workload, as records have it and people write it: X(key, least, most, help) for
 * each number. docs/reference/profiles.md explains them. Profiles are compared on a logarithmic
 * scale, where everything below `least` counts as that; a number with least = 0 is not compared.
 */
#define AL_PROFILE_FIELDS(X)                                                                       \
    X(messages_per_s, 1000, 1e12)                                                                  \
    X(work_ns, 10, 1e18)                                                                           \
    X(work_p99_ns, 0, 1e18)                                                                        \
    X(senders, 1, 1e12)                                                                            \
    X(senders_most, 0, 1e12)                                                                       \
    X(busiest_1, 0.01, 1)                                                                          \
    X(busiest_10, 0, 1)                                                                            \
    X(actors_per_worker, 1, 1e12)                                                                  \
    X(local, 0.01, 1)                                                                              \
    X(fan_out, 1, 1e12)                                                                            \
    X(created, 0.01, 1e12)                                                                         \
    X(message_bytes, 0, 1e18)

enum al_profile_field {
#define AL_PROFILE_FIELD(key, least, most) AL_PROFILE_##key,
    AL_PROFILE_FIELDS(AL_PROFILE_FIELD)
#undef AL_PROFILE_FIELD
        AL_PROFILE_N
};

/* The numbers of a profile; NAN: not known. */
struct al_profile_values {
    double of[AL_PROFILE_N];
    uint32_t workers; /* 0: not known */
};

/*
 * Read the profile of a record, or what somebody wrote: an object with any of the keys, and with
 * `workers`. 0, or -EINVAL with a line in error.
 */
__attribute__((warn_unused_result)) int
al_profile_parse(const json_t *object, struct al_profile_values *out, struct al_error *error);

/* Read the file of a profile, or of a record that has one; "-" is standard input. 0, or -EINVAL
 * with a line in error. */
__attribute__((warn_unused_result)) int
al_profile_read(const char *path, struct al_profile_values *out, struct al_error *error);

/*
 * By which factor two profiles differ: the geometric mean over the numbers that are compared and
 * that both have, messages per second by worker. 1 or more; NAN if they have none in common.
 */
double al_profile_apart(const struct al_profile_values *a, const struct al_profile_values *b);

/* What is most remarkable about a workload in a few words, such as "fan-in"; "" if not known. */
const char *al_profile_kind(const struct al_profile_values *profile);

#endif
