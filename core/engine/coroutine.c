/* SPDX-License-Identifier: MIT */
#include "core/engine/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/engine/swap.h"

/* The build defines which sanitizer the rest is compiled with; this file is compiled without
 * one. */
#if AL_ENGINE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if AL_ENGINE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Enough for a behaviour under a sanitizer; untouched pages take no memory. */
#define STACK_BYTES ((size_t)1 << 20)
/* Stacks that a thread keeps for its next coroutines: mapping one costs as much as a short run. */
#define SPARE_MOST 64
/* How many coroutines share a fiber of ThreadSanitizer, one after the other. Creating one clears
 * hundreds of kilobytes; but frames that never return fill its record of the call stack. */
#define FIBER_USES_MOST 256

/* What a coroutine runs on. */
struct stack {
    char *mapping;   /* guard page, then the stack; NULL: the thread's own stack */
    size_t offset;   /* below its end: where coroutines begin */
    void *fiber;     /* ThreadSanitizer's */
    unsigned n_used; /* coroutines that the fiber has been used by */
};

struct al_coroutine {
    enum al_coroutine_backend backend;
    void (*function)(void *);
    void *argument;
    void *stack_pointer; /* assembler: saved at the last switch */
    ucontext_t context;  /* ucontext: likewise */
    struct stack stack;
    const void *stack_bottom;
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
    struct al_coroutine *came_from;
};

static void after_switch(struct al_coroutine *self)
{
#if AL_ENGINE_ASAN
    __sanitizer_finish_switch_fiber(self->fake_stack,
                                    self->came_from != NULL ? &self->came_from->stack_bottom : NULL,
                                    self->came_from != NULL ? &self->came_from->stack_bytes : NULL);
#else
    (void)self;
#endif
}

static void enter(void *argument)
{
    struct al_coroutine *self = argument;
    after_switch(self);
    al_coroutine_acquire(self);
    self->function(self->argument);
    abort();
}

static void enter_ucontext(unsigned low, unsigned high)
{
    enter((void *)((uintptr_t)high << 32 | low));
}

static void prepare_context(struct al_coroutine *self)
{
    getcontext(&self->context);
    self->context.uc_stack.ss_sp = (void *)self->stack_bottom;
    self->context.uc_stack.ss_size = self->stack_bytes;
    makecontext(&self->context, (void (*)(void))enter_ucontext, 2, (unsigned)(uintptr_t)self,
                (unsigned)((uintptr_t)self >> 32));
}

static _Thread_local struct stack spare[SPARE_MOST];
static _Thread_local size_t n_spare;

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* How far below the end of its mapping a stack begins: what stacks have in use should not all be in
 * the same sets of the processor's caches. Multiples of 64 bytes; a stack keeps its own, so that
 * the addresses in it repeat. */
static size_t offset(void)
{
    static _Thread_local unsigned n_begun;
    return n_begun++ % 64 * 320;
}

/* A guard page and a stack with arbitrary contents; without a mapping: no memory. */
static struct stack new_stack(void)
{
    if (n_spare > 0) {
        struct stack stack = spare[--n_spare];
#if AL_ENGINE_ASAN
        /* Frames that never returned are still poisoned. */
        __asan_unpoison_memory_region(stack.mapping + page_bytes(), STACK_BYTES);
#endif
        return stack;
    }
    struct stack stack = {0};
    char *mapping = mmap(NULL, page_bytes() + STACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping == MAP_FAILED)
        return stack;
    mprotect(mapping, page_bytes(), PROT_NONE);
    stack.mapping = mapping;
    stack.offset = offset();
    return stack;
}

static void drop_fiber(struct stack *stack)
{
#if AL_ENGINE_TSAN
    if (stack->fiber != NULL)
        __tsan_destroy_fiber(stack->fiber);
#endif
    stack->fiber = NULL;
    stack->n_used = 0;
}

static void use_fiber(struct stack *stack)
{
#if AL_ENGINE_TSAN
    if (stack->fiber == NULL)
        stack->fiber = __tsan_create_fiber(0);
#endif
    stack->n_used++;
}

static void free_stack(struct stack stack)
{
    if (stack.n_used == FIBER_USES_MOST || n_spare == SPARE_MOST)
        drop_fiber(&stack);
    if (n_spare < SPARE_MOST)
        spare[n_spare++] = stack;
    else
        munmap(stack.mapping, page_bytes() + STACK_BYTES);
}

struct al_coroutine *al_coroutine_new(enum al_coroutine_backend backend, void (*function)(void *),
                                      void *argument)
{
    struct al_coroutine *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->backend = AL_SWAP ? backend : AL_COROUTINE_UCONTEXT;
    self->function = function;
    self->argument = argument;
    self->stack = new_stack();
    if (self->stack.mapping == NULL) {
        free(self);
        return NULL;
    }
    self->stack_bottom = self->stack.mapping + page_bytes();
    self->stack_bytes = STACK_BYTES;
    if (self->backend == AL_COROUTINE_UCONTEXT) {
        prepare_context(self);
    } else {
        self->stack_pointer = al_swap_prepare(
            self->stack.mapping + page_bytes() + STACK_BYTES - self->stack.offset, enter, self);
    }
    use_fiber(&self->stack);
    al_coroutine_release(self); /* partner: the acquire in enter */
    return self;
}

struct al_coroutine *al_coroutine_host(enum al_coroutine_backend backend)
{
    struct al_coroutine *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->backend = AL_SWAP ? backend : AL_COROUTINE_UCONTEXT;
#if AL_ENGINE_TSAN
    self->stack.fiber = __tsan_get_current_fiber();
#endif
    return self;
}

void al_coroutine_free(struct al_coroutine *coroutine)
{
    if (coroutine->stack.mapping != NULL)
        free_stack(coroutine->stack);
    free(coroutine);
}

void al_coroutine_switch(struct al_coroutine *from, struct al_coroutine *to)
{
    to->came_from = from;
#if AL_ENGINE_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack_bottom, to->stack_bytes);
#endif
#if AL_ENGINE_TSAN
    __tsan_switch_to_fiber(to->stack.fiber, __tsan_switch_to_fiber_no_sync);
#endif
    if (from->backend == AL_COROUTINE_FASTEST)
        al_swap(&from->stack_pointer, to->stack_pointer);
    else
        swapcontext(&from->context, &to->context);
    after_switch(from);
}

void al_coroutine_release(void *address)
{
#if AL_ENGINE_TSAN
    __tsan_release(address);
#else
    (void)address;
#endif
}

void al_coroutine_acquire(void *address)
{
#if AL_ENGINE_TSAN
    __tsan_acquire(address);
#else
    (void)address;
#endif
}
