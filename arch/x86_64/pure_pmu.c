/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_pmu.h"

#include "core/lib/memory.h"

#define INTEL_EVTSEL       0x186
#define INTEL_PMC          0xc1
#define INTEL_GLOBAL_CTRL  0x38f
#define INTEL_GLOBAL_INUSE 0x392
#define AMD_EVTSEL         0xc0010200u
#define AMD_PMC            0xc0010201u
#define AMD_GLOBAL_CTL     0xc0000301u
#define AMD_WIDTH          48

#define EVTSEL_OS (1ull << 17)
#define EVTSEL_EN (1ull << 22)

/* A legacy write to a counter sign-extends its low 32 bits: larger values cannot be restored. */
#define RESTORABLE 0x7fffffffull

struct event {
    uint16_t select; /* umask in the high byte */
    const char *name, *source;
};

static const char intel_list[] = "Intel event lists, unverified";

static const struct event llc_miss = {0x412e, "LLC misses 2Eh/41h", "Intel SDM volume 3, 21.2.1"};
static const struct event dram_hit = {0x80d1, "MEM_LOAD_UOPS_RETIRED.DRAM_HIT D1h/80h", intel_list};
static const struct event walk_d_side = {0x0105, "PAGE_WALKS.D_SIDE_WALKS 05h/01h", intel_list};
static const struct event walk_08_02 = {0x0208, "DTLB_LOAD_MISSES.WALK_COMPLETED 08h/02h",
                                        intel_list};
static const struct event walk_08_82 = {0x8208, "DTLB_LOAD_MISSES.WALK_COMPLETED 08h/82h",
                                        intel_list};
static const struct event walk_08_0e = {0x0e08, "DTLB_LOAD_MISSES.WALK_COMPLETED 08h/0Eh",
                                        intel_list};
static const struct event walk_12_0e = {0x0e12, "DTLB_LOAD_MISSES.WALK_COMPLETED 12h/0Eh",
                                        intel_list};
static const struct event amd_dram = {0x4843, "demand fills from DRAM 43h/48h",
                                      "AMD PPR, PMCx043; unverified"};
static const struct event amd_walk = {0xf045, "misses of the L2 DTLB 45h/F0h",
                                      "AMD PPR, PMCx045; unverified"};

enum core_kind { CORE_P, CORE_E, CORE_SMALL };

/* Family 6. On hybrid models CPUID 1Ah tells which kind of core this is. */
static const struct intel_row {
    uint8_t model;
    enum core_kind kind;
    const struct event *walk;
} intel_rows[] = {
    {0x1a, CORE_P, &walk_08_02},      {0x1e, CORE_P, &walk_08_02},
    {0x1f, CORE_P, &walk_08_02},      {0x2e, CORE_P, &walk_08_02},
    {0x25, CORE_P, &walk_08_02},      {0x2c, CORE_P, &walk_08_02},
    {0x2f, CORE_P, &walk_08_02},      {0x2a, CORE_P, &walk_08_02},
    {0x2d, CORE_P, &walk_08_02},      {0x3a, CORE_P, &walk_08_82},
    {0x3e, CORE_P, &walk_08_82},      {0x3c, CORE_P, &walk_08_0e},
    {0x3f, CORE_P, &walk_08_0e},      {0x45, CORE_P, &walk_08_0e},
    {0x46, CORE_P, &walk_08_0e},      {0x3d, CORE_P, &walk_08_0e},
    {0x47, CORE_P, &walk_08_0e},      {0x4f, CORE_P, &walk_08_0e},
    {0x56, CORE_P, &walk_08_0e},      {0x4e, CORE_P, &walk_08_0e},
    {0x5e, CORE_P, &walk_08_0e},      {0x55, CORE_P, &walk_08_0e},
    {0x8e, CORE_P, &walk_08_0e},      {0x9e, CORE_P, &walk_08_0e},
    {0xa5, CORE_P, &walk_08_0e},      {0xa6, CORE_P, &walk_08_0e},
    {0x7d, CORE_P, &walk_08_0e},      {0x7e, CORE_P, &walk_08_0e},
    {0x6a, CORE_P, &walk_08_0e},      {0x6c, CORE_P, &walk_08_0e},
    {0x8c, CORE_P, &walk_08_0e},      {0x8d, CORE_P, &walk_08_0e},
    {0xa7, CORE_P, &walk_08_0e},      {0x8f, CORE_P, &walk_12_0e},
    {0xcf, CORE_P, &walk_12_0e},      {0xad, CORE_P, &walk_12_0e},
    {0xae, CORE_P, &walk_12_0e},      {0x97, CORE_P, &walk_12_0e},
    {0x9a, CORE_P, &walk_12_0e},      {0xb7, CORE_P, &walk_12_0e},
    {0xba, CORE_P, &walk_12_0e},      {0xbf, CORE_P, &walk_12_0e},
    {0xaa, CORE_P, &walk_12_0e},      {0xac, CORE_P, &walk_12_0e},
    {0xbd, CORE_P, &walk_12_0e},      {0xc5, CORE_P, &walk_12_0e},
    {0xc6, CORE_P, &walk_12_0e},      {0x5c, CORE_E, &walk_08_0e},
    {0x5f, CORE_E, &walk_08_0e},      {0x7a, CORE_E, &walk_08_0e},
    {0x86, CORE_E, &walk_08_0e},      {0x96, CORE_E, &walk_08_0e},
    {0x9c, CORE_E, &walk_08_0e},      {0xbe, CORE_E, &walk_08_0e},
    {0xaf, CORE_E, &walk_08_0e},      {0xb6, CORE_E, &walk_08_0e},
    {0x37, CORE_SMALL, &walk_d_side}, {0x4a, CORE_SMALL, &walk_d_side},
    {0x4c, CORE_SMALL, &walk_d_side}, {0x4d, CORE_SMALL, &walk_d_side},
    {0x5a, CORE_SMALL, &walk_d_side}, {0x5d, CORE_SMALL, &walk_d_side},
    {0x75, CORE_SMALL, &walk_d_side},
};

