/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_same.h"

#include "arch/x86_64/pure_control.h"

/* Intel SDM volume 3, 2.5: EM 2, TS 3, WP 16, NW 29, CD 30, PG 31. */
#define CR0_CACHES (3ull << 29)
#define CR0_PAGING (1ull << 31 | 1ull << 16)
#define CR0_SSE    (1ull << 3 | 1ull << 2)
/* PSE 4, PAE 5, LA57 12, PCIDE 17, SMEP 20, SMAP 21, PKE 22, CET 23. */
#define CR4_PAGING (1ull << 4 | 1ull << 5 | CR4_LA57 | CR4_PCIDE | 7ull << 20 | CR4_CET)
#define CR4_SSE    (1ull << 9) /* OSFXSR */
/* LME 8, LMA 10 (SDM volume 3, 2.2.1). */
#define EFER_PAGING (1ull << 8 | 1ull << 10 | EFER_NXE)
/* SDM volume 1, 10.2.3: the exceptions' masks, rounding, flush to zero, denormals are zeros. */
#define MXCSR_CONTROL 0xffc0ull
#define FEATURE_SSE41 (1ull << 19)

static const struct same_rule rules[] = {
    {PAGING_CR0, CR0_CACHES, "its caches are not set up as the boot CPU's (CR0)"},
    {PAGING_CR0, CR0_PAGING, "it does not run in the boot CPU's paging mode (CR0)"},
    {PAGING_CR4, CR4_PAGING, "it does not run in the boot CPU's paging mode (CR4)"},
    {PAGING_EFER, EFER_PAGING, "it does not run in the boot CPU's paging mode (EFER)"},
    {PAGING_S_CET, UINT64_MAX, "its control-flow enforcement is not the boot CPU's"},
    {PAGING_PAT, UINT64_MAX, "its memory types are not the boot CPU's (PAT)"},
    {PAGING_ADDRESS_BITS, UINT64_MAX, "it has not as many address bits as the boot CPU"},
    {PAGING_PAGE_SIZES, UINT64_MAX, "it has not the boot CPU's page sizes"},
    {SAME_MTRR_DEFAULT, UINT64_MAX, "its memory types are not the boot CPU's (MTRRs)"},
    {PAGING_CR0, CR0_SSE, "the firmware has not set up its SSE registers (CR0)"},
    {PAGING_CR4, CR4_SSE, "the firmware has not set up its SSE registers (CR4)"},
    {SAME_MXCSR, MXCSR_CONTROL, "the firmware has not set up its SSE registers (MXCSR)"},
    {SAME_FEATURES, FEATURE_SSE41, "it has not the boot CPU's instructions (SSE4.1)"},
    {SAME_ROOT, UINT64_MAX, "it runs on page tables of its own (CR3)"},
};

const char *x86_64_same_refusal(const struct same_words *boot, const struct same_words *other)
{
    return same_refusal(rules, sizeof rules / sizeof rules[0], boot, other);
}
