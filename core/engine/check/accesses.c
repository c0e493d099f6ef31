/* SPDX-License-Identifier: MIT */

/* What threads do to shared words, and to queues of parked threads. */

#include "core/engine/check/plain.h"
#include "core/engine/check/run.h"
#include "core/engine/check/search.h"

static unsigned flags_of(int order)
{
    switch (order) {
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
        return CHECK_ACQUIRE;
    case __ATOMIC_RELEASE:
        return CHECK_RELEASE;
    case __ATOMIC_ACQ_REL:
    case __ATOMIC_SEQ_CST:
        return CHECK_ACQUIRE | CHECK_RELEASE;
    default:
        return 0;
    }
}

static uint64_t in_memory(const volatile void *at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)at, bytes);
    return value;
}

static struct check_operation access_of(struct check_run *run, const volatile void *at,
                                        unsigned bytes, const void *code)
{
    struct check_operation operation = {
        .address = (uint64_t)(uintptr_t)at, .bytes = (uint8_t)bytes, .code = code};
    if (operation.address < CHECK_NO_MEMORY)
        operation.life = check_plain_life(run->search->plain, operation.address, bytes);
    return operation;
}

/* An update by a thread. */
static uint64_t update(struct check_run *run, struct check_operation *operation)
{
    operation->kind = CHECK_READ;
    uint64_t old = check_do(run, operation)->value, written;
    if (!check_operation_writes(operation, old, &written))
        return old;
    struct check_operation write = *operation;
    write.kind = CHECK_WRITE;
    write.update = CHECK_KEEP;
    write.operand = written;
    write.success = (operation->success & CHECK_RELEASE) | CHECK_EXCLUSIVE | CHECK_LOCKED;
    check_do(run, &write);
    return old;
}

/* Any access by a thread; one that is sequentially consistent stands between two fences. Returns
 * what it has read, or written. */
static uint64_t access_word(struct check_run *run, struct check_operation *operation, int order)
{
    if (order == __ATOMIC_SEQ_CST)
        check_fence(CHECK_FENCE, operation->code);
    uint64_t value = operation->update != CHECK_KEEP ? update(run, operation)
                                                     : check_do(run, operation)->value;
    if (order == __ATOMIC_SEQ_CST)
        check_fence(CHECK_FENCE, operation->code);
    return value;
}

uint64_t check_load(const volatile void *at, unsigned bytes, int order, const void *code)
{
    struct check_run *run = check_in_thread();
    if (run == NULL)
        return in_memory(at, bytes);
    bool was = check_enter(run);
    struct check_operation operation = access_of(run, at, bytes, code);
    operation.kind = CHECK_READ;
    operation.success = flags_of(order) & ~(unsigned)CHECK_RELEASE;
    uint64_t value = access_word(run, &operation, order);
    check_leave(run, was);
    return value;
}

void check_store(volatile void *at, unsigned bytes, uint64_t value, int order, const void *code)
{
    struct check_run *run = check_in_thread();
    if (run == NULL) {
        memcpy((void *)(uintptr_t)at, &value, bytes);
        return;
    }
    bool was = check_enter(run);
    struct check_operation operation = access_of(run, at, bytes, code);
    operation.kind = CHECK_WRITE;
    operation.success = flags_of(order) & ~(unsigned)CHECK_ACQUIRE;
    operation.operand = value;
    access_word(run, &operation, order);
    check_leave(run, was);
}

uint64_t check_update(volatile void *at, unsigned bytes, enum check_update kind, uint64_t operand,
                      uint64_t expected, int order, int failure, const void *code)
{
    struct check_run *run = check_in_thread();
    if (run == NULL) {
        struct check_operation operation = {
            .update = kind, .operand = operand, .expected = expected, .bytes = (uint8_t)bytes};
        uint64_t old = in_memory(at, bytes), written;
        if (check_operation_writes(&operation, old, &written))
            memcpy((void *)(uintptr_t)at, &written, bytes);
        return old;
    }
    bool was = check_enter(run);
    struct check_operation operation = access_of(run, at, bytes, code);
    operation.update = kind;
    operation.operand = operand;
    operation.expected = expected;
    operation.success = flags_of(order);
    operation.failure = flags_of(failure);
    uint64_t old = access_word(run, &operation, order);
    check_leave(run, was);
    return old;
}

void check_fence(enum check_kind kind, const void *code)
{
    struct check_run *run = check_in_thread();
    if (run != NULL)
        check_do(run, &(struct check_operation){.kind = kind, .code = code});
}

/* Parking. The queue of the threads that are parked on a word is a word of its own, so that it is
 * searched like any other. The kernel looks at the word after the thread has been queued, under the
 * queue's lock: if it has changed, nothing has happened. */

static struct check_operation queue_of(const void *word, enum check_update update, uint64_t operand,
                                       const void *code)
{
    return (struct check_operation){
        .address = (uint64_t)(uintptr_t)word | CHECK_NO_MEMORY,
        .bytes = 8,
        .update = update,
        .operand = operand,
        .success = CHECK_ACQUIRE | CHECK_RELEASE,
        .code = code,
    };
}

/* The word has had the value: sleep, unless it has another one now. */
static void sleep_on(struct check_run *run, const void *word, uint32_t expected, bool limited,
                     const void *code)
{
    unsigned self = check_thread(run->engine.current) + 1;
    struct check_operation append = queue_of(word, CHECK_APPEND, self, code);
    update(run, &append);
    struct check_operation look = access_of(run, word, sizeof expected, code);
    look.kind = CHECK_READ;
    look.await = CHECK_EXPECTED;
    look.awaited = expected;
    check_do(run, &look);
    if (limited && al_scenario_choose(2) == 1) { /* the time is up */
        struct check_operation remove = queue_of(word, CHECK_REMOVE, self, code);
        update(run, &remove);
        return;
    }
    struct check_operation wake = queue_of(word, CHECK_KEEP, self, code);
    wake.kind = CHECK_READ;
    wake.success = CHECK_ACQUIRE;
    wake.awaited = self;
    wake.await = limited ? CHECK_ABSENT_IN_TIME : CHECK_ABSENT;
    check_do(run, &wake);
}

void check_park(struct al_engine *engine, const void *word, uint32_t expected, uint64_t ns)
{
    struct check_run *run = check_run_of(engine);
    const void *code = __builtin_return_address(0);
    bool was = check_enter(run);
    if (check_load(word, sizeof expected, __ATOMIC_RELAXED, code) == expected)
        sleep_on(run, word, expected, ns != UINT64_MAX, code);
    check_leave(run, was);
}

void check_unpark(struct al_engine *engine, const void *word, uint32_t count)
{
    struct check_run *run = check_run_of(engine);
    if (check_in_thread() == NULL)
        return;
    bool was = check_enter(run);
    struct check_operation wake = queue_of(word, CHECK_WAKE, count < 16 ? count : 16,
                                           __builtin_return_address(0));
    update(run, &wake);
    check_leave(run, was);
}

unsigned al_scenario_choose(unsigned ways)
{
    struct check_run *run = check_in_thread();
    struct check_operation operation = {
        .kind = CHECK_CHOICE, .choices = (uint8_t)ways, .code = __builtin_return_address(0)};
    return (unsigned)check_do(run, &operation)->value;
}
