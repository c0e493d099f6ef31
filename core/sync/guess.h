/* SPDX-License-Identifier: MIT */
#ifndef AL_GUESS_H
#define AL_GUESS_H

#include <stdint.h>

/*
 * A value that is likely to be `guess`: returns the value, but where the guess is right, what
 * depends on it need not wait until the value is known.
 *
 * If a value is read through one pointer after another, and says where something is to be written,
 * whoever reads that next waits for all of it, time and again. Processors guess branches, but not
 * values. So this branches on the guess, and goes on with the guess. It costs a comparison, and a
 * branch that is missed where the guess is wrong now and then.
 */
static inline __attribute__((always_inline)) uintptr_t al_guess(uintptr_t value, uintptr_t guess)
{
    uintptr_t taken = guess;
    __asm__("" : "+r"(taken)); /* else the compiler sees that the two are equal, and takes either */
    if (__builtin_expect(value == guess, 1)) {
        __asm__ volatile(""); /* else it may take a conditional move, which waits for both */
        return taken;
    }
    return value;
}

#endif
