/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up PMCCNTR_EL0 for an interval and restores it. */
#include "arch/aarch64/cycles.h"

#include "arch/aarch64/level.h"
#include "arch/aarch64/pure_clock.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"

static bool pmu_read(struct clock_pmu *pmu, bool el2)
{
    pmu->mdcr = 0;
    return (!el2 || sysreg_read(SYSREG_MDCR_EL2, &pmu->mdcr)) &&
           sysreg_read(SYSREG_PMCR, &pmu->pmcr) && sysreg_read(SYSREG_PMCNTENSET, &pmu->enabled) &&
           sysreg_read(SYSREG_PMCCFILTR, &pmu->filter);
}

/* Used for setting up and restoring, in the same order: if a write fails, the registers before it
 * are the ones to restore. Counters are started or stopped last. */
static bool pmu_write(const struct clock_pmu *pmu, bool el2)
{
    return (!el2 || sysreg_write(SYSREG_MDCR_EL2, pmu->mdcr)) &&
           sysreg_write(SYSREG_PMCCFILTR, pmu->filter) &&
           sysreg_write(SYSREG_PMCNTENCLR, ~pmu->enabled & 0xffffffff) &&
           sysreg_write(SYSREG_PMCNTENSET, pmu->enabled) && sysreg_write(SYSREG_PMCR, pmu->pmcr);
}

static double counted_hz(uint64_t tick_hz, ticks_chain *chain, uint64_t loops)
{
    uint64_t before, after, ticks;

    if (!sysreg_read(SYSREG_PMCCNTR, &before))
        return 0;
    ticks = chain(loops);
    if (!sysreg_read(SYSREG_PMCCNTR, &after))
        return 0;
    return ticks_core_hz_from_counts(after - before, ticks, tick_hz);
}

double cycles_core_hz(uint64_t tick_hz, ticks_chain *chain, uint64_t loops)
{
    bool el2 = level_now() == 2;
    struct clock_pmu found, counting;
    uint64_t cycles;
    double hz = 0;

    if (!clock_has_pmu(registers_id_aa64dfr0_el1()) || !pmu_read(&found, el2) ||
        !sysreg_read(SYSREG_PMCCNTR, &cycles))
        return 0;
    counting = clock_pmu_counting(&found, level_now());
    if (pmu_write(&counting, el2))
        hz = counted_hz(tick_hz, chain, loops);
    (void)pmu_write(&found, el2);
    /* a stopped counter keeps its value */
    if (!clock_pmu_was_counting(&found))
        (void)sysreg_write(SYSREG_PMCCNTR, cycles);
    return hz;
}
