/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of struct arch_paging on AArch64. root is TTBR0_ELx as set by the firmware, ELx its
 * exception level. Register layouts: Arm Architecture Reference Manual (DDI 0487), D17.2. */
#ifndef ARCH_AARCH64_PURE_CONTROL_H
#define ARCH_AARCH64_PURE_CONTROL_H

enum paging_word {
    PAGING_LEVEL, /* the exception level: 1 or 2 */
    PAGING_TCR,   /* TCR_ELx */
    PAGING_MAIR,  /* MAIR_ELx */
    PAGING_SCTLR, /* SCTLR_ELx */
    PAGING_HCR,   /* HCR_EL2 at EL2, else 0 */
    PAGING_MMFR0  /* ID_AA64MMFR0_EL1: PARange, bits 3:0 */
};

#define SCTLR_M (1ull << 0) /* translation enabled */
#define SCTLR_C (1ull << 2) /* data caches enabled */

#define HCR_AMO (1ull << 5)
#define HCR_TGE (1ull << 27)
#define HCR_E2H (1ull << 34)

/* TCR fields common to EL1 and EL2. TG0: 0 is 4 KiB. IRGN0, ORGN0: odd values are write-back. */
#define TCR_T0SZ(tcr)  ((unsigned)((tcr)&0x3f))
#define TCR_IRGN0(tcr) ((unsigned)((tcr) >> 8 & 3))
#define TCR_ORGN0(tcr) ((unsigned)((tcr) >> 10 & 3))
#define TCR_TG0(tcr)   ((unsigned)((tcr) >> 14 & 3))

/* TCR_EL1, and TCR_EL2 under HCR_EL2.E2H (VHE). */
#define TCR_EL1_EPD0     (1ull << 7)
#define TCR_EL1_IPS(tcr) ((unsigned)((tcr) >> 32 & 7))
#define TCR_EL1_HPD0     (1ull << 41)
#define TCR_EL1_DS       (1ull << 59)
/* TCR_EL2 without E2H. */
#define TCR_EL2_PS(tcr) ((unsigned)((tcr) >> 16 & 7))
#define TCR_EL2_HPD     (1ull << 24)
#define TCR_EL2_DS      (1ull << 32)

#define MAIR_NORMAL_WRITEBACK 0xffu /* inner and outer, read- and write-allocate, not transient */

#define TTBR_ASID 0xffff000000000000ull

#endif
