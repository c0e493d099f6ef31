/* SPDX-License-Identifier: MIT */

/* The simulated machine's lines between cores: what hand-offs, reads and invalidations cost, that
 * transfers of one line queue in the order of arrival, and where a line's home is. */

#include "tests/engine/sim_machine.h"

#define ROUNDS 100

static const struct shape large = {2, 2, 2, 2, 2, 1}, eight = {1, 1, 1, 8, 1, 1};

/* ---- One contended line: every round, each task takes it once, or as often as it can until the
 * next one's request takes it, which is so many percent of a hand-off after it has got it. */

static struct {
    uint32_t tasks;
    uint64_t ns;
} contended;

static void take_often(void *word)
{
    for (int i = 0; i < ROUNDS; i++)
        update_word(word);
}

static void contend(void *argument)
{
    (void)argument;
    char *word = new_pages(PAGE);
    struct together together = {0};
    on(7, update_word, word);
    for (uint32_t i = 0; i < contended.tasks; i++)
        together_add(&together, i, take_often, word);
    contended.ns = together_run(&together);
}

static bool contend_with(uint64_t kept, uint64_t locked_ns, uint64_t at_once)
{
    struct machine machine;
    machine_init(&machine, eight);
    machine_set(&machine, AL_MODEL_LINE_KEPT, kept);
    machine_set(&machine, AL_MODEL_LOCKED, locked_ns);
    bool ok = true;
    for (uint32_t tasks = 2; tasks <= 7; tasks++) {
        contended.tasks = tasks;
        struct al_sim_report report = machine_run(&machine, contend, NULL);
        uint64_t transfers = (uint64_t)tasks * ROUNDS / at_once;
        uint64_t expected = transfers * handoff_ns(&machine, 0, 1) + locked_ns * at_once;
        ok &= contended.ns == expected && report.transfers >= transfers;
        if (contended.ns != expected)
            printf("# %u tasks: %llu ns instead of %llu\n", tasks, (unsigned long long)contended.ns,
                   (unsigned long long)expected);
    }
    return ok;
}

/* ---- A lock whose owner releases and retakes it while another core asks for it. */

static struct {
    struct al_atomic_u64 *word;
    uint64_t retakes_ns; /* so long after the other has asked for it */
    bool owner_has, other_has;
    uint64_t owner_ns, other_ns;
} lock;

static void take_lock(void *argument)
{
    (void)argument;
    lock.other_has = al_u64_exchange_acquire(lock.word, 1) == 0;
}

static void retake_lock(void *argument)
{
    (void)argument;
    al_compute(5);
    al_u64_store_release(lock.word, 0);
    al_compute(lock.retakes_ns - 5);
    lock.owner_has = al_u64_exchange_acquire(lock.word, 1) == 0;
}

static void contend_for_lock(void *argument)
{
    (void)argument;
    lock.word = (void *)new_pages(PAGE);
    on(0, write_word, lock.word);
    struct together together = {0};
    together_add(&together, 0, retake_lock, NULL);
    together_add(&together, 1, take_lock, NULL);
    (void)together_run(&together);
    lock.owner_ns = together.tasks[0].ended_ns - together.tasks[0].began_ns;
    lock.other_ns = together.tasks[1].ended_ns - together.tasks[1].began_ns;
}

/* Released 5 ns after the other begins, and retaken at this moment. A hand-off takes 24 ns. */
static bool lock_goes(uint64_t locked_ns, uint64_t retakes_ns, uint64_t owner_ns, bool owner_has)
{
    struct machine machine;
    machine_init(&machine, eight);
    machine_set(&machine, AL_MODEL_LOCKED, locked_ns);
    lock.retakes_ns = retakes_ns;
    (void)machine_run(&machine, contend_for_lock, NULL);
    bool ok = lock.owner_has == owner_has && lock.other_has != owner_has &&
              lock.owner_ns == owner_ns && lock.other_ns == locked_ns + 24;
    if (!ok)
        printf("# retaken after %llu ns: %d after %llu ns and %d after %llu ns\n",
               (unsigned long long)retakes_ns, lock.owner_has, (unsigned long long)lock.owner_ns,
               lock.other_has, (unsigned long long)lock.other_ns);
    return ok;
}

/* ---- Two cores that store to one line again and again. */

static void store_often(void *word)
{
    for (int i = 0; i < 20; i++) {
        al_u64_store_relaxed(word, 1);
        al_compute(5);
    }
    al_fence_seq_cst();
}

static void store_at_once(void *argument)
{
    struct together together = {0};
    void *word = (void *)new_pages(PAGE);
    on(2, write_word, word);
    together_add(&together, 0, store_often, word);
    together_add(&together, 1, store_often, word);
    *(uint64_t *)argument = together_run(&together);
}

/* Each asks for the line when it stores and has not asked already, and has it two hand-offs of 24
 * ns later, since the other has asked meanwhile: the first at 0, 25 and 75 ns, the other at 0 and
 * 50 ns. All of its stores are done then. */
