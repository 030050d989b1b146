/* SPDX-License-Identifier: BSD-2-Clause */
/* Interprets the generic timer's registers and decides the cycle counter's set-up. */
#include "arch/aarch64/pure_clock.h"

#define CNTFRQ_HZ_MIN 1000000u
#define CNTFRQ_HZ_MAX 2000000000u

#define PMCR_E       (1ull << 0) /* counters run */
#define PMCR_P       (1ull << 1) /* write only: resets event counters */
#define PMCR_C       (1ull << 2) /* write only: resets the cycle counter */
#define PMCR_D       (1ull << 3) /* counts once per 64 cycles */
#define PMCR_DP      (1ull << 5) /* does not count where event counting is prohibited */
#define PMCR_LC      (1ull << 6) /* overflows at 64 bits */
#define PMCR_N(pmcr) ((pmcr) >> 11 & 0x1f)

#define PMU_CYCLES (1ull << 31) /* the cycle counter in PMCNTENSET_EL0 */

#define FILTER_NSH (1ull << 27) /* count at EL2; all bits 0 counts at EL1 */

#define MDCR_HPMN 0x1full      /* event counters that EL1 may use */
#define MDCR_HCCD (1ull << 23) /* does not count at EL2 */

bool clock_has_self_synchronised(uint64_t mmfr0)
{
    return (mmfr0 >> 60 & 0xf) >= 1;
}

enum clock_counter clock_counter_for(const struct clock_snapshot *snapshot)
{
    bool self = clock_has_self_synchronised(snapshot->mmfr0) && snapshot->self_synchronised;

    if (snapshot->level == 2)
        return self ? CLOCK_PHYSICAL_SELF_SYNCHRONISED : CLOCK_PHYSICAL;
    return self ? CLOCK_VIRTUAL_SELF_SYNCHRONISED : CLOCK_VIRTUAL;
}

void aarch64_clock_declared(const struct clock_snapshot *snapshot, struct arch_clock *clock)
{
    uint32_t hz = (uint32_t)snapshot->cntfrq;
    bool plausible = hz >= CNTFRQ_HZ_MIN && hz <= CNTFRQ_HZ_MAX;

    *clock = (struct arch_clock){.declared = {.hz = plausible ? hz : 0,
                                              .source = plausible ? "CNTFRQ_EL0" : "",
                                              .grade = CLOCK_LABEL},
                                 .invariant = true,
                                 .counter = "counter"};
}

bool clock_has_pmu(uint64_t dfr0)
{
    unsigned version = (unsigned)(dfr0 >> 8 & 0xf);

    return version >= 1 && version <= 0xe;
}

struct clock_pmu clock_pmu_counting(const struct clock_pmu *found, unsigned level)
{
    struct clock_pmu plan = *found;

    plan.pmcr &= ~(PMCR_P | PMCR_C | PMCR_D | PMCR_DP);
    plan.pmcr |= PMCR_E | PMCR_LC;
    plan.enabled = PMU_CYCLES;
    if (found->pmcr & PMCR_E)
        plan.enabled |= found->enabled;
    plan.filter = level == 2 ? FILTER_NSH : 0;
    if (level == 2) {
        plan.mdcr &= ~MDCR_HCCD;
        /* 0 is unpredictable before FEAT_HPMN0. */
        if (!(plan.mdcr & MDCR_HPMN))
            plan.mdcr |= PMCR_N(found->pmcr);
    }
    return plan;
}

bool clock_pmu_was_counting(const struct clock_pmu *found)
{
    return (found->pmcr & PMCR_E) && (found->enabled & PMU_CYCLES);
}
