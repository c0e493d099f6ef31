/* SPDX-License-Identifier: MIT */
#include "core/engine/swap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Both processors: push what a callee must preserve, exchange the stack pointer, pop. The return
 * address that is popped first from a new stack is al_swap_begin, which finds the function and its
 * argument in registers that were popped.
 */
void al_swap_begin(void);

#if defined(__x86_64__)
/* System V ABI: rbp, rbx, r12-r15, and the control words of SSE and x87. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl al_swap\n"
        ".type al_swap, @function\n"
        "al_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size al_swap, .-al_swap\n"
        ".p2align 4\n"
        ".globl al_swap_begin\n"
        ".type al_swap_begin, @function\n"
        "al_swap_begin:\n"
        "    movq %r12, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    call *%r13\n"
        "    ud2\n"
        ".size al_swap_begin, .-al_swap_begin\n");

void *al_swap_prepare(char *top, void (*function)(void *), void *argument)
{
    uint64_t *frame = (uint64_t *)(void *)(top - 80); /* and al_swap_begin is called aligned */
    memset(frame, 0, 80);
    uint32_t control[2] = {0, 0};
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control[0]), "=m"(control[1]));
    memcpy(&frame[0], control, sizeof control);
    frame[3] = (uintptr_t)function; /* r13 */
    frame[4] = (uintptr_t)argument; /* r12 */
    frame[7] = (uintptr_t)al_swap_begin;
    return frame;
}

#elif defined(__aarch64__)
/* AAPCS64: x19-x28, the frame pointer x29, the low halves of v8-v15, and the control word; x30 is
 * the return address. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl al_swap\n"
        ".type al_swap, %function\n"
        "al_swap:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldr x9, [sp, #160]\n"
        "    msr fpcr, x9\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size al_swap, .-al_swap\n"
        ".p2align 4\n"
        ".globl al_swap_begin\n"
        ".type al_swap_begin, %function\n"
        "al_swap_begin:\n"
        "    mov x0, x19\n"
        "    mov x29, xzr\n"
        "    blr x20\n"
        "    brk #1\n"
        ".size al_swap_begin, .-al_swap_begin\n");

void *al_swap_prepare(char *top, void (*function)(void *), void *argument)
{
    uint64_t *frame = (uint64_t *)(void *)(top - 176), control;
    memset(frame, 0, 176);
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    frame[0] = (uintptr_t)argument; /* x19 */
    frame[1] = (uintptr_t)function; /* x20 */
    frame[11] = (uintptr_t)al_swap_begin;
    frame[20] = control;
    return frame;
}

#else
void al_swap(void **save, void *load)
{
    (void)save, (void)load;
    abort();
}

void *al_swap_prepare(char *top, void (*function)(void *), void *argument)
{
    (void)top, (void)function, (void)argument;
    abort();
}
#endif
