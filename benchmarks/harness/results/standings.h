/* SPDX-License-Identifier: MIT */
#ifndef AL_STANDINGS_H
#define AL_STANDINGS_H

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/study.h"

/* Who wins where: of each group of cells that do the same work with as many workers, which
 * contestant's are fastest, and by how much. A contestant is a scheduler with whatever victim,
 * preset or option; a strategy where all cells have the same scheduler, or several programs are
 * compared. */

enum al_lead {
    AL_ALONE,     /* there is only one contestant */
    AL_WON,       /* verdicts show the cells of all others to be slower than the first */
    AL_TIED,      /* those that are not shown to be slower are equivalent to the first */
    AL_UNDECIDED, /* neither */
    AL_LEADS
};

extern const char *const al_lead_names[AL_LEADS];

struct al_standing {
    enum al_lead lead;
    size_t first; /* the place of the group's first cell */
    /* Of the others' cells, that with the lowest ratio to it; if any are not told apart, of these.
     * SIZE_MAX: none. */
    size_t next;
    const struct al_comparison *comparison; /* of the next with the first; NULL: none */
};

struct al_standings {
    size_t n; /* groups of the study */
    struct al_standing *all;
    bool by_strategy; /* whether each strategy is a contestant */
    size_t n_contestants;
    size_t *of; /* by place: the contestant */
    char **names;
};

/* The study must outlive the standings. */
void al_standings_make(const struct al_study *study, struct al_standings *out);

/* The names of those that no verdict shows to be slower than the first of a group, best first: of
 * a single cell its strategy, else contestants. A new reference. */
json_t *al_standing_names(const struct al_study *study, const struct al_standings *standings,
                          size_t group);

/* al_reasons of the first and the next, by their strategies' names; NULL where nobody is ahead. */
char *al_standing_reasons(const struct al_study *study, const struct al_standing *standing,
                          size_t most);

/* Whether the pairs of the first and the next are too few for any verdict. */
bool al_standing_is_hopeless(const struct al_standing *standing);

void al_standings_release(struct al_standings *standings);

/*
 * Which recorded counters set two cells apart, in words that the caller frees: "deque: a steal
 * every 2.1 messages (custody: every 99 messages), a wait for a lock every 26 messages (custody:
 * none)". Only those that happen at least twice as often in one cell as in the other, in nearly all
 * trials of both, and at least once in a hundred messages; at most so many for either cell. NULL:
 * none does. Whether it is why one is faster is for the reader to judge.
 */
char *al_reasons(const struct al_cell *const cells[2], const char *const names[2], size_t most);

#endif
