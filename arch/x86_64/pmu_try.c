/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries the performance counters of the calling CPU, in a quiet section of their own. */
#include "arch/x86_64/pmu.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_pmu.h"

static void trial_body(void *arg)
{
    (void)arg;
    pmu_try(&pmu_counters, &prefetch_msr_port);
}

void arch_pmu_try(struct pmu_report *report)
{
    struct arch_quiet_plan plan = {.body = trial_body};
    struct arch_quiet_result result;

    x86_64_pmu_plan(&cpu_cpuid, &pmu_counters.plan);
    if (arch_quiet_run(&plan, &result) != STATUS_OK)
        pmu_counters.state = PMU_REFUSED;
    pmu_report(&pmu_counters, report);
}
