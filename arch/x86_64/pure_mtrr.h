/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory types from a copy of the MTRRs. Sources: Intel SDM volume 3, section 12.11; AMD APM volume
 * 2, section 7.7; for TOM2 also Linux arch/x86/kernel/cpu/mtrr. */
#ifndef ARCH_X86_64_PURE_MTRR_H
#define ARCH_X86_64_PURE_MTRR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/phys.h"

#define MTRR_MSR_CAPABILITY 0xfeu
#define MTRR_MSR_DEFAULT    0x2ffu
#define MTRR_MSR_BASE0      0x200u /* base n at +2n, mask n at +2n+1 */
#define MTRR_MSR_SYSCFG     0xc0010010u
#define MTRR_MSR_TOM2       0xc001001du

#define MTRR_FIXED        11
#define MTRR_VARIABLE_MAX 64

/* MSR numbers of the fixed-range registers, in address order. */
extern const uint32_t mtrr_fixed_msrs[MTRR_FIXED];

enum mtrr_type {
    MTRR_UC = 0,
    MTRR_WC = 1,
    MTRR_WT = 4,
    MTRR_WP = 5,
    MTRR_WB = 6,
    MTRR_UNDEFINED = 7 /* overlap without a defined result, or a reserved encoding */
};

struct mtrr_state {
    uint64_t capability, default_type;
    uint64_t fixed[MTRR_FIXED]; /* valid if capability bit 8 is set */
    uint64_t base[MTRR_VARIABLE_MAX], mask[MTRR_VARIABLE_MAX];
    unsigned variable;         /* number of ranges read, at most capability[7:0] */
    unsigned physical_bits;    /* CPUID Fn8000_0008 EAX[7:0] */
    bool amd;                  /* fixed-range types have two more bits; SYSCFG and TOM2 exist */
    uint64_t syscfg, top_mem2; /* 0 if not AMD or not readable */
};

/* Returns the memory type at an address. */
enum mtrr_type mtrr_type_at(const struct mtrr_state *state, uint64_t address);

/* Returns an address, above base and at most end, up to which either every byte is write-back
 * (*writeback) or none is; behind it the same may go on. base is below end. */
phys_addr mtrr_same_type(const struct mtrr_state *state, phys_addr base, phys_addr end,
                         bool *writeback);

#endif
