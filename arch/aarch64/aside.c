/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs beside a quiet section, on other CPUs: as in the section, but without prefetchers,
 * turbo and counters, whose state is there once. A CPU finds what is its own by its stacks: of its
 * memory the foot is its state, then comes its stack for exceptions, then that of its body. */
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

_Static_assert(sizeof(struct quiet_state) <= 1024,
               "the exception stack has less than seven kilobytes");

static uintptr_t stacks;

struct aside_run {
    struct arch_aside *aside;
    struct quiet_state *state;
};

bool arch_aside_prepare(uintptr_t room, uint32_t places)
{
    stacks = room;
    quiet_fault_beside(room, room + (uintptr_t)places * ARCH_ASIDE_BYTES);
    return true;
}

static void run(void *arg)
{
    const struct aside_run *own = arg;
    struct arch_aside *aside = own->aside;

    if (aside->root)
        quiet_tables_enter(&own->state->was, aside->root);
    aside->faulted = quiet_body(own->state, aside->body, aside->arg);
    quiet_tables_leave(&own->state->was);
}

bool arch_aside_run(struct arch_aside *aside, uint32_t place)
{
    uintptr_t foot = stacks + (uintptr_t)place * ARCH_ASIDE_BYTES;
    struct aside_run own = {.aside = aside, .state = (struct quiet_state *)foot};
    uint64_t daif = registers_daif();

    registers_interrupts_mask();
    registers_serror_mask();
    own.state->was.switched = false;
    own.state->resume = 0;
    own.state->exception_top = (void *)(foot + QUIET_ASIDE_EXCEPTION_TOP);
    quiet_fault_start(own.state, (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull));
    quiet_vectors_enter(&own.state->was, (uintptr_t)quiet_vectors);
    quiet_on_stacks(run, &own, (void *)(foot + ARCH_ASIDE_BYTES), own.state->exception_top);
    quiet_vectors_leave(&own.state->was);
    registers_daif_write(daif);
    if (aside->faulted)
        quiet_fault_info(own.state, &aside->fault);
    return true;
}
