/* SPDX-License-Identifier: MIT */
#ifndef AL_DOUBTS_H
#define AL_DOUBTS_H

#include <stdint.h>

#include <jansson.h>

#include "core/option.h"

/*
 * Why a cell answers another question than the one that was asked. A simulated one is too small,
 * its size does not fit the machine, or its seeds find two answers: docs/how-to/simulating.md has
 * the reasons for each rule. A cell of open load, native or simulated, has more load than it can
 * serve.
 */

enum al_doubt {
    AL_DOUBT_STARTER,
    AL_DOUBT_FEW,
    AL_DOUBT_SHORT,
    AL_DOUBT_UNEVEN,
    AL_DOUBT_STATES,
    AL_DOUBT_OVERLOAD,
    AL_DOUBTS
};

/* In words that can follow "° ". */
extern const char *const al_doubt_texts[AL_DOUBTS];

/* What the rules go by; what is not known is negative, but for sleep_ns, which is then 0. */
struct al_evidence {
    double starter_busy; /* the part of the time for which the starting thread was busy */
    double took_part;    /* the part of the workers that took part: al_took_part */
    double time_ns;
    double sleep_ns;   /* the longest sleep of the idle policy that new work need not end */
    double most_dealt; /* actors of the worker with the most, over the mean: al_most_dealt */
    double apart;      /* how far apart two groups of seeds are: al_states_apart; or 0 */
    double overrun;    /* of open load: when the last request was served, over when it was due */
    double messages;   /* of open load, or 0 */
};

#define AL_EVIDENCE_NONE                                                                           \
    ((struct al_evidence){                                                                         \
        .starter_busy = -1, .took_part = -1, .time_ns = -1, .most_dealt = -1, .overrun = -1})

/* The doubts: bit d stands for enum al_doubt d. */
unsigned al_doubts(const struct al_evidence *evidence);

/* A list of the texts of these doubts. Without memory it ends the program. */
json_t *al_doubts_json(unsigned doubts);

/* Which part of n workers ran at least 1% of the messages, or an even share where that is less;
 * negative if none ran any. */
double al_took_part(const double *received, uint32_t n);

/* How many actors the worker with the most has, over the mean, if so many are dealt in turn to so
 * many mailboxes. */
double al_most_dealt(uint64_t actors, uint64_t mailboxes, uint32_t n_workers);

/*
 * By which factor the slower of two groups of times is above the faster one: the least of it over
 * the most of the other. 0 if they are no two groups: there are fewer than three times, or the gap
 * is not three times as wide as either group, on a logarithmic scale.
 */
double al_states_apart(const double *times, size_t n);

/* What can be known before a run, from its choice of plug-ins. */
struct al_evidence al_evidence_before(const struct al_selection *benchmark,
                                      const struct al_selection *scheduler,
                                      const struct al_selection *idle, uint32_t n_workers);

/* The same of a record or of a cell's identity. */
struct al_evidence al_evidence_of(const json_t *identity);

#endif
