/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/exit.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"

/* What is left out of one file. */
struct left_out {
    json_t *problems; /* one object per line that is not a record, or not a new one */
    size_t records, damaged, duplicates, traced, superseded;
    size_t first_duplicate, first_traced; /* lines */
    char *duplicate;                      /* the complaint about the first */
};

static void note_problem(struct left_out *out, const struct al_line *line)
{
    const char *kind = line->first != NULL ? "duplicate" : line->newer ? "newer" : "damaged";
    json_t *problem = al_needed(json_pack("{s:I, s:s, s:o}", "line", (json_int_t)line->number,
                                          "kind", kind, "problem",
                                          al_needed(json_string_nocheck(line->problem))));
    al_json_append(out->problems, problem);
}

static void say_left_out(const struct left_out *out, const char *command, const char *path)
{
    if (out->traced > 0)
        fprintf(stderr,
                "actorlab %s: %s: left out %s, the first in line %zu: times with "
                "--trace are distorted\n",
                command, path, al_counted(out->traced, "traced run").text, out->first_traced);
    if (out->duplicates == 0)
        return;
    fprintf(stderr, "actorlab %s: %s:%zu: %s, left out", command, path, out->first_duplicate,
            out->duplicate);
    if (out->duplicates > 1)
        fprintf(stderr, ", and %s read before", al_counted(out->duplicates - 1, "more line").text);
    fputc('\n', stderr);
}

static void keep_source(json_t *sources, const char *path, struct left_out *out, int error)
{
    json_t *shown = json_string(path);
    json_t *source = al_needed(
        json_pack("{s:o, s:I, s:I, s:I, s:O, s:o}", "path", shown != NULL ? shown : json_null(),
                  "records", (json_int_t)out->records, "traced", (json_int_t)out->traced,
                  "superseded", (json_int_t)out->superseded, "problems", out->problems, "error",
                  error != 0 ? json_string(al_reader_error(error)) : json_null()));
    al_json_append(sources, source);
}

int al_intake_read(struct al_intake *intake, const char *name, al_take *take, void *to)
{
    struct al_reader *reader = al_reader_open(name, al_json_made(&intake->trials));
    char *path = al_needed(strdup(al_reader_path(reader)));
    json_t *superseded = al_reader_superseded(reader);
    struct left_out out = {.problems = al_needed(json_array())};
    struct al_line line;
    while (al_reader_next(reader, &line)) {
        if (line.problem != NULL)
            note_problem(&out, &line);
        if (line.first != NULL) {
            if (out.duplicates++ == 0) {
                out.duplicate = al_needed(strdup(line.problem));
                out.first_duplicate = line.number;
            }
        } else if (line.problem != NULL) {
            out.damaged++;
            fprintf(stderr, "actorlab %s: %s:%zu: not a record, left out: %s\n", intake->command,
                    path, line.number, line.problem);
        } else if (json_object_get(superseded, line.trial) != NULL) {
            out.superseded++;
        } else if (json_is_string(json_object_get(line.record, "trace"))) {
            out.first_traced = out.traced++ == 0 ? line.number : out.first_traced;
        } else {
            out.records++;
            take(to, &line, intake->n);
        }
    }
    int code = out.damaged + out.duplicates > 0 ? AL_EXIT_FAILED : AL_EXIT_OK;
    int error = al_reader_close(reader);
    if (error != 0) {
        fprintf(stderr, "actorlab %s: cannot read '%s': %s\n", intake->command, path,
                al_reader_error(error));
        code = AL_EXIT_USAGE;
    }
    say_left_out(&out, intake->command, path);
    if (intake->sources != NULL)
        keep_source(intake->sources, path, &out, error);
    intake->n++;
    json_decref(superseded);
    json_decref(out.problems);
    free(out.duplicate);
    free(path);
    return code;
}

void al_intake_release(struct al_intake *intake)
{
    json_decref(intake->trials);
    json_decref(intake->sources);
}
