/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries prefetchers of the calling core, in quiet sections of their own. */
#include "arch/aarch64/prefetch.h"
#include "arch/aarch64/pure_prefetch.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"

static bool quietly(void (*body)(void *arg), void *arg)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = body, .arg = arg};

    return arch_quiet_run(&plan, &result) == STATUS_OK;
}

void arch_prefetch_try(const struct prefetch_request *request, struct prefetch_report *report)
{
    aarch64_prefetch_start(&prefetch_controls, registers_midr_el1());
    prefetch_guarded_try(&prefetch_controls, request, &prefetch_port, quietly, report);
}

/* Firmware that traps these registers without handling the trap (TF-A before 2024) halts in EL3. */
bool arch_prefetch_is_risky(uint64_t *identity)
{
    *identity = registers_midr_el1();
    return true;
}

bool arch_prefetch_only_off(uint32_t index, struct prefetch_report *report)
{
    return prefetch_guarded_alone(&prefetch_controls, &prefetch_port, quietly, index, report);
}
