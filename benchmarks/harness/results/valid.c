/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/valid.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "benchmarks/workloads/benchmark.h"
#include "core/system.h"

#define PATH_MOST  4
#define DEPTH_MOST 8    /* of nested lists and objects; our own records reach 4 */
#define MOST_NS    1e18 /* 30 years */
#define MOST_COUNT 1e15 /* the counts of AL_WORKERS_MOST threads still add up in 63 bits */
/* The largest integer that jansson reads, 2^63 - 1; as a double it is 2^63. */
#define LARGEST          ((double)INT64_MAX)
#define MOST_BYTES       LARGEST
#define MOST_BLOCK       1000000000
#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

/* What a value may be, and when it must be there. */
enum {
    NIL = 1 << 0,
    TEXT = 1 << 1,
    INTEGER = 1 << 2,
    REAL = 1 << 3,
    BOOLEAN = 1 << 4,
    OBJECT = 1 << 5,
    LIST = 1 << 6,
    HEX = 1 << 7,      /* text of `high` hexadecimal digits */
    OUTCOME = 1 << 8,  /* text, one of al_outcomes */
    REQUIRED = 1 << 9, /* wherever the object exists that it is in */
    IF_OK = 1 << 10,   /* required, and within its range, if the outcome is ok */
    SINCE_2 = 1 << 11, /* version 1 does not know it */
    PAIR = 1 << 12,    /* a list of two */
    PLACED = 1 << 13,  /* text, one of al_placed_names */
    NUMBER = INTEGER | REAL,
    PLAIN = NIL | TEXT | NUMBER | BOOLEAN,
};

/*
 * One rule per value. The path leads to it from the record: "*" stands for every item of a list or object, a digit for
 * the item in that place of a list. The range is of a number's value or of a list's length; there is none if both ends
 * are equal. A rule holds where the path leads nowhere: the rule of the part that is missing speaks of that.
 */
struct rule {
    const char *path[PATH_MOST + 1];
    unsigned kinds;
    double low, high;
    const char *problem;
};

#define TOP(key, kinds, low, high, what)                                                           \
    {                                                                                              \
        {key}, kinds, low, high, "expected " key ", " what                                         \
    }
#define IN(outer, key, kinds, low, high, what)                                                     \
    {                                                                                              \
        {outer, key}, kinds, low, high, "expected " outer "." key ", " what                        \
    }
#define DEEP(outer, part, key, kinds, low, high, what)                                             \
    {                                                                                              \
        {outer, part, key}, kinds, low, high, "expected " outer "." part "." key ", " what         \
    }
#define NAME(key) TOP(key, TEXT | NIL, 0, 0, "a string or null")
#define PUS(key)                                                                                   \
    TOP(key, LIST | NIL, 0, 0, "a list of integers"),                                              \
    {                                                                                              \
        {key, "*"}, INTEGER | NIL, 0, 0, "expected " key ", a list of integers"                    \
    }
#define ENVIRONMENT(key) IN("environment", key, TEXT | NIL, 0, 0, "a string or null")
#define SWITCH(key)      IN("environment", key, BOOLEAN | NIL, 0, 0, "true, false or null")
#define BYTES(key)       IN("memory", key, INTEGER | NIL, 0, MOST_BYTES, "an integer from 0, or null")
#define QUANTILE(key)    IN("latencies", key, NUMBER | NIL, 0, MOST_NS, "ns, a number from 0, or null")
#define NOISE(key)       IN("noise", key, NUMBER | NIL, 0, MOST_NS, "a number from 0, or null")
#define MOMENT(part)                                                                               \
    IN("noise", part, OBJECT | NIL, 0, 0, "an object"),                                            \
        DEEP("noise", part, "load", NUMBER | NIL, 0, 1e9, "a number from 0, or null"),             \
        DEEP("noise", part, "procs_running", INTEGER | NIL, 0, 1e9, "an integer from 0, or null")

