/* SPDX-License-Identifier: MIT */
#ifndef AL_REASONS_H
#define AL_REASONS_H

#include "benchmarks/harness/results/cells.h"

/*
 * Which recorded counters set two cells apart, in words that the caller frees: "deque: a steal
 * every 2.1 messages (custody: every 99 messages), a wait for a lock every 26 messages (custody:
 * none)". Only those that happen at least twice as often in one cell as in the other, in nearly all
 * trials of both, and at least once in a hundred messages; at most so many for either cell. NULL:
 * none does. Whether it is why one is faster is for the reader to judge.
 */
char *al_reasons(const struct al_cell *const cells[2], const char *const names[2], size_t most);

#endif
