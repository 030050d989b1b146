/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers of the calling CPU: core/cpu/prefetch.c on the real MSRs. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_prefetch.h"

static struct prefetch_set controls;

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

bool prefetch_quietly(void (*body)(void *arg), void *arg)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = body, .arg = arg};

    return arch_quiet_run(&plan, &result) == STATUS_OK;
}

void arch_prefetch_try(const struct prefetch_wish *wish, struct prefetch_report *report)
{
    struct cpu_identity identity;

    cpu_identify(&identity);
    x86_64_prefetch_start(&controls, &identity);
    prefetch_guarded_try(&controls, wish, &prefetch_msr_port, prefetch_quietly, report);
}

/* A rejected write raises #GP, which msr_write survives. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = 0;
    return false;
}

bool arch_prefetch_alone(uint32_t index, struct prefetch_report *report)
{
    return prefetch_guarded_alone(&controls, &prefetch_msr_port, prefetch_quietly, index, report);
}

void prefetch_enter(void)
{
    prefetch_set_enter(&controls, &prefetch_msr_port);
}

void prefetch_leave(void)
{
    prefetch_set_leave(&controls, &prefetch_msr_port);
}
