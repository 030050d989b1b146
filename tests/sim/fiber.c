/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of one stack are restored while another one is in use, which checked variants refuse.
 */
#undef _FORTIFY_SOURCE
#include "tests/sim/fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK_BYTES (256u << 10)

#ifdef ADDRESS_SANITIZER

/* The one that ran before: whose stack that was the sanitizer tells who arrives. One thread of the
 * host's runs all of them. */
static struct sim_fiber *left;

static void arrived(struct sim_fiber *fiber)
{
    __sanitizer_finish_switch_fiber(fiber->fake, &left->bottom, &left->bytes);
}

#else

static void arrived(struct sim_fiber *fiber)
{
    (void)fiber;
}

#endif

/* makecontext passes ints alone. */
static void begin(unsigned high, unsigned low)
{
    struct sim_fiber *fiber = (struct sim_fiber *)((uintptr_t)high << 16 << 16 | low);

    arrived(fiber);
    fiber->entry(fiber->argument);
    fprintf(stderr, "simulator: a coroutine has returned\n");
    abort();
}

void sim_fiber_start(struct sim_fiber *fiber, void (*entry)(void *argument), void *argument)
{
    uintptr_t self = (uintptr_t)fiber;

    *fiber = (struct sim_fiber){.entry = entry, .argument = argument, .bytes = STACK_BYTES};
    fiber->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fiber->stack == MAP_FAILED || getcontext(&fiber->context) != 0) {
        fprintf(stderr, "simulator: no memory for a stack\n");
        exit(2);
    }
    fiber->bottom = fiber->stack;
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber->context, (void (*)(void))(uintptr_t)begin, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)self);
}

void sim_fiber_stop(struct sim_fiber *fiber)
{
    munmap(fiber->stack, STACK_BYTES);
    fiber->stack = NULL;
}

#ifdef ADDRESS_SANITIZER

void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to)
{
    left = from;
    __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->bytes);
    swapcontext(&from->context, &to->context);
    arrived(from);
}

#else

/* swapcontext asks the kernel for the mask of signals, which takes longer than all else: it starts
 * a fiber, and from then on the registers alone are kept. */
void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to)
{
    from->begun = true;
    if (_setjmp(from->registers) != 0)
        return;
    if (to->begun)
        _longjmp(to->registers, 1);
    to->begun = true;
    setcontext(&to->context);
}

#endif
