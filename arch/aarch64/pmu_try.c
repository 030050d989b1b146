/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries the performance counters of the calling core, in a quiet section of their own. */
#include "arch/aarch64/pmu.h"

#include "arch/arch.h"
#include "arch/aarch64/level.h"
#include "arch/aarch64/prefetch.h"
#include "arch/aarch64/pure_pmu.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"

static void read_facts(struct pmu_facts *facts)
{
    *facts = (struct pmu_facts){
        .midr = registers_midr_el1(), .dfr0 = registers_id_aa64dfr0_el1(), .level = level_now()};
    if (!aarch64_pmu_exists(facts->dfr0))
        return;
    facts->readable = sysreg_read(SYSREG_PMCR, &facts->pmcr) &&
                      sysreg_read(SYSREG_PMCNTENSET, &facts->enabled) &&
                      sysreg_read(SYSREG_PMCEID0, &facts->events_low) &&
                      sysreg_read(SYSREG_PMCEID1, &facts->events_high) &&
                      (facts->level != 2 || sysreg_read(SYSREG_MDCR_EL2, &facts->mdcr));
    facts->cpuectlr_known =
        aarch64_pmu_has_extllc(facts->midr) && sysreg_read(SYSREG_CPUECTLR, &facts->cpuectlr);
}

static void trial_body(void *arg)
{
    struct pmu_facts facts;

    (void)arg;
    read_facts(&facts);
    aarch64_pmu_plan(&facts, &pmu_counters.plan);
    pmu_try(&pmu_counters, &prefetch_port);
}

void arch_pmu_try(struct pmu_report *report)
{
    struct arch_quiet_plan plan = {.body = trial_body};
    struct arch_quiet_result result;

    if (arch_quiet_run(&plan, &result) != STATUS_OK)
        pmu_counters.state = PMU_REFUSED;
    pmu_report(&pmu_counters, report);
}