static const struct intel_row *intel_row_of(const struct cpu_identity *cpu)
{
    for (size_t i = 0; cpu->family == 6 && i < sizeof intel_rows / sizeof intel_rows[0]; i++)
        if (intel_rows[i].model == cpu->model)
            return &intel_rows[i];
    return NULL;
}

static void add_busy(struct pmu_plan *plan, uint32_t reg, uint64_t mask)
{
    plan->busy[plan->busy_count++] = (struct pmu_busy){reg, mask};
}

static void add_set(struct pmu_plan *plan, struct pmu_set set)
{
    plan->set[plan->set_count++] = set;
}

/* Assigns the event to the next counter of the CPU. */
static void add_event(struct pmu_plan *plan, enum pmu_kind kind, const struct event *event,
                      uint32_t evtsel, uint32_t counter)
{
    uint64_t select = EVTSEL_OS | event->select;

    plan->event[kind] = (struct counter_event){event->name, event->source};
    plan->counter[kind] = counter;
    plan->raw[kind] = event->select;
    plan->why[kind] = NULL;
    add_busy(plan, evtsel, EVTSEL_EN);
    add_busy(plan, counter, ~RESTORABLE);
    add_set(plan,
            (struct pmu_set){.reg = evtsel, .mask = UINT64_MAX, .value = select, .started = true});
    add_set(plan, (struct pmu_set){.reg = counter, .mask = UINT64_MAX, .counter = true});
    plan->start[plan->start_count++] = (struct pmu_start){.reg = evtsel,
                                                          .stop_reg = evtsel,
                                                          .start = select | EVTSEL_EN,
                                                          .stop = select,
                                                          .counting = select | EVTSEL_EN};
}

static void plan_intel(const struct cpuid_source *cpuid, const struct cpu_identity *cpu,
                       struct pmu_plan *plan)
{
    struct cpuid_words leaf = cpuid_get(cpuid, 0xa, 0);
    uint32_t version = leaf.eax & 0xff, counters = leaf.eax >> 8 & 0xff;
    bool architectural = leaf.eax >> 24 > 4 && !(leaf.ebx >> 4 & 1);
    const struct intel_row *row = intel_row_of(cpu);
    bool efficient = cpu->core_type == 0x20 || (row != NULL && row->kind == CORE_E);

    plan->width_mask = (1ull << (leaf.eax >> 16 & 0x3f)) - 1;
    if (version == 0 || counters < 2)
        return;
    if (efficient)
        add_event(plan, PMU_LLC_MISSES, &dram_hit, INTEL_EVTSEL, INTEL_PMC);
    else if (architectural)
        add_event(plan, PMU_LLC_MISSES, &llc_miss, INTEL_EVTSEL, INTEL_PMC);
    else
        plan->why[PMU_LLC_MISSES] = "CPUID 0Ah does not list the event";
    if (row != NULL)
        add_event(plan, PMU_PAGE_WALKS, efficient ? &walk_08_0e : row->walk, INTEL_EVTSEL + 1,
                  INTEL_PMC + 1);
    else
        plan->why[PMU_PAGE_WALKS] = "no event is known for this model";
    if (version >= 4)
        add_busy(plan, INTEL_GLOBAL_INUSE, 3);
    if (version >= 2 && plan->start_count != 0)
        add_set(plan, (struct pmu_set){.reg = INTEL_GLOBAL_CTRL, .mask = 3, .value = 3});
}

static void plan_amd(const struct cpuid_source *cpuid, const struct cpu_identity *cpu,
                     struct pmu_plan *plan)
{
    bool zen = cpu->family == 0x17 || cpu->family == 0x19 || cpu->family == 0x1a;

    plan->width_mask = (1ull << AMD_WIDTH) - 1;
    if (!(cpuid_get(cpuid, 0x80000001, 0).ecx >> 23 & 1))
        return;
    if (!zen) {
        plan->why[PMU_LLC_MISSES] = plan->why[PMU_PAGE_WALKS] = "no event is known for this family";
        return;
    }
    add_event(plan, PMU_LLC_MISSES, &amd_dram, AMD_EVTSEL, AMD_PMC);
    add_event(plan, PMU_PAGE_WALKS, &amd_walk, AMD_EVTSEL + 2, AMD_PMC + 2);
    if (cpuid_get(cpuid, 0x80000022, 0).eax & 1)
        add_set(plan, (struct pmu_set){.reg = AMD_GLOBAL_CTL, .mask = 3, .value = 3});
}

void x86_64_pmu_plan(const struct cpuid_source *cpuid, struct pmu_plan *plan)
{
    struct cpu_identity cpu;

    cpuid_identify(cpuid, &cpu);
    memory_fill(plan, 0, sizeof *plan);
    plan->why[PMU_LLC_MISSES] = plan->why[PMU_PAGE_WALKS] =
        "this CPU, or its hypervisor, declares no performance counters";
    plan->why[PMU_ACCESSES] = "x86 has no event for them";
    if (!cpu.msr)
        return;
    if (cpu.vendor == CPU_VENDOR_INTEL)
        plan_intel(cpuid, &cpu, plan);
    else if (cpu.vendor == CPU_VENDOR_AMD)
        plan_amd(cpuid, &cpu, plan);
}
