/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory types from the MTRRs, read once: firmware no longer changes them while an application
 * runs. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_mtrr.h"

static struct mtrr_state registers;
static bool known;

static bool variable_read(void)
{
    unsigned i, count = registers.capability & 0xff;

    if (count > MTRR_VARIABLE_MAX)
        return false;
    for (i = 0; i < count; i++)
        if (!msr_read(MTRR_MSR_BASE0 + 2 * i, &registers.base[i]) ||
            !msr_read(MTRR_MSR_BASE0 + 2 * i + 1, &registers.mask[i]))
            return false;
    registers.variable = count;
    return true;
}

static void registers_body(void *arg)
{
    bool *complete = arg;
    unsigned i;

    *complete = msr_read(MTRR_MSR_CAPABILITY, &registers.capability) &&
                msr_read(MTRR_MSR_DEFAULT, &registers.default_type) && variable_read();
    if (registers.capability >> 8 & 1)
        for (i = 0; i < MTRR_FIXED; i++)
            *complete = msr_read(mtrr_fixed_msrs[i], &registers.fixed[i]) && *complete;
    if (registers.amd) {
        /* Missing in some virtual machines: msr_read then returns 0, which means no override. */
        (void)msr_read(MTRR_MSR_SYSCFG, &registers.syscfg);
        (void)msr_read(MTRR_MSR_TOM2, &registers.top_mem2);
    }
}

void arch_memory_types_read(void)
{
    static struct arch_quiet_result result;
    struct cpu_identity identity;
    bool complete = false;
    struct arch_quiet_plan plan = {.body = registers_body, .arg = &complete};

    cpu_identify(&identity);
    if (!identity.msr || !identity.mtrr)
        return;
    registers.physical_bits = cpuid_get(&cpu_cpuid, 0x80000008, 0).eax & 0xff;
    registers.amd = identity.vendor == CPU_VENDOR_AMD;
    known = arch_quiet_run(&plan, &result) == STATUS_OK && complete;
}

/* If registers are missing or unreadable, only the firmware's map decides. */
phys_addr arch_memory_same_type(phys_addr base, phys_addr end, bool *writeback)
{
    if (known)
        return mtrr_same_type(&registers, base, end, writeback);
    *writeback = true;
    return end;
}
