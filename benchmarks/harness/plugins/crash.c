/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/plugins/crash.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* strsignal must not be called in a handler. */
static const struct {
    int number;
    const char *what;
} signals[] = {{SIGSEGV, "Segmentation fault"},
               {SIGBUS, "Bus error"},
               {SIGFPE, "Floating point exception"},
               {SIGILL, "Illegal instruction"}};

static const char *what(int number)
{
    size_t i = 0;
    while (signals[i].number != number)
        i++;
    return signals[i].what;
}

/* Where the thread was: 0 where this is unknown. */
static uintptr_t place_of(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/* dladdr may take a lock that the thread holds: a deadlock is then what a trial's time limit ends,
 * and a line is worth that. The handler is gone after the first signal. */
static void report(int number, siginfo_t *info, void *context)
{
    Dl_info place = {0};
    char line[512];
    uintptr_t at = place_of(context);
    (void)info;
    if (at != 0 && dladdr((void *)at, &place) != 0 && place.dli_fname != NULL)
        snprintf(line, sizeof line, "actorlab: crashed (%s) in %s of %s, at +0x%zx\n", what(number),
                 place.dli_sname != NULL ? place.dli_sname : "a function", place.dli_fname,
                 (size_t)(at - (uintptr_t)place.dli_fbase));
    else
        snprintf(line, sizeof line, "actorlab: crashed (%s) at 0x%zx, in no file that is known\n",
                 what(number), (size_t)at);
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* nothing else can be done; the signal comes again */
}

void al_crash_watch(void)
{
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i].number, &action, NULL);
}
