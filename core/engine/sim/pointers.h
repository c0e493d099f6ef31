/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_POINTERS_H
#define AL_SIM_POINTERS_H

/* Which addresses a task's loads have found, and when: a load of what another load points to waits
 * for that one's value. */

#include "core/engine/sim/private.h"

/* The pointers to this line: bit i stands for the i-th last. All are compared at once. */
static inline uint32_t pointers_to(const struct sim_task *task, uint32_t line)
{
    four_lines first = line - task->pointed[0], second = line - task->pointed[1];
    first = (four_lines)((first & ~(POINTED_LINES - 1u)) == 0) & (four_lines){1, 2, 4, 8};
    second = (four_lines)((second & ~(POINTED_LINES - 1u)) == 0) & (four_lines){16, 32, 64, 128};
    typedef uint64_t two_halves __attribute__((vector_size(16)));
    two_halves bits = (two_halves)(first | second);
    uint64_t half = bits[0] | bits[1];
    return (uint32_t)half | (uint32_t)(half >> 32);
}

/*
 * When the core asks for a line whose address was known before: now, or, behind a locked
 * instruction that has waited, meanwhile. Such a request has reached the line's owner by now. After
 * a load from the line that the instruction has waited for, addresses may be computed of what came
 * with it, such as an index into a queue that the lock protects.
 */
static inline bool asks_early(const struct sim_task *task)
{
    return task->meanwhile != 0 && task->awaited != NO_LINE;
}

static inline uint64_t asked_at(const struct sim_task *task)
{
    return asks_early(task) ? task->clock - task->meanwhile : task->clock;
}

/* When the address of a load is known, which may have been found by another load that still waits
 * for its value; 0: it was known before. */
static inline uint64_t address_known(const struct sim_task *task, uint32_t line)
{
    if (task->meanwhile == 0 && task->loaded <= task->clock) /* nothing waits */
        return 0;
    uint32_t bits = pointers_to(task, line);
    if (bits == 0)
        return 0;
    return task->pointers[(task->n_pointers - 1 - (uint32_t)__builtin_ctz(bits)) % POINTERS];
}

/* A load finds the address of this line at this time. */
static inline void add_pointer(struct sim_task *task, uint32_t line, uint64_t ready)
{
    four_lines first = task->pointed[0], second = task->pointed[1];
    task->pointed[1] = __builtin_shufflevector(first, second, 3, 4, 5, 6);
    task->pointed[0] = __builtin_shufflevector(first, (four_lines){line}, 4, 0, 1, 2);
    task->pointers[task->n_pointers++ % POINTERS] = ready;
}

/* If the value at this address is one, remember when it is found. */
static inline void note_pointer(const struct sim *sim, struct sim_task *task, const void *address,
                                size_t bytes, uint64_t ready)
{
    if (bytes != sizeof(void *) || ((uintptr_t)address & (sizeof(void *) - 1)) != 0)
        return;
    uint32_t found = sim_line(sim, *(void *const *)address);
    if (found != NO_LINE)
        add_pointer(task, found, ready);
}

#endif
