/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs are enough like the boot CPU to run what was prepared there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch/aarch64/pure_control.h"
#include "arch/aarch64/pure_same.h"
#include "tests/unit/support_same.h"

/* At EL2 with VHE off, as AAVMF leaves a Cortex-A57. */
static const struct same_words boot = {.hardware_id = 0,
                                       .word = {[PAGING_LEVEL] = 2,
                                                [PAGING_TCR] = 0x80843514,
                                                [PAGING_MAIR] = 0xffbb4400,
                                                [PAGING_SCTLR] = 0x30c5183d,
                                                [PAGING_HCR] = 0x30,
                                                [PAGING_MMFR0] = 0x1124,
                                                [SAME_ROOT] = 0x47f80000,
                                                [SAME_FP_TRAPS] = 0x33ff,
                                                [SAME_CACHE_TYPE] = 0x8444c004,
                                                [SAME_FREQUENCY] = 62500000,
                                                [SAME_STACK] = 1}};

static const char *refusal(unsigned word, uint64_t bits)
{
    return same_turned(aarch64_same_refusal, &boot, word, bits);
}

static void what_the_section_relies_on_is_refused_by_its_register(void **state)
{
    static const struct same_case cases[] = {
        {PAGING_LEVEL, 3, "exception level"},
        {PAGING_HCR, HCR_E2H, "(HCR_EL2)"},
        {PAGING_HCR, HCR_TGE, "(HCR_EL2)"},
        {PAGING_SCTLR, SCTLR_M, "(SCTLR)"},
        {PAGING_SCTLR, SCTLR_C, "(SCTLR)"},
        {PAGING_SCTLR, 1ull << 12, "(SCTLR)"}, /* I */
        {PAGING_SCTLR, 1ull << 25, "(SCTLR)"}, /* EE */
        {PAGING_TCR, 1, "(TCR)"},              /* T0SZ */
        {PAGING_MAIR, 0xff, "(MAIR)"},
        {PAGING_MMFR0, 1, "address bits"},
        {SAME_FP_TRAPS, 1ull << 10, "vector"}, /* TFP */
        {SAME_CACHE_TYPE, 1ull << 16, "lines"},
        {SAME_FREQUENCY, 1, "(CNTFRQ_EL0)"},
        {SAME_STACK, 1, "(SPSel)"},
        {SAME_ROOT, 0x1000, "(TTBR0)"},
    };

    (void)state;
    same_check(aarch64_same_refusal, &boot, cases, sizeof cases / sizeof cases[0]);
}

/* Firmware sets these up on the boot CPU alone. */
static void what_nothing_relies_on_is_not_compared(void **state)
{
    (void)state;
    assert_null(refusal(PAGING_HCR, 1ull << 3 | HCR_AMO)); /* FMO; both routes */
    assert_null(refusal(PAGING_MMFR0, 0xf00));             /* BigEnd */
    assert_null(refusal(SAME_CACHE_TYPE, 0xf0000000));
    assert_null(refusal(SAME_ROOT, 1ull << 48)); /* ASID */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_section_relies_on_is_refused_by_its_register),
        cmocka_unit_test(what_nothing_relies_on_is_not_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
