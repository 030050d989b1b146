/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines: each runs on a stack of its own until it hands over to another one. */
#ifndef TESTS_SIM_FIBER_H
#define TESTS_SIM_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct sim_fiber {
    ucontext_t context;
    jmp_buf registers; /* once it has begun, while others run */
    bool begun;
    void *stack; /* its own */
    void (*entry)(void *argument);
    void *argument;
    /* For the address sanitizer: which stack it has, and what it keeps there. */
    const void *bottom;
    size_t bytes;
    void *fake;
};

/* One that begins in entry(argument) when it is switched to first; entry never returns. Exits the
 * program when memory runs out. sim_fiber_stop frees. */
void sim_fiber_start(struct sim_fiber *fiber, void (*entry)(void *argument), void *argument);
/* Of one that will not be switched to again, from another one. */
void sim_fiber_stop(struct sim_fiber *fiber);
/* `from` runs; it goes on from here when it is switched to again. All zero: the program itself. */
void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to);

#endif
