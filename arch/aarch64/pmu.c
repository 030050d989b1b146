/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters of the calling core: core/cpu/pmu.c on the real registers. */
#include "arch/aarch64/pmu.h"

#include "arch/aarch64/prefetch.h"
#include "arch/arch.h"

struct pmu pmu_counters;

void pmu_section_enter(void)
{
    pmu_enter(&pmu_counters, &prefetch_port);
}

void pmu_section_leave(void)
{
    pmu_leave(&pmu_counters, &prefetch_port);
}

void arch_pmu_begin(void)
{
    pmu_begin(&pmu_counters, &prefetch_port);
}

void arch_pmu_end(void)
{
    pmu_end(&pmu_counters, &prefetch_port);
}

void arch_pmu_counts(struct machine_counters *delta)
{
    pmu_counts(&pmu_counters, delta);
}
