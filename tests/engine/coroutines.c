/* SPDX-License-Identifier: MIT */

/* Coroutines by themselves, with each backend; also compiled for other processors and run under an
 * emulator (test_processors.py), so it needs nothing but the coroutines. */

#include "core/engine/coroutine.h"

#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/tap.h"

#define COROUTINES 5
#define ROUNDS     100

/* Coroutines in a ring: each passes on to the next, and the last to the thread. */
struct ring {
    struct al_coroutine *host, *coroutines[COROUTINES];
    uint32_t n_rounds[COROUTINES], kept[COROUTINES], aligned[COROUTINES], away[COROUTINES];
    int rounding[COROUTINES];
    char *thread_stack;
};

struct member {
    struct ring *ring;
    uint32_t number;
};

static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static void pass_on(struct ring *ring, uint32_t from)
{
    struct al_coroutine *to = from + 1 < COROUTINES ? ring->coroutines[from + 1] : ring->host;
    al_coroutine_switch(ring->coroutines[from], to);
}

#if defined(__x86_64__)
#define ANY_FLOAT "x"
#else
#define ANY_FLOAT "w"
#endif
/* The compiler does not know what becomes of these values, and keeps them in registers. */
#define HIDE(constraint, x)                                                                        \
    __asm__ volatile("" : constraint(x[0]), constraint(x[1]), constraint(x[2]), constraint(x[3]))
#define STILL(x, first)                                                                            \
    (x[0] == (first) && x[1] == (first) + 1 && x[2] == (first) + 2 && x[3] == (first) + 3)

/* Does a switch preserve what this function has in registers? */
static bool keeps_registers(struct ring *ring, uint32_t number, uint64_t seed)
{
    uint64_t a[4] = {seed, seed + 1, seed + 2, seed + 3};
    uint64_t b[4] = {seed + 4, seed + 5, seed + 6, seed + 7};
    uint64_t e[4] = {seed + 8, seed + 9, seed + 10, seed + 11};
    double c[4] = {(double)seed, (double)seed + 1, (double)seed + 2, (double)seed + 3};
    double d[4] = {(double)seed + 4, (double)seed + 5, (double)seed + 6, (double)seed + 7};
    HIDE("+r", a);
    HIDE("+r", b);
    HIDE("+r", e);
    HIDE("+" ANY_FLOAT, c);
    HIDE("+" ANY_FLOAT, d);
    pass_on(ring, number);
    HIDE("+r", a);
    HIDE("+r", b);
    HIDE("+r", e);
    HIDE("+" ANY_FLOAT, c);
    HIDE("+" ANY_FLOAT, d);
    return STILL(a, seed) && STILL(b, seed + 4) && STILL(e, seed + 8) && STILL(c, (double)seed) &&
           STILL(d, (double)seed + 4);
}

/* A third, rounded as the processor is told to. */
static double third(void)
{
    volatile double one = 1, three = 3;
    return one / three;
}

static void go_round(void *argument)
{
    const struct member *member = argument;
    struct ring *ring = member->ring;
    uint32_t number = member->number;
    _Alignas(16) char local[16];
    char *address = local;
    __asm__ volatile("" : "+r"(address));
    ring->aligned[number] = (uintptr_t)address % 16 == 0;
    intptr_t distance = address - ring->thread_stack;
    ring->away[number] = distance > 1 << 16 || distance < -(1 << 16);
    fesetround(roundings[number % 4]);
    const double first = third();
    for (uint64_t i = 0; i < ROUNDS; i++) {
        ring->n_rounds[number]++;
        ring->kept[number] += keeps_registers(ring, number, i * COROUTINES + number);
        ring->rounding[number] += fegetround() == roundings[number % 4] && third() == first;
    }
    for (;;)
        pass_on(ring, number);
}

static void run_ring(enum al_coroutine_backend backend, struct ring *ring)
{
    char here;
    struct member members[COROUTINES];
    *ring = (struct ring){.host = al_coroutine_host(backend), .thread_stack = &here};
    CHECK(ring->host != NULL, "no memory");
    for (uint32_t i = 0; i < COROUTINES; i++) {
        members[i] = (struct member){ring, i};
        ring->coroutines[i] = al_coroutine_new(backend, go_round, &members[i]);
        CHECK(ring->coroutines[i] != NULL, "no memory");
    }
    for (int i = 0; i <= ROUNDS; i++)
        al_coroutine_switch(ring->host, ring->coroutines[0]);
    for (uint32_t i = 0; i < COROUTINES; i++)
        al_coroutine_free(ring->coroutines[i]);
    al_coroutine_free(ring->host);
}

static bool all(const uint32_t *counts, uint32_t expected)
{
    for (uint32_t i = 0; i < COROUTINES; i++) {
        if (counts[i] != expected)
            return false;
    }
    return true;
}

/* Needs more stack than there is. */
static int recurse(volatile char *above)
{
    volatile char frame[4096];
    frame[0] = above == NULL ? 0 : above[0];
    return above != NULL && above[0] == 1 ? 0 : recurse(frame) + frame[0];
}

static void overflow(void *argument)
{
    char first = 0;
    *(int *)argument = recurse(&first);
    _exit(0);
}

/* Does an overflow of the stack end the process, before it reaches other memory? */
static bool is_guarded(enum al_coroutine_backend backend)
{
    pid_t child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        int result;
        signal(SIGSEGV, SIG_DFL);
        struct al_coroutine *host = al_coroutine_host(backend);
        /* The lower one's stack is likely to be right below. */
        struct al_coroutine *one = al_coroutine_new(backend, overflow, &result);
        struct al_coroutine *other = al_coroutine_new(backend, overflow, &result);
        (void)other;
        al_coroutine_switch(host, one);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child, "no child");
    return WIFSIGNALED(status);
}

static void test_backend(struct tap *tap, enum al_coroutine_backend backend, const char *name)
{
    struct ring ring;
    int rounding = fegetround();
    run_ring(backend, &ring);
    tap_ok(tap, all(ring.n_rounds, ROUNDS), "%s: each coroutine runs once in a round", name);
    tap_ok(tap, all(ring.kept, ROUNDS), "%s: a switch preserves registers", name);
    bool rounds = fegetround() == rounding;
    for (uint32_t i = 0; i < COROUTINES; i++)
        rounds &= ring.rounding[i] == ROUNDS;
    tap_ok(tap, rounds, "%s: each coroutine has a rounding mode of its own", name);
    tap_ok(tap, all(ring.aligned, 1) && all(ring.away, 1),
           "%s: each coroutine has a stack of its own, aligned", name);
    tap_ok(tap, is_guarded(backend), "%s: an overflow of the stack is caught", name);
}

int main(void)
{
    struct tap tap = {0};
    test_backend(&tap, AL_COROUTINE_FASTEST, "assembler");
    test_backend(&tap, AL_COROUTINE_UCONTEXT, "ucontext");
    return tap_done(&tap);
}
