/* SPDX-License-Identifier: MIT */

/* Plain accesses of checked runs, and their allocator. */

#include "core/engine/check/heap.h"
#include "core/engine/check/plain.h"
#include "core/engine/check/run.h"
#include "core/engine/check/search.h"

void check_access(struct check_run *run, unsigned t, unsigned n, const struct check_clock *hb,
                  uint64_t address, uint64_t bytes, enum check_access access, const void *code)
{
    static const char *const names[] = {
        [CHECK_PLAIN_READ] = "read",
        [CHECK_PLAIN_WRITE] = "write",
        [CHECK_ATOMIC_READ] = "atomic read",
        [CHECK_ATOMIC_WRITE] = "atomic write",
    };
    struct check_plain *plain = run->search->plain;
    struct check_race race;
    if (check_plain_is_forbidden(plain, address, bytes)) {
        check_party(run, t, names[access], code);
        check_fail(run, CHECK_FAILED, "memory that has been freed is used");
    }
    if (check_plain_access(plain, t, n, hb, address, bytes, access, code, &race)) {
        check_depend(run, race.thread, race.n);
        check_party(run, race.thread, names[race.access], race.code);
        check_party(run, t, names[access], code);
        check_fail(run, CHECK_FAILED, "data race: nothing orders two accesses to the same memory");
    }
}

void check_report(const void *address, uint64_t bytes, enum al_access_kind kind, bool atomic,
                  const void *code)
{
    struct check_run *run = check_in_thread();
    if (run == NULL || run->inside || atomic) /* atomic: volatile, for people to look at */
        return;
    bool was = check_enter(run);
    struct check_task *task = (struct check_task *)run->engine.current;
    unsigned t = check_thread(&task->task);
    const struct check_event *before = check_graph_before(&run->search->graph,
                                                          CHECK_ID(t, task->n));
    const struct check_clock *hb = before != NULL ? &before->hb : NULL;
    check_access(run, t, task->n, hb, (uint64_t)(uintptr_t)address, bytes,
                 kind == AL_ACCESS_READ ? CHECK_PLAIN_READ : CHECK_PLAIN_WRITE, code);
    check_leave(run, was);
}

static unsigned arena_of(const struct al_engine *engine)
{
    return engine->current->id;
}

void *check_allocate(struct al_engine *engine, size_t alignment, size_t bytes, bool *zero)
{
    struct check_run *run = check_run_of(engine);
    bool was = check_enter(run);
    *zero = false;
    void *memory = check_heap_allocate(run->search->heap, arena_of(engine), alignment, bytes);
    if (memory == NULL)
        check_fail(run, CHECK_REFUSED, "this scenario needs more memory than the checker has");
    check_leave(run, was);
    return memory;
}

void check_release(struct al_engine *engine, void *memory)
{
    struct check_run *run = check_run_of(engine);
    bool again = run->search->options->reuse;
    size_t bytes = check_heap_size(run->search->heap, memory);
    /* Whoever still uses it races with this. */
    check_report(memory, bytes, AL_ACCESS_WRITE, false, __builtin_return_address(0));
    bool was = check_enter(run);
    if (engine->current->id != 0 && !again)
        check_plain_forbid(run->search->plain, (uint64_t)(uintptr_t)memory, bytes);
    check_heap_release(run->search->heap, arena_of(engine), memory, again);
    check_leave(run, was);
}

size_t check_size(const struct al_engine *engine, const void *memory)
{
    return check_heap_size(((const struct check_run *)engine)->search->heap, memory);
}

void check_release_late(struct al_engine *engine, void *memory)
{
    (void)engine, (void)memory; /* when the run ends */
}
