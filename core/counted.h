/* SPDX-License-Identifier: MIT */
#ifndef AL_COUNTED_H
#define AL_COUNTED_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A number of things. Returned by value, so that printf("%s", al_counted(n, "pair").text) needs no
 * buffer. */
struct al_counted {
    char text[48];
};

/* "1 pair", "2 pairs", "3 processes". The word is a singular of up to 24 bytes. */
static inline struct al_counted al_counted(uint64_t n, const char *word)
{
    size_t length = strlen(word);
    bool hisses = length > 0 && word[length - 1] == 's';
    struct al_counted out;
    snprintf(out.text, sizeof out.text, "%" PRIu64 " %.24s%s", n, word,
             n == 1   ? ""
             : hisses ? "es"
                      : "s");
    return out;
}

#endif
