/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/standings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/text/format.h"

#define LEAST_RATE 0.01 /* per message */
#define FACTOR     2.0  /* how much more often the one must be */
#define SHARE      0.1  /* of attempts to steal; how the others ended is not worth a word */

/* What is counted, the most telling first. */
static const struct {
    const char *counter, *one, *many;
} events[] = {
    {"context_switches", "a context switch", "context switches"},
    {"wake_ups", "a worker woken", "workers woken"},
    {"lock_waits", "a wait for a lock", "waits for locks"},
    {"steals", "a steal", "steals"},
    {"steal_attempts", "an attempt to steal", "attempts to steal"},
    {"missed_gulps", "a busy mailbox met", "busy mailboxes met"},
    {"gulps", "a batch", "batches"},
    {"cache_misses", "a cache miss", "cache misses"},
};

/* A counter of a cell, per message: quartiles and median over its trials. */
struct rate {
    double low, median, high;
};

static bool rate_of(const struct al_cell *cell, const char *counter, struct rate *out)
{
    const struct al_series_list *lists[] = {&cell->counters, &cell->hardware};
    for (size_t l = 0; l < 2; l++) {
        for (size_t s = 0; s < lists[l]->n; s++) {
            const struct al_series *series = &lists[l]->all[s];
            if (strcmp(series->name, counter) != 0 || series->n == 0)
                continue;
            double *sorted = al_needed(malloc(series->n * sizeof *sorted));
            memcpy(sorted, series->values, series->n * sizeof *sorted);
            out->median = al_median(sorted, series->n);
            out->low = al_quantile(sorted, series->n, 0.25);
            out->high = al_quantile(sorted, series->n, 0.75);
            free(sorted);
            return true;
        }
    }
    return false;
}

static bool stands_out(const struct rate *rate, const struct rate *other)
{
    return rate->median >= LEAST_RATE && rate->median >= FACTOR * other->median &&
           rate->low > other->high;
}

/* How the attempts ended that took nothing, if that is the most frequent end of them. */
static void print_lost(const struct al_cell *cell, FILE *out)
{
    static const char *const ends[][2] = {{"steals_lost_swap", "lost swaps"},
                                          {"steals_no_candidate", "found nothing to take"}};
    struct rate attempts, lost;
    if (!rate_of(cell, "steal_attempts", &attempts) || attempts.median <= 0)
        return;
    for (size_t e = 0; e < 2; e++) {
        if (rate_of(cell, ends[e][0], &lost) && lost.median >= SHARE * attempts.median)
            fprintf(out, ", %.0f%% of which %s", 100 * lost.median / attempts.median, ends[e][1]);
    }
}

/* Two digits; thousands are not counted one by one. */
static struct al_text rounded(double value)
{
    double power = pow(10, floor(log10(value)) - 1);
    return al_format_number(value < 100 ? value : round(value / power) * power, 2);
}

/* "every message", "every 2.1 messages", or "3.5 per message"; "none". */
static struct al_text often(double rate)
{
    struct al_text out;
    if (rate <= 0)
        snprintf(out.text, sizeof out.text, "none");
    else if (rate < LEAST_RATE / 100)
        snprintf(out.text, sizeof out.text, "almost none");
    else if (rate > 1.05)
        snprintf(out.text, sizeof out.text, "%.24s per message", rounded(rate).text);
    else if (rate > 0.95)
        snprintf(out.text, sizeof out.text, "every message");
    else
        snprintf(out.text, sizeof out.text, "every %.24s messages", rounded(1 / rate).text);
    return out;
}

/* "a steal every 2.1 messages (custody: every 99 messages)" */
static void print_event(size_t e, double rate, double other, const char *name, FILE *out)
{
    if (rate > 1.05) /* "3.5 steals per message" */
        fprintf(out, "%s %s per message", rounded(rate).text, events[e].many);
    else
        fprintf(out, "%s %s", events[e].one, often(rate).text);
    fprintf(out, " (%s: %s)", name, often(other).text);
}

/* What happens more often in cells[side] than in the other. */
static void print_side(const struct al_cell *const cells[2], const char *const names[2],
                       size_t side, size_t most, FILE *out)
{
    size_t n = 0;
    for (size_t e = 0; e < sizeof events / sizeof *events && n < most; e++) {
        struct rate rate, other;
        if (!rate_of(cells[side], events[e].counter, &rate) ||
            !rate_of(cells[1 - side], events[e].counter, &other) || !stands_out(&rate, &other))
            continue;
        if (n == 0)
            fprintf(out, "%s%s: ", ftell(out) > 0 ? "; " : "", names[side]);
        else
            fputs(", ", out);
        print_event(e, rate.median, other.median, names[1 - side], out);
        if (strcmp(events[e].counter, "steal_attempts") == 0)
            print_lost(cells[side], out);
        n++;
    }
}

char *al_reasons(const struct al_cell *const cells[2], const char *const names[2], size_t most)
{
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    print_side(cells, names, 1, most, out);
    print_side(cells, names, 0, most, out);
    char *reasons = al_growing_close(&text);
    if (text.length > 0)
        return reasons;
    free(reasons);
    return NULL;
}
