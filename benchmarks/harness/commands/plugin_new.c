/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/plugin_new.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "benchmarks/harness/commands/flags.h"
#include "benchmarks/harness/measure/child.h"

#define MARK "@name@" /* in a template, for the plug-in's name */

const char *const al_plugin_kinds[] = {[AL_PLUGIN_STRATEGY] = "strategy",
                                       [AL_PLUGIN_VICTIM] = "victim",
                                       [AL_PLUGIN_IDLE] = "idle",
                                       [AL_PLUGIN_WORKLOAD] = "workload",
                                       NULL};

/* Copy a template line by line, with the name where it is marked. */
static void fill(FILE *from, const char *name, FILE *to)
{
    char line[512];
    while (fgets(line, sizeof line, from) != NULL) {
        const char *rest = line, *mark;
        for (; (mark = strstr(rest, MARK)) != NULL; rest = mark + strlen(MARK))
            fprintf(to, "%.*s%s", (int)(mark - rest), rest, name);
        fputs(rest, to);
    }
}

static int write_file(const char *template, const char *name, const char *folder, const char *file,
                      struct al_error *error)
{
    char built[128], installed[256], from_path[PATH_MAX], to_path[PATH_MAX];
    snprintf(built, sizeof built, "%s/%s.in", AL_TEMPLATES_BUILT, template);
    snprintf(installed, sizeof installed, "%s/%s.in", AL_TEMPLATES_INSTALLED, template);
    int code = al_child_place(built, installed, from_path, sizeof from_path, error);
    if (code != 0)
        return code;
    if (snprintf(to_path, sizeof to_path, "%s/%s", folder, file) >= PATH_MAX)
        return al_error_set(error, -ENAMETOOLONG, "the path %s/%s is too long", folder, file);
    FILE *from = fopen(from_path, "re");
    if (from == NULL)
        return al_error_set(error, -errno, "cannot read the template %s: %s", from_path,
                            strerror(errno));
    FILE *to = fopen(to_path, "wxe");
    if (to == NULL) {
        code = al_error_set(error, -errno, "cannot make %s: %s", to_path, strerror(errno));
        fclose(from);
        return code;
    }
    fill(from, name, to);
    bool failed = ferror(to) != 0;
    failed |= fclose(to) != 0;
    fclose(from);
    return failed ? al_error_set(error, -EIO, "cannot write all of %s", to_path) : 0;
}

int al_plugin_new(const char *name, enum al_plugin_kind kind, const char *folder,
                  struct al_error *error)
{
    char template[32], source[128];
    if (strlen(name) > 64 || name[0] < 'a' || name[0] > 'z' ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        return al_error_set(
            error, -EINVAL,
            "'%s' is no name; valid: a letter, then up to 63 of a to z, 0 to 9 and _", name);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return al_error_set(error, -errno, "cannot make the folder %s: %s", folder,
                            strerror(errno));
    snprintf(template, sizeof template, "%s.c", al_plugin_kinds[kind]);
    snprintf(source, sizeof source, "%s.c", name);
    int code = write_file(template, name, folder, source, error);
    if (code == 0)
        code = write_file("Makefile", name, folder, "Makefile", error);
    if (code == 0)
        code = write_file("meson.build", name, folder, "meson.build", error);
    return code;
}
