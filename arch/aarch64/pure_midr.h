/* SPDX-License-Identifier: BSD-2-Clause */
/* Identifies the core by MIDR_EL1 (Arm ARM, D19.2.97): implementer 31:24, variant 23:20, part 15:4,
 * revision 3:0. */
#ifndef ARCH_AARCH64_PURE_MIDR_H
#define ARCH_AARCH64_PURE_MIDR_H

#include <stddef.h>
#include <stdint.h>

/* Implementers: Arm ARM, table of MIDR_EL1.Implementer; Apple, HiSilicon, Phytium, Ampere and
 * Microsoft from Linux (arch/arm64/include/asm/cputype.h). */
enum midr_implementer {
    MIDR_ARM = 0x41,
    MIDR_BROADCOM = 0x42,
    MIDR_CAVIUM = 0x43,
    MIDR_FUJITSU = 0x46,
    MIDR_HISILICON = 0x48,
    MIDR_NVIDIA = 0x4e,
    MIDR_APM = 0x50,
    MIDR_QUALCOMM = 0x51,
    MIDR_SAMSUNG = 0x53,
    MIDR_APPLE = 0x61,
    MIDR_MICROSOFT = 0x6d,
    MIDR_PHYTIUM = 0x70,
    MIDR_AMPERE = 0xc0
};

static inline uint32_t midr_implementer(uint64_t midr)
{
    return midr >> 24 & 0xff;
}

static inline uint32_t midr_part(uint64_t midr)
{
    return midr >> 4 & 0xfff;
}

/* Stores "Arm Cortex-A72 r0p3", or "implementer 0x41 part 0xfff r1p0" for an unknown core. */
void midr_describe(uint64_t midr, char *text, size_t capacity);

#endif