/* In the order of checking: the first rule that a record breaks is the one reported. */
static const struct rule rules[] = {
    TOP("outcome", OUTCOME | REQUIRED, 0, 0, "ok, wrong, crashed, timeout, missing or nonsense"),
    TOP("trial", HEX | REQUIRED | SINCE_2, 0, AL_TRIAL_DIGITS,
        TEXT_OF(AL_TRIAL_DIGITS) " hexadecimal digits"),
    TOP("benchmark", TEXT | REQUIRED, 0, 0, "a string"),
    TOP("scheduler", TEXT | REQUIRED, 0, 0, "a string"),
    TOP("parameters", OBJECT | REQUIRED, 0, 0, "an object"),
    {{"parameters", "*"}, PLAIN, 0, 0, "expected parameters that are no lists or objects"},
    TOP("options", OBJECT | REQUIRED, 0, 0, "an object"),
    {{"options", "*"}, PLAIN, 0, 0, "expected options that are no lists or objects"},
    TOP("workers", INTEGER | REQUIRED, 1, AL_WORKERS_MOST,
        "an integer from 1 to " TEXT_OF(AL_WORKERS_MOST)),
    TOP("time_ns", LIST | IF_OK, 1, 1e9, "a list of positive integers"),
    {{"time_ns", "*"}, INTEGER, 1, MOST_NS, "expected time_ns, a list of positive integers"},
    TOP("messages", INTEGER | IF_OK, 1, LARGEST, "a positive integer"),
    TOP("peak_rss_bytes", INTEGER | IF_OK, 0, MOST_BYTES, "an integer from 0"),
    NAME("started_at"),
    NAME("victim"),
    NAME("idle"),
    NAME("pin"),
    NAME("topology"),
    NAME("engine"),
    NAME("locality"),
    TOP("placement", PLACED | NIL, 0, 0, "verified, untied or null"),
    NAME("trace"),
    NAME("error"),
    NAME("stderr"),
    NAME("signal"),
    TOP("exit_code", INTEGER | NIL, 0, 0, "an integer"),
    TOP("oversubscribed", BOOLEAN | NIL, 0, 0, "true or false"),
    TOP("seed", INTEGER | NIL, 0, 0, "an integer"),
    TOP("warmup", INTEGER | NIL, 0, 1e9, "an integer from 0"),
    TOP("iterations", INTEGER | NIL, 0, 1e9, "an integer from 0"),
    PUS("pus"),
    PUS("bound"),
    PUS("nodes"),

    TOP("counters", LIST | NIL, 0, 0, "a list of objects"),
    {{"counters", "*"}, OBJECT, 0, 0, "expected counters, a list of objects"},
    {{"counters", "*", "*"},
     INTEGER | OBJECT,
     0,
     MOST_COUNT,
     "expected counters, integers from 0 to 10^15 or objects of these"},
    {{"counters", "*", "*", "*"},
     INTEGER,
     0,
     MOST_COUNT,
     "expected counters, integers from 0 to 10^15 or objects of these"},

    TOP("latencies", OBJECT | NIL, 0, 0, "an object"),
    IN("latencies", "n", INTEGER | NIL, 0, MOST_COUNT, "an integer from 0 to 10^15"),
    QUANTILE("min_ns"),
    QUANTILE("max_ns"),
    QUANTILE("mean_ns"),
    QUANTILE("p50"),
    QUANTILE("p90"),
    QUANTILE("p99"),
    QUANTILE("p99.9"),
    QUANTILE("p99.99"),
    IN("latencies", "buckets", LIST | NIL, 0, 0, "a list of [ns, count]"),
    {{"latencies", "buckets", "*"}, PAIR, 0, 0, "expected latencies.buckets, each [ns, count]"},
    {{"latencies", "buckets", "*", "0"},
     NUMBER,
     0,
     MOST_NS,
     "expected latencies.buckets, each [ns, count]"},
    {{"latencies", "buckets", "*", "1"},
     INTEGER,
     1,
     MOST_COUNT,
     "expected latencies.buckets, each [ns, count] with a positive count"},

    TOP("memory", OBJECT | NIL, 0, 0, "an object"),
    BYTES("allocated_bytes"),
    BYTES("resident_bytes"),
    BYTES("queue_bytes"),

    TOP("environment", OBJECT | NIL, 0, 0, "an object"),
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
    {{"environment", "*"}, PLAIN | OBJECT, 0, 0, "expected an environment without lists"},

    TOP("noise", OBJECT | NIL, 0, 0, "an object"),
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
    NOISE("migrations"),
    NOISE("voluntary_switches"),
    NOISE("involuntary_switches"),
    NOISE("minor_faults"),
    NOISE("major_faults"),
    IN("noise", "frequencies_khz", LIST | NIL, 0, 0, "a list of integers"),
    {{"noise", "frequencies_khz", "*"},
     INTEGER | NIL,
     0,
     MOST_COUNT,
     "expected noise.frequencies_khz, a list of integers"},
    IN("noise", "governors", LIST | NIL, 0, 0, "a list of strings"),
    {{"noise", "governors", "*"}, TEXT | NIL, 0, 0, "expected noise.governors, a list of strings"},
    IN("noise", "gate", OBJECT | NIL, 0, 0, "an object"),
    DEEP("noise", "gate", "others_running", INTEGER | NIL, 0, 1e9, "an integer from 0, or null"),
    DEEP("noise", "gate", "waited_s", NUMBER | REQUIRED, 0, 1e9, "a number from 0"),
    IN("noise", "disturbed", LIST | NIL, 0, 0, "a list of strings"),
    {{"noise", "disturbed", "*"}, TEXT, 0, 0, "expected noise.disturbed, a list of strings"},

    TOP("peer", OBJECT | NIL, 0, 0, "an object"),
    IN("peer", "version", TEXT | NIL, 0, 0, "a string or null"),
    IN("peer", "program_hash", TEXT | NIL, 0, 0, "a string or null"),

    TOP("sweep", OBJECT | NIL, 0, 0, "an object"),
    IN("sweep", "name", TEXT | NIL, 0, 0, "a string"),
    IN("sweep", "cell", TEXT | NIL, 0, 0, "a string"),
    IN("sweep", "block", INTEGER | NIL, 0, MOST_BLOCK, "an integer from 0 to 10^9"),
    IN("sweep", "position", INTEGER | NIL, 0, MOST_BLOCK, "an integer from 0 to 10^9"),
    IN("sweep", "elapsed_s", NUMBER | NIL, 0, 1e9, "a number from 0"),
    IN("sweep", "twin", BOOLEAN | NIL, 0, 0, "true or false"),
    IN("sweep", "session", HEX | NIL | SINCE_2, 0, AL_SESSION_DIGITS,
       TEXT_OF(AL_SESSION_DIGITS) " hexadecimal digits"),
};

