/* SPDX-License-Identifier: MIT */

/* `actorlab env`: machine settings that distort measurements. */

#include <glob.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/hardware.h"
#include "benchmarks/harness/measure/probe.h"
#include "benchmarks/harness/show/machine.h"
#include "benchmarks/harness/text/format.h"
#include "core/config.h"
#include "core/counted.h"
#include "core/machine/topology.h"
#include "core/sync/sync.h"

enum verdict { OK, NOTE, DISTURBS, UNKNOWN };

static const char *const verdicts[] = {"ok", "note", "disturbs", "unknown"};

/* The machine, and the lines so far: {"name", "value", "verdict", "advice"}. */
struct view {
    const char *root;
    struct al_topology *topology;
    json_t *lines;
};

/* Add a line. advice: how to change it, or NULL. */
__attribute__((format(printf, 5, 6))) static void add(struct view *view, const char *name,
                                                      enum verdict verdict, const char *advice,
                                                      const char *format, ...)
{
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    json_array_append_new(view->lines,
                          json_pack("{s:s, s:s, s:s, s:s?}", "name", name, "value", value,
                                    "verdict", verdicts[verdict], "advice", advice));
}

static bool has_flag(const char *flags, const char *flag)
{
    size_t length = strlen(flag);
    for (const char *at = flags; (at = strstr(at, flag)) != NULL; at += length) {
        if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void add_topology(struct view *view)
{
    struct al_error error;
    bool mixed = al_topology_n_kinds(view->topology) > 1;
    const char *advice = "cores of several kinds: --pin fast or slow keeps to one";
    if (al_topology_kinds_ranked(view->topology, "fast", &error) != 0)
        advice = "cores of several kinds: --pin with a list of PUs keeps to one";
    char *text = al_topology_text(view->topology, &error);
    if (text == NULL)
        add(view, "topology", UNKNOWN, NULL, "%s", error.text);
    else
        add(view, "topology", mixed ? NOTE : OK, mixed ? advice : NULL, "%s", text);
    free(text);
}

static void add_build(struct view *view)
{
    bool release = strcmp(AL_BUILD_TYPE, "release") == 0 && strcmp(AL_SANITIZE, "none") == 0 &&
                   !AL_CHECKS;
    add(view, "build", release ? OK : DISTURBS,
        release ? NULL : "measure with a release build: meson setup --buildtype=release build",
        "%s%s%s, %s", AL_BUILD_TYPE, AL_CHECKS ? ", checks" : "",
        strcmp(AL_SANITIZE, "none") == 0 ? "" : ", sanitized", AL_COMPILER);
}

/* The governors of all policies, each once: "performance, powersave". */
static void add_governor(struct view *view)
{
    glob_t found;
    char names[128] = "";
    bool quiet = true;
    const char *pattern = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor";
    if (glob(al_path(view->root, "%s", pattern).text, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *name = al_probe_line(found.gl_pathv[i], "");
            if (name != NULL && strstr(names, name) == NULL) {
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", name);
            }
            quiet &= name != NULL && strcmp(name, "performance") == 0;
            free(name);
        }
    }
    globfree(&found);
    if (names[0] == '\0')
        add(view, "governor", UNKNOWN, NULL, "the kernel shows no frequencies");
    else
        add(view, "governor", quiet ? OK : DISTURBS,
            quiet ? NULL : "the frequency follows the load: scripts/quiet on", "%s", names);
}

static void add_turbo(struct view *view)
{
    switch (al_turbo(view->root)) {
    case AL_SWITCH_ON:
        add(view, "turbo", DISTURBS,
            "the frequency follows temperature and the number of busy cores: scripts/quiet on",
            "on");
        return;
    case AL_SWITCH_OFF:
        add(view, "turbo", OK, NULL, "off");
        return;
    case AL_SWITCH_UNKNOWN:
        add(view, "turbo", UNKNOWN, NULL, "no switch found");
    }
}

static void add_smt(struct view *view)
{
    uint64_t active = al_probe_number(
        al_path(view->root, "/sys/devices/system/cpu/smt/active").text, "");
    if (active == AL_UNKNOWN)
        add(view, "SMT", UNKNOWN, NULL, "not reported");
    else if (active != 0)
        add(view, "SMT", NOTE, "siblings share a core: --pin close and spread use them last", "on");
    else
        add(view, "SMT", OK, NULL, "off");
}

static void add_aslr(struct view *view)
{
    enum al_switch aslr = al_aslr(view->root);
    if (aslr == AL_SWITCH_ON)
        add(view, "ASLR", NOTE,
            "addresses differ between processes, and several processes average over that; "
            "`setarch -R COMMAND` runs without",
            "on");
    else
        add(view, "ASLR", aslr == AL_SWITCH_OFF ? OK : UNKNOWN, NULL, "%s",
            aslr == AL_SWITCH_OFF ? "off for this process" : "not reported");
}

static void add_quota(struct view *view)
{
    double pus = al_cpu_quota(view->root).pus;
    size_t usable = al_topology_n_pus(view->topology);
    if (pus == 0)
        add(view, "CPU quota", OK, NULL, "none");
    else
        add(view, "CPU quota", pus < (double)usable ? DISTURBS : OK,
            pus < (double)usable ? "the control group stops whatever uses more: raise its limit, "
                                   "or use fewer workers"
                                 : NULL,
            "%s of %s", al_format_number(pus, 3).text, al_counted(usable, "PU").text);
}

static void add_load(struct view *view)
{
    char *line = al_probe_line(al_path(view->root, "/proc/loadavg").text, "");
    uint64_t running = al_probe_number(al_path(view->root, "/proc/stat").text, "procs_running");
    double load = 0;
    if (line == NULL || sscanf(line, "%lf", &load) != 1 || running == AL_UNKNOWN) {
        add(view, "load", UNKNOWN, NULL, "not reported");
    } else {
        uint64_t others = running > 0 ? running - 1 : 0; /* without this process */
        add(view, "load", others > 0 ? DISTURBS : OK,
            others > 0 ? "end what is running, or let the sweep wait: gate = \"wait\"" : NULL,
            "%.2f, %s running", load, al_counted(others, "other").text);
    }
    free(line);
}

static void add_clock(struct view *view)
{
    static const char *const quick[] = {"tsc",
                                        "kvm-clock",
                                        "arch_sys_counter",
                                        "hyperv_clocksource_tsc_page",
                                        "riscv_clocksource",
                                        "timebase",
                                        "tod"};
    const char *file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    char *name = al_probe_line(al_path(view->root, "%s", file).text, "");
    bool found = false;
    for (size_t i = 0; i < sizeof quick / sizeof *quick && name != NULL; i++)
        found |= strcmp(name, quick[i]) == 0;
    if (name == NULL)
        add(view, "clock", UNKNOWN, NULL, "not reported");
    else
        add(view, "clock", found ? OK : DISTURBS,
            found
                ? NULL
                : "reading it takes a system call: boot with clocksource=tsc if the TSC is steady",
            "%s", name);
    free(name);
}

static void add_tsc(struct view *view, const char *flags)
{
    bool here = view->root[0] == '\0';
    bool steady = has_flag(flags, "constant_tsc") && has_flag(flags, "nonstop_tsc") &&
                  (!here || al_cycles_steady());
    add(view, "TSC", steady ? OK : DISTURBS,
        steady ? NULL
               : "latencies are counted in its cycles, whose length varies; timestamps of victim "
                 "heuristics are taken from the clock",
        "%s", steady ? "constant, nonstop" : "not constant, or stops in idle states");
}

static void add_huge_pages(struct view *view)
{
    char *name = al_huge_pages(view->root);
    bool always = name != NULL && strcmp(name, "always") == 0;
    if (name == NULL)
        add(view, "huge pages", UNKNOWN, NULL, "not reported");
    else
        add(view, "huge pages", always ? NOTE : OK,
            always ? "memory becomes huge pages when the kernel finds time: scripts/quiet on --thp "
                     "madvise"
                   : NULL,
            "%s (transparent)", name);
    free(name);
}

/* What threads share is laid out for the pieces of memory of the machine of the build. */
static void add_pieces(struct view *view)
{
    const char *file = "/sys/devices/system/cpu/cpu0/cache/index%d/coherency_line_size";
    uint64_t line = 0, size, page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; (size = al_probe_number(al_path(view->root, file, i).text, "")) != AL_UNKNOWN;
         i++)
        line = size > line ? size : line;
    bool larger = line > AL_CACHE_LINE_BYTES || page > AL_PAGE_BYTES;
    char advice[160];
    snprintf(advice, sizeof advice,
             "this program was built for lines of %d bytes and pages of %d, so threads share some: "
             "build it on this machine",
             AL_CACHE_LINE_BYTES, AL_PAGE_BYTES);
    if (line == 0)
        add(view, "memory", UNKNOWN, NULL, "lines not reported, pages of %" PRIu64 " bytes", page);
    else
        add(view, "memory", larger ? DISTURBS : OK, larger ? advice : NULL,
            "lines of %" PRIu64 " bytes, pages of %" PRIu64, line, page);
}

static void add_hardware(struct view *view)
{
    struct al_hardware_support support;
    al_hardware_support(view->root, &support);
    add(view, "hardware counters", support.all ? OK : NOTE, support.advice, "%s", support.text);
}

/* Without it custody does without two protocols (docs/explanation/custody.md). */
static void add_membarrier(struct view *view)
{
    bool ready = al_membarrier_ready();
    add(view, "membarrier", ready ? OK : NOTE,
        ready ? NULL : "custody takes nothing from long behaviours and splits no shards", "%s",
        ready ? "available" : "not in this kernel");
}

static void look(struct view *view)
{
    struct al_path cpuinfo = al_path(view->root, "/proc/cpuinfo");
    char *cpu = al_probe_line(cpuinfo.text, "model name");
    char *flags = al_probe_line(cpuinfo.text, "flags"); /* of x86 alone */
    struct utsname host = {0};
    uname(&host);
    add(view, "CPU", cpu != NULL ? OK : UNKNOWN, NULL, "%s", cpu != NULL ? cpu : host.machine);
    add_topology(view);
    add_pieces(view);
    if (flags == NULL)
        add(view, "virtual", UNKNOWN, NULL, "not reported");
    else if (has_flag(flags, "hypervisor"))
        add(view, "virtual", NOTE,
            "other guests of its host may take time and caches; records have steal_ns",
            "a virtual machine");
    else
        add(view, "virtual", OK, NULL, "no");
    add(view, "kernel", OK, NULL, "%s", host.release);
    add_membarrier(view);
    add_build(view);
    add_governor(view);
    add_turbo(view);
    add_smt(view);
    add_aslr(view);
    add_quota(view);
    add_load(view);
    add_clock(view);
    if (flags != NULL)
        add_tsc(view, flags);
    add_huge_pages(view);
    add_hardware(view);
    free(cpu);
    free(flags);
}

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));
    return text != NULL ? text : "";
}

