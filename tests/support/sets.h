/* SPDX-License-Identifier: MIT */
#ifndef AL_SETS_H
#define AL_SETS_H

/* Sets of workers as text: "0-3 7". */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SET_MOST 64

/* Appends the set of those i < n with has[i]. */
static inline void set_print(char *text, size_t bytes, const bool *has, uint32_t n)
{
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!has[i] || (i > 0 && has[i - 1]))
            continue;
        uint32_t end = i;
        while (end + 1 < n && has[end + 1])
            end++;
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, end > i ? "%s%u-%u" : "%s%u", first ? "" : " ", i, end);
        first = false;
    }
}

#endif
