/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling CPU: core/cpu/prefetch.c on the real MSRs. */
#include "arch/x86_64/prefetch.h"

#include "arch/x86_64/msr.h"

struct prefetch_set prefetch_controls;

static bool port_read(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    return msr_read(msr, value);
}

static bool port_write(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    return msr_write(msr, value);
}

const struct prefetch_port prefetch_msr_port = {.read = port_read, .write = port_write};

void prefetch_enter(void)
{
    prefetch_set_enter(&prefetch_controls, &prefetch_msr_port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&prefetch_controls, &prefetch_msr_port);
}