static void print(const struct view *view)
{
    struct al_table table = {.columns = 3};
    size_t disturbing = 0, i;
    const json_t *line;
    json_array_foreach(view->lines, i, line)
    {
        al_table_add_copies(&table, (const char *[]){text_of(line, "name"), text_of(line, "value"),
                                                     text_of(line, "verdict")});
        disturbing += strcmp(text_of(line, "verdict"), verdicts[DISTURBS]) == 0;
    }
    json_array_foreach(view->lines, i, line)
    {
        const char *advice = text_of(line, "advice");
        al_table_row(&table, i, stdout);
        if (advice[0] != '\0')
            printf("%*s  %s\n", (int)table.widths[0], "", advice);
    }
    al_table_release(&table);
    if (disturbing > 0)
        printf("\nMarked as disturbing: %zu; see docs/reference/noise.md\n", disturbing);
}

struct choices {
    bool json;
    const char *root;
};

static const struct al_argument arguments[] = {
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print JSON, with the environment as a record made here has it"},
    {"root", "DIR", AL_ARGUMENT_FILE, offsetof(struct choices, root),
     .help = "read DIR/proc and DIR/sys instead of /proc and /sys"},
    {0},
};

static int env_main(int argc, char **argv)
{
    struct choices choices = {.root = ""};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_env_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    struct view view = {.root = choices.root};
    struct al_error error;
    if (al_topology_load(NULL, &view.topology, &error) != 0) {
        al_refuse("env", "%s", error.text);
        return AL_EXIT_FAILED;
    }
    view.lines = json_array();
    look(&view);
    if (choices.json)
        al_print_json(json_pack("{s:O, s:o}", "lines", view.lines, "environment",
                                al_environment(view.topology)));
    else
        print(&view);
    json_decref(view.lines);
    al_topology_free(view.topology);
    return AL_EXIT_OK;
}

const struct al_command al_env_command = {
    .name = "env",
    .help = "list machine settings that distort measurements",
    .usage = "[options]",
    .about = "Lists the properties of this machine that matter to measurements, and shows for each "
             "whether it disturbs them and how to change it.",
    .arguments = arguments,
    .run = env_main,
};
