/* SPDX-License-Identifier: MIT */
#ifndef AL_TAP_H
#define AL_TAP_H

/* The Test Anything Protocol, for meson: one line per case. */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct tap {
    unsigned n, failed;
};

__attribute__((format(printf, 3, 4))) static inline bool tap_ok(struct tap *tap, bool ok,
                                                                const char *name, ...)
{
    va_list arguments;
    va_start(arguments, name);
    printf("%sok %u - ", ok ? "" : "not ", ++tap->n);
    vprintf(name, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
    tap->failed += !ok;
    return ok;
}

/* Print the plan, at the end; returns main's exit code. */
static inline int tap_done(const struct tap *tap)
{
    printf("1..%u\n", tap->n);
    return tap->failed != 0;
}

/* Report a broken invariant deep inside a test with one line, then abort. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);          \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
