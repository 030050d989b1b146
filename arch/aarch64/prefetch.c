/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling core: core/cpu/prefetch.c on the real registers. */
#include "arch/aarch64/prefetch.h"

#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"

struct prefetch_set prefetch_controls;

static bool port_read(void *context, uint32_t reg, uint64_t *value)
{
    (void)context;
    return sysreg_read((enum sysreg)reg, value);
}

/* Completes outstanding accesses first, and makes the change effective for everything after. */
static bool port_write(void *context, uint32_t reg, uint64_t value)
{
    bool taken;

    (void)context;
    registers_dsb_sy();
    taken = sysreg_write((enum sysreg)reg, value);
    registers_dsb_sy();
    registers_isb();
    return taken;
}

/* UNDEF means that a higher level forbids the register, so fewer bits would fault too. */
const struct prefetch_port prefetch_port = {
    .read = port_read, .write = port_write, .faults_are_final = true};

void prefetch_enter(void)
{
    prefetch_set_enter(&prefetch_controls, &prefetch_port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&prefetch_controls, &prefetch_port);
}
