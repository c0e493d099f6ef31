/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct al_path al_path(const char *root, const char *format, ...)
{
    struct al_path path;
    size_t size = sizeof path.text;
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)snprintf(path.text, size, "%s", root);
    if (length < size)
        vsnprintf(path.text + length, size - length, format, arguments);
    va_end(arguments);
    return path;
}

char *al_probe_line(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    char *line = NULL, *found = NULL;
    size_t size = 0;
    while (found == NULL && getline(&line, &size, file) != -1) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        char *value = line + strlen(key);
        value += strspn(value, " \t:");
        value[strcspn(value, "\n")] = '\0';
        found = strdup(value);
    }
    free(line);
    fclose(file);
    return found;
}

uint64_t al_probe_number(const char *path, const char *key)
{
    char *line = al_probe_line(path, key), *end = line;
    uint64_t number = line != NULL && line[0] != '-' ? strtoull(line, &end, 10) : AL_UNKNOWN;
    if (end == line) /* no such line, or no digit at its start */
        number = AL_UNKNOWN;
    free(line);
    return number;
}

/* Read the limit of one group. Only the files of its version (1 or 2) exist. */
static void read_group(const char *folder, struct al_cpu_quota *quota)
{
    double allowed = 0, period = 0;
    char *limit = al_probe_line(al_path(folder, "/cpu.max").text, "");
    if (limit != NULL && sscanf(limit, "%lf %lf", &allowed, &period) != 2)
        period = 0; /* "max 100000" */
    free(limit);
    uint64_t quota_us = al_probe_number(al_path(folder, "/cpu.cfs_quota_us").text, "");
    uint64_t period_us = al_probe_number(al_path(folder, "/cpu.cfs_period_us").text, "");
    if (quota_us != AL_UNKNOWN && period_us != AL_UNKNOWN) {
        allowed = (double)quota_us;
        period = (double)period_us;
    }
    if (period > 0 && (quota->pus == 0 || allowed / period < quota->pus))
        quota->pus = allowed / period;
    struct al_path statistics = al_path(folder, "/cpu.stat");
    uint64_t us = al_probe_number(statistics.text, "throttled_usec");
    uint64_t ns = us != AL_UNKNOWN ? us * 1000 : al_probe_number(statistics.text, "throttled_time");
    if (ns != AL_UNKNOWN)
        quota->throttled_ns = ns + (quota->throttled_ns != AL_UNKNOWN ? quota->throttled_ns : 0);
}

/* Read the limits of a group and of all groups that contain it. */
static void read_groups(const char *root, const char *hierarchy, char *group,
                        struct al_cpu_quota *quota)
{
    for (;;) {
        read_group(al_path(root, "/sys/fs/cgroup%s%s", hierarchy, group).text, quota);
        char *last = strrchr(group, '/');
        if (last == NULL)
            return;
        *last = '\0';
    }
}

struct al_cpu_quota al_cpu_quota(const char *root)
{
    struct al_cpu_quota quota = {0, AL_UNKNOWN};
    FILE *file = fopen(al_path(root, "/proc/self/cgroup").text, "r");
    if (file == NULL)
        return quota;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) !=
           -1) { /* "0::/path", or of version 1 "4:cpu,cpuacct:/path" */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        if (strcmp(group, "/") == 0)
            group++;
        bool is_cpu = false;
        for (char *rest, *name = strtok_r(controllers + 1, ",", &rest); name != NULL;
             name = strtok_r(NULL, ",", &rest))
            is_cpu |= strcmp(name, "cpu") == 0;
        if (is_cpu)
            read_groups(root, "/cpu", group, &quota);
        else if (controllers[1] == '\0')
            read_groups(root, "", group, &quota);
    }
    free(line);
    fclose(file);
    return quota;
}
