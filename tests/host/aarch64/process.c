/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of a process on AArch64; prefetchers belong to the levels above alone. */
#include "tests/host/process.h"

#include <stdio.h>
#include <ucontext.h>

#include "arch/aarch64/pure_pmu.h"

bool process_controls_open(uint32_t cpu, char *why, size_t capacity)
{
    (void)cpu;
    snprintf(why, capacity, "EL0 reaches no prefetcher register of AArch64");
    return false;
}

void process_controls_enter(const struct arch_quiet_plan *plan)
{
    (void)plan;
}

void process_controls_leave(void)
{
}

/* EL0 reads none of the registers, so every event is planned and left to the kernel. */
void process_pmu_plan(struct pmu_plan *plan)
{
    const struct pmu_facts facts = {.dfr0 = 1ull << 8, /* PMUVer: there are counters */
                                    .pmcr = 6ull << 11,
                                    .events_low = UINT64_MAX,
                                    .events_high = UINT64_MAX,
                                    .readable = true,
                                    .level = 1};

    aarch64_pmu_plan(&facts, plan);
}

uint64_t process_instruction(const void *context)
{
    return ((const ucontext_t *)context)->uc_mcontext.pc;
}