const char *const al_outcomes[] = {"ok",      "wrong",    "crashed", "timeout",
                                   "missing", "nonsense", NULL};

const char *const al_placed_names[] = {[AL_PLACED_UNKNOWN] = NULL,
                                       [AL_PLACED_VERIFIED] = "verified",
                                       [AL_PLACED_UNTIED] = "untied",
                                       /* what older records say instead of untied */
                                       "the strategy ties no actor to a worker",
                                       NULL};

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

static bool is_hex(const char *text, size_t digits)
{
    return strspn(text, "0123456789abcdef") == digits && text[digits] == '\0';
}

static bool in_range(const json_t *value, const struct rule *rule)
{
    if (rule->low == rule->high || !(json_is_number(value) || json_is_array(value)))
        return true;
    double size = json_is_array(value) ? (double)json_array_size(value) : json_number_value(value);
    return rule->low <= size && size <= rule->high;
}

static bool matches(const json_t *value, const struct rule *rule, bool is_ok)
{
    static const unsigned kinds[] = {[JSON_OBJECT] = OBJECT,
                                     [JSON_ARRAY] = LIST | PAIR,
                                     [JSON_STRING] = TEXT | HEX | OUTCOME | PLACED,
                                     [JSON_INTEGER] = INTEGER,
                                     [JSON_REAL] = REAL,
                                     [JSON_TRUE] = BOOLEAN,
                                     [JSON_FALSE] = BOOLEAN,
                                     [JSON_NULL] = NIL};
    bool relaxed = (rule->kinds & IF_OK) != 0 && !is_ok;
    if (value == NULL)
        return relaxed || (rule->kinds & (REQUIRED | IF_OK)) == 0;
    if (relaxed && json_is_null(value))
        return true;
    if ((rule->kinds & kinds[json_typeof(value)]) == 0)
        return false;
    if (json_is_string(value) && (rule->kinds & HEX) != 0)
        return is_hex(json_string_value(value), (size_t)rule->high);
    if (json_is_string(value) && (rule->kinds & OUTCOME) != 0)
        return is_one_of(json_string_value(value), al_outcomes);
    if (json_is_string(value) && (rule->kinds & PLACED) != 0)
        return is_one_of(json_string_value(value), al_placed_names + AL_PLACED_VERIFIED);
    if (json_is_array(value) && (rule->kinds & PAIR) != 0)
        return json_array_size(value) == 2;
    return relaxed || in_range(value, rule);
}

