/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"

/* A record takes about 400 bytes for each worker, of which there are at most AL_WORKERS_MOST. */
#define LINE_MOST_MIB 64
#define LINE_MOST     ((size_t)LINE_MOST_MIB << 20)

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
    FILE *file;   /* NULL: could not be opened */
    bool endless; /* a device such as /dev/zero, whose lines need have no end */
    bool ended;
    int error;
    size_t number;
    char *text;
    size_t capacity;
    json_t *record, *trials;
    json_error_t syntax;
    char *said; /* what was found out about the last line, or NULL */
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

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

char *al_records_path(const char *records)
{
    bool folder = is_folder(records);
    char *path;
    if (asprintf(&path, "%s%s", records, folder ? "/records.jsonl" : "") < 0)
        al_no_memory();
    return path;
}

struct al_reader *al_reader_open(const char *records, json_t *trials)
{
    struct al_reader *reader = al_needed(calloc(1, sizeof *reader));
    bool is_stdin = strcmp(records, "-") == 0;
    reader->path = al_records_path(records);
    reader->trials = trials;
    if (is_stdin) {
        reader->file = stdin;
    } else if (is_folder(records)) {
        int file = al_open_regular(reader->path);
        errno = -file;
        reader->file = file >= 0 ? fdopen(file, "r") : NULL;
    } else {
        reader->file = fopen(reader->path, "r");
    }
    reader->error = reader->file != NULL ? 0 : errno;
    struct stat found;
    reader->endless = reader->file != NULL && fstat(fileno(reader->file), &found) == 0 &&
                      S_ISCHR(found.st_mode);
    return reader;
}

const char *al_reader_path(const struct al_reader *reader)
{
    return reader->path;
}

/* Records of version 1 have no identity of their own, so it is the hash of the line. */
static void find_trial(struct al_reader *reader, size_t length)
{
    const char *given = json_string_value(json_object_get(reader->record, "trial"));
    if (json_integer_value(json_object_get(reader->record, "schema_version")) > 1) {
        memcpy(reader->trial, given, AL_TRIAL_DIGITS);
        return;
    }
    unsigned char hash[AL_TRIAL_DIGITS / 2];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)reader->text, length, NULL, 0);
    sodium_bin2hex(reader->trial, sizeof reader->trial, hash, sizeof hash);
}

/*
 * A session of version 1 runs its blocks in order, and the trials of a block in order of their
 * positions. Where a record goes back, a new session begins. Positions that are all 0 are ignored.
 */
static const char *session_of(struct al_reader *reader)
{
    const json_t *sweep = json_object_get(reader->record, "sweep");
    const json_t *session = json_object_get(sweep, "session");
    const json_t *position = json_object_get(sweep, "position");
    json_int_t block = json_integer_value(json_object_get(sweep, "block"));
    bool is_old = json_integer_value(json_object_get(reader->record, "schema_version")) < 2;
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
    char *here;
    out->first = json_string_value(json_object_get(reader->trials, reader->trial));
    if (out->first == NULL) {
        char *path = al_printable(reader->path);
        if (asprintf(&here, "%s:%zu", path, reader->number) < 0)
            al_no_memory();
        al_json_set(reader->trials, reader->trial, json_string(here));
        free(path);
        free(here);
        return;
    }
    free(reader->said);
    if (asprintf(&reader->said, "the same trial as %s", out->first) < 0)
        al_no_memory();
    out->problem = reader->said;
}

