/* SPDX-License-Identifier: MIT */
#ifndef AL_PROBE_H
#define AL_PROBE_H

/* Reads the small files of /proc and /sys in which the kernel describes the machine. */

#include <stdbool.h>
#include <stdint.h>

#define AL_UNKNOWN UINT64_MAX

struct al_path {
    char text[512];
};

/*
 * A path below root: "" for this machine, or a folder that holds a proc and a sys. Returned by
 * value, as al_text is.
 */
__attribute__((format(printf, 2, 3))) struct al_path al_path(const char *root, const char *format,
                                                             ...);

/*
 * What follows key on the file's first line that begins with it, without separators; NULL if there
 * is no such line. The caller frees it.
 */
char *al_probe_line(const char *path, const char *key);

/*
 * The number after key, found as by al_probe_line. AL_UNKNOWN if there is none, for "max" and for
 * negative numbers.
 */
uint64_t al_probe_number(const char *path, const char *key);

/* The CPU quota of this process, by its control groups of version 1 or 2. */
struct al_cpu_quota {
    double pus; /* how many CPUs it can use all the time; 0: no known limit */
    uint64_t
        throttled_ns; /* how long groups have been stopped for exceeding the quota; or AL_UNKNOWN */
};

struct al_cpu_quota al_cpu_quota(const char *root);

#endif