static bool stores_share_a_transfer(void)
{
    struct machine machine;
    uint64_t ns;
    machine_init(&machine, eight);
    (void)machine_run(&machine, store_at_once, &ns);
    if (ns != 5 * 24)
        printf("# they took %llu ns\n", (unsigned long long)ns);
    return ns == 5 * 24;
}

/* ---- A line that its owner writes on and on until a reader's request has reached it. */

static struct {
    struct al_atomic_u64 *word;
    uint64_t seen, owner_ns, reader_ns;
} written;

static void write_often(void *argument)
{
    (void)argument;
    for (int i = 0; i < 6; i++)
        al_u64_add_relaxed(written.word, 1);
}

static void read_written(void *argument)
{
    (void)argument;
    written.seen = al_u64_load_relaxed(written.word);
}

static void write_and_read(void *argument)
{
    (void)argument;
    written.word = (void *)new_pages(PAGE);
    on(0, write_word, written.word); /* 1 */
    struct together together = {0};
    together_add(&together, 0, write_often, NULL);
    together_add(&together, 1, read_written, NULL);
    (void)together_run(&together);
    written.owner_ns = together.tasks[0].ended_ns - together.tasks[0].began_ns;
    written.reader_ns = together.tasks[1].ended_ns - together.tasks[1].began_ns;
}

/* Half of a read is 9 ns: the owner updates it at 0, 4 and 8 ns for nothing, and at 12 ns takes it
 * back from a core that has a copy. */
static bool reader_waits(void)
{
    struct machine machine;
    machine_init(&machine, eight);
    machine_set(&machine, AL_MODEL_LOCKED, 4);
    machine_set(&machine, AL_MODEL_READ, 75);
    (void)machine_run(&machine, write_and_read, NULL);
    return written.reader_ns == 18 && written.owner_ns == 6 * 4 + 24 && written.seen == 1 + 3;
}

/* ---- Transfers that arrive while the line is busy. */

static struct {
    struct al_atomic_u64 *line;
    uint32_t order[8], n;
    uint64_t ended_ns[8], began_ns;
} queue;

static void queue_up(void *argument)
{
    uint32_t i = *(const uint32_t *)argument;
    al_compute(7 - i); /* the last to start is the first to arrive */
    queue.order[al_u64_add_relaxed(queue.line, 1) - 1] = i;
    queue.ended_ns[i] = al_clock_ns();
}

/* From either package in turn, to a line of package 0: the near do not overtake the far. */
static void arrive(void *argument)
{
    static uint32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    (void)argument;
    queue.line = (void *)new_pages(PAGE);
    on(0, update_word, queue.line);
    struct together together = {0};
    for (uint32_t i = 0; i < 8; i++)
        together_add(&together, 1 + i + i % 2 * 16, queue_up, &numbers[i]);
    (void)together_run(&together);
    queue.began_ns = together.tasks[0].began_ns;
}

static bool first_come_first_served(void)
{
    struct machine machine;
    machine_init(&machine, large);
    (void)machine_run(&machine, arrive, NULL);
    bool ok = true;
    uint64_t free_at = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t i = queue.order[k];
        ok &= i == 7 - k;
        uint32_t pu = 1 + i + i % 2 * 16, from = k > 0 ? 1 + (i + 1) + (i + 1) % 2 * 16 : 0;
        uint64_t arrived = queue.began_ns + k, begins = arrived > free_at ? arrived : free_at;
        free_at = begins + handoff_ns(&machine, pu, from);
        ok &= queue.ended_ns[i] == free_at;
        if (queue.ended_ns[i] != free_at)
            printf("# task %u ended at %llu instead of %llu\n", i,
                   (unsigned long long)(queue.ended_ns[i] - queue.began_ns),
                   (unsigned long long)(free_at - queue.began_ns));
    }
    return ok;
}

/* ---- Every pair of PUs: what one pays for what the other has just written. */

static struct {
    struct machine machine;
    bool takes, reads, away, hits;
    uint32_t classes; /* that were seen, as bits from AL_MODEL_HANDOFF_CORE */
} pairs;

static uint64_t of_read(uint64_t ns)
{
    return ns * pairs.machine.machine.ps[AL_MODEL_READ] / 100;
}

/* The line's home is where `home` is. What is added if that is in another package than both. */
static uint64_t added(uint32_t pu, uint32_t other, uint32_t home)
{
    const struct al_pu_parts *parts = pairs.machine.pus;
    bool away = parts[pu].l3 != parts[other].l3 && parts[pu].package == parts[other].package &&
                parts[home].package != parts[pu].package;
    return away ? pairs.machine.machine.ps[AL_MODEL_HANDOFF_AWAY] / 1000 : 0;
}

