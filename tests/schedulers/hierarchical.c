/* SPDX-License-Identifier: MIT */

/*
 * Algorithm 1 of the LAS paper (schedulers/victims/hierarchical.c) against tables made by hand from
 * the paper. A row is a few choices of the thief in the same situation. Choices are random, so the
 * test walks each table with many seeds; the victims chosen in a row over all seeds must be exactly
 * the set that the paper allows.
 */

#include "core/plugin/scheduler.h"
#include "tests/support/fake_system.h"
#include "tests/support/sets.h"

#define SEEDS 1500

struct row {
    const char *busy;     /* the workers with non-empty deques; NULL: the thief finds work */
    uint32_t near, far;   /* how many others poll their node: the thief's, and elsewhere */
    uint32_t times;       /* choices in a row */
    const char *expected; /* victims; "-": the empty result */
};

#define REST                                                                                       \
    {                                                                                              \
        NULL, 0, 0, 0, NULL                                                                        \
    }

struct table {
    const char *name, *spec, *pus;
    uint32_t thief;
    struct row rows[12]; /* ends with an empty one */
};

static const char one_node[] = "core:4 pu:1", two_nodes[] = "package:2 numa:1 core:24 pu:1";
static const char eight_nodes[] = AL_TOPOLOGIES "/eight-nodes.xml";
static const char irregular[] = AL_TOPOLOGIES "/irregular.xml";
static const char irregular_pus[] = "0-4,8,12,16,17,32";

