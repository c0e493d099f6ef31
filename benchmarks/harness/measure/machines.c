/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/machines.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/places.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/names.h"

#define SUFFIX ".xml"

static int find_folder(char path[PATH_MAX], struct al_error *error)
{
    return al_child_place(AL_MACHINES_BUILT, AL_MACHINES_INSTALLED, path, PATH_MAX, error);
}

static bool is_file_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

static int is_machine(const struct dirent *entry)
{
    return is_file_name(entry->d_name) && entry->d_name[0] != '.';
}

int al_machine_names(struct al_machine_names *names, struct al_error *error)
{
    struct dirent **entries;
    char folder[PATH_MAX];
    *names = (struct al_machine_names){0};
    int code = find_folder(folder, error);
    if (code != 0)
        return code;
    int n = scandir(folder, &entries, is_machine, alphasort);
    if (n < 0)
        return al_error_set(error, -errno, "cannot read the folder of machines %s: %s", folder,
                            strerror(errno));
    names->all = al_needed(calloc((size_t)n + 1, sizeof *names->all));
    for (int i = 0; i < n; i++) {
        size_t length = strlen(entries[i]->d_name) - strlen(SUFFIX);
        names->all[names->n++] = al_needed(strndup(entries[i]->d_name, length));
        free(entries[i]);
    }
    free(entries);
    return 0;
}

void al_machine_names_free(struct al_machine_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->all[i]);
    free(names->all);
    *names = (struct al_machine_names){0};
}

/* Whether a machine has this name; 1 if it has, or a negative errno after a line in error. */
static int find(const char *name, struct al_error *error)
{
    struct al_machine_names known;
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    int code = al_machine_names(&known, error);
    if (code != 0)
        return code;
    for (size_t i = 0; i < known.n && code == 0; i++) {
        code = strcmp(known.all[i], name) == 0;
        al_names_add(&names, known.all[i]);
    }
    al_machine_names_free(&known);
    if (code == 0)
        code = al_names_error(&names, "machine", error);
    return code;
}

int al_machine_path(const char *name, char **path, struct al_error *error)
{
    if (is_file_name(name)) {
        *path = al_text("%s", name);
    } else if (strchr(name, '/') != NULL) {
        return al_error_set(error, -EINVAL,
                            "'%s' does not name a machine file; valid: a name that `actorlab "
                            "machine` lists, or a file" SUFFIX,
                            name);
    } else {
        char folder[PATH_MAX];
        int code = find(name, error);
        if (code >= 0)
            code = find_folder(folder, error);
        if (code < 0)
            return code;
        *path = al_text("%s/%s" SUFFIX, folder, name);
    }
    return 0;
}
