/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "benchmarks/harness/measure/probe.h"
#include "benchmarks/harness/plugins/origin.h"
#include "core/config.h"
#include "core/machine/topology.h"

#if AL_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

static json_t *line_or_null(const char *path, const char *key)
{
    char *line = al_probe_line(path, key);
    json_t *value = line != NULL ? json_string(line) : json_null();
    free(line);
    return value;
}

static json_t *number_or_null(const char *path, const char *key)
{
    uint64_t number = al_probe_number(path, key);
    return number != AL_UNKNOWN ? json_integer((json_int_t)number) : json_null();
}

enum al_switch al_turbo(const char *root)
{
    const char *folder = "/sys/devices/system/cpu";
    uint64_t off = al_probe_number(al_path(root, "%s/intel_pstate/no_turbo", folder).text, "");
    uint64_t on = al_probe_number(al_path(root, "%s/cpufreq/boost", folder).text, "");
    if (off == AL_UNKNOWN && on == AL_UNKNOWN)
        return AL_SWITCH_UNKNOWN;
    return off == 0 || (off == AL_UNKNOWN && on != 0) ? AL_SWITCH_ON : AL_SWITCH_OFF;
}

enum al_switch al_aslr(const char *root)
{
    int persona = personality(0xffffffff); /* only queries */
    if (persona != -1 && (persona & ADDR_NO_RANDOMIZE) != 0)
        return AL_SWITCH_OFF;
    uint64_t level = al_probe_number(al_path(root, "/proc/sys/kernel/randomize_va_space").text, "");
    return level == AL_UNKNOWN ? AL_SWITCH_UNKNOWN : level > 0 ? AL_SWITCH_ON : AL_SWITCH_OFF;
}

char *al_huge_pages(const char *root)
{
    const char *file = "/sys/kernel/mm/transparent_hugepage/enabled";
    char *line = al_probe_line(al_path(root, "%s", file).text, "");
    char *open = line != NULL ? strchr(line, '[') : NULL; /* always [madvise] never */
    char *close = open != NULL ? strchr(open, ']') : NULL;
    char *value = close != NULL ? strndup(open + 1, (size_t)(close - open - 1)) : NULL;
    free(line);
    return value;
}

static json_t *huge_pages(void)
{
    char *value = al_huge_pages("");
    json_t *json = value != NULL ? json_string(value) : json_null();
    free(value);
    return json;
}

/* jemalloc's settings; null if they are not UTF-8. */
static json_t *allocator_settings(void)
{
    const char *value = getenv("MALLOC_CONF");
    json_t *json = value != NULL ? json_string(value) : NULL;
    return json != NULL ? json : json_null();
}

static json_t *switch_json(enum al_switch state)
{
    return state == AL_SWITCH_UNKNOWN ? json_null() : json_boolean(state == AL_SWITCH_ON);
}

uint64_t al_available_bytes(void)
{
    char *line = al_probe_line("/proc/meminfo", "MemAvailable");
    char *group = al_probe_line("/proc/self/cgroup", "0:"); /* version 2: "0::/path" */
    uint64_t available = line != NULL ? strtoull(line, NULL, 10) * 1024 : AL_UNKNOWN;
    if (group != NULL && group[0] == '/') {
        struct al_path folder = al_path("/sys/fs/cgroup", "%s", group);
        uint64_t most = al_probe_number(al_path(folder.text, "/memory.max").text, "");
        uint64_t used = al_probe_number(al_path(folder.text, "/memory.current").text, "");
        uint64_t left = most <= used ? 1 : most - used;
        if (most != AL_UNKNOWN && used != AL_UNKNOWN && left < available)
            available = left;
    }
    free(line);
    free(group);
    return available != AL_UNKNOWN ? available : 0;
}

uint64_t al_peak_rss_bytes(void)
{
    /* Not getrusage: its figure survives exec, so it may belong to the program that started us. */
    char *line = al_probe_line("/proc/self/status", "VmHWM");
    uint64_t kibibytes = line != NULL ? strtoull(line, NULL, 10) : 0;
    free(line);
    return kibibytes * 1024;
}

static json_t *hex(uint64_t value)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return json_string(text);
}

static json_t *binary_hash(void)
{
    uint64_t hash = al_binary_hash();
    if (hash != 0)
        hash ^= al_plugins_hash();
    return hash != 0 ? hex(hash) : json_null();
}

json_t *al_kind_json(const struct al_topology *topology, int pu)
{
    int kind = pu >= 0 ? al_topology_kind(topology, (unsigned)pu) : -1;
    return kind >= 0 ? json_string(al_topology_kind_name(topology, kind).text) : json_null();
}

void al_allocator_bytes(uint64_t *allocated, uint64_t *resident)
{
    *allocated = *resident = 0;
#if AL_JEMALLOC
    uint64_t epoch = 1;
    size_t size = sizeof epoch, bytes;
    if (mallctl("epoch", &epoch, &size, &epoch, sizeof epoch) != 0)
        return;
    size = sizeof bytes;
    if (mallctl("stats.allocated", &bytes, &size, NULL, 0) == 0)
        *allocated = bytes;
    if (mallctl("stats.resident", &bytes, &size, NULL, 0) == 0)
        *resident = bytes;
#endif
}

static json_t *allocator(void)
{
#if AL_JEMALLOC
    const char *version;
    size_t size = sizeof version;
    if (mallctl("version", &version, &size, NULL, 0) == 0)
        return json_sprintf("jemalloc %s", version);
#endif
    return json_string("libc");
}

json_t *al_environment(const struct al_topology *topology)
{
    struct utsname host = {0};
    uname(&host);
    double load = 0;
    bool has_load = getloadavg(&load, 1) == 1;
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    json_t *environment = json_pack(
        "{s:o, s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:I, s:I}",
        "cpu", line_or_null("/proc/cpuinfo", "model name"), "machine", host.machine, "cpus_allowed",
        line_or_null("/proc/self/status", "Cpus_allowed_list"), "topology_hash",
        hex(al_topology_hash(topology)), "kernel", host.release, "compiler", AL_COMPILER, "flags",
        AL_FLAGS, "build_type", AL_BUILD_TYPE, "sanitize", AL_SANITIZE, "checks", AL_CHECKS,
        "counting", AL_COUNTERS, "revision", al_revision, "binary_hash", binary_hash(), "allocator",
        allocator(), "governor",
        line_or_null("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""), "turbo",
        switch_json(al_turbo("")), "aslr", switch_json(al_aslr("")), "thp", huge_pages(),
        "malloc_conf", allocator_settings(), "load", has_load ? json_real(load) : json_null(),
        "procs_running", number_or_null("/proc/stat", "procs_running"), "voluntary_switches",
        (json_int_t)usage.ru_nvcsw, "involuntary_switches", (json_int_t)usage.ru_nivcsw);
    json_t *plugins = al_plugins_json();
    if (plugins != NULL)
        json_object_set_new(environment, "plugins", plugins);
    return environment;
}
