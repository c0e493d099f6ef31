/* SPDX-License-Identifier: MIT */
#include "core/engine/check/set.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/error.h"

struct check_set {
    uint64_t n, capacity; /* a power of two */
    uint64_t *numbers;    /* 0: free */
};

static void allocate(struct check_set *set, uint64_t capacity)
{
    set->n = 0;
    set->capacity = capacity;
    set->numbers = calloc(capacity, sizeof *set->numbers);
    if (set->numbers == NULL)
        al_out_of_memory("the checker", capacity * sizeof *set->numbers);
}

struct check_set *check_set_new(void)
{
    struct check_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        al_out_of_memory("the checker", sizeof *set);
    allocate(set, 1024);
    return set;
}

void check_set_free(struct check_set *set)
{
    if (set == NULL)
        return;
    free(set->numbers);
    free(set);
}

static void grow(struct check_set *set)
{
    struct check_set old = *set;
    allocate(set, 2 * old.capacity);
    for (uint64_t i = 0; i < old.capacity; i++) {
        if (old.numbers[i] != 0)
            check_set_add(set, old.numbers[i]);
    }
    free(old.numbers);
}

bool check_set_add(struct check_set *set, uint64_t number)
{
    number += number == 0;
    if (2 * set->n >= set->capacity)
        grow(set);
    uint64_t i = number & (set->capacity - 1);
    for (; set->numbers[i] != 0; i = (i + 1) & (set->capacity - 1)) {
        if (set->numbers[i] == number)
            return false;
    }
    set->numbers[i] = number;
    set->n++;
    return true;
}
