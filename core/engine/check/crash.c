/* SPDX-License-Identifier: MIT */

/*
 * Signals of a crash arrive on a stack of their own, since the thread's may have overflowed. The
 * handler does not return: it ends the run, as a failure found by the checker does, and the stack
 * is free for the next one. So the signal must not stay blocked.
 */

#include "core/engine/check/crash.h"

#include <signal.h>
#include <string.h>

#include "core/engine/check/run.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof *signals };

static char stack[1 << 16];
static struct sigaction before[SIGNALS];
static stack_t stack_before;

static void crashed(int signal, siginfo_t *info, void *context)
{
    (void)context;
    struct check_run *run = check_in_thread();
    if (run == NULL) { /* the checker's own */
        check_crashes_release();
        return; /* and again */
    }
    check_enter(run);
    check_party(run, check_thread(run->engine.current), "crashes", NULL);
    check_fail(run, CHECK_FAILED, "thread %u crashes: %s at address %p",
               check_thread(run->engine.current), strsignal(signal), info->si_addr);
}

void check_crashes_catch(void)
{
    struct sigaction action = {.sa_sigaction = crashed,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, &stack_before);
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void check_crashes_release(void)
{
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaltstack(&stack_before, NULL);
}
