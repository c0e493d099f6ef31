/* SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sync/sync.h"

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

#define LINE_BYTES 512

void al_fatal(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    al_end_run(line);
    /* One write, so that lines of several threads do not mix. */
    fprintf(stderr, "actorlab: error: %s\n", line);
    abort();
}

void al_warn(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "actorlab: warning: %s\n", line);
}

void al_out_of_memory(const char *what, size_t bytes)
{
    fprintf(stderr, "actorlab: error: out of memory: %zu bytes for %s\n", bytes, what);
    exit(AL_EXIT_MEMORY);
}
