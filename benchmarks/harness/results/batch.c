/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/batch.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/results/schema.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/sync/sync.h"

#define LINE_MOST    ((size_t)AL_LINE_MOST_MIB << 20)
#define READ_BYTES   ((size_t)1 << 20) /* some hundred records */
#define THREADS_MOST 8                 /* beyond, adding up the records takes longer */
#define LINES_LEAST  16 /* for each thread: to start one takes as long as to parse one */

/* What one thread parses: every step-th line. */
struct share {
    struct al_thread thread;
    struct al_batch *batch;
    size_t first, step;
};

static void parse(struct al_parsed *line)
{
    json_error_t syntax;
    line->record = json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, &syntax);
    if (line->record != NULL)
        line->problem = al_record_problem(line->record);
    else /* the parser quotes what it met */
        line->problem = line->said = al_printable(syntax.text);
}

static void parse_share(void *argument)
{
    const struct share *share = argument;
    for (size_t i = share->first; i < share->batch->n; i += share->step) {
        if (share->batch->lines[i].problem == NULL)
            parse(&share->batch->lines[i]);
    }
}

/* A thread that does not start leaves its share to this one. */
static void parse_all(struct al_batch *batch)
{
    struct share shares[THREADS_MOST];
    size_t n = batch->n / LINES_LEAST, limit = al_is_virtual ? 1 : al_thread_limit();
    bool started[THREADS_MOST] = {false};
    limit = limit < THREADS_MOST ? limit : THREADS_MOST;
    n = n < 1 ? 1 : n < limit ? n : limit;
    for (size_t t = 0; t < n; t++) {
        shares[t] = (struct share){.batch = batch, .first = t, .step = n};
        started[t] = t > 0 && al_thread_start(&shares[t].thread, parse_share, &shares[t]) == 0;
    }
    for (size_t t = 0; t < n; t++) {
        if (!started[t])
            parse_share(&shares[t]);
    }
    for (size_t t = 0; t < n; t++) {
        if (started[t])
            al_thread_join(&shares[t].thread);
    }
}

/* Adds a line, whose length counts its newline; a blank one is only counted. */
static void add_line(struct al_batch *batch, const char *text, size_t length)
{
    bool long_one = length > LINE_MOST;
    batch->number++;
    while (!long_one && length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    bool wanted = batch->only == NULL ||
                  memmem(text, length, batch->only, strlen(batch->only)) != NULL;
    if (length == 0 || !wanted)
        return;
    if (batch->n == batch->room) {
        batch->room = 2 * batch->room + 64;
        batch->lines = al_needed(reallocarray(batch->lines, batch->room, sizeof *batch->lines));
    }
    batch->lines[batch->n++] = (struct al_parsed){
        .number = batch->number,
        .text = text,
        .length = length,
        .problem = long_one ? "expected a line of at most " AL_TEXT_OF(AL_LINE_MOST_MIB) " MiB"
                            : NULL};
}

static int copy(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(file, text, bytes);
        if (written == -1 && errno != EINTR)
            return errno;
        text += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static void read_more(struct al_batch *batch)
{
    if (batch->start > 0)
        memmove(batch->text, batch->text + batch->start, batch->end - batch->start);
    batch->end -= batch->start;
    batch->start = 0;
    if (batch->capacity < batch->end + READ_BYTES) {
        batch->capacity = 2 * batch->end + READ_BYTES;
        batch->text = al_needed(realloc(batch->text, batch->capacity));
    }
    ssize_t bytes;
    do
        bytes = read(batch->file, batch->text + batch->end, READ_BYTES);
    while (bytes == -1 && errno == EINTR);
    batch->error = bytes == -1 ? errno : 0;
    if (bytes > 0 && batch->only != NULL && batch->copy >= 0)
        batch->error = copy(batch->copy, batch->text + batch->end, (size_t)bytes);
    batch->ended = bytes <= 0 || batch->error != 0;
    batch->end += bytes > 0 ? (size_t)bytes : 0;
}

/* Splits off what has been read of lines. Of one that is too long the rest is skipped. */
static void split(struct al_batch *batch, size_t looked)
{
    const char *newline;
    while ((newline = memchr(batch->text + looked, '\n', batch->end - looked)) != NULL) {
        size_t next = (size_t)(newline - batch->text) + 1;
        if (!batch->skipping)
            add_line(batch, batch->text + batch->start, next - batch->start);
        batch->skipping = false;
        batch->start = looked = next;
    }
    size_t rest = batch->end - batch->start;
    if (rest > LINE_MOST || (batch->ended && batch->error == 0 && rest > 0)) {
        if (!batch->skipping)
            add_line(batch, batch->text + batch->start, rest);
        batch->skipping = true;
    }
    if (batch->skipping)
        batch->start = batch->end;
    batch->ended = batch->ended || (batch->skipping && batch->endless);
}

static void forget_lines(struct al_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        json_decref(batch->lines[i].record);
        free(batch->lines[i].said);
    }
    batch->n = 0;
}

bool al_batch_next(struct al_batch *batch)
{
    forget_lines(batch);
    while (batch->n == 0 && !batch->ended && batch->file >= 0) {
        size_t unsplit = batch->end - batch->start;
        read_more(batch);
        split(batch, unsplit);
    }
    parse_all(batch);
    return batch->n > 0;
}

void al_batch_release(struct al_batch *batch)
{
    forget_lines(batch);
    free(batch->lines);
    free(batch->text);
}