static void read_record(struct al_reader *reader, size_t length, struct al_line *out)
{
    reader->record = json_loadb(reader->text, length, JSON_REJECT_DUPLICATES, &reader->syntax);
    json_int_t version = json_integer_value(json_object_get(reader->record, "schema_version"));
    out->newer = version > AL_SCHEMA_VERSION;
    if (reader->record != NULL) {
        out->problem = al_record_problem(reader->record);
    } else { /* the parser quotes what it met */
        free(reader->said);
        out->problem = reader->said = al_printable(reader->syntax.text);
    }
    if (out->problem != NULL)
        return;
    find_trial(reader, length);
    note_trial(reader, out);
    if (out->problem != NULL)
        return;
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const char *value = json_string_value(json_object_get(reader->record, renamed[i].key));
        if (value != NULL && strcmp(value, renamed[i].former) == 0)
            al_json_set(reader->record, renamed[i].key, json_string(renamed[i].today));
    }
    out->record = reader->record;
    out->trial = reader->trial;
    out->session = session_of(reader);
}

/*
 * Read a line with its newline: its length, or 0 at the end. Of a longer one than LINE_MOST,
 * LINE_MOST + 1 bytes are kept.
 */
static size_t read_line(struct al_reader *reader)
{
    size_t length = 0;
    for (int c = 0; c != '\n' && !(length > LINE_MOST && reader->endless);) {
        c = getc_unlocked(reader->file);
        if (c == EOF)
            break;
        if (length > LINE_MOST)
            continue;
        if (length == reader->capacity) {
            reader->capacity = 2 * reader->capacity + 4096;
            reader->text = al_needed(realloc(reader->text, reader->capacity));
        }
        reader->text[length++] = (char)c;
    }
    if (ferror(reader->file))
        reader->error = errno;
    return reader->error == 0 ? length : 0;
}

static void note_superseded(const struct al_reader *reader, size_t length, json_t *out)
{
    static const char key[] = "\"supersedes\"";
    if (memmem(reader->text, length, key, strlen(key)) == NULL)
        return;
    json_t *record = json_loadb(reader->text, length, JSON_REJECT_DUPLICATES, NULL), *trial;
    size_t i;
    if (al_record_problem(record) == NULL) {
        json_array_foreach(json_object_get(json_object_get(record, "sweep"), "supersedes"), i,
                           trial) al_json_set(out, json_string_value(trial), json_true());
    }
    json_decref(record);
}

json_t *al_reader_superseded(struct al_reader *reader)
{
    json_t *found = al_needed(json_object());
    if (reader->file == NULL || reader->endless)
        return found;
    off_t start = ftello(reader->file);
    FILE *copy = start >= 0 ? NULL : tmpfile();
    if (start < 0 && copy == NULL) {
        reader->error = errno;
        return found;
    }
    for (size_t length; (length = read_line(reader)) > 0;) {
        if (length <= LINE_MOST)
            note_superseded(reader, length, found);
        if (copy != NULL && (fwrite(reader->text, 1, length, copy) < length ||
                             (length > LINE_MOST && putc('\n', copy) == EOF)))
            reader->error = errno;
    }
    if (copy != NULL) {
        reader->file = copy;
        rewind(copy);
    } else if (fseeko(reader->file, start, SEEK_SET) == 0) {
        reader->error = 0; /* which is met again, once what comes before is read */
    }
    return found;
}

bool al_reader_next(struct al_reader *reader, struct al_line *out)
{
    size_t length = 0;
    json_decref(reader->record);
    reader->record = NULL;
    while (length == 0 && reader->file != NULL && !reader->ended) {
        length = read_line(reader);
        reader->ended = length == 0;
        reader->number += length > 0;
        while (length > 0 && length <= LINE_MOST &&
               isspace((unsigned char)reader->text[length - 1]))
            length--;
    }
    *out = (struct al_line){.number = reader->number};
    if (length > LINE_MOST) {
        reader->ended = reader->endless;
        out->problem = "expected a line of at most " AL_TEXT_OF(LINE_MOST_MIB) " MiB";
    } else if (length > 0) {
        read_record(reader, length, out);
    }
    return length > 0;
}

int al_reader_close(struct al_reader *reader)
{
    int error = reader->error;
    if (reader->file != NULL && reader->file != stdin)
        fclose(reader->file);
    json_decref(reader->record);
    free(reader->said);
    free(reader->text);
    free(reader->path);
    free(reader);
    return error;
}
