/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries prefetchers of the calling CPU, in quiet sections of their own. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_prefetch.h"

bool prefetch_quietly(void (*body)(void *arg), void *arg)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = body, .arg = arg};

    return arch_quiet_run(&plan, &result) == STATUS_OK;
}

void arch_prefetch_try(const struct prefetch_request *request, struct prefetch_report *report)
{
    struct cpu_identity identity;

    cpu_identify(&identity);
    x86_64_prefetch_start(&prefetch_controls, &identity);
    prefetch_guarded_try(&prefetch_controls, request, &prefetch_msr_port, prefetch_quietly, report);
}

/* A rejected write raises #GP, which msr_write survives. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = 0;
    return false;
}

bool arch_prefetch_only_off(uint32_t index, struct prefetch_report *report)
{
    return prefetch_guarded_alone(&prefetch_controls, &prefetch_msr_port, prefetch_quietly, index,
                                  report);
}
