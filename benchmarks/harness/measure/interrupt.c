/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define N_SIGNALS (sizeof signals / sizeof *signals)

static unsigned patience_s; /* set before the signals are caught */

/* SA_RESETHAND removes it, and that is how we know that it ran. */
static void caught(int number)
{
    (void)number;
    alarm(patience_s);
}

/* Nobody has looked. */
static void out_of_patience(int number)
{
    (void)number;
    raise(al_interrupt_caught());
}

static struct sigaction action_of(int number)
{
    struct sigaction action;
    sigaction(number, NULL, &action);
    return action;
}

void al_interrupt_catch(unsigned patience)
{
    patience_s = patience;
    struct sigaction at_last = {.sa_handler = out_of_patience};
    if (patience > 0)
        sigaction(SIGALRM, &at_last, NULL);
    struct sigaction once = {.sa_handler = caught, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    for (size_t i = 0; i < N_SIGNALS; i++) {
        if (action_of(signals[i]).sa_handler == SIG_DFL)
            sigaction(signals[i], &once, NULL);
    }
}

int al_interrupt_caught(void)
{
    for (size_t i = 0; i < N_SIGNALS; i++) {
        if (action_of(signals[i]).sa_handler == SIG_DFL)
            return signals[i];
    }
    return 0;
}

_Noreturn void al_interrupt_end(int number)
{
    raise(number);
    abort(); /* somebody blocks the signal */
}
