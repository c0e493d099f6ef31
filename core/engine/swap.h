/* SPDX-License-Identifier: MIT */
#ifndef AL_SWAP_H
#define AL_SWAP_H

/* Stacks to switch between in a few instructions of assembler: for core/engine/coroutine.c. */

#if defined(__x86_64__) || defined(__aarch64__)
#define AL_SWAP 1
#else
#define AL_SWAP 0 /* no assembler for this processor: do not call these */
#endif

/* Save what the ABI requires a function to preserve on the running stack, and the stack's pointer
 * in *save; go on where `load` was saved. Returns when somebody loads what was saved. */
void al_swap(void **save, void *load);

/* Lay out a new stack, whose first byte after its end is `top` (aligned to 16 bytes): loading what
 * this returns calls function(argument), which must never return. */
void *al_swap_prepare(char *top, void (*function)(void *), void *argument);

#endif
