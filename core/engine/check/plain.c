/* SPDX-License-Identifier: MIT */
#include "core/engine/check/plain.h"

#include <stdlib.h>

#include "core/error.h"

enum {
    GRANULE = 8, /* bytes that are looked up together */
    CELLS = 14,  /* accesses of a granule that are kept */
    UNITS = 4,   /* of a granule, which have lives of their own */
    GRANULES = 1 << 14,
};

struct cell {
    const void *code;
    uint8_t thread, n, mask, access;
};

struct granule {
    uint64_t at; /* address / GRANULE */
    uint32_t run;
    uint16_t lives[UNITS];
    uint8_t touched; /* bits of units: atomically since its life began */
    bool forbidden;
    uint8_t n;
    struct cell cells[CELLS];
};

struct check_plain {
    uint32_t run, used;
    struct granule granules[GRANULES];
};

struct check_plain *check_plain_new(void)
{
    return calloc(1, sizeof(struct check_plain));
}

void check_plain_free(struct check_plain *plain)
{
    free(plain);
}

void check_plain_begin(struct check_plain *plain)
{
    plain->run++;
    plain->used = 0;
}

static struct granule *find(struct check_plain *plain, uint64_t at)
{
    uint64_t i = (at * 0x9e3779b97f4a7c15u) >> 50;
    for (;; i = (i + 1) % GRANULES) {
        struct granule *granule = &plain->granules[i];
        if (granule->run != plain->run) {
            if (++plain->used > GRANULES / 2)
                al_fatal("this scenario uses more memory than the checker follows; valid: up to %d "
                         "bytes",
                         GRANULES / 2 * GRANULE);
            granule->run = plain->run;
            granule->at = at;
            memset(granule->lives, 0, sizeof granule->lives);
            granule->touched = granule->n = 0;
            granule->forbidden = false;
            return granule;
        }
        if (granule->at == at)
            return granule;
    }
}

static bool writes(unsigned access)
{
    return access == CHECK_PLAIN_WRITE || access == CHECK_ATOMIC_WRITE;
}

static bool atomic(unsigned access)
{
    return access == CHECK_ATOMIC_READ || access == CHECK_ATOMIC_WRITE;
}

/* Whether whatever races with an access of this kind races with a later one of that kind. */
static bool stands_for(unsigned later, unsigned earlier)
{
    return (writes(later) || !writes(earlier)) && (!atomic(later) || atomic(earlier));
}

/* The bits of the units that these bytes of a granule are in. */
static unsigned units_of(unsigned mask)
{
    unsigned units = 0;
    for (unsigned u = 0; u < UNITS; u++)
        units |= (mask >> 2 * u & 3) != 0 ? 1u << u : 0;
    return units;
}

static void begin_lives(struct granule *granule, unsigned mask)
{
    unsigned units = units_of(mask) & granule->touched;
    for (unsigned u = 0; u < UNITS; u++)
        granule->lives[u] += units >> u & 1;
    granule->touched &= (uint8_t)~units;
}

static bool access_granule(struct granule *granule, struct cell cell, const struct check_clock *hb,
                           struct check_race *race)
{
    unsigned n = 0;
    for (unsigned i = 0; i < granule->n; i++) {
        struct cell *old = &granule->cells[i];
        bool same = old->thread == cell.thread;
        if (!same && (old->mask & cell.mask) != 0 && (writes(old->access) || writes(cell.access)) &&
            !(atomic(old->access) && atomic(cell.access)) &&
            (hb == NULL || hb->of[old->thread] <= old->n)) {
            *race = (struct check_race){old->thread, old->n, old->access, old->code};
            return true;
        }
        if (same && (old->mask & ~cell.mask) == 0 && stands_for(cell.access, old->access))
            continue;
        granule->cells[n++] = *old;
    }
    if (n == CELLS) /* the oldest goes: a race with it may be missed */
        memmove(granule->cells, granule->cells + 1, --n * sizeof *granule->cells);
    granule->cells[n++] = cell;
    granule->n = (uint8_t)n;
    if (cell.access == CHECK_PLAIN_WRITE)
        begin_lives(granule, cell.mask);
    else if (atomic(cell.access))
        granule->touched |= (uint8_t)units_of(cell.mask);
    return false;
}

/* The bits of the bytes from address on that are in its granule; goes on to the next one. */
static unsigned split(uint64_t *address, uint64_t *bytes)
{
    unsigned begin = *address % GRANULE;
    uint64_t n = *bytes < GRANULE - begin ? *bytes : GRANULE - begin;
    *address += n;
    *bytes -= n;
    return ((1u << n) - 1) << begin;
}

bool check_plain_access(struct check_plain *plain, unsigned t, unsigned n,
                        const struct check_clock *hb, uint64_t address, uint64_t bytes,
                        enum check_access access, const void *code, struct check_race *race)
{
    while (bytes > 0) {
        struct granule *granule = find(plain, address / GRANULE);
        struct cell cell = {code, (uint8_t)t, (uint8_t)n, 0, (uint8_t)access};
        cell.mask = (uint8_t)split(&address, &bytes);
        if (access_granule(granule, cell, hb, race))
            return true;
    }
    return false;
}

uint32_t check_plain_life(struct check_plain *plain, uint64_t address, unsigned bytes)
{
    const struct granule *granule = find(plain, address / GRANULE);
    uint64_t at = address, left = bytes;
    unsigned units = units_of(split(&at, &left));
    uint32_t life = 0;
    for (unsigned u = 0; u < UNITS; u++)
        life += units >> u & 1 ? granule->lives[u] : 0;
    return life;
}

void check_plain_forbid(struct check_plain *plain, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address / GRANULE; at <= (address + bytes - 1) / GRANULE; at++)
        find(plain, at)->forbidden = true;
}

bool check_plain_is_forbidden(struct check_plain *plain, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address / GRANULE; at <= (address + bytes - 1) / GRANULE; at++) {
        if (find(plain, at)->forbidden)
            return true;
    }
    return false;
}