static const struct table tables[] = {
    /* v: node {0-3}, root {0-3} */
    {"one node: S empty, so the root at once, which stays and looks at no lengths",
     one_node,
     NULL,
     0,
     {{"", 0, 0, 1, "1-3"}, {"2", 0, 0, 20, "1-3"}, REST, {"2", 0, 0, 4, "2"}}},
    {"one node: the root after r = |C|, counted anew after work was found",
     one_node,
     NULL,
     0,
     {{"2", 0, 0, 4, "2"},
      {"2", 0, 0, 9, "1-3"},
      REST,
      {"2", 0, 0, 3, "2"},
      REST,
      {"2", 0, 0, 4, "2"},
      {"2", 0, 0, 9, "1-3"}}},
    {"one node: random from S if |S| >= 2, though all poll",
     one_node,
     NULL,
     0,
     {{"1 3", 3, 0, 4, "1 3"}, {"1 3", 3, 0, 4, "1-3"}}},
    {"one node: backs off with p > |C|/2, not with exactly half; r counts it",
     one_node,
     NULL,
     0,
     {{"2", 1, 0, 1, "2"},
      {"2", 2, 0, 1, "-"},
      {"2", 3, 0, 1, "-"},
      {"2", 1, 0, 1, "2"},
      {"2", 3, 0, 9, "1-3"}}},
    {"one node: the empty result alone leads to the root too",
     one_node,
     NULL,
     0,
     {{"2", 3, 0, 4, "-"}, {"2", 3, 0, 9, "1-3"}}},
    {"one node: the thief's own deque is no victim",
     one_node,
     NULL,
     2,
     {{"1 2", 0, 0, 3, "1"}, {"2", 0, 0, 1, "0-1 3"}}},
    {"five cores: half is not rounded up",
     "core:5 pu:1",
     NULL,
     4,
     {{"0", 1, 0, 1, "0"}, {"0", 2, 0, 1, "-"}}},

    /* v: node {24-47}, root {0-47} */
    {"two nodes: none but the node's",
     two_nodes,
     NULL,
     30,
     {{"0 24 25 40 47", 0, 0, 24, "24-25 40 47"},
      {"25", 0, 0, 48, "0-29 31-47"},
      {"25", 0, 0, 48, "0-29 31-47"}}},
    {"two nodes: S empty though the other node has work",
     two_nodes,
     NULL,
     30,
     {{"0", 0, 0, 1, "0-29 31-47"}, {"0", 0, 0, 1, "0-29 31-47"}}},
    {"two nodes: p is of the own node",
     two_nodes,
     NULL,
     30,
     {{"25", 0, 24, 1, "25"},
      {"25", 11, 24, 1, "25"},
      {"25", 12, 0, 1, "-"},
      {"25", 23, 24, 1, "-"},
      {"24-25", 23, 24, 1, "24-25"},
      {"25", 11, 0, 1, "25"}}},

    /* v: l2 {0,1}, node {0-3}, 12 {0-7}, 20 {0-15,24-31}, 30 {0-31}, root */
    {"eight nodes: all empty, in steps of growing distance",
     eight_nodes,
     NULL,
     0,
     {{"", 0, 0, 1, "1-3"},
      {"", 0, 0, 8, "1-7"},
      {"", 0, 0, 24, "1-15 24-31"},
      {"", 0, 0, 32, "1-31"},
      {"", 0, 0, 99, "1-31"},
      REST,
      {"", 0, 0, 1, "1-3"}}},
    {"eight nodes: likewise from node 5",
     eight_nodes,
     NULL,
     20,
     {{"", 0, 0, 1, "21-23"},
      {"", 0, 0, 8, "16-19 21-23"},
      {"", 0, 0, 24, "8-19 21-31"},
      {"", 0, 0, 32, "0-19 21-31"}}},
    {"eight nodes: line 15 after line 11 looks at no lengths",
     eight_nodes,
     NULL,
     0,
     {{"3", 0, 0, 1, "1-3"},
      {"3", 0, 0, 3, "3"},
      {"3", 0, 0, 8, "1-7"},
      {"3", 0, 0, 24, "1-15 24-31"}}},
    {"eight nodes: p of the node against |C| of the L2, then of the node",
     eight_nodes,
     NULL,
     0,
     {{"1", 0, 0, 1, "1"},
      {"1", 1, 0, 1, "-"},
      {"1", 1, 0, 1, "1"},
      {"1", 2, 9, 1, "-"},
      {"1-2", 3, 0, 1, "1-2"},
      {"1", 1, 0, 1, "1"},
      {"1", 0, 0, 8, "1-7"},
      REST,
      {"1 2", 0, 0, 2, "1"},
      {"1 2", 0, 0, 4, "1-2"}}},
    {"eight nodes: up by line 7 and by line 11 at once",
     eight_nodes,
     NULL,
     0,
     {{"1", 0, 0, 2, "1"}, {"4", 0, 0, 8, "1-7"}, {"4", 0, 0, 24, "1-15 24-31"}}},

    /* v: core {0,1}, l3 {0-3}, node {0-4}, package {0-6}, root {0-9} */
    {"irregular: the most levels, all empty",
     irregular,
     irregular_pus,
     0,
     {{"", 0, 0, 1, "1-3"}, {"", 0, 0, 1, "1-4"}, {"", 0, 0, 7, "1-6"}, {"", 0, 0, 20, "1-9"}}},
    {"irregular: work at the node's edge; half of five",
     irregular,
     irregular_pus,
     0,
     {{"4", 0, 0, 1, "1-3"},
      {"4", 0, 0, 1, "1-4"},
      {"4", 0, 0, 2, "4"},
      {"4", 2, 0, 1, "-"},
      {"4", 1, 0, 1, "4"},
      {"4", 0, 0, 7, "1-6"},
      {"4", 0, 0, 20, "1-9"}}},
    {"irregular: a node of two, then its package",
     irregular,
     irregular_pus,
     5,
     {{"0", 0, 0, 7, "0-4 6"}, {"0", 0, 0, 20, "0-4 6-9"}}},
    {"irregular: a core that is a node and a package",
     irregular,
     irregular_pus,
     7,
     {{"8", 0, 8, 1, "8"}, REST, {"8", 1, 0, 1, "-"}, {"8", 0, 0, 20, "0-6 8-9"}}},
    {"irregular: alone, so always at the root",
     irregular,
     irregular_pus,
     9,
     {{"0", 0, 0, 20, "0-8"}, REST, {"0", 0, 5, 20, "0-8"}}},
};

/* Written as set_print does. */
static void set_lengths(struct fake *fake, const char *busy)
{
    memset(fake->lengths, 0, fake->system->n_workers * sizeof *fake->lengths);
    while (*busy != '\0') {
        char *end;
        unsigned long first = strtoul(busy, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last; first++)
            fake->lengths[first] = 1;
        busy = end + (*end == ' ');
    }
}

/* So many workers of the node, or of other nodes, poll their own node; the rest have found work.
 * With all lengths alike, a thief whose first level is the node polls it if there is work, and one
 * with a level below polls the node if there is none. */
static void poll(struct fake *fake, uint32_t thief, bool same_node, uint32_t n)
{
    const struct al_locality *locality = fake->system->locality;
    uint32_t node = al_locality_node_of(locality, thief);
    for (uint32_t i = 0; i < fake->system->n_workers; i++) {
        uint32_t own = al_locality_node_of(locality, i);
        if (i == thief || (own == node) != same_node)
            continue;
        fake_rest(fake, i);
        if (n == 0)
            continue;
        bool at_node = al_locality_level(locality, i, 0) == al_locality_node_workers(locality, own);
        for (uint32_t k = 0; k < fake->system->n_workers; k++)
            fake->lengths[k] = at_node;
        fake_pick(fake, i);
        n--;
    }
    CHECK(n == 0, "the table has %u polling workers too many", n);
}

