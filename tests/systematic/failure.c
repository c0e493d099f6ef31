/* SPDX-License-Identifier: MIT */
#include "tests/systematic/failure.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"

const struct check_model *const failure_models[3] = {&check_sc, &check_tso, &check_c11};

#define TITLE "schedule of actorlab check, version 1"

void failure_print(const struct check_result *result, FILE *out)
{
    for (unsigned i = 0; i < result->n_lines; i++) {
        const struct check_line *line = &result->lines[i];
        if (line->step != 0)
            fprintf(out, "%5u  ", line->step);
        else
            fputs("       ", out);
        int n = fprintf(out, "thread %u  %s", line->thread, line->effect);
        if (line->place[0] != '\0') {
            fprintf(out, "%*s%s", n < 46 ? 46 - n : 1, "", line->place);
            if (line->source[0] != '\0')
                fprintf(out, "%*s %s", 24 - (int)strlen(line->place), "", line->source);
        }
        fputc('\n', out);
    }
}

static FILE *open_new(const char *path, struct al_error *error)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        (void)al_error_set(error, -errno, "cannot write '%s': %s", path, strerror(errno));
    return file;
}

static int close_new(const char *path, FILE *file, struct al_error *error)
{
    bool failed = ferror(file) != 0;
    int code = fclose(file) != 0 || failed ? -EIO : 0;
    return code == 0 ? 0
                     : al_error_set(error, code, "cannot write '%s': %s", path, strerror(-code));
}

static void add(json_t *events, json_t *event)
{
    if (json_array_append_new(events, al_needed(event)) != 0)
        al_out_of_memory("a timeline", sizeof event);
}

/* One end of an arrow. */
static json_t *arrow(const char *end, unsigned number, const struct check_line *line)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:s}", "name", "read", "cat", "read",
                     "ph", end, "id", (int)number, "pid", 0, "tid", (int)line->thread, "ts",
                     (double)line->step, "bp", "e");
}

static unsigned n_threads(const struct check_result *result)
{
    unsigned n = 0;
    for (unsigned i = 0; i < result->n_lines; i++)
        n = result->lines[i].thread >= n ? result->lines[i].thread + 1 : n;
    return n;
}

static json_t *events_of(const struct searched *searched, const struct check_result *result)
{
    json_t *events = al_needed(json_array());
    for (unsigned t = 0; t < n_threads(result); t++)
        add(events,
            json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "name", "thread_name", "ph", "M", "pid", 0,
                      "tid", (int)t, "args", "name", json_sprintf("thread %u", t)));
    add(events, json_pack("{s:s, s:s, s:i, s:{s:o}}", "name", "process_name", "ph", "M", "pid", 0,
                          "args", "name",
                          json_sprintf("%s, %s: %s", searched->scenario->name,
                                       searched->model->name, result->reason)));
    unsigned last = 0;
    for (unsigned i = 0; i < result->n_lines; i++) {
        const struct check_line *line = &result->lines[i];
        last = line->step > last ? line->step : last;
        unsigned at = line->step != 0 ? line->step : ++last;
        add(events, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:{s:i, s:s, s:s}}", "name",
                              line->effect, "ph", "X", "pid", 0, "tid", (int)line->thread, "ts",
                              (double)at, "dur", 0.9, "args", "step", (int)line->step, "place",
                              line->place, "source", line->source));
        if (line->from != 0 && result->lines[line->from - 1].thread != line->thread) {
            add(events, arrow("s", i, &result->lines[line->from - 1]));
            add(events, arrow("f", i, line));
        }
    }
    return events;
}

int failure_timeline(const char *path, const struct searched *searched,
                     const struct check_result *result, struct al_error *error)
{
    FILE *file = open_new(path, error);
    if (file == NULL)
        return -EIO;
    json_t *timeline = al_needed(json_pack("{s:o, s:s}", "traceEvents", events_of(searched, result),
                                           "displayTimeUnit", "ns"));
    (void)json_dumpf(timeline, file, JSON_INDENT(1)); /* as ferror says */
    json_decref(timeline);
    return close_new(path, file, error);
}

int failure_save(const char *path, const struct searched *searched,
                 const struct check_result *result, struct al_error *error)
{
    FILE *file = open_new(path, error);
    if (file == NULL)
        return -EIO;
    fprintf(file, TITLE "\n%s\n%s\n%s\n", searched->scenario->name, searched->model->name,
            searched->reuse ? "reuse" : "poison");
    check_schedule_write(result->schedule, file);
    fputs("end\n", file);
    return close_new(path, file, error);
}

/* What a line of the head says; false: nothing that is known. */
static bool read_head(unsigned number, const char *line, struct searched *searched)
{
    switch (number) {
    case 1:
        return strcmp(line, TITLE) == 0;
    case 2:
        for (size_t i = 0; (searched->scenario = al_scenario_at(i)) != NULL; i++) {
            if (strcmp(searched->scenario->name, line) == 0)
                return true;
        }
        return false;
    case 3:
        for (size_t m = 0; m < 3; m++) {
            if (strcmp(failure_models[m]->name, line) == 0) {
                searched->model = failure_models[m];
                return true;
            }
        }
        return false;
    default:
        searched->reuse = strcmp(line, "reuse") == 0;
        return searched->reuse || strcmp(line, "poison") == 0;
    }
}

static int read_lines(FILE *file, const char *path, struct searched *searched,
                      struct check_schedule *schedule, struct al_error *error)
{
    static const char *const wanted[] = {
        "a step, such as '0 read 1.4', '0 write initial' or '1 fence'",
        "'" TITLE "'",
        "the name of a scenario, as `actorlab check --list` shows them",
        "sc, tso or c11",
        "poison or reuse",
    };
    enum { HEAD = 4 };
    char line[300];
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        line[strcspn(line, "\n")] = '\0';
        if (number > HEAD && strcmp(line, "end") == 0)
            return 0;
        if (number <= HEAD ? !read_head(number, line, searched)
                           : !check_schedule_read(schedule, line))
            return al_error_set(error, -EINVAL, "%s: line %u is '%.80s'; valid: %s", path, number,
                                line, wanted[number <= HEAD ? number : 0]);
    }
    return al_error_set(error, -EINVAL, "%s: there is no line 'end': a part of the file is missing",
                        path);
}

int failure_load(const char *path, struct searched *searched, struct check_schedule *schedule,
                 struct al_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return al_error_set(error, -errno, "cannot read '%s': %s", path, strerror(errno));
    schedule->n = 0;
    int code = read_lines(file, path, searched, schedule, error);
    fclose(file);
    return code;
}
