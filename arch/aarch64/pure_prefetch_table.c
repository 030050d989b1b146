/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetcher controls of AArch64 as data. Sources, by their short names in the rows: TF-A:
 * trusted-firmware-a, include/lib/cpus and lib/cpus/aarch64; TRM: the core's Technical Reference
 * Manual (100095 A72, DDI0488 A57, 100798 A76); Ampere: their Linux driver for Altra; Alibaba:
 * their Linux module for Neoverse N2; Fujitsu: their patches and the A64FX specification; XNU:
 * Apple's public headers; UG643: AMD's (Xilinx's) library of standalone programs. ThunderX2,
 * Qualcomm, A73, A75: no public control is known. A715, A720, A725, N3: TF-A has their CPUECTLR_EL1
 * and names no prefetcher's field in it; their predecessors' bit 15 is of another line of cores.
 * Kunpeng 920 has only tuned policies (openeuler prefetch_tuning), none of them "off". */
#include "arch/aarch64/pure_prefetch_table.h"

#include "arch/aarch64/pure_midr.h"
#include "arch/aarch64/pure_sysreg.h"

#define BIT(n) (1ull << (n))

enum {
    A53 = 0xd03,
    A35 = 0xd04,
    A55 = 0xd05,
    A57 = 0xd07,
    A72 = 0xd08,
    A76 = 0xd0b,
    N1 = 0xd0c,
    A77 = 0xd0d,
    V1 = 0xd40,
    A78 = 0xd41,
    A78AE = 0xd42,
    X1 = 0xd44,
    A710 = 0xd47,
    X2 = 0xd48,
    N2 = 0xd49,
    A78C = 0xd4b,
    X1C = 0xd4c,
    X3 = 0xd4e,
    V2 = 0xd4f,
    X4 = 0xd82,
    V3AE = 0xd83,
    V3 = 0xd84,
    X925 = 0xd85,
    C1_PRO = 0xd8b,
    C1_ULTRA = 0xd8c,
    C1_PREMIUM = 0xd90,
};

static const uint16_t a57_parts[] = {A57, A72};
static const uint16_t a53_parts[] = {A53};
static const uint16_t a35_parts[] = {A35};
static const uint16_t a55_parts[] = {A55};
static const uint16_t n1_parts[] = {N1};
static const uint16_t n2_parts[] = {N2};
static const uint16_t analogy_parts[] = {A76, A77, A78, X1, V1};
/* TF-A: these cores can deadlock with prefetchers off unless CPUACTLR2[29] is set. */
static const uint16_t deadlock_parts[] = {A710, X2, X3, N2, V2, C1_PREMIUM, C1_ULTRA};
static const uint16_t free_parts[] = {X4, V3AE, V3, X925, C1_PRO};
static const uint16_t tlb_prefetch_parts[] = {A76, N1};
static const uint16_t aggregation_parts[] = {A77, A78, A78AE, A78C, X1, X1C, V1,   A710,
                                             X2,  X3,  V2,    N2,   X4, V3,  V3AE, X925};
static const uint16_t data_dependent_parts[] = {X3, X4, X925, V2, V3, V3AE, C1_ULTRA, C1_PREMIUM};
static const uint16_t c1_pro_parts[] = {C1_PRO};
static const uint16_t a64fx_parts[] = {0x001};
/* A7 to A10, and the M1 family. */
static const uint16_t apple_parts[] = {0x001, 0x002, 0x003, 0x004, 0x005, 0x006, 0x007,
                                       0x022, 0x023, 0x024, 0x025, 0x028, 0x029};

/* Prefetchers of fields that control several. */
static const struct prefetch_part n1_field_parts[] = {
    {BIT(5), "CPUECTLR_EL1 bit 5"},
    {BIT(7), "CPUECTLR_EL1 bit 7"},
    {BIT(8), "CPUECTLR_EL1 bit 8"},
};
static const struct prefetch_part a64fx_field_parts[] = {
    {BIT(63) | BIT(58), "IMP_PF_STREAM_DETECT_CTRL_EL0 bit 58 L2"},
    {BIT(63) | BIT(59), "IMP_PF_STREAM_DETECT_CTRL_EL0 bit 59 L1"},
};

#define SPLIT(list)             .field.parts = (list), .field.part_count = sizeof(list) / sizeof((list)[0])
#define PARTS(list)             .parts = (list), .part_count = sizeof(list) / sizeof((list)[0])
#define ARM(list)               .implementer = MIDR_ARM, PARTS(list)
#define OFF_IS_ONE(which, bits) FIELD(which, bits, bits)
#define FIELD(which, bits, value) \
    .field.reg = SYSREG_##which, .field.mask = (bits), .field.off = (value)

const struct aarch64_prefetch_row aarch64_prefetch_rows[] = {
    {ARM(a57_parts), OFF_IS_ONE(CPUACTLR_A57, BIT(56)), .field.fixed = true,
     .field.name = "CPUACTLR_EL1 bit 56 L1 and L2 data",
     .field.source = "TRM, TF-A; to be written only while the core is idle"},
    {ARM(a57_parts), FIELD(CPUECTLR_A57, BIT(38) | 3ull << 35 | 3ull << 32, BIT(38)),
     .field.name = "CPUECTLR_EL1 bits 38,36:35,33:32 table walk, L2 distances",
     .field.source = "TRM, TF-A"},

    /* As many prefetches at once as the field says. */
    {ARM(a53_parts), FIELD(CPUACTLR_A57, 7ull << 13, 0), .field.fixed = true,
     .field.name = "CPUACTLR_EL1 bits 15:13 L1PCTL",
     .field.source = "TF-A, UG643; to be written only while the core is idle"},
    {ARM(a35_parts), FIELD(CPUACTLR_A57, 7ull << 13, 0), .field.unofficial = true,
     .field.fixed = true, .field.name = "CPUACTLR_EL1 bits 15:13 L1PCTL",
     .field.source = "unverified: as on A53; to be written only while the core is idle"},
    {ARM(a55_parts), FIELD(CPUECTLR, 7ull << 13 | 7ull << 10, 0), .field.unofficial = true,
     .field.name = "CPUECTLR_EL1 bits 15:13,12:10 L1PCTL, L3PCTL",
     .field.source = "public kernel code; 0 is off: unverified"},

    {ARM(n1_parts), OFF_IS_ONE(CPUECTLR, BIT(15)), .field.name = "CPUECTLR_EL1 bit 15 all data",
     .field.source = "Ampere"},
    {ARM(n1_parts), OFF_IS_ONE(CPUECTLR, BIT(8) | BIT(7) | BIT(5)), SPLIT(n1_field_parts),
     .field.name = "CPUECTLR_EL1 bits 8,7,5 stores, region", .field.source = "Ampere"},
    {ARM(analogy_parts), OFF_IS_ONE(CPUECTLR, BIT(15)), .field.unofficial = true,
     .field.name = "CPUECTLR_EL1 bit 15 all data",
     .field.source = "unverified: as on Neoverse N1, no document seen"},

    {ARM(deadlock_parts), OFF_IS_ONE(CPUACTLR2, BIT(29)), .field.aside = true,
     .field.name = "CPUACTLR2_EL1 bit 29 before bit 15 of CPUECTLR_EL1",
     .field.source = "TF-A wa_cve_2025_0647: else a deadlock is possible"},
    {ARM(deadlock_parts), OFF_IS_ONE(CPUECTLR, BIT(15)), .field.needs_last = true,
     .field.name = "CPUECTLR_EL1 bit 15 all data", .field.source = "TF-A wa_cve_2025_0647"},
    {ARM(free_parts), OFF_IS_ONE(CPUECTLR, BIT(15)), .field.name = "CPUECTLR_EL1 bit 15 all data",
     .field.source = "TF-A wa_cve_2025_0647"},
    {ARM(n2_parts), OFF_IS_ONE(CPUECTLR, BIT(28)),
     .field.name = "CPUECTLR_EL1 bit 28 TLB predictor", .field.source = "Alibaba"},
    {ARM(tlb_prefetch_parts), OFF_IS_ONE(CPUECTLR, BIT(51)),
     .field.name = "CPUECTLR_EL1 bit 51 TLB prefetch", .field.source = "TF-A, TRM 100798"},
    {ARM(data_dependent_parts), OFF_IS_ONE(CPUACTLR6, BIT(41)),
     .field.name = "CPUACTLR6_EL1 bit 41 data-dependent", .field.source = "TF-A CVE-2024-7881"},
    {ARM(c1_pro_parts), OFF_IS_ONE(CPUECTLR2, BIT(49)),
     .field.name = "CPUECTLR2_EL1 bit 49 data-dependent", .field.source = "TF-A CVE-2024-7881"},
    {ARM(aggregation_parts), OFF_IS_ONE(CPUECTLR, BIT(46)), .field.aside = true,
     .field.aggregates = true, .field.name = "CPUECTLR_EL1 bit 46 hardware page aggregation",
     .field.source = "TF-A CVE-2024-5660"},

    {.implementer = MIDR_FUJITSU,
     PARTS(a64fx_parts),
     OFF_IS_ONE(IMP_PF_STREAM_DETECT_CTRL, BIT(63) | BIT(59) | BIT(58)),
     SPLIT(a64fx_field_parts),
     .field.name = "IMP_PF_STREAM_DETECT_CTRL_EL0 bits 63,59,58 L1, L2",
     .field.source = "Fujitsu"},
    {.implementer = MIDR_APPLE,
     PARTS(apple_parts),
     OFF_IS_ONE(HID5, BIT(45) | BIT(44)),
     .field.unofficial = true,
     .field.name = "HID5_EL1 bits 45:44 stores, loads",
     .field.source = "XNU, of A7 to A10; unverified on M1"},
};
const size_t aarch64_prefetch_row_count =
    sizeof(aarch64_prefetch_rows) / sizeof(aarch64_prefetch_rows[0]);