/* Pages are not used again: their home would be that of the last pair. */
static void measure_pair(uint32_t pu, uint32_t other, uint32_t home, bool *ok)
{
    char *word = new_pages(PAGE);
    uint64_t ns = handoff_ns(&pairs.machine, pu, other) + added(pu, other, home);
    pairs.classes |= 1u << (handoff_class(&pairs.machine, pu, other) - AL_MODEL_HANDOFF_CORE);
    on(home, update_word, word);
    on(other, update_word, word);
    *ok &= time_of(pu, update_word, word) == ns;
    pairs.hits &= time_of(pu, update_word, word) == 0;
    on(other, update_word, word);
    pairs.reads &= time_of(pu, read_word, word) == of_read(ns);
    pairs.hits &= time_of(pu, read_word, word) == 0 && time_of(other, read_word, word) == 0;
}

static void measure_pairs(void *argument)
{
    (void)argument;
    uint32_t n = pairs.machine.machine.n_pus;
    for (uint32_t pu = 0; pu < n; pu += 21) { /* no two of these are in the same place of a part */
        for (uint32_t other = 0; other < n; other++) {
            if (pu == other)
                continue;
            measure_pair(pu, other, pu, &pairs.takes);
            measure_pair(pu, other, (pu + n / 2) % n, &pairs.away);
        }
    }
}

/* ---- A write to a line that others read. */

static struct {
    uint64_t near_ns, far_ns, again_ns, upgrade_ns, home_alone_ns;
} sharers;

static void invalidate(void *argument)
{
    (void)argument;
    char *word = new_pages(PAGE);
    on(0, update_word, word);
    on(1, read_word, word);
    sharers.near_ns = time_of(0, update_word, word);
    sharers.again_ns = time_of(1, read_word, word); /* it has lost its copy */
    on(16, read_word, word);
    on(31, read_word, word);
    sharers.far_ns = time_of(2, update_word, word);
    on(3, read_word, word);
    sharers.upgrade_ns = time_of(3, update_word, word);
    on(0, update_word, word + LINE);
    sharers.home_alone_ns = time_of(0, update_word, word + LINE);
}

static bool far_sharers_cost_most(bool l3)
{
    struct machine machine;
    machine_init(&machine, large);
    if (!l3)
        machine.machine.l3 = (struct al_cache_size){0, 0};
    machine_set(&machine, AL_MODEL_INVALIDATE, 50);
    machine_set(&machine, AL_MODEL_READ, 75);
    (void)machine_run(&machine, invalidate, NULL);
    return sharers.near_ns == 8 && sharers.again_ns == 12 && sharers.far_ns == 100 &&
           sharers.upgrade_ns == 8 && sharers.home_alone_ns == 0;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap, contend_with(50, 13, 1), "N tasks on one line take N hand-offs a round");
    tap_ok(&tap, contend_with(50, 20, 1),
           "and the instruction itself overlaps the others' transfers");
    tap_ok(&tap, contend_with(50, 11, 2) && contend_with(50, 0, ROUNDS) && contend_with(25, 5, 2),
           "unless there is time for more of them while a core keeps the line");
    tap_ok(&tap, contend_with(0, 1, 1) && contend_with(0, 5, 1),
           "a core that does not keep it updates it once");
    tap_ok(&tap, lock_goes(0, 11, 11, true) && lock_goes(5, 11, 16, true),
           "an owner that retakes a lock within half a hand-off keeps it");
    tap_ok(&tap, lock_goes(0, 13, 48, false) && lock_goes(5, 13, 53, false),
           "and one that comes later waits for it");
    tap_ok(&tap, reader_waits(), "and writes its line until a reader's request has reached it");
    tap_ok(&tap, stores_share_a_transfer(), "stores to a line that is on its way come with it");
    tap_ok(&tap, first_come_first_served(), "transfers are served in the order of their arrival");
    pairs.takes = pairs.reads = pairs.away = pairs.hits = true;
    machine_init(&pairs.machine, (struct shape){2, 2, 2, 2, 2, 2});
    machine_set(&pairs.machine, AL_MODEL_READ, 75);
    machine_set(&pairs.machine, AL_MODEL_HANDOFF_AWAY, 80);
    (void)machine_run(&pairs.machine, measure_pairs, NULL);
    tap_ok(&tap, pairs.takes, "the latency matrix is measured back");
    tap_ok(&tap, pairs.reads, "a read costs its share of it");
    tap_ok(&tap, pairs.away, "more so if the line's home is in another package than both");
    tap_ok(&tap, pairs.hits, "and nothing once the line is there");
    tap_ok(&tap, pairs.classes == 0x3f, "each class of hand-offs was among the pairs (%#x)",
           pairs.classes);
    tap_ok(&tap, far_sharers_cost_most(true) && far_sharers_cost_most(false),
           "a write waits for the farthest that has a copy");
    if (tap.failed != 0)
        printf("# %llu %llu %llu %llu %llu\n", (unsigned long long)sharers.near_ns,
               (unsigned long long)sharers.again_ns, (unsigned long long)sharers.far_ns,
               (unsigned long long)sharers.upgrade_ns, (unsigned long long)sharers.home_alone_ns);
    return tap_done(&tap);
}
