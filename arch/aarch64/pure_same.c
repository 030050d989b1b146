/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/pure_same.h"

#include "arch/aarch64/pure_control.h"

/* Arm ARM (DDI 0487), D19.2, SCTLR_ELx: A 1 (alignment), I 12, WXN 19, EE 25. */
#define SCTLR_MODE (SCTLR_M | SCTLR_C | 1ull << 1 | 1ull << 12 | 1ull << 19 | 1ull << 25)
/* CPACR_EL1.FPEN 21:20; CPTR_EL2 has it there too with VHE, and TFP 10 without. */
#define FP_TRAPS (3ull << 20 | 1ull << 10)
/* CTR_EL0: DminLine 19:16, IminLine 3:0. */
#define CACHE_LINES 0xf000full

static const struct same_rule rules[] = {
    {PAGING_LEVEL, UINT64_MAX, "it does not run at the boot CPU's exception level"},
    {SAME_STACK, UINT64_MAX, "it does not use its stacks as the boot CPU does (SPSel)"},
    {PAGING_HCR, HCR_E2H | HCR_TGE, "it does not run in the boot CPU's mode (HCR_EL2)"},
    {PAGING_SCTLR, SCTLR_MODE, "it does not run in the boot CPU's mode (SCTLR)"},
    {PAGING_TCR, UINT64_MAX, "its tables have not the boot CPU's format (TCR)"},
    {PAGING_MAIR, UINT64_MAX, "its memory types are not the boot CPU's (MAIR)"},
    {PAGING_MMFR0, 0xf, "it has not as many address bits as the boot CPU"},
    {SAME_FP_TRAPS, FP_TRAPS, "its vector registers are not set up as the boot CPU's"},
    {SAME_CACHE_TYPE, CACHE_LINES, "its cache lines are not as long as the boot CPU's"},
    {SAME_FREQUENCY, UINT64_MAX, "it tells another frequency of the counter (CNTFRQ_EL0)"},
    {SAME_ROOT, ~TTBR_ASID, "it runs on page tables of its own (TTBR0)"},
};

const char *aarch64_same_refusal(const struct same_words *boot, const struct same_words *other)
{
    return same_refusal(rules, sizeof rules / sizeof rules[0], boot, other);
}
