/* SPDX-License-Identifier: MIT */
#ifndef AL_INTERRUPT_H
#define AL_INTERRUPT_H

/*
 * Signals that ask a program to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP. The first one is noticed
 * when the program looks for it, a second one ends it at once.
 */

/* Catch them from now on, but for those that whoever started the program lets it ignore. If so many
 * seconds after the first one the program has not looked for it, it ends; 0: it may take its time.
 */
void al_interrupt_catch(unsigned patience_s);

/* The signal that has come since then, or 0. */
int al_interrupt_caught(void);

/* End the process by this signal, so that its parent sees what happened. */
_Noreturn void al_interrupt_end(int number);

#endif
