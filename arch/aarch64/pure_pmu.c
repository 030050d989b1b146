/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/pure_pmu.h"

#include "arch/aarch64/pure_clock.h"
#include "arch/aarch64/pure_midr.h"
#include "arch/aarch64/pure_sysreg.h"
#include "core/lib/memory.h"

#define PMCR_E      (1ull << 0)
#define PMCR_P      (1ull << 1) /* writing 1 clears every event counter */
#define PMCR_C      (1ull << 2) /* writing 1 clears the cycle counter */
#define PMCR_N(reg) ((reg) >> 11 & 0x1f)

#define TYPER_NSH (1ull << 27) /* counts at EL2; all filter bits 0 counts at EL1 */

#define MDCR_HPMN 0x1full      /* counters from here on are EL2's */
#define MDCR_HPMD (1ull << 17) /* the others do not count at EL2 */

#define EXTLLC 1ull

static const struct row {
    enum pmu_kind kind;
    unsigned event;
    struct counter_event name;
} rows[] = {
    {PMU_LLC_MISSES, 0x37, {"LL_CACHE_MISS_RD 37h, external last level", "Arm ARM D13.11"}},
    {PMU_PAGE_WALKS, 0x34, {"DTLB_WALK 34h", "Arm ARM D13.11"}},
    {PMU_ACCESSES, 0x13, {"MEM_ACCESS 13h", "Arm ARM D13.11"}},
};
#define COUNTERS (sizeof rows / sizeof rows[0])
#define ALL      ((1ull << COUNTERS) - 1)

bool aarch64_pmu_exists(uint64_t dfr0)
{
    return clock_has_pmu(dfr0);
}

bool aarch64_pmu_has_extllc(uint64_t midr)
{
    /* Cortex-A76, Neoverse N1, Cortex-A77, A78, X1, Neoverse V1, N2 */
    static const uint32_t parts[] = {0xd0b, 0xd0c, 0xd0d, 0xd41, 0xd44, 0xd40, 0xd49};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (midr_implementer(midr) == MIDR_ARM && midr_part(midr) == parts[i])
            return true;
    return false;
}

static bool is_listed(const struct pmu_facts *facts, unsigned event)
{
    uint64_t word = event < 32 ? facts->events_low : facts->events_high;

    return word >> (event & 31) & 1;
}

/* The reason why it cannot be counted; NULL: it can. */
static const char *why_not(const struct pmu_facts *facts, const struct row *row)
{
    if (!is_listed(facts, row->event))
        return "the core does not list the event";
    if (row->kind != PMU_LLC_MISSES)
        return NULL;
    if (!facts->cpuectlr_known)
        return "whether the event sees a system-level cache is not known of this core";
    if (!(facts->cpuectlr & EXTLLC))
        return "the event sees no system-level cache (CPUECTLR.EXTLLC is 0)";
    return NULL;
}

static void add_set(struct pmu_plan *plan, struct pmu_set set)
{
    plan->set[plan->set_count++] = set;
}

static void add_event(struct pmu_plan *plan, const struct pmu_facts *facts, const struct row *row,
                      uint32_t slot)
{
    uint32_t counter = SYSREG_PMEVCNTR0 + slot;

    plan->event[row->kind] = row->name;
    plan->counter[row->kind] = counter;
    plan->raw[row->kind] = row->event;
    add_set(plan, (struct pmu_set){.reg = SYSREG_PMEVTYPER0 + slot,
                                   .mask = UINT64_MAX,
                                   .value = row->event | (facts->level == 2 ? TYPER_NSH : 0)});
    add_set(plan, (struct pmu_set){.reg = counter, .mask = UINT64_MAX, .counter = true});
}

/* PMCR.E enables all counters together. If it is off, counters that are individually enabled would
 * start with ours. */
static void plan_control(const struct pmu_facts *facts, struct pmu_plan *plan)
{
    bool reserved = (facts->mdcr & MDCR_HPMN) < COUNTERS;
    uint64_t running = facts->pmcr & PMCR_E ? ALL : UINT64_MAX;

    plan->busy[plan->busy_count++] = (struct pmu_busy){SYSREG_PMCNTENSET, running};
    if (facts->level == 2)
        add_set(plan, (struct pmu_set){.reg = SYSREG_MDCR_EL2,
                                       .mask = MDCR_HPMD | (reserved ? MDCR_HPMN : 0),
                                       .value = reserved ? PMCR_N(facts->pmcr) : 0});
    add_set(plan, (struct pmu_set){
                      .reg = SYSREG_PMCR, .mask = PMCR_E | PMCR_P | PMCR_C, .value = PMCR_E});
    plan->start[plan->start_count++] = (struct pmu_start){.reg = SYSREG_PMCNTENSET,
                                                          .stop_reg = SYSREG_PMCNTENCLR,
                                                          .start = ALL,
                                                          .stop = ALL,
                                                          .counting = ALL};
}

void aarch64_pmu_plan(const struct pmu_facts *facts, struct pmu_plan *plan)
{
    bool usable = aarch64_pmu_exists(facts->dfr0) && facts->readable;
    uint32_t slot = 0;

    memory_fill(plan, 0, sizeof *plan);
    plan->width_mask = UINT32_MAX;
    for (size_t i = 0; i < COUNTERS; i++)
        plan->why[rows[i].kind] = "this core, or its hypervisor, offers no performance counters";
    if (!usable)
        return;
    if (PMCR_N(facts->pmcr) < COUNTERS) {
        for (size_t i = 0; i < COUNTERS; i++)
            plan->why[rows[i].kind] = "the core has too few counters";
        return;
    }
    for (size_t i = 0; i < COUNTERS; i++)
        plan->why[rows[i].kind] = why_not(facts, &rows[i]);
    if (plan->why[PMU_LLC_MISSES] != NULL && plan->why[PMU_PAGE_WALKS] != NULL)
        return;
    plan_control(facts, plan);
    for (size_t i = 0; i < COUNTERS; i++)
        if (plan->why[rows[i].kind] == NULL)
            add_event(plan, facts, &rows[i], slot++);
}
