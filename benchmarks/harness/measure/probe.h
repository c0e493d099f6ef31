/* SPDX-License-Identifier: MIT */
#ifndef AL_PROBE_H
#define AL_PROBE_H

/* Reading the small files of /proc and /sys in which the kernel describes the machine. */

#include <stdbool.h>
#include <stdint.h>

#define AL_UNKNOWN UINT64_MAX

struct al_path {
    char text[512];
};

/* A path below root: "" for this machine, or a folder that holds a proc and a sys. Returned by value, as
 * al_text is. */
__attribute__((format(printf, 2, 3))) struct al_path al_path(const char *root, const char *format,
                                                             ...);

/* The rest of the file's first line that begins with key, without separators; NULL if there is none. The
 * caller frees it. */
char *al_probe_line(const char *path, const char *key);

/* The number after key, as al_probe_line; or AL_UNKNOWN, also for "max" and below 0. */
uint64_t al_probe_number(const char *path, const char *key);

/* What the control groups of this process, version 1 or 2, allow it of the CPUs. */
struct al_cpu_quota {
    double pus; /* as many CPUs as one could use all the time; 0: no limit is known */
    uint64_t
        throttled_ns; /* how long groups were stopped so far for having used it up, or AL_UNKNOWN */
};

struct al_cpu_quota al_cpu_quota(const char *root);

#endif
