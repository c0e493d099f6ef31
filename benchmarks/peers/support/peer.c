/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/support/peer.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void al_peer_refuse(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

uint64_t al_peer_number(const char *text, uint64_t least)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least)
        al_peer_refuse("not a number that is large enough: '%s'", text);
    return value;
}

static void set(struct al_peer_arguments *arguments, char *setting)
{
    char *equals = strchr(setting, '=');
    if (equals == NULL)
        al_peer_refuse("'%s' is not KEY=VALUE", setting);
    if (arguments->n_settings == AL_OPTIONS_MOST)
        al_peer_refuse("more settings than any workload has: '%s'", setting);
    *equals = '\0';
    arguments->settings[arguments->n_settings++] = (struct al_setting){setting, equals + 1};
}

void al_peer_parse(int argc, char **argv, struct al_peer_arguments *arguments)
{
    *arguments = (struct al_peer_arguments){
        .workload = argc < 2 ? "" : argv[1], .workers = 1, .iterations = 1, .seed = 1};
    const struct {
        const char *name;
        uint64_t *value, least;
    } numbers[] = {
        {"--workers", &arguments->workers, 1},
        {"--iterations", &arguments->iterations, 1},
        {"--warmup", &arguments->warmup, 0},
        {"--seed", &arguments->seed, 0},
    };
    const size_t n = sizeof numbers / sizeof *numbers;
    for (int i = 2; i + 1 < argc; i += 2) {
        size_t k = 0;
        while (k < n && strcmp(argv[i], numbers[k].name) != 0)
            k++;
        if (k < n)
            *numbers[k].value = al_peer_number(argv[i + 1], numbers[k].least);
        else if (strcmp(argv[i], "--set") == 0)
            set(arguments, argv[i + 1]);
        else
            al_peer_refuse("unknown option '%s'", argv[i]);
    }
    if (argc > 2 && argc % 2 != 0)
        al_peer_refuse("no value for '%s'", argv[argc - 1]);
}

void al_peer_bind(uint64_t id)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    uint64_t left = id % (uint64_t)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || left-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}

uint64_t al_peer_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static json_int_t peak_rss_bytes(void)
{
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmHWM: %llu", &kibibytes);
    if (file != NULL)
        fclose(file);
    return (json_int_t)kibibytes * 1024;
}

int al_peer_print(const struct al_peer_arguments *arguments, json_t *parameters, json_t *times,
                  uint64_t messages, const char *version, const char *error)
{
    json_t *record = json_pack("{s:s, s:o, s:I, s:o, s:I, s:I, s:s, s:s, s:s*}", "benchmark",
                               arguments->workload, "parameters", parameters, "workers",
                               (json_int_t)arguments->workers, "time_ns", times, "messages",
                               (json_int_t)messages, "peak_rss_bytes", peak_rss_bytes(), "version",
                               version, "outcome", error == NULL ? "ok" : "wrong", "error", error);
    if (record == NULL || json_dumpf(record, stdout, JSON_COMPACT) != 0)
        al_peer_refuse("no memory for the record");
    putchar('\n');
    json_decref(record);
    return error == NULL ? 0 : 1;
}
