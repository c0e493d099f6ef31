/* SPDX-License-Identifier: MIT */
#ifndef AL_ENVIRONMENT_H
#define AL_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct al_topology;

/* The machine and the program that a result was measured with. */

/* A new JSON object, in which unknown values are null; NULL without memory. */
json_t *al_environment(const struct al_topology *topology);

/* The name of the kind of a PU's core as JSON; null if the machine has one kind only, or does not
 * tell, or the PU is below 0. */
json_t *al_kind_json(const struct al_topology *topology, int pu);

enum al_switch { AL_SWITCH_OFF, AL_SWITCH_ON, AL_SWITCH_UNKNOWN };

/* Whether the CPUs may run faster than their nominal frequency. root is that of al_path. */
enum al_switch al_turbo(const char *root);

/* Whether the kernel randomizes the addresses of processes like this one. */
enum al_switch al_aslr(const char *root);

/*
 * Which memory becomes transparent huge pages: "always", "madvise" or "never". A new string; NULL
 * if unknown.
 */
char *al_huge_pages(const char *root);

/*
 * Bytes of memory that this process can still get, by the limits of the machine and of its cgroup;
 * 0 if unknown.
 */
uint64_t al_available_bytes(void);

/*
 * jemalloc's statistics in bytes: what the program has allocated, and what is resident, including
 * the allocator's own memory. 0 if jemalloc is not linked.
 */
void al_allocator_bytes(uint64_t *allocated, uint64_t *resident);

/* The largest resident set of this process so far, in bytes; 0 if unknown. */
uint64_t al_peak_rss_bytes(void);

/* The identity of this program. */

/* The commit that it was built from, as git describes it. */
extern const char al_revision[];

#define AL_BUILD_BYTES 32

/* A hash of the sources that it was built from, whether they were committed or not. */
extern const char al_build[AL_BUILD_BYTES];

/* Whether the program in this file was built from the same sources as this one. */
bool al_binary_is_alike(const char *path);

/*
 * The first bytes of the BLAKE2b hash of this program's file without the revision in it. Equal
 * programs have equal hashes, so a commit that does not change the program does not end a sweep. 0
 * if the file cannot be read.
 */
uint64_t al_binary_hash(void);

#endif
