/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs beside a quiet section, on other CPUs: as in the section, but without prefetchers,
 * turbo and counters, whose state is there once. A CPU finds what is its own by its stack. */
#include "arch/arch.h"
#include "arch/x86_64/quiet.h"
#include "arch/x86_64/registers.h"

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
    aside->faulted = quiet_catch(aside->body, aside->arg, &own->state->resume) != 0;
    quiet_tables_leave(&own->state->was);
}

bool arch_aside_run(struct arch_aside *aside, uint32_t place)
{
    uintptr_t foot = stacks + (uintptr_t)place * ARCH_ASIDE_BYTES;
    struct aside_run own = {.aside = aside, .state = (struct quiet_state *)foot};
    struct descriptor_register ours;
    uint64_t flags;

    if (!quiet_gates(&ours))
        return false;
    flags = registers_flags();
    registers_interrupts_mask();
    own.state->was.switched = false;
    own.state->resume = 0;
    quiet_fault_start(own.state, (void *)((uintptr_t)__builtin_frame_address(0) & ~15ull));
    quiet_vectors_enter(&own.state->was, &ours);
    quiet_on_stack(run, &own, (void *)(foot + ARCH_ASIDE_BYTES));
    quiet_vectors_leave(&own.state->was);
    registers_flags_write(flags);
    if (aside->faulted)
        quiet_fault_info(own.state, &aside->fault);
    return true;
}
