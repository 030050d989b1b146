/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs are enough like the boot CPU to run what was prepared there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/pure_same.h"
#include "tests/unit/support_same.h"

/* OVMF's boot CPU in long mode, on a CPU with 46 address bits. */
static const struct same_words boot = {
    .hardware_id = 0,
    .word = {[PAGING_CR0] = 0x80010033,
             [PAGING_CR4] = 0x668,
             [PAGING_EFER] = 0xd00,
             [PAGING_ADDRESS_BITS] = 46,
             [PAGING_PAGE_SIZES] = 1ull << 12 | 1ull << 21 | 1ull << 30,
             [PAGING_PAT] = PAT_RESET_VALUE,
             [SAME_ROOT] = 0x3f801000,
             [SAME_MTRR_DEFAULT] = 0xc06,
             [SAME_MXCSR] = 0x1f80,
             [SAME_FEATURES] = 0x7ffefbff}};

static const char *refusal(unsigned word, uint64_t bits)
{
    return same_turned(x86_64_same_refusal, &boot, word, bits);
}

static void what_the_section_relies_on_is_refused_by_its_register(void **state)
{
    static const struct same_case cases[] = {
        {PAGING_CR0, 1ull << 30, "(CR0)"},       /* CD */
        {PAGING_CR0, 1ull << 29, "(CR0)"},       /* NW */
        {PAGING_CR0, 1ull << 16, "(CR0)"},       /* WP */
        {PAGING_CR0, 1ull << 3, "SSE"},          /* TS */
        {PAGING_CR0, 1ull << 2, "SSE"},          /* EM */
        {PAGING_CR4, 1ull << 12, "(CR4)"},       /* LA57 */
        {PAGING_CR4, 1ull << 17, "(CR4)"},       /* PCIDE */
        {PAGING_CR4, 1ull << 20, "(CR4)"},       /* SMEP */
        {PAGING_CR4, 1ull << 21, "(CR4)"},       /* SMAP */
        {PAGING_CR4, 1ull << 22, "(CR4)"},       /* PKE */
        {PAGING_CR4, 1ull << 23, "(CR4)"},       /* CET */
        {PAGING_CR4, 1ull << 9, "SSE"},          /* OSFXSR */
        {PAGING_EFER, 1ull << 11, "(EFER)"},     /* NXE */
        {PAGING_PAT, 7ull << 8, "(PAT)"},        /* PA1 */
        {PAGING_S_CET, 1, "control-flow"},       /* SH_STK_EN */
        {PAGING_ADDRESS_BITS, 1, "address"},     /* 47 */
        {PAGING_PAGE_SIZES, 1ull << 30, "page"}, /* no 1 GiB pages */
        {SAME_MTRR_DEFAULT, 6, "(MTRRs)"},       /* uncached by default */
        {SAME_MTRR_DEFAULT, 1 << 11, "(MTRRs)"}, /* disabled */
        {SAME_MXCSR, 1 << 9, "(MXCSR)"},         /* divisions by zero fault */
        {SAME_FEATURES, 1 << 19, "SSE4.1"},      {SAME_ROOT, 0x1000, "(CR3)"},
    };

    (void)state;
    same_check(x86_64_same_refusal, &boot, cases, sizeof cases / sizeof cases[0]);
}

/* Firmware sets these up on the boot CPU alone, or computing changes them. */
static void what_nothing_relies_on_is_not_compared(void **state)
{
    (void)state;
    assert_null(refusal(PAGING_CR0, 1ull << 1 | 1ull << 5));              /* MP, NE */
    assert_null(refusal(PAGING_CR4, 1ull << 3 | 1ull << 6 | 1ull << 18)); /* DE, MCE, OSXSAVE */
    assert_null(refusal(PAGING_CR4, 1ull << 7));                          /* PGE */
    assert_null(refusal(PAGING_EFER, 1));                                 /* SCE */
    assert_null(refusal(SAME_MXCSR, 0x21));
    assert_null(refusal(SAME_FEATURES, 1ull << 27)); /* OSXSAVE */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_section_relies_on_is_refused_by_its_register),
        cmocka_unit_test(what_nothing_relies_on_is_not_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
