/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps every register that a run could change, as name and value, independently of the code that
 * restores them. Test build only. MSRs are read inside a quiet section, where reading a missing one
 * is survivable; descriptor tables and control registers outside, where they are the firmware's. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_ibs.h"
#include "arch/x86_64/pure_pmu.h"
#include "arch/x86_64/pure_prefetch_table.h"
#include "arch/x86_64/pure_speed.h"
#include "arch/x86_64/pure_turbo.h"
#include "arch/x86_64/registers.h"
#include "core/lib/text.h"

#define MSRS_MAX      128
#define MSR_MTRR_CAP  0xfe
#define MSR_MTRR_BASE 0x200

/* Carry, parity, adjust, zero, sign, overflow: arithmetic changes them. */
#define FLAGS_ARITHMETIC 0x8d5ull

static struct {
    size_t count;
    struct {
        uint32_t msr;
        bool there;
        uint64_t value;
    } list[MSRS_MAX];
} msrs;

static void msr_want(uint32_t msr)
{
    for (size_t i = 0; i < msrs.count; i++)
        if (msrs.list[i].msr == msr)
            return;
    if (msrs.count < MSRS_MAX)
        msrs.list[msrs.count++].msr = msr;
}

/* On silicon, only the registers that the tables list for this CPU: some Atoms hang on missing
 * registers. Under a hypervisor, all of them. */
static void prefetch_want(const struct cpu_identity *cpu)
{
    uint32_t own[PREFETCH_CONTROLS_MAX];
    size_t count = x86_64_prefetch_msrs(cpu, own, PREFETCH_CONTROLS_MAX);

    for (size_t i = 0; i < count; i++)
        msr_want(own[i]);
    if (cpu->hypervisor)
        for (size_t i = 0; i < x86_64_prefetch_row_count; i++)
            msr_want(x86_64_prefetch_rows[i].field.reg);
}

/* Intel SDM volume 4, table 2-2: the architectural numbers. */
static void memory_types_want(void)
{
    static const uint32_t fixed[] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a, 0x26b,
                                     0x26c, 0x26d, 0x26e, 0x26f, 0x277, 0x2ff};
    uint64_t cap;

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        msr_want(fixed[i]);
    if (!msr_read(MSR_MTRR_CAP, &cap))
        return;
    msr_want(MSR_MTRR_CAP);
    for (uint32_t i = 0; i < 2 * (uint32_t)(cap & 0xff); i++)
        msr_want(MSR_MTRR_BASE + i);
}

static void counters_want(void)
{
    static struct pmu_plan plan;

    x86_64_pmu_plan(&cpu_cpuid, &plan);
    for (size_t i = 0; i < plan.set_count; i++)
        msr_want(plan.set[i].reg);
}

static void sampler_want(void)
{
    struct ibs_plan plan;

    x86_64_ibs_plan(&cpu_cpuid, &plan);
    if (plan.why == NULL)
        msr_want(MSR_IBS_OP_CTL);
}

static void frequencies_want(void)
{
    struct x86_64_turbo turbo;
    uint32_t speed[SPEED_MSRS_MAX];
    size_t count = x86_64_speed_msrs(&cpu_cpuid, speed);

    x86_64_turbo_start(&turbo, &cpu_cpuid);
    if (turbo.there)
        msr_want(turbo.bits.msr);
    for (size_t i = 0; i < count; i++)
        msr_want(speed[i]);
}

static void msrs_read(void *arg)
{
    const struct cpu_identity *cpu = arg;
    static const uint32_t always[] = {0xc0000080 /* EFER */, 0x1b /* APIC base */,
                                      0x1a0 /* misc enable */, 0x1d9 /* debug control */};

    msrs.count = 0;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        msr_want(always[i]);
    if (cpu->mtrr)
        memory_types_want();
    prefetch_want(cpu);
    frequencies_want();
    counters_want();
    sampler_want();
    for (size_t i = 0; i < msrs.count; i++)
        msrs.list[i].there = msr_read(msrs.list[i].msr, &msrs.list[i].value);
}

static void msrs_dump(arch_dump_line *line, void *context)
{
    static struct arch_quiet_result result;
    struct cpu_identity cpu;
    struct arch_quiet_plan plan = {.body = msrs_read, .arg = &cpu};

    cpu_identify(&cpu);
    if (!cpu.msr)
        return;
    enum status status = arch_quiet_run(&plan, &result);
    if (status != STATUS_OK) {
        line(context, "MSRs_unreadable_status", status);
        return;
    }
    for (size_t i = 0; i < msrs.count; i++) {
        char name[32];
        if (!msrs.list[i].there)
            continue;
        text_print(name, sizeof name, "MSR_0x%x", msrs.list[i].msr);
        line(context, name, msrs.list[i].value);
    }
}

void arch_dump(arch_dump_line *line, void *context)
{
    struct descriptor_register idt = registers_idt(), gdt = registers_gdt();

    line(context, "CR0", registers_cr0());
    line(context, "CR3", registers_cr3());
    line(context, "CR4", registers_cr4());
    line(context, "CR8", registers_cr8());
    line(context, "RFLAGS", registers_flags() & ~FLAGS_ARITHMETIC);
    line(context, "IDTR_base", idt.base);
    line(context, "IDTR_limit", idt.limit);
    line(context, "GDTR_base", gdt.base);
    line(context, "GDTR_limit", gdt.limit);
    line(context, "CS", registers_code_selector());
    line(context, "TR", registers_task());
    line(context, "LDTR", registers_ldt());
    /* The six exception flags are sticky: any computation sets them. */
    line(context, "MXCSR", registers_mxcsr() & ~0x3full);
    line(context, "FCW", registers_fpu_control());
    msrs_dump(line, context);
}
