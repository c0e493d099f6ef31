/* SPDX-License-Identifier: MIT */
#ifndef AL_FAKE_ROOT_H
#define AL_FAKE_ROOT_H

/* A made-up machine: a folder with a proc and a sys. */

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/measure/probe.h"
#include "tests/support/tap.h"

/* The folder of the test that is running. */
static char root[64];

static inline void root_make(void)
{
    strcpy(root, "/tmp/al-root-XXXXXX");
    CHECK(mkdtemp(root) != NULL, "%s", root);
}

static inline int root_remove_one(const char *path, const struct stat *status, int type,
                                  struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static inline void root_remove(void)
{
    CHECK(nftw(root, root_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "%s", root);
}

/* Write a file below the root, and the folders that it needs. */
__attribute__((format(printf, 2, 3))) static inline void root_put(const char *name,
                                                                  const char *format, ...)
{
    struct al_path path = al_path(root, "%s", name);
    for (char *slash = path.text + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        CHECK(mkdir(path.text, 0777) == 0 || errno == EEXIST, "%s", path.text);
        *slash = '/';
    }
    FILE *file = fopen(path.text, "w");
    CHECK(file != NULL, "%s", path.text);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

#endif
