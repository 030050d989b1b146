/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps every register that a run could change, as name and value, independently of the code that
 * restores them. Test build only. Registers that may not exist are read inside a quiet section,
 * where that is survivable; all others outside, where they are the firmware's. */
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

/* Not dumped: registers that change by themselves or are read-only. */
static const enum sysreg moving[] = {SYSREG_PMCCNTR,  SYSREG_CCSIDR2,    SYSREG_CNTPCTSS,
                                     SYSREG_CNTVCTSS, SYSREG_PMCNTENCLR, SYSREG_UNALLOCATED,
                                     SYSREG_ERRIDR,   SYSREG_ERXFR,      SYSREG_ERXSTATUS,
                                     SYSREG_ERXADDR,  SYSREG_ERXMISC0};

static struct {
    bool there;
    uint64_t value;
} guarded[SYSREG_COUNT];

static bool is_moving(enum sysreg which)
{
    for (size_t i = 0; i < sizeof moving / sizeof moving[0]; i++)
        if (moving[i] == which)
            return true;
    return false;
}

static void guarded_read(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < SYSREG_COUNT; i++)
        if (!is_moving((enum sysreg)i))
            guarded[i].there = sysreg_read((enum sysreg)i, &guarded[i].value);
}

static void guarded_dump(arch_dump_line *line, void *context)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = guarded_read};
    enum status status = arch_quiet_run(&plan, &result);

    if (status != STATUS_OK) {
        line(context, "system_registers_unreadable_status", status);
        return;
    }
    for (unsigned i = 0; i < SYSREG_COUNT; i++)
        if (guarded[i].there)
            line(context, sysreg_name((enum sysreg)i), guarded[i].value);
}

static void el1_dump(arch_dump_line *line, void *context)
{
    line(context, "SCTLR_EL1", registers_sctlr_el1());
    line(context, "TCR_EL1", registers_tcr_el1());
    line(context, "TTBR0_EL1", registers_ttbr0_el1());
    line(context, "TTBR1_EL1", registers_ttbr1_el1());
    line(context, "MAIR_EL1", registers_mair_el1());
    line(context, "VBAR_EL1", registers_vbar_el1());
    line(context, "CPACR_EL1", registers_cpacr_el1());
    line(context, "CNTKCTL_EL1", registers_cntkctl_el1());
    line(context, "MDSCR_EL1", registers_mdscr_el1());
    line(context, "TPIDR_EL1", registers_tpidr_el1());
}

static void el2_dump(arch_dump_line *line, void *context)
{
    line(context, "SCTLR_EL2", registers_sctlr_el2());
    line(context, "TCR_EL2", registers_tcr_el2());
    line(context, "TTBR0_EL2", registers_ttbr0_el2());
    line(context, "MAIR_EL2", registers_mair_el2());
    line(context, "VBAR_EL2", registers_vbar_el2());
    line(context, "HCR_EL2", registers_hcr_el2());
    line(context, "CPTR_EL2", registers_cptr_el2());
    line(context, "CNTHCTL_EL2", registers_cnthctl_el2());
    line(context, "CNTVOFF_EL2", registers_cntvoff_el2());
    line(context, "TPIDR_EL2", registers_tpidr_el2());
}

void arch_dump(arch_dump_line *line, void *context)
{
    line(context, "CurrentEL", registers_currentel());
    line(context, "DAIF", registers_daif());
    line(context, "SPSel", registers_spsel());
    line(context, "SP_EL0", registers_sp_el0());
    line(context, "FPCR", registers_fpcr());
    line(context, "TPIDR_EL0", registers_tpidr_el0());
    line(context, "CSSELR_EL1", registers_csselr_el1());
    el1_dump(line, context);
    if (registers_level() == 2)
        el2_dump(line, context);
    guarded_dump(line, context);
}
