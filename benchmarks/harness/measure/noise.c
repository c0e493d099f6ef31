/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/noise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "benchmarks/harness/measure/probe.h"
#include "benchmarks/harness/text/json.h"
#include "core/sync/sync.h"

#define NS_PER_S 1000000000u

/* How much a growing counter of the kernel grew during all iterations that have ended. */
struct growth {
    uint64_t sum, before;
    bool unknown; /* at least one reading was unknown */
};

struct pu_growth {
    uint32_t readings; /* fewer than all if the PU was offline at times */
    struct growth busy_ns, steal_ns, throttles;
};

struct load {
    double load;      /* negative: unknown */
    uint64_t running; /* procs_running, this process included */
};

struct al_noise {
    const char *root;
    uint32_t readings;
    struct load before, after;
    uint32_t n_pus; /* the largest number in /proc/stat, plus one */
    struct pu_growth *pus;
    struct growth elapsed_ns, own_ns, throttled_ns, voluntary, involuntary, minor_faults,
        major_faults;
    uint64_t stops;
    /* at the end of the last iteration */
    double quota_pus;
    uint32_t n_workers;
    struct worker {
        int bound;
        uint64_t khz;
        char *governor; /* or NULL */
    } * workers;
};

struct al_noise *al_noise_new(const char *root)
{
    struct al_noise *noise = al_needed(calloc(1, sizeof *noise));
    noise->root = root;
    return noise;
}

static void account(struct growth *growth, uint64_t value, bool after)
{
    growth->unknown |= value == AL_UNKNOWN;
    if (after)
        growth->sum += value - growth->before;
    else
        growth->before = value;
}

static uint64_t total(struct growth growth)
{
    return growth.unknown ? AL_UNKNOWN : growth.sum;
}

static struct pu_growth *growth_of(struct al_noise *noise, uint32_t pu)
{
    if (pu >= noise->n_pus) {
        size_t bytes = (pu + 1) * sizeof *noise->pus;
        noise->pus = al_needed(realloc(noise->pus, bytes));
        memset(noise->pus + noise->n_pus, 0, (pu + 1 - noise->n_pus) * sizeof *noise->pus);
        noise->n_pus = pu + 1;
    }
    return &noise->pus[pu];
}

/* Throttling by heat or power. Each PU counts the events of its core and of its package. */
static uint64_t throttles(const char *root, uint32_t pu)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count";
    uint64_t core = al_probe_number(al_path(root, folder, pu, "core").text, "");
    uint64_t package = al_probe_number(al_path(root, folder, pu, "package").text, "");
    return core == AL_UNKNOWN ? package : package == AL_UNKNOWN ? core : core + package;
}

/*
 * Parse "cpu3 user nice system idle iowait irq softirq steal …", in ticks. "cpu …" is the
 * sum of all PUs.
 */
static void account_pu(struct al_noise *noise, const char *line, bool after)
{
    unsigned pu;
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
    if (line[strlen("cpu")] == ' ' ||
        sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &pu, &user, &nice, &system,
               &idle, &iowait, &irq, &softirq, &steal) != 9)
        return;
    uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    struct pu_growth *growth = growth_of(noise, pu);
    growth->readings++;
    account(&growth->busy_ns, (user + nice + system + irq + softirq) * tick_ns, after);
    account(&growth->steal_ns, steal * tick_ns, after);
    account(&growth->throttles, throttles(noise->root, pu), after);
}

static struct load account_machine(struct al_noise *noise, bool after)
{
    struct load load = {-1, AL_UNKNOWN};
    char *line = al_probe_line(al_path(noise->root, "/proc/loadavg").text, "");
    if (line != NULL)
        sscanf(line, "%lf", &load.load);
    struct al_path path = al_path(noise->root, "/proc/stat");
    load.running = al_probe_number(path.text, "procs_running");
    FILE *file = fopen(path.text, "r");
    size_t size = 0;
    free(line);
    line = NULL;
    while (file != NULL && getline(&line, &size, file) != -1 && strncmp(line, "cpu", 3) == 0)
        account_pu(noise, line, after);
    if (file != NULL)
        fclose(file);
    free(line);
    struct al_cpu_quota quota = al_cpu_quota(noise->root);
    noise->quota_pus = quota.pus;
    account(&noise->throttled_ns, quota.throttled_ns, after);
    noise->readings++;
    return load;
}

static uint64_t time_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

static void account_process(struct al_noise *noise, bool after)
{
    struct rusage usage = {0}, children = {0};
    getrusage(RUSAGE_SELF, &usage); /* includes threads that have ended */
    getrusage(RUSAGE_CHILDREN, &children);
    account(&noise->own_ns,
            time_ns(usage.ru_utime) + time_ns(usage.ru_stime) + time_ns(children.ru_utime) +
                time_ns(children.ru_stime),
            after);
    account(&noise->voluntary, (uint64_t)usage.ru_nvcsw, after);
    account(&noise->involuntary, (uint64_t)usage.ru_nivcsw, after);
    account(&noise->minor_faults, (uint64_t)usage.ru_minflt, after);
    account(&noise->major_faults, (uint64_t)usage.ru_majflt, after);
    account(&noise->elapsed_ns, al_clock_ns(), after);
}

/* Whether the process was stopped and continued since the last call: while all threads block the
 * signal that continues it, it stays pending. */
