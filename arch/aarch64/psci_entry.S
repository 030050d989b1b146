/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a CPU begins that PSCI turns on: at EL1 or EL2 as the CPU that called, translation and
 * caches off, everything masked (DEN0022, 6.4). It takes on the boot CPU's registers, and only then
 * uses memory. DDI 0487, D8.2.1: what a regime uses is there before it is enabled. */

#define MAIR_TCR     0              /* struct psci_context (psci.h) */
#define TTBR0_TTBR1  16
#define SCTLR_VBAR   32
#define TRAPS_HCR    48
#define FPCR_STACK   64
#define BODY_ARG     80
#define LEVEL_2      8              /* CurrentEL at EL2 */
#define HCR_E2H_BIT  34

    .section .text.psci_entry, "ax"

    .hidden psci_entry, psci_entry_end
    .globl psci_entry, psci_entry_end
    .type psci_entry, %function
    .balign 64
psci_entry:
    msr daifset, #15
    ldp x1, x2, [x0, #MAIR_TCR]
    ldp x3, x4, [x0, #TTBR0_TTBR1]
    ldp x5, x6, [x0, #SCTLR_VBAR]
    ldp x7, x8, [x0, #TRAPS_HCR]
    ldp x9, x10, [x0, #FPCR_STACK]
    ldp x11, x0, [x0, #BODY_ARG]
    mrs x12, CurrentEL
    cmp x12, #LEVEL_2
    b.eq 1f
    msr mair_el1, x1
    msr tcr_el1, x2
    msr ttbr0_el1, x3
    msr ttbr1_el1, x4
    msr vbar_el1, x6
    msr cpacr_el1, x7
    isb
    ic iallu
    tlbi vmalle1
    dsb nsh
    isb
    msr sctlr_el1, x5
    b 3f
1:  msr hcr_el2, x8                 /* says what the others mean */
    isb
    msr mair_el2, x1
    msr tcr_el2, x2
    msr ttbr0_el2, x3
    msr vbar_el2, x6
    msr cptr_el2, x7
    isb
    ic iallu
    tlbi alle2
    tbz x8, #HCR_E2H_BIT, 2f
    msr ttbr1_el1, x4               /* with E2H this is EL2's */
    tlbi vmalle1
2:  dsb nsh
    isb
    msr sctlr_el2, x5
3:  isb
    msr spsel, #1
    mov sp, x10
    msr fpcr, x9
    mov x29, xzr
    mov x30, xzr
    br x11
psci_entry_end:
    .size psci_entry, . - psci_entry

    .section .note.GNU-stack, "", %progbits
