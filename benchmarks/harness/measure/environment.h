/* SPDX-License-Identifier: MIT */
#ifndef AL_ENVIRONMENT_H
#define AL_ENVIRONMENT_H

/* What a result was measured on, and with. */

#include <stdint.h>

#include <jansson.h>

struct al_topology;

/* A new JSON object; what cannot be found out is null. NULL without memory. */
json_t *al_environment(const struct al_topology *topology);

enum al_switch { AL_SWITCH_OFF, AL_SWITCH_ON, AL_SWITCH_UNKNOWN };

/* Whether the CPUs may run faster than their nominal frequency. root as al_path has it. */
enum al_switch al_turbo(const char *root);

/* Whether addresses of processes like this one are random. */
enum al_switch al_aslr(const char *root);

/* What memory the kernel makes huge pages of without being asked: "always", "madvise" or "never". A new string, or NULL if
 * it is unknown. */
char *al_huge_pages(const char *root);

/* Memory that a process can still get here, bytes: of the machine, and of its cgroup; 0 if unknown. */
uint64_t al_available_bytes(void);

/* jemalloc's statistics, bytes: what the program holds, and what of it is resident, with the allocator's own. 0 if it
 * is not linked. */
void al_allocator_bytes(uint64_t *allocated, uint64_t *resident);

/* The largest resident set that this process has had, bytes; 0 if unknown. */
uint64_t al_peak_rss_bytes(void);

#endif