static bool was_stopped(void)
{
    const struct timespec now = {0};
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    sigprocmask(SIG_BLOCK, &continued, NULL);
    return sigtimedwait(&continued, NULL, &now) == SIGCONT;
}

void al_noise_begin(struct al_noise *noise)
{
    (void)was_stopped(); /* which was between two iterations */
    struct load load = account_machine(noise, false);
    if (noise->readings == 1)
        noise->before = load;
    account_process(noise, false);
}

static void free_workers(struct al_noise *noise)
{
    for (uint32_t i = 0; i < noise->n_workers; i++)
        free(noise->workers[i].governor);
    free(noise->workers);
    noise->workers = NULL;
    noise->n_workers = 0;
}

/* Read frequencies first, because they fall as soon as nothing runs. */
static void read_workers(struct al_noise *noise, const struct al_report *report)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu%d/cpufreq/%s";
    free_workers(noise);
    noise->workers = al_needed(calloc(report->n_workers, sizeof *noise->workers));
    noise->n_workers = report->n_workers;
    for (uint32_t i = 0; i < report->n_workers; i++) {
        struct worker *worker = &noise->workers[i];
        int pu = report->workers[i].pu;
        *worker = (struct worker){report->workers[i].bound, AL_UNKNOWN, NULL};
        if (pu < 0)
            continue;
        worker->khz = al_probe_number(al_path(noise->root, folder, pu, "scaling_cur_freq").text,
                                      "");
        worker->governor = al_probe_line(al_path(noise->root, folder, pu, "scaling_governor").text,
                                         "");
    }
}

void al_noise_end(struct al_noise *noise, const struct al_report *report)
{
    account_process(noise, true);
    noise->stops += was_stopped();
    read_workers(noise, report);
    noise->after = account_machine(noise, true);
}

/* The PUs that workers were bound to; all PUs if any worker was not bound. */
static bool is_watched(const struct al_noise *noise, uint32_t pu)
{
    bool found = false;
    for (uint32_t i = 0; i < noise->n_workers; i++) {
        if (noise->workers[i].bound < 0)
            return true;
        found |= (uint32_t)noise->workers[i].bound == pu;
    }
    return found;
}

static json_t *number_or_null(uint64_t number)
{
    return number != AL_UNKNOWN ? json_integer((json_int_t)number) : json_null();
}

static json_t *growth_or_null(struct growth growth)
{
    return number_or_null(total(growth));
}

static json_t *load_json(struct load load)
{
    return json_pack("{s:o, s:o}", "load", load.load >= 0 ? json_real(load.load) : json_null(),
                     "procs_running", number_or_null(load.running));
}

/*
 * A bound worker does not migrate. For others the number is unknown: counting would disturb them.
 */
static json_t *migrations(const struct al_noise *noise)
{
    for (uint32_t i = 0; i < noise->n_workers; i++) {
        if (noise->workers[i].bound < 0)
            return json_null();
    }
    return json_integer(0);
}

json_t *al_noise_json(const struct al_noise *noise)
{
    if (noise == NULL || noise->readings == 0)
        return json_null();
    struct pu_growth sum = {0};
    json_int_t watched = 0;
    for (uint32_t pu = 0; pu < noise->n_pus; pu++) {
        const struct pu_growth *growth = &noise->pus[pu];
        if (growth->readings != noise->readings || !is_watched(noise, pu))
            continue;
        watched++;
        account(&sum.busy_ns, total(growth->busy_ns), true);
        account(&sum.steal_ns, total(growth->steal_ns), true);
        account(&sum.throttles, total(growth->throttles), true);
    }
    sum.busy_ns.unknown |= watched == 0;
    sum.steal_ns.unknown |= watched == 0;
    sum.throttles.unknown |= watched == 0;
    uint64_t busy_ns = total(sum.busy_ns), own_ns = total(noise->own_ns);
    uint64_t others_ns = busy_ns == AL_UNKNOWN ? AL_UNKNOWN
                         : busy_ns > own_ns    ? busy_ns - own_ns
                                               : 0;
    json_t *khz = json_array(), *governors = json_array();
    for (uint32_t i = 0; i < noise->n_workers; i++) {
        const char *governor = noise->workers[i].governor;
        json_array_append_new(khz, number_or_null(noise->workers[i].khz));
        json_array_append_new(governors, governor != NULL ? json_string(governor) : json_null());
    }
    return json_pack(
        "{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, "
        "s:o}",
        "before", load_json(noise->before), "after", load_json(noise->after), "elapsed_ns",
        growth_or_null(noise->elapsed_ns), "watched_pus", watched, "own_ns", number_or_null(own_ns),
        "others_ns", number_or_null(others_ns), "steal_ns", growth_or_null(sum.steal_ns),
        "throttles", growth_or_null(sum.throttles), "quota_pus",
        noise->quota_pus > 0 ? json_real(noise->quota_pus) : json_null(), "quota_throttled_ns",
        growth_or_null(noise->throttled_ns), "frequencies_khz", khz, "governors", governors,
        "stops", (json_int_t)noise->stops, "migrations", migrations(noise), "voluntary_switches",
        growth_or_null(noise->voluntary), "involuntary_switches",
        growth_or_null(noise->involuntary), "minor_faults", growth_or_null(noise->minor_faults),
        "major_faults", growth_or_null(noise->major_faults));
}

void al_noise_free(struct al_noise *noise)
{
    if (noise == NULL)
        return;
    free_workers(noise);
    free(noise->pus);
    free(noise);
}