static bool follows(const struct table *table)
{
    enum { ROWS = sizeof table->rows / sizeof *table->rows };
    struct fake fake = fake_new("hierarchical", table->spec, table->pus, 0);
    bool seen[ROWS][SET_MOST + 1] = {{false}}; /* the last: the empty result */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fake_reset(&fake, seed);
        for (size_t i = 0; i < ROWS; i++) {
            const struct row *row = &table->rows[i];
            if (row->busy == NULL)
                fake_rest(&fake, table->thief);
            poll(&fake, table->thief, true, row->near);
            poll(&fake, table->thief, false, row->far);
            if (row->busy != NULL)
                set_lengths(&fake, row->busy);
            for (uint32_t k = 0; k < row->times; k++) {
                uint32_t victim = fake_pick(&fake, table->thief);
                CHECK(victim < fake.system->n_workers || victim == AL_NO_WORKER, "%u", victim);
                seen[i][victim != AL_NO_WORKER ? victim : SET_MOST] = true;
                if (victim != AL_NO_WORKER)
                    fake_learn(&fake, table->thief, victim, false);
            }
        }
    }
    bool all = true;
    for (size_t i = 0; i < ROWS; i++) {
        char text[256] = "";
        if (seen[i][SET_MOST])
            strcpy(text, "-");
        set_print(text, sizeof text, seen[i], SET_MOST);
        const char *expected = table->rows[i].expected != NULL ? table->rows[i].expected : "";
        if (strcmp(text, expected) != 0)
            printf("# row %zu: '%s' instead of '%s'\n", i, text, expected);
        all &= strcmp(text, expected) == 0;
    }
    fake_free(&fake);
    return all;
}

/* Which level `v` is shows in the victim that is chosen when one deque is not empty. */
static void test_end_of_search(struct tap *tap)
{
    struct fake fake = fake_new("hierarchical", one_node, NULL, 0);
    fake_pick(&fake, 0); /* climbs to the root */
    fake.lengths[1] = 1;
    fake_learn(&fake, 0, 1, true);
    uint32_t same = 0;
    for (int i = 0; i < 4; i++)
        same += fake_pick(&fake, 0) == 1;
    tap_ok(tap, same == 4, "a fruitful attempt ends the search: the next begins at the node");

    fake_reset(&fake, 1);
    fake.lengths[1] = 1;
    fake_pick(&fake, 2);
    fake_pick(&fake, 3);
    bool back = fake_pick(&fake, 0) == AL_NO_WORKER;
    fake_learn(&fake, 2, 1, true);
    bool on = fake_pick(&fake, 0) == 1;
    fake_rest(&fake, 2); /* twice, and by a thief that has not searched */
    fake_rest(&fake, 1);
    tap_ok(tap, back && on && fake_pick(&fake, 2) == AL_NO_WORKER,
           "a thief is counted once, and discounted once");
    fake_free(&fake);
}

/* p counts the threads that are "polling the local node". */
static void test_polling(struct tap *tap)
{
    struct fake fake = fake_new("hierarchical", one_node, NULL, 0);
    fake_pick(&fake, 1); /* two thieves find the node empty and search on at the root */
    fake_pick(&fake, 3);
    fake.lengths[2] = 1;
    tap_ok(tap, fake_pick(&fake, 0) == 2,
           "half a node that searches elsewhere does not keep a thief from its busy worker");
    fake_free(&fake);

    fake = fake_new("hierarchical", "core:6 pu:1", NULL, 0);
    fake.lengths[5] = 1;
    bool some = true, polls = true;
    for (uint32_t i = 0; i < 5; i++)
        some &= fake_pick(&fake, i) == (i < 3 ? 5 : AL_NO_WORKER);
    for (uint32_t i = 0; i < 3; i++)
        polls &= fake_pick(&fake, i) == 5;
    tap_ok(tap, some, "of five thieves of six workers, three may poll the only busy one");
    tap_ok(tap, polls, "a thief that has backed off polls nothing: the others go on");
    fake_rest(&fake, 1);
    tap_ok(tap, fake_pick(&fake, 4) == 5, "and it polls again when one of them has found work");
    fake_free(&fake);
}

int main(void)
{
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        tap_ok(&tap, follows(&tables[i]), "%s", tables[i].name);
    test_end_of_search(&tap);
    test_polling(&tap);
    return tap_done(&tap);
}
