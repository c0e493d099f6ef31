/* SPDX-License-Identifier: MIT */

/* What disturbs a trial, read from made-up machines: folders with a proc and a sys. */

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/measure/probe.h"
#include "tests/support/fake_root.h"
#include "tests/support/tap.h"

static bool is_integer(const json_t *object, const char *key, json_int_t value)
{
    const json_t *found = json_object_get(object, key);
    if (!json_is_integer(found) || json_integer_value(found) != value) {
        char *text = json_dumps(found, JSON_ENCODE_ANY);
        printf("# %s is %s, not %lld\n", key, text != NULL ? text : "missing", (long long)value);
        free(text);
        return false;
    }
    return true;
}

static bool is_null(const json_t *object, const char *key)
{
    return json_is_null(json_object_get(object, key));
}

static struct al_report report_of(struct al_worker_report *workers, uint32_t n)
{
    return (struct al_report){.n_workers = n, .workers = workers};
}

/* What the machine says before the i-th iteration, and after it. A tick is 10 ms, as everywhere. */
static void put_before(int i)
{
    root_put("/proc/loadavg", "%d.25 0.00 0.00 1/70 99\n", i);
    root_put("/proc/stat",
             "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 10000 0 0 9 9 0 0 10 0 0\ncpu1 5 0 0 0 0 0 0 0 0 0\n"
             "cpu2 0 0 0 0 0 0 0 %d 0 0\nctxt 1\nprocs_running %d\n",
             100 * i, 2 + i);
    root_put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5\n");
    root_put("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "70\n");
    root_put("/sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "1\n");
}

static void put_after(int i)
{
    root_put("/proc/loadavg", "%d.5 0.00 0.00 1/70 99\n", 3 + i);
    root_put(
        "/proc/stat",
        "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 10100 10 20 999 999 30 40 12 900 0\ncpu1 99999 0 0 0 0 "
        "0 0 50 0 0\ncpu2 0 0 0 0 0 0 0 %d 0 0\nctxt 1\nprocs_running %d\n",
        100 * i + 3, 6 + i);
    root_put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
    root_put("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "71\n");
    root_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "%d00000\n", 10 + i);
    root_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
}

static void check_two_iterations(struct tap *tap, struct al_noise *noise)
{
    json_t *json = al_noise_json(noise);
    const json_t *before = json_object_get(json, "before"), *after = json_object_get(json, "after");
    tap_ok(tap,
           json_real_value(json_object_get(before, "load")) == 0.25 &&
               is_integer(before, "procs_running", 2),
           "before is before the first iteration");
    tap_ok(tap,
           json_real_value(json_object_get(after, "load")) == 4.5 &&
               is_integer(after, "procs_running", 7),
           "after is after the last");
    tap_ok(tap, is_integer(json, "watched_pus", 2), "the PUs of the workers are watched");
    json_int_t own = json_integer_value(json_object_get(json, "own_ns"));
    tap_ok(tap, is_integer(json, "others_ns", 2 * 2000000000LL - own),
           "others: what was busy, neither idle nor guests, without what this process used");
    tap_ok(tap, is_integer(json, "steal_ns", 2 * 50000000LL), "steal, summed over iterations");
    tap_ok(tap, is_integer(json, "throttles", 2 * 3), "throttling of cores and packages");
    const json_t *khz = json_object_get(json, "frequencies_khz");
    const json_t *governors = json_object_get(json, "governors");
    tap_ok(tap,
           json_is_null(json_array_get(khz, 0)) &&
               json_integer_value(json_array_get(khz, 1)) == 1100000,
           "a frequency for each worker, the last one");
    tap_ok(tap,
           json_is_null(json_array_get(governors, 0)) &&
               strcmp(json_string_value(json_array_get(governors, 1)), "powersave") == 0,
           "and a governor");
    tap_ok(tap, is_integer(json, "migrations", 0), "bound workers do not migrate");
    json_decref(json);
}

static void test_pus(struct tap *tap)
{
    root_make();
    struct al_worker_report workers[] = {{.pu = 2, .bound = 2}, {.pu = 0, .bound = 0}};
    struct al_report report = report_of(workers, 2);
    struct al_noise *noise = al_noise_new(root);
    json_t *nothing = al_noise_json(noise);
    tap_ok(tap, json_is_null(nothing), "no iteration: null");
    json_decref(nothing);
    for (int i = 0; i < 2; i++) {
        put_before(i);
        al_noise_begin(noise);
        put_after(i);
        al_noise_end(noise, &report);
    }
    check_two_iterations(tap, noise);

    workers[0].bound = -1; /* it could not be bound to its PU */
    al_noise_begin(noise);
    al_noise_end(noise, &report);
    json_t *json = al_noise_json(noise);
    tap_ok(tap, is_integer(json, "watched_pus", 3) && is_null(json, "migrations"),
           "a worker that is not bound: all PUs are watched, and migrations is null");
    json_decref(json);

    root_put("/proc/stat", "cpu0 1 0 0 0 0 0 0 0 0 0\nprocs_running 1\n");
    al_noise_begin(noise);
    al_noise_end(noise, &report);
    json = al_noise_json(noise);
    tap_ok(tap, is_integer(json, "watched_pus", 1), "PUs that went away do not count");
    json_decref(json);
    al_noise_free(noise);
    root_remove();
}

static void test_unknown(struct tap *tap)
{
    root_make();
    struct al_worker_report worker = {.pu = 0, .bound = 0};
    struct al_report report = report_of(&worker, 1);
    struct al_noise *noise = al_noise_new(root);
    al_noise_begin(noise);
    al_noise_end(noise, &report);
    json_t *json = al_noise_json(noise);
    const json_t *before = json_object_get(json, "before");
    tap_ok(tap,
           is_null(before, "load") && is_null(before, "procs_running") &&
               is_null(json, "others_ns") && is_null(json, "steal_ns") &&
               is_null(json, "throttles") && is_null(json, "quota_pus") &&
               is_null(json, "quota_throttled_ns"),
           "what the machine does not tell is null");
    tap_ok(tap, json_is_integer(json_object_get(json, "voluntary_switches")),
           "what the kernel knows of the process is there");
    json_decref(json);
    al_noise_free(noise);
    root_put("/proc/stat", "cpu0 1 0\ncpuX\ncpu\nprocs_running\n");
    root_put("/proc/loadavg", "\n");
    noise = al_noise_new(root);
    al_noise_begin(noise);
    al_noise_end(noise, &report);
    json = al_noise_json(noise);
    tap_ok(tap, is_integer(json, "watched_pus", 0) && is_null(json, "others_ns"),
           "files that are cut short tell nothing");
    json_decref(json);
    al_noise_free(noise);
    root_remove();
}

/* The tightest limit counts, and the throttling of every group that has a limit. */
static void test_quota(struct tap *tap)
{
    root_make();
    struct al_cpu_quota quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 0 && quota.throttled_ns == AL_UNKNOWN, "no control groups");
    root_put("/proc/self/cgroup", "0::/\n");
    root_put("/sys/fs/cgroup/cpu.stat", "usage_usec 12\nuser_usec 9\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 0 && quota.throttled_ns == AL_UNKNOWN, "the root has no limit");
    root_put("/proc/self/cgroup", "0::/a/b\n");
    root_put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    root_put("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 12\nnr_throttled 0\nthrottled_usec 0\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 0 && quota.throttled_ns == 0, "version 2: no limit, never stopped");
    root_put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    root_put("/sys/fs/cgroup/a/cpu.stat", "usage_usec 12\nnr_throttled 2\nthrottled_usec 7\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 1.5 && quota.throttled_ns == 7000, "the limit of a group above");
    root_put("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
    root_put("/sys/fs/cgroup/a/b/cpu.stat", "throttled_usec 5\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 0.5 && quota.throttled_ns == 12000, "the tightest of two");
    root_put("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 1.5, "or the one above it");
    root_remove();

    root_make();
    root_put("/proc/self/cgroup", "9:cpuset:/x\n4:cpuacct,cpu:/job\n0::/\n");
    root_put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    root_put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    root_put("/sys/fs/cgroup/cpu/job/cpu.stat",
             "nr_periods 3\nnr_throttled 1\nthrottled_time 42\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 0 && quota.throttled_ns == 42, "version 1 without limit");
    root_put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 2.5, "version 1 with a limit");
    /* In a container, the group's path may be the host's. */
    root_put("/proc/self/cgroup", "4:cpu,cpuacct:/docker/1234\n");
    root_put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    root_put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    quota = al_cpu_quota(root);
    tap_ok(tap, quota.pus == 2, "a group that is not there under its path");
    root_remove();
}

/* CPU time of this process, ns. */
static int64_t used_ns(void)
{
    struct timespec used;
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0, "clock_gettime");
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static void test_children(struct tap *tap)
{
    enum { CHILD_NS = 50000000 };
    struct al_worker_report worker = {.pu = 0, .bound = 0};
    struct al_report report = report_of(&worker, 1);
    struct al_noise *noise = al_noise_new("");
    al_noise_begin(noise);
    pid_t child = fork();
    if (child == 0) {
        while (used_ns() < CHILD_NS)
            ;
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child, "fork");
    al_noise_end(noise, &report);
    json_t *json = al_noise_json(noise);
    /* The kernel counts in ticks on some machines. */
    tap_ok(tap, json_integer_value(json_object_get(json, "own_ns")) >= CHILD_NS / 2,
           "programs that this one starts are not others");
    json_decref(json);
    al_noise_free(noise);
}

int main(void)
{
    struct tap tap = {0};
    test_pus(&tap);
    test_children(&tap);
    test_unknown(&tap);
    test_quota(&tap);
    return tap_done(&tap);
}