/* Whether the rule holds for all that the rest of its path leads to from here. */
static bool holds(const json_t *value, const struct rule *rule, size_t step, bool is_ok)
{
    const char *name = rule->path[step];
    bool good = true;
    if (name == NULL)
        return matches(value, rule, is_ok);
    if (name[0] == '*' && json_is_object(value)) {
        const char *key;
        json_t *item;
        json_object_foreach((json_t *)value, key, item) good &= holds(item, rule, step + 1, is_ok);
    } else if (name[0] == '*') {
        for (size_t i = 0; i < json_array_size(value) && good; i++)
            good = holds(json_array_get(value, i), rule, step + 1, is_ok);
    } else if (isdigit((unsigned char)name[0])) {
        good = holds(json_array_get(value, (size_t)(name[0] - '0')), rule, step + 1, is_ok);
    } else if (json_is_object(value)) {
        good = holds(json_object_get(value, name), rule, step + 1, is_ok);
    }
    return good;
}

static bool is_deeper(const json_t *value, size_t most)
{
    const char *key;
    json_t *item;
    size_t i;
    bool deeper = (json_is_object(value) || json_is_array(value)) && most == 0;
    if (deeper)
        return true;
    json_object_foreach((json_t *)value, key, item) deeper = deeper || is_deeper(item, most - 1);
    json_array_foreach(value, i, item) deeper = deeper || is_deeper(item, most - 1);
    return deeper;
}

const char *al_record_problem(const json_t *record)
{
    if (!json_is_object(record))
        return "expected an object";
    const json_t *version = json_object_get(record, "schema_version");
    json_int_t schema = json_integer_value(version);
    if (!json_is_integer(version) || schema < AL_SCHEMA_OLDEST || schema > AL_SCHEMA_VERSION)
        return "expected schema_version " TEXT_OF(AL_SCHEMA_OLDEST) " or " TEXT_OF(
            AL_SCHEMA_VERSION);
    if (is_deeper(record, DEPTH_MOST))
        return "expected lists and objects nested no deeper than " TEXT_OF(DEPTH_MOST);
    const char *outcome = json_string_value(json_object_get(record, "outcome"));
    bool is_ok = outcome != NULL && strcmp(outcome, al_outcomes[0]) == 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        if (schema < 2 && (rule->kinds & SINCE_2) != 0)
            continue;
        if (!holds(record, rule, 0, is_ok))
            return rule->problem;
    }
    return NULL;
}
