/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_STEAL_H
#define AL_CUSTODY_STEAL_H

/* What a worker keeps about requests for work: its own, and those of others (steal.c). */

#include "core/plugin/scheduler.h"

struct al_custodian;

/* Something that was in vain is left alone for some time, which doubles each time. */
struct al_rest {
    uint64_t until;  /* cycles */
    uint64_t factor; /* times what it took; 0: it was not in vain */
};

/* What others may ask it for. The owner's. */
struct al_offer {
    uint32_t load;         /* published */
    uint64_t busy_since;   /* cycles: when it last got work after a time without */
    struct al_rest closed; /* nobody may ask: a look at the queue found nothing to give */
    struct al_rest called; /* nobody is woken to ask: who was woken last got nothing */
};

/* Cycles lately with work, and without. Written by the owner, before it asks; read by who is
 * asked. */
struct al_lately {
    struct al_atomic_u32 busy, idle;
};

/* What it asks for. The owner's. */
struct al_asking {
    uint32_t next;      /* the last worker that it tried in turn */
    uint32_t whom;      /* it has asked, + 1; 0: nobody */
    uint64_t at, after; /* looks without work: when it asks next; how long it waits */
    double busy, idle;  /* cycles lately: with work, and without; until it last got some */
};

/* It has had work for so many cycles, and then none for so many. Owner only. */
void al_custody_remember(struct al_custodian *mine, uint64_t busy, uint64_t idle);
/* Answer a request, if there is one, or begin to observe what the answer depends on. Owner only. */
void al_custody_answer(struct al_worker *self);
/* Refuse the request of this thief, if it has asked. Owner only. */
void al_custody_refuse(struct al_worker *self, uint32_t thief);
/* Look for the answer to the own request. True: it brought shards. Owner only. */
bool al_custody_answered(struct al_worker *self);
/* Let nobody ask until the load is published again. Owner only. */
void al_custody_close(struct al_custodian *mine);
/* Say how much could be asked for; now: cycles. Owner only. */
void al_custody_publish(struct al_worker *self, uint64_t now);
/* Ask a victim for work, or not, after so many looks without any. Returns how many of the next
 * looks will not ask. Owner only. */
uint64_t al_custody_ask(struct al_worker *self, uint64_t misses);
/* The system has ended: a request stays without an answer. Owner only. */
void al_custody_give_up(struct al_worker *self);

#endif
