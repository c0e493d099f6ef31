/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/schema.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/harness/results/profile.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/system.h"

#define MOST_NS    1e18 /* 30 years */
#define MOST_COUNT 1e15 /* the counts of AL_WORKERS_MOST threads still add up in 63 bits */
/* The largest integer that jansson reads, 2^63 - 1; as a double it is 2^63. */
#define LARGEST    ((double)INT64_MAX)
#define MOST_BYTES LARGEST
#define MOST_BLOCK 1000000000

#define RULE(what, kinds, low, high, ...)                                                          \
    {                                                                                              \
        {__VA_ARGS__}, kinds, low, high, "expected " what                                          \
    }
#define TOP(key, kinds, low, high, what) RULE(key ", " what, kinds, low, high, key)
#define IN(outer, key, kinds, low, high, what)                                                     \
    RULE(outer "." key ", " what, kinds, low, high, outer, key)
#define DEEP(outer, part, key, kinds, low, high, what)                                             \
    RULE(outer "." part "." key ", " what, kinds, low, high, outer, part, key)
#define NAME(key) TOP(key, AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string or null")
#define PUS(key)                                                                                   \
    TOP(key, AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of integers"),                                  \
        RULE(key ", a list of integers", AL_IS_INTEGER | AL_IS_NIL, 0, 0, key, "*")
#define ENVIRONMENT(key) IN("environment", key, AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string or null")
#define SWITCH(key)      IN("environment", key, AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null")
#define BYTES(key)                                                                                 \
    IN("memory", key, AL_IS_INTEGER | AL_IS_NIL, 0, MOST_BYTES, "an integer from 0, or null")
#define QUANTILE(key)                                                                              \
    IN("latencies", key, AL_IS_NUMBER | AL_IS_NIL, 0, MOST_NS, "ns, a number from 0, or null")
#define HARDWARE(key)                                                                              \
    DEEP("hardware", "*", key, AL_IS_INTEGER | AL_IS_NIL, 0, MOST_COUNT,                           \
         "an integer from 0 to 10^15, or null")
#define SIMULATED(key)                                                                             \
    IN("simulated", key, AL_IS_INTEGER | AL_IS_NIL, 0, LARGEST, "an integer from 0, or null")
#define NOISE(key)                                                                                 \
    IN("noise", key, AL_IS_NUMBER | AL_IS_NIL, 0, MOST_NS, "a number from 0, or null")
#define MOMENT(part)                                                                               \
    IN("noise", part, AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),                                \
        DEEP("noise", part, "load", AL_IS_NUMBER | AL_IS_NIL, 0, 1e9, "a number from 0, or null"), \
        DEEP("noise", part, "procs_running", AL_IS_INTEGER | AL_IS_NIL, 0, 1e9,                    \
             "an integer from 0, or null")

/* In the order of checking: the first rule that a record breaks is the one reported. */
const struct al_rule al_schema[] = {
    TOP("outcome", AL_IS_OUTCOME | AL_REQUIRED, 0, 0,
        "ok, wrong, crashed, timeout, missing or nonsense"),
    TOP("trial", AL_IS_HEX | AL_REQUIRED | AL_SINCE_2, 0, AL_TRIAL_DIGITS,
        AL_TEXT_OF(AL_TRIAL_DIGITS) " hexadecimal digits"),
    TOP("benchmark", AL_IS_TEXT | AL_REQUIRED, 0, 0, "a string"),
    TOP("scheduler", AL_IS_TEXT | AL_REQUIRED, 0, 0, "a string"),
    TOP("parameters", AL_IS_OBJECT | AL_REQUIRED, 0, 0, "an object"),
    RULE("parameters that are not lists or objects", AL_IS_PLAIN, 0, 0, "parameters", "*"),
    TOP("options", AL_IS_OBJECT | AL_REQUIRED, 0, 0, "an object"),
    RULE("options that are not lists or objects", AL_IS_PLAIN, 0, 0, "options", "*"),
    TOP("workers", AL_IS_INTEGER | AL_REQUIRED, 1, AL_WORKERS_MOST,
        "an integer from 1 to " AL_TEXT_OF(AL_WORKERS_MOST)),
    TOP("time_ns", AL_IS_LIST | AL_REQUIRED_IF_OK, 1, 1e9, "a list of positive integers"),
    RULE("time_ns, a list of positive integers", AL_IS_INTEGER, 1, MOST_NS, "time_ns", "*"),
    TOP("messages", AL_IS_INTEGER | AL_REQUIRED_IF_OK, 1, LARGEST, "a positive integer"),
    TOP("peak_rss_bytes", AL_IS_INTEGER | AL_REQUIRED_IF_OK, 0, MOST_BYTES, "an integer from 0"),
    NAME("started_at"),
    NAME("victim"),
    NAME("idle"),
    NAME("pin"),
    NAME("topology"),
    NAME("engine"),
    TOP("machine", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object or null"),
    IN("machine", "name", AL_IS_TEXT | AL_REQUIRED, 0, 0, "a string"),
    IN("machine", "title", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string"),
    IN("machine", "hypothetical", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    IN("machine", "model_hash", AL_IS_HEX | AL_REQUIRED, 0, AL_HASH_DIGITS,
       AL_TEXT_OF(AL_HASH_DIGITS) " hexadecimal digits"),
    IN("machine", "overridden", AL_IS_OBJECT | AL_REQUIRED, 0, 0, "an object"),
    RULE("machine.overridden, an object of numbers", AL_IS_NUMBER, 0, 0, "machine", "overridden",
         "*"),
    IN("machine", "binary_hash", AL_IS_HEX | AL_IS_NIL, 0, AL_HASH_DIGITS,
       AL_TEXT_OF(AL_HASH_DIGITS) " hexadecimal digits"),
    TOP("costs", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object of numbers"),
    RULE("costs, an object of numbers from 0", AL_IS_NUMBER, 0, MOST_NS, "costs", "*"),
    TOP("starter_busy", AL_IS_NUMBER | AL_IS_NIL, 0, 1, "a number from 0 to 1, or null"),
    TOP("simulated", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object or null"),
    SIMULATED("accesses"),
    SIMULATED("misses"),
    SIMULATED("transfers"),
    SIMULATED("queued_ns"),
    SIMULATED("left_out"),
    SIMULATED("page_faults"),
    IN("simulated", "starter_alone", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    IN("simulated", "hash", AL_IS_HEX | AL_IS_NIL, 0, AL_HASH_DIGITS,
       AL_TEXT_OF(AL_HASH_DIGITS) " hexadecimal digits"),
    IN("simulated", "host_s", AL_IS_NUMBER | AL_IS_NIL, 0, 1e9, "a number from 0, or null"),
    IN("simulated", "accesses_per_s", AL_IS_NUMBER | AL_IS_NIL, 0, MOST_COUNT,
       "a number from 0, or null"),
    NAME("locality"),
    TOP("placement", AL_IS_PLACED | AL_IS_NIL, 0, 0, "verified, untied or null"),
    NAME("trace"),
    NAME("error"),
    NAME("stderr"),
    NAME("signal"),
    TOP("exit_code", AL_IS_INTEGER | AL_IS_NIL, 0, 0, "an integer"),
    TOP("oversubscribed", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    TOP("seed", AL_IS_INTEGER | AL_IS_NIL, 0, 0, "an integer"),
    TOP("warmup", AL_IS_INTEGER | AL_IS_NIL, 0, 1e9, "an integer from 0"),
    NAME("warmup_rule"),
    TOP("warmup_steady", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    TOP("steady", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    TOP("interrupted", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    TOP("iterations", AL_IS_INTEGER | AL_IS_NIL, 0, 1e9, "an integer from 0"),
    PUS("pus"),
    PUS("bound"),
    PUS("nodes"),
    TOP("kinds", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of strings, or null"),
    RULE("kinds, a list of strings", AL_IS_TEXT | AL_IS_NIL, 0, 0, "kinds", "*"),

    TOP("counters", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of objects"),
    RULE("counters, a list of objects", AL_IS_OBJECT, 0, 0, "counters", "*"),
    RULE("counters, integers from 0 to 10^15 or objects of these", AL_IS_INTEGER | AL_IS_OBJECT, 0,
         MOST_COUNT, "counters", "*", "*"),
    RULE("counters, integers from 0 to 10^15 or objects of these", AL_IS_INTEGER, 0, MOST_COUNT,
         "counters", "*", "*", "*"),

    TOP("handoff", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    IN("handoff", "from", AL_IS_INTEGER | AL_REQUIRED, 0, 0, "an integer"),
    IN("handoff", "to", AL_IS_LIST | AL_REQUIRED, 1, AL_HANDOFF_MOST,
       "a list of 1 to " AL_TEXT_OF(AL_HANDOFF_MOST) " integers"),
    RULE("handoff.to, a list of integers", AL_IS_INTEGER, 0, 0, "handoff", "to", "*"),
    IN("handoff", "ns", AL_IS_LIST | AL_REQUIRED, 1, AL_HANDOFF_MOST,
       "a list of 1 to " AL_TEXT_OF(AL_HANDOFF_MOST) " numbers"),
    RULE("handoff.ns, a list of numbers from 0, or null", AL_IS_NUMBER | AL_IS_NIL, 0, MOST_NS,
         "handoff", "ns", "*"),
    IN("handoff", "median_ns", AL_IS_NUMBER | AL_IS_NIL | AL_REQUIRED, 0, MOST_NS,
       "a number from 0, or null"),
    IN("handoff", "took_ns", AL_IS_INTEGER | AL_IS_NIL, 0, MOST_NS, "an integer from 0, or null"),

    TOP("hardware", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of objects"),
    RULE("hardware, a list of objects", AL_IS_OBJECT, 0, 0, "hardware", "*"),
    HARDWARE("cycles"),
    HARDWARE("instructions"),
    HARDWARE("cache_misses"),
    HARDWARE("context_switches"),
    HARDWARE("page_faults"),
    HARDWARE("waited_ns"),
    HARDWARE("ran_ns"),

    TOP("latencies", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    IN("latencies", "n", AL_IS_INTEGER | AL_IS_NIL, 0, MOST_COUNT, "an integer from 0 to 10^15"),
    QUANTILE("min_ns"),
    QUANTILE("max_ns"),
    QUANTILE("mean_ns"),
    QUANTILE("p50"),
    QUANTILE("p90"),
    QUANTILE("p99"),
    QUANTILE("p99.9"),
    QUANTILE("p99.99"),
    IN("latencies", "buckets", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of [ns, count]"),
    RULE("latencies.buckets, each [ns, count]", AL_IS_PAIR, 0, 0, "latencies", "buckets", "*"),
    RULE("latencies.buckets, each [ns, count]", AL_IS_NUMBER, 0, MOST_NS, "latencies", "buckets",
         "*", "0"),
    RULE("latencies.buckets, each [ns, count] with a positive count", AL_IS_INTEGER, 1, MOST_COUNT,
         "latencies", "buckets", "*", "1"),

    TOP("memory", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    BYTES("allocated_bytes"),
    BYTES("resident_bytes"),
    BYTES("queue_bytes"),
    BYTES("queue_peak_bytes"),

    TOP("profile", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
#define PROFILE(key, least, most)                                                                  \
    IN("profile", #key, AL_IS_NUMBER | AL_IS_NIL, 0, most, "a number from 0 to " #most),
    AL_PROFILE_FIELDS(PROFILE)
#undef PROFILE

        TOP("environment", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    ENVIRONMENT("cpu"),
    ENVIRONMENT("machine"),
    ENVIRONMENT("cpus_allowed"),
    ENVIRONMENT("topology_hash"),
    ENVIRONMENT("kernel"),
    ENVIRONMENT("compiler"),
    ENVIRONMENT("flags"),
    ENVIRONMENT("build_type"),
    ENVIRONMENT("sanitize"),
    ENVIRONMENT("revision"),
    ENVIRONMENT("binary_hash"),
    ENVIRONMENT("allocator"),
    ENVIRONMENT("malloc_conf"),
    ENVIRONMENT("governor"),
    ENVIRONMENT("thp"),
    SWITCH("turbo"),
    SWITCH("aslr"),
    RULE("an environment without lists", AL_IS_PLAIN | AL_IS_OBJECT, 0, 0, "environment", "*"),

    TOP("noise", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    MOMENT("before"),
    MOMENT("after"),
    NOISE("elapsed_ns"),
    NOISE("watched_pus"),
    NOISE("own_ns"),
    NOISE("others_ns"),
    NOISE("steal_ns"),
    NOISE("throttles"),
    NOISE("quota_pus"),
    NOISE("quota_throttled_ns"),
    NOISE("stops"),
    NOISE("migrations"),
    NOISE("voluntary_switches"),
    NOISE("involuntary_switches"),
    NOISE("minor_faults"),
    NOISE("major_faults"),
    IN("noise", "frequencies_khz", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of integers"),
    RULE("noise.frequencies_khz, a list of integers", AL_IS_INTEGER | AL_IS_NIL, 0, MOST_COUNT,
         "noise", "frequencies_khz", "*"),
    IN("noise", "governors", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of strings"),
    RULE("noise.governors, a list of strings", AL_IS_TEXT | AL_IS_NIL, 0, 0, "noise", "governors",
         "*"),
    IN("noise", "gate", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    DEEP("noise", "gate", "others_running", AL_IS_INTEGER | AL_IS_NIL, 0, 1e9,
         "an integer from 0, or null"),
    DEEP("noise", "gate", "waited_s", AL_IS_NUMBER | AL_REQUIRED, 0, 1e9, "a number from 0"),
    IN("noise", "disturbed", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of strings"),
    RULE("noise.disturbed, a list of strings", AL_IS_TEXT, 0, 0, "noise", "disturbed", "*"),

    TOP("peer", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    IN("peer", "version", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string or null"),
    IN("peer", "program_hash", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string or null"),
    IN("peer", "pus", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of integers"),
    RULE("peer.pus, a list of integers", AL_IS_INTEGER, 0, 0, "peer", "pus", "*"),

    TOP("sweep", AL_IS_OBJECT | AL_IS_NIL, 0, 0, "an object"),
    IN("sweep", "name", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string"),
    IN("sweep", "cell", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string"),
    IN("sweep", "block", AL_IS_INTEGER | AL_IS_NIL, 0, MOST_BLOCK, "an integer from 0 to 10^9"),
    IN("sweep", "position", AL_IS_INTEGER | AL_IS_NIL, 0, MOST_BLOCK, "an integer from 0 to 10^9"),
    IN("sweep", "elapsed_s", AL_IS_NUMBER | AL_IS_NIL, 0, 1e9, "a number from 0"),
    IN("sweep", "copied_from", AL_IS_TEXT | AL_IS_NIL, 0, 0, "a string"),
    IN("sweep", "twin", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    IN("sweep", "session", AL_IS_HEX | AL_IS_NIL | AL_SINCE_2, 0, AL_SESSION_DIGITS,
       AL_TEXT_OF(AL_SESSION_DIGITS) " hexadecimal digits"),
    IN("sweep", "repeat", AL_IS_INTEGER | AL_IS_NIL, 0, 1, "0, 1 or null"),
    IN("sweep", "again", AL_IS_BOOLEAN | AL_IS_NIL, 0, 0, "true, false or null"),
    IN("sweep", "supersedes", AL_IS_LIST | AL_IS_NIL, 0, 0, "a list of trials"),
    RULE("sweep.supersedes, a list of trials", AL_IS_HEX, 0, AL_TRIAL_DIGITS, "sweep", "supersedes",
         "*"),
    {{NULL}, 0, 0, 0, NULL},
};

const char *const al_outcomes[] = {"ok",      "wrong",    "crashed", "timeout",
                                   "missing", "nonsense", NULL};

const char *const al_placed_names[] = {[AL_PLACED_UNKNOWN] = NULL,
                                       [AL_PLACED_VERIFIED] = "verified",
                                       [AL_PLACED_UNTIED] = "untied",
                                       /* what older records say instead of untied */
                                       "the strategy ties no actor to a worker",
                                       NULL};

/* "noise.before.load" */
static json_t *path_json(const struct al_rule *rule)
{
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    for (size_t i = 0; rule->path[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? "." : "", rule->path[i]);
    return al_growing_close_json(&text);
}

static json_t *kinds_json(unsigned kinds)
{
    static const struct {
        unsigned kind;
        const char *name;
    } names[] = {
        {AL_IS_TEXT, "text"},       {AL_IS_INTEGER, "integer"}, {AL_IS_REAL, "real"},
        {AL_IS_BOOLEAN, "boolean"}, {AL_IS_OBJECT, "object"},   {AL_IS_LIST | AL_IS_PAIR, "list"},
        {AL_IS_HEX, "hexadecimal"}, {AL_IS_OUTCOME, "outcome"}, {AL_IS_PLACED, "placement"},
        {AL_IS_NIL, "null"},
    };
    json_t *list = al_needed(json_array());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((kinds & names[i].kind) != 0)
            al_json_append(list, json_string(names[i].name));
    }
    return list;
}

json_t *al_schema_json(void)
{
    json_t *list = al_needed(json_array());
    for (const struct al_rule *rule = al_schema; rule->path[0] != NULL; rule++) {
        const char *required = (rule->kinds & AL_REQUIRED) != 0         ? "always"
                               : (rule->kinds & AL_REQUIRED_IF_OK) != 0 ? "if ok"
                                                                        : NULL;
        json_t *row = al_needed(json_pack("{s:o, s:o, s:s?, s:i}", "path", path_json(rule), "kinds",
                                          kinds_json(rule->kinds), "required", required, "since",
                                          (rule->kinds & AL_SINCE_2) != 0 ? 2 : 1));
        if (rule->low != rule->high) {
            al_json_set(row, "low", al_json_whole(rule->low));
            al_json_set(row, "high", al_json_whole(rule->high));
        }
        al_json_append(list, row);
    }
    return list;
}
