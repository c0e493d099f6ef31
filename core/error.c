/* SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int al_error_set(struct al_error *error, int code, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

static void print(const char *kind, const char *format, va_list arguments)
{
    /* One write, so that lines of several threads do not mix. */
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "actorlab: %s: %s\n", kind, line);
}

void al_fatal(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print("error", format, arguments);
    va_end(arguments);
    abort();
}

void al_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print("warning", format, arguments);
    va_end(arguments);
}

void al_out_of_memory(const char *what, size_t bytes)
{
    fprintf(stderr, "actorlab: error: out of memory: %zu bytes for %s\n", bytes, what);
    exit(AL_EXIT_MEMORY);
}
