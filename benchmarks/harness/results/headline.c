/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/headline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

#define NOBODY SIZE_MAX

/* What a contestant has won with one number of workers, or with several that agree. */
struct share {
    struct al_range wins, ahead;
};

/* The groups with one number of workers; or, joined, with several. */
struct row {
    size_t groups;              /* with several contestants */
    struct al_range tied, open; /* how many of them have no winner */
    struct share *shares;       /* by contestant */
    size_t leader;              /* the contestant that wins most; NOBODY: none wins any */
    json_t *benchmarks;         /* {name: true} */
    size_t n, *counts;          /* by number: places in the list of all numbers of workers */
};

struct rows {
    const struct al_machine *machine;
    json_int_t *workers; /* ascending */
    size_t n;
    struct row *all;    /* by number of workers; those that have been joined have no counts */
    bool by_ratio;      /* nothing can be decided: who wins is only who comes first */
    size_t alone, most; /* groups with one contestant; and of how many blocks a comparison is */
};

static json_int_t workers_of(const struct al_machine *machine, size_t place)
{
    return json_integer_value(json_object_get(machine->study.cells[place]->identity, "workers"));
}

static int compare_counts(const void *left, const void *right)
{
    const json_int_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void count_group(struct rows *rows, struct row *row, const struct al_standing *standing)
{
    size_t winner = rows->machine->standings.of[standing->first];
    struct share *share = &row->shares[winner];
    row->groups++;
    if (standing->lead == AL_WON || (rows->by_ratio && standing->lead == AL_UNDECIDED)) {
        double ahead = standing->comparison != NULL ? standing->comparison->ratio.estimate : NAN;
        share->wins.least++;
        share->wins.most++;
        if (isfinite(ahead)) /* else most trials of the next failed */
            al_range_widen(&share->ahead, ahead, ahead);
    } else {
        struct al_range *range = standing->lead == AL_TIED ? &row->tied : &row->open;
        range->least++;
        range->most++;
    }
}

static void make_row(struct rows *rows, size_t count)
{
    const struct al_machine *machine = rows->machine;
    const struct al_standings *standings = &machine->standings;
    struct row *row = &rows->all[count];
    *row = (struct row){.leader = NOBODY, .n = 1, .benchmarks = al_needed(json_object())};
    row->shares = al_needed(calloc(standings->n_contestants + 1, sizeof *row->shares));
    row->counts = al_needed(calloc(rows->n, sizeof *row->counts));
    row->counts[0] = count;
    for (size_t c = 0; c < standings->n_contestants; c++)
        row->shares[c].ahead = AL_NO_RANGE;
    for (size_t g = 0; g < standings->n; g++) {
        const struct al_standing *standing = &standings->all[g];
        const json_t *identity = machine->study.cells[standing->first]->identity;
        if (standing->lead == AL_ALONE ||
            workers_of(machine, standing->first) != rows->workers[count])
            continue;
        al_json_set(row->benchmarks, json_string_value(json_object_get(identity, "benchmark")),
                    json_true());
        count_group(rows, row, standing);
    }
    for (size_t c = 0; c < standings->n_contestants; c++) {
        double wins = row->shares[c].wins.most;
        if (wins > (row->leader == NOBODY ? 0 : row->shares[row->leader].wins.most))
            row->leader = c;
    }
}

/* Adds what the row of more workers says to that of fewer. */
static void join(struct rows *rows, struct row *to, struct row *from)
{
    for (size_t c = 0; c < rows->machine->standings.n_contestants; c++) {
        al_range_widen(&to->shares[c].wins, from->shares[c].wins.least, from->shares[c].wins.most);
        al_range_widen(&to->shares[c].ahead, from->shares[c].ahead.least,
                       from->shares[c].ahead.most);
    }
    al_range_widen(&to->tied, from->tied.least, from->tied.most);
    al_range_widen(&to->open, from->open.least, from->open.most);
    to->counts[to->n++] = from->counts[0];
    from->n = 0;
}

/* Whether one sentence does for both: the same wins most, on about as many workloads. */
static bool agree(const struct row *a, const struct row *b)
{
    if (a->leader != b->leader || a->groups != b->groups ||
        !json_equal(a->benchmarks, b->benchmarks))
        return false;
    if (a->leader == NOBODY)
        return true;
    struct al_range both = a->shares[a->leader].wins;
    al_range_widen(&both, b->shares[a->leader].wins.least, b->shares[a->leader].wins.most);
    return both.most - both.least <= (double)a->groups / 10;
}

static void join_those_that_agree(struct rows *rows)
{
    for (size_t r = 0; r < rows->n; r++) {
        for (size_t k = r + 1; k < rows->n && rows->all[r].n > 0; k++) {
            struct row *a = &rows->all[r], *b = &rows->all[k];
            if (b->n > 0 && agree(a, b))
                join(rows, a, b);
        }
    }
}

static void make_rows(const struct al_machine *machine, struct rows *out)
{
    const struct al_standings *standings = &machine->standings;
    *out = (struct rows){.machine = machine, .by_ratio = true};
    out->workers = al_needed(calloc(standings->n + 1, sizeof *out->workers));
    size_t n = 0;
    for (size_t g = 0; g < standings->n; g++) {
        const struct al_standing *standing = &standings->all[g];
        out->alone += standing->lead == AL_ALONE;
        if (standing->lead == AL_ALONE)
            continue;
        out->by_ratio &= al_standing_is_hopeless(standing);
        if (out->by_ratio && standing->comparison->ratio.n[0] > out->most)
            out->most = standing->comparison->ratio.n[0];
        out->workers[n++] = workers_of(machine, standing->first);
    }
    qsort(out->workers, n, sizeof *out->workers, compare_counts);
    for (size_t i = 0; i < n; i++) {
        if (out->n == 0 || out->workers[out->n - 1] != out->workers[i])
            out->workers[out->n++] = out->workers[i];
    }
    out->by_ratio &= out->n > 0;
    out->all = al_needed(calloc(out->n + 1, sizeof *out->all));
    for (size_t r = 0; r < out->n; r++)
        make_row(out, r);
    join_those_that_agree(out);
}

static void release_rows(struct rows *rows)
{
    for (size_t r = 0; r < rows->n; r++) {
        free(rows->all[r].shares);
        free(rows->all[r].counts);
        json_decref(rows->all[r].benchmarks);
    }
    free(rows->all);
    free(rows->workers);
}

/* "with 1 worker", "with 1 and 4 to 48 workers": to, where no number in between was left out. */
static void print_workers(const struct rows *rows, const struct row *row, FILE *out)
{
    fputs(" with ", out);
    for (size_t i = 0; i < row->n; i++) {
        size_t end = i;
        while (end + 1 < row->n && row->counts[end + 1] == row->counts[end] + 1)
            end++;
        end = end == i + 1 ? i : end; /* two are no range */
        fprintf(out, "%s%" JSON_INTEGER_FORMAT,
                i == 0              ? ""
                : end + 1 == row->n ? " and "
                                    : ", ",
                rows->workers[row->counts[i]]);
        if (end > i)
            fprintf(out, " to %" JSON_INTEGER_FORMAT, rows->workers[row->counts[end]]);
        i = end;
    }
    fputs(row->n == 1 && rows->workers[row->counts[0]] == 1 ? " worker" : " workers", out);
}

/* " on all 17 workloads", " on 12 of 17 workloads", " on 2 of 3 settings of executor". */
static void print_groups(const struct rows *rows, const struct row *row, struct al_range wins,
                         FILE *out)
{
    size_t benchmarks = json_object_size(row->benchmarks);
    char *name = al_printable(json_object_iter_key(json_object_iter(row->benchmarks)));
    const char *word = benchmarks == row->groups ? "workload" : "setting";
    if (row->groups == 1 && row != &rows->all[0] &&
        json_equal(row->benchmarks, rows->all[0].benchmarks))
        ; /* the sentence before has named it */
    else if (row->groups == 1)
        fprintf(out, " on %s", name);
    else if (wins.least == (double)row->groups)
        fprintf(out, " on all %zu %ss", row->groups, word);
    else
        fprintf(out, " on %s of %zu %ss", al_range_count(wins).text, row->groups, word);
    if (row->groups > 1 && benchmarks == 1)
        fprintf(out, " of %s", name);
    print_workers(rows, row, out);
    free(name);
}

static void print_rest(const struct rows *rows, const struct row *row, FILE *out)
{
    const struct al_standings *standings = &rows->machine->standings;
    const char *verb = rows->by_ratio ? " on" : " wins";
    for (size_t c = 0; c < standings->n_contestants; c++) {
        if (c == row->leader || row->shares[c].wins.most == 0)
            continue;
        char *name = al_printable(standings->names[c]);
        fprintf(out, "; %s%s %s", name, verb, al_range_count(row->shares[c].wins).text);
        free(name);
    }
    if (row->tied.most > 0)
        fprintf(out, "; tied within %.3g%% on %s",
                rows->machine->study.to_fastest.rules.margin_percent,
                al_range_count(row->tied).text);
    if (row->open.most > 0)
        fprintf(out, "; undecided on %s", al_range_count(row->open).text);
}

static void print_row(const struct rows *rows, const struct row *row, FILE *out)
{
    const struct al_range all = {(double)row->groups, (double)row->groups};
    if (row->leader == NOBODY) {
        bool tied = row->open.most == 0, open = row->tied.most == 0;
        fputs(tied ? "Tied" : open ? "Undecided" : "Nobody wins", out);
        if (tied)
            fprintf(out, " within %.3g%%", rows->machine->study.to_fastest.rules.margin_percent);
        print_groups(rows, row, all, out);
        if (!tied && !open)
            print_rest(rows, row, out);
        fputs(". ", out);
        return;
    }
    const struct share *share = &row->shares[row->leader];
    char *name = al_printable(rows->machine->standings.names[row->leader]);
    fprintf(out, "%s %s", name, rows->by_ratio ? "comes first" : "is fastest");
    print_groups(rows, row, share->wins, out);
    al_range_times(share->ahead, " ahead", out);
    print_rest(rows, row, out);
    fputs(". ", out);
    free(name);
}

/* How many trials were disturbed, failed, or not measured at all. */
static void print_trials(const struct al_machine *machine, FILE *out)
{
    const struct al_tally *tally = &machine->tally;
    const struct al_disturbance *disturbance = &tally->disturbance;
    size_t failed = tally->trials -
                    (size_t)json_integer_value(json_object_get(tally->outcomes, "ok"));
    if (disturbance->watched > 0 && disturbance->disturbed == 0)
        fprintf(out, "None of %s was disturbed", al_counted(disturbance->watched, "trial").text);
    else if (disturbance->watched > 0)
        fprintf(out, "%zu of %s %s disturbed", disturbance->disturbed,
                al_counted(disturbance->watched, "trial").text,
                disturbance->disturbed == 1 ? "was" : "were");
    if (failed > 0 && disturbance->watched > 0)
        fprintf(out, "; %zu failed", failed);
    else if (failed > 0)
        fprintf(out, "%zu of %s failed", failed, al_counted(tally->trials, "trial").text);
    fputs(failed > 0 || disturbance->watched > 0 ? ". " : "", out);
}

static void print_rows(const struct rows *rows, FILE *out)
{
    for (size_t r = 0; r < rows->n; r++) {
        if (rows->all[r].n > 0)
            print_row(rows, &rows->all[r], out);
    }
    if (rows->by_ratio)
        fprintf(out, "None of this is decided: %s %s too few for %s. ",
                al_counted(rows->most, "block").text, rows->most == 1 ? "is" : "are",
                al_counted(rows->machine->study.to_fastest.family.m, "comparison").text);
    if (rows->n == 0)
        fputs("Only one strategy has times, so there is nothing to compare. ", out);
    else if (rows->alone > 0)
        fprintf(out, "Only one strategy has times in %s. ",
                al_counted(rows->alone, "more group").text);
}

char *al_few_seeds(const struct al_study *study)
{
    size_t n = 0;
    for (size_t c = 0; c < study->n; c++)
        n += al_cell_has_few_seeds(study->cells[c]);
    return al_few_seeds_text(n);
}

char *al_headline(const struct al_machine *machine)
{
    struct rows rows;
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    make_rows(machine, &rows);
    if (machine->simulated != NULL)
        fputs(machine->cells.native ? "Partly simulated: " : "Simulated: ", out);
    if (machine->study.n == 0)
        fputs("No trial ended well, so there is nothing to compare. ", out);
    else if (machine->study.first_binary != NULL)
        al_headline_builds(&machine->study, out);
    else
        print_rows(&rows, out);
    print_trials(machine, out);
    if (machine->simulated != NULL)
        fputs("Intervals show the sensitivity to jitter in the model's costs. ", out);
    char *few = al_few_seeds(&machine->study);
    fputs(few, out);
    free(few);
    release_rows(&rows);
    char *headline = al_growing_close(&text);
    while (text.length > 0 && headline[text.length - 1] == ' ')
        headline[--text.length] = '\0';
    return headline;
}
