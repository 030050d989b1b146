/* SPDX-License-Identifier: BSD-2-Clause */
/* Which performance counters of an Arm core count misses of the last cache, page walks and
 * accesses. Pure. Arm ARM (DDI 0487) D13 and the registers PMCR_EL0, PMCNTENSET_EL0, PMCEID0_EL0,
 * PMCEID1_EL0, PMEVTYPER<n>_EL0, PMEVCNTR<n>_EL0, MDCR_EL2. LL_CACHE_MISS_RD sees a system-level
 * cache only where CPUECTLR_EL1.EXTLLC (bit 0) says that there is one outside the cluster: manuals
 * of the cores in the table; not verified on silicon. */
#ifndef ARCH_AARCH64_PURE_PMU_H
#define ARCH_AARCH64_PURE_PMU_H

#include "core/cpu/pmu.h"

struct pmu_facts {
    uint64_t midr, dfr0;              /* MIDR_EL1, ID_AA64DFR0_EL1 */
    uint64_t pmcr, enabled;           /* PMCR_EL0, PMCNTENSET_EL0 */
    uint64_t events_low, events_high; /* PMCEID0_EL0, PMCEID1_EL0 */
    uint64_t mdcr;                    /* MDCR_EL2; at EL1 0 and not accessed */
    uint64_t cpuectlr;                /* valid if cpuectlr_known */
    bool readable;                    /* none of the others faulted */
    bool cpuectlr_known;
    unsigned level; /* exception level, 1 or 2 */
};

/* True if the core has counters at all, so that their registers may be read. */
bool aarch64_pmu_exists(uint64_t dfr0);
/* True if the manuals of this core describe CPUECTLR_EL1.EXTLLC. */
bool aarch64_pmu_has_extllc(uint64_t midr);
/* Fills all of *plan. For events that are not counted, plan->why has the reason. */
void aarch64_pmu_plan(const struct pmu_facts *facts, struct pmu_plan *plan);

#endif
