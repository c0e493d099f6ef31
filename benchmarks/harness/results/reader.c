/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/results/batch.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"

/* Former names, which docs/reference/records.md lists. */
static const struct {
    const char *key, *former, *today;
} renamed[] = {
    {"scheduler", "engines", "mercury"},
    {"placement", "the strategy ties no actor to a worker", "untied"},
};

const char *al_today(const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (strcmp(renamed[i].key, key) == 0 && strcmp(renamed[i].former, value) == 0)
            return renamed[i].today;
    }
    return value;
}

struct al_reader {
    char *path;
    struct al_batch batch;
    struct al_parsed *line; /* the last of these */
    size_t next;
    int error;
    json_t *trials;
    char trial[AL_TRIAL_DIGITS + 1];
    /* Version 1 does not name sessions: how many were seen, and the place of the last trial. */
    size_t sessions;
    json_int_t block, position;
    char session[AL_SESSION_DIGITS + 1];
};

#define NOT_REGULAR EMEDIUMTYPE

const char *al_reader_error(int error)
{
    return error == NOT_REGULAR ? "it is no regular file" : strerror(error);
}

int al_open_regular(const char *path)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file == -1)
        return -errno;
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode))
        return file;
    close(file);
    return -NOT_REGULAR;
}

static int open_any(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    return file == -1 ? -errno : file;
}

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

char *al_records_path(const char *records)
{
    return al_text("%s%s", records, is_folder(records) ? "/records.jsonl" : "");
}

struct al_reader *al_reader_open(const char *records, json_t *trials)
{
    struct al_reader *reader = al_needed(calloc(1, sizeof *reader));
    bool is_stdin = strcmp(records, "-") == 0;
    reader->path = al_records_path(records);
    reader->trials = trials;
    int file = is_stdin             ? STDIN_FILENO
               : is_folder(records) ? al_open_regular(reader->path)
                                    : open_any(reader->path);
    reader->error = file < 0 ? -file : 0;
    reader->batch.file = file;
    struct stat found;
    reader->batch.endless = file >= 0 && fstat(file, &found) == 0 && S_ISCHR(found.st_mode);
    json_object_seed(0); /* before there are threads */
    return reader;
}

const char *al_reader_path(const struct al_reader *reader)
{
    return reader->path;
}

/* Records of version 1 have no identity of their own, so it is the hash of the line. */
static void find_trial(struct al_reader *reader)
{
    const char *given = json_string_value(json_object_get(reader->line->record, "trial"));
    if (json_integer_value(json_object_get(reader->line->record, "schema_version")) > 1) {
        memcpy(reader->trial, given, AL_TRIAL_DIGITS);
        return;
    }
    unsigned char hash[AL_TRIAL_DIGITS / 2];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)reader->line->text,
                       reader->line->length, NULL, 0);
    sodium_bin2hex(reader->trial, sizeof reader->trial, hash, sizeof hash);
}

/*
 * A session of version 1 runs its blocks in order, and the trials of a block in order of their
 * positions. Where a record goes back, a new session begins. Positions that are all 0 are ignored.
 */
static const char *session_of(struct al_reader *reader)
{
    const json_t *sweep = json_object_get(reader->line->record, "sweep");
    const json_t *session = json_object_get(sweep, "session");
    const json_t *position = json_object_get(sweep, "position");
    json_int_t block = json_integer_value(json_object_get(sweep, "block"));
    bool is_old = json_integer_value(json_object_get(reader->line->record, "schema_version")) < 2;
    if (!json_is_object(sweep) || (!is_old && !json_is_string(session)))
        return NULL;
    if (!is_old)
        return json_string_value(session);
    json_int_t place = json_integer_value(position);
    bool is_back = block < reader->block || (block == reader->block && place <= reader->position);
    bool has_positions = json_is_integer(position) && (place > 0 || reader->position > 0);
    if (reader->sessions == 0 || (has_positions && is_back))
        reader->sessions++;
    reader->block = block;
    reader->position = place;
    snprintf(reader->session, sizeof reader->session, "%016zx", reader->sessions);
    return reader->session;
}

/* Copied records, or a file given twice, add no data. */
static void note_trial(struct al_reader *reader, struct al_line *out)
{
    out->first = json_string_value(json_object_get(reader->trials, reader->trial));
    if (out->first == NULL) {
        char *path = al_printable(reader->path), *here = al_text("%s:%zu", path, out->number);
        al_json_set(reader->trials, reader->trial, json_string(here));
        free(path);
        free(here);
        return;
    }
    out->problem = reader->line->said = al_text("the same trial as %s", out->first);
}

static void take_record(struct al_reader *reader, struct al_line *out)
{
    json_t *record = reader->line->record;
    find_trial(reader);
    note_trial(reader, out);
    if (out->problem != NULL)
        return;
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const char *value = json_string_value(json_object_get(record, renamed[i].key));
        if (value != NULL && strcmp(value, renamed[i].former) == 0)
            al_json_set(record, renamed[i].key, json_string(renamed[i].today));
    }
    out->record = record;
    out->trial = reader->trial;
    out->session = session_of(reader);
}

/* The trials that records of the rest of the file name. A copy of it goes to `copy` unless that is
 * negative. */
static int find_superseded(int file, int copy, json_t *out)
{
    struct al_batch batch = {.file = file, .only = "\"supersedes\"", .copy = copy};
    const json_t *trial;
    size_t i;
    while (al_batch_next(&batch)) {
        for (size_t l = 0; l < batch.n; l++) {
            const json_t *sweep = json_object_get(batch.lines[l].record, "sweep");
            if (batch.lines[l].problem != NULL)
                continue;
            json_array_foreach(json_object_get(sweep, "supersedes"), i, trial)
                al_json_set(out, json_string_value(trial), json_true());
        }
    }
    al_batch_release(&batch);
    return batch.error;
}

json_t *al_reader_superseded(struct al_reader *reader)
{
    json_t *found = al_needed(json_object());
    struct al_batch *batch = &reader->batch;
    if (batch->file < 0 || batch->endless)
        return found;
    off_t start = lseek(batch->file, 0, SEEK_CUR);
    FILE *copy = start >= 0 ? NULL : tmpfile();
    if (start < 0) { /* a pipe: from now on, its copy is read */
        int file = copy != NULL ? dup(fileno(copy)) : -1;
        reader->error = file < 0 ? errno : find_superseded(batch->file, file, found);
        batch->file = file;
        if (copy != NULL)
            fclose(copy);
    } else { /* an error is met again, once what comes before is read */
        (void)find_superseded(batch->file, -1, found);
    }
    lseek(batch->file, start >= 0 ? start : 0, SEEK_SET);
    return found;
}

bool al_reader_next(struct al_reader *reader, struct al_line *out)
{
    if (reader->next == reader->batch.n) {
        reader->next = 0;
        if (!al_batch_next(&reader->batch))
            return false;
    }
    reader->line = &reader->batch.lines[reader->next++];
    json_int_t version = json_integer_value(
        json_object_get(reader->line->record, "schema_version"));
    *out = (struct al_line){.number = reader->line->number,
                            .problem = reader->line->problem,
                            .newer = version > AL_SCHEMA_VERSION};
    if (out->problem == NULL)
        take_record(reader, out);
    return true;
}

int al_reader_close(struct al_reader *reader)
{
    int error = reader->error != 0 ? reader->error : reader->batch.error;
    if (reader->batch.file > STDIN_FILENO)
        close(reader->batch.file);
    al_batch_release(&reader->batch);
    free(reader->path);
    free(reader);
    return error;
}
