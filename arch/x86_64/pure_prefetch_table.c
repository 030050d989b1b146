/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetcher controls of x86-64 as data. Sources, by their short names in the rows:
 * Intel disclosure: "Disclosure of Hardware Prefetcher Control on Some Intel Processors";
 * PerfSpect: intel/PerfSpect, internal/extract/prefetcher.go; E-core paper: Intel 357930 "Hardware
 * Prefetch Controls for Intel E-Cores", edition of July 2026; EDK2: MdePkg Register/Intel/Msr;
 * CoreFreq: cyring/CoreFreq, x86_64 register headers; LIKWID: RRZE-HPC/likwid; PPR: AMD's; AGESA:
 * AMD's sources in coreboot, src/vendorcode/amd/agesa (f15, f15tn, f16kb); illumos: oxidecomputer,
 * usr/src/uts/intel/sys/amdzen/ccx.h, of Zen 2 to 4. */
#include "arch/x86_64/pure_prefetch_table.h"

#define BIT(n) (1ull << (n))

/* Nehalem to Panther Lake, including the performance cores of hybrids. */
static const uint8_t core_models[] = {
    0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f,                         /* Nehalem, Westmere */
    0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x45, 0x46,                   /* Sandy Bridge .. Haswell */
    0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, /* Broadwell .. Comet Lake */
    0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7,                         /* Ice, Tiger, Rocket Lake */
    0x97, 0x9a, 0xb7, 0xba, 0xbf,                                     /* Alder, Raptor Lake */
    0xaa, 0xac, 0xc5, 0xc6, 0xb5, 0xbd, 0xcc,                         /* Meteor .. Panther Lake */
    0x8f, 0xcf, 0xad, 0xae,                                           /* Xeon SPR, EMR, GNR */
};
static const uint8_t next_page_models[] = {0xaa, 0xac, 0xc6, 0x8f, 0xcf, 0xad, 0xae};
/* Those that PerfSpect has and CoreFreq has not. */
static const uint8_t disputed_next_page_models[] = {0x3f, 0x4f, 0x56, 0x55, 0x6a, 0x6c,
                                                    0x97, 0x9a, 0xb7, 0xba, 0xbf};
static const uint8_t redwood_models[] = {0xaa, 0xac};
/* Arrow, Lunar, Panther Lake: no source lists their performance cores (Lion Cove and later; 0xb5
 * has an older core). Bits 4 to 8 are what Redwood Cove before them has. */
static const uint8_t unlisted_models[] = {0xc5, 0xc6, 0xb5, 0xbd, 0xcc};
static const uint8_t unlisted_next_page_models[] = {0xc5, 0xb5, 0xbd, 0xcc};
static const uint8_t meteor_h_models[] = {0xac};
static const uint8_t amp_models[] = {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0x8f, 0xcf, 0xad, 0xae};
static const uint8_t array_models[] = {0xad, 0xae, 0xaa};
static const uint8_t code_stream_models[] = {0xaa};
static const uint8_t xeon_llc_models[] = {0x8f, 0xcf, 0xad, 0xae};
static const uint8_t diamond_models[] = {0x01};
/* Every model with efficiency cores of Gracemont or later. */
static const uint8_t efficiency_models[] = {0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0xaa, 0xac,
                                            0xc5, 0xc6, 0xb5, 0xbd, 0xcc, 0xaf, 0xb6, 0xdd};
static const uint8_t silvermont_models[] = {0x37, 0x4a, 0x4d, 0x5a, 0x5d};
static const uint8_t goldmont_models[] = {0x5c, 0x7a};
static const uint8_t phi_models[] = {0x57, 0x85};
static const uint8_t core2_models[] = {0x0f, 0x17};
static const uint8_t netburst_models[] = {0x03, 0x04, 0x06};
static const uint8_t bonnell_models[] = {0x1c, 0x26, 0x27, 0x35, 0x36};

/* Prefetchers of fields that control several. */
static const struct prefetch_part core_parts[] = {
    {BIT(0), "MSR 0x1a4 bit 0 L2 streamer"},
    {BIT(1), "MSR 0x1a4 bit 1 L2 adjacent line"},
    {BIT(2), "MSR 0x1a4 bit 2 DCU next line"},
    {BIT(3), "MSR 0x1a4 bit 3 DCU IP stride"},
};
static const struct prefetch_part efficiency_parts[] = {
    {BIT(0), "MSR 0x1a4 bit 0 L2 streamer"},
    {BIT(2), "MSR 0x1a4 bit 2 L1 next line"},
    {BIT(3), "MSR 0x1a4 bit 3 L1 IP stride"},
};
static const struct prefetch_part atom_parts[] = {
    {BIT(0), "MSR 0x1a4 bit 0 L2"},
    {BIT(2), "MSR 0x1a4 bit 2 DCU"},
};
static const struct prefetch_part phi_parts[] = {
    {BIT(0), "MSR 0x1a4 bit 0 DCU"},
    {BIT(1), "MSR 0x1a4 bit 1 L2"},
};
static const struct prefetch_part core2_parts[] = {
    {BIT(9), "MSR 0x1a0 bit 9 hardware"},
    {BIT(19), "MSR 0x1a0 bit 19 adjacent line"},
    {BIT(37), "MSR 0x1a0 bit 37 DCU"},
    {BIT(39), "MSR 0x1a0 bit 39 IP"},
};
static const struct prefetch_part netburst_parts[] = {
    {BIT(9), "MSR 0x1a0 bit 9 hardware"},
    {BIT(19), "MSR 0x1a0 bit 19 adjacent line"},
};
static const struct prefetch_part zen_parts[] = {
    {BIT(0), "MSR 0xc0000108 bit 0 L1 stream"}, {BIT(1), "MSR 0xc0000108 bit 1 L1 stride"},
    {BIT(2), "MSR 0xc0000108 bit 2 L1 region"}, {BIT(3), "MSR 0xc0000108 bit 3 L2 stream"},
    {BIT(5), "MSR 0xc0000108 bit 5 up/down"},
};
static const struct prefetch_part family15_parts[] = {
    {BIT(3), "MSR 0xc001102b bit 3"},
    {BIT(16), "MSR 0xc001102b bit 16"},
    {BIT(17), "MSR 0xc001102b bit 17"},
    {BIT(18), "MSR 0xc001102b bit 18"},
};
static const struct prefetch_part zen2_l1_parts[] = {
    {BIT(13), "MSR 0xc0011022 bit 13 L1 hardware"},
    {BIT(17), "MSR 0xc0011022 bit 17 L1 stride"},
    {BIT(18), "MSR 0xc0011022 bit 18 L1 region"},
};
static const struct prefetch_part family10_parts[] = {
    {BIT(13), "MSR 0xc0011022 bit 13"},
    {BIT(15), "MSR 0xc0011022 bit 15"},
};

#define SPLIT(list)   .field.parts = (list), .field.part_count = sizeof(list) / sizeof((list)[0])
#define MODELS(list)  .models = (list), .model_count = sizeof(list)
#define INTEL_6(list) .vendor = CPU_VENDOR_INTEL, .family = 6, MODELS(list)
#define DIAMOND       .vendor = CPU_VENDOR_INTEL, .family = 0x13, MODELS(diamond_models)
#define P_CORE(list)  INTEL_6(list), .core = PREFETCH_CORE_PERFORMANCE
#define E_CORE(first) \
    INTEL_6(efficiency_models), .core = PREFETCH_CORE_EFFICIENCY, .native_first = (first)
#define AMD_FAMILY(number) .vendor = CPU_VENDOR_AMD, .family = (number)
#define OFF_IS_ONE(register, bits) \
    .field.reg = (register), .field.mask = (bits), .field.off = (bits)
/* A bit of MSR 1A4h that no source lists for these models; what they are successors of has it. */
#define INHERITED_BIT(list, n, what)                                                             \
    {                                                                                            \
        P_CORE(list), OFF_IS_ONE(0x1a4, BIT(n)),                                                 \
            .field.name = "MSR 0x1a4 bit " #n " " what,                                          \
            .field.source = "unverified: as on 06_AA, no document seen", .field.disputed = true, \
            .field.inherited = true                                                              \
    }
#define OFF_IS_ZERO(register, bits) .field.reg = (register), .field.mask = (bits), .field.off = 0

enum { GRACEMONT = 1, CRESTMONT = 2, DARKMONT = 4 };

/* On cores with dynamic prefetch control, bit 12 comes first: it must be set before any other
 * prefetch register is written, or the dynamic control may overwrite it (E-core paper, 2.5). Bit 11
 * of 0x1a4 is not a prefetcher and is in no row. */
const struct x86_64_prefetch_row x86_64_prefetch_rows[] = {
    {DIAMOND, OFF_IS_ONE(0x1a4, BIT(12)), .field.leads = true,
     .field.name = "MSR 0x1a4 bit 12 dynamic prefetch control", .field.source = "PerfSpect"},
    {DIAMOND, OFF_IS_ONE(0x1a4, 0xf), SPLIT(core_parts),
     .field.name = "MSR 0x1a4 bits 3:0 L2 and DCU prefetchers",
     .field.source = "Intel disclosure, PerfSpect"},
    {DIAMOND, OFF_IS_ONE(0x1a4, BIT(4)), .field.name = "MSR 0x1a4 bit 4 DCU next page",
     .field.source = "PerfSpect"},
    {DIAMOND, OFF_IS_ONE(0x1a4, BIT(5)), .field.name = "MSR 0x1a4 bit 5 L2 adaptive multipath",
     .field.source = "PerfSpect"},
    {DIAMOND, OFF_IS_ONE(0x1a4, BIT(6)), .field.name = "MSR 0x1a4 bit 6 LLC page",
     .field.source = "PerfSpect"},

    {P_CORE(core_models), OFF_IS_ONE(0x1a4, 0xf), SPLIT(core_parts),
     .field.name = "MSR 0x1a4 bits 3:0 L2 and DCU prefetchers",
     .field.source = "Intel disclosure, PerfSpect"},
    {P_CORE(next_page_models), OFF_IS_ONE(0x1a4, BIT(4)),
     .field.name = "MSR 0x1a4 bit 4 DCU next page", .field.source = "PerfSpect, CoreFreq"},
    {P_CORE(disputed_next_page_models), OFF_IS_ONE(0x1a4, BIT(4)),
     .field.name = "MSR 0x1a4 bit 4 DCU next page",
     .field.source = "PerfSpect; CoreFreq has it on later models only", .field.disputed = true},
    {P_CORE(amp_models), OFF_IS_ONE(0x1a4, BIT(5)),
     .field.name = "MSR 0x1a4 bit 5 L2 adaptive multipath", .field.source = "PerfSpect, CoreFreq"},
    {P_CORE(redwood_models), OFF_IS_ONE(0x1a4, BIT(5)),
     .field.name = "MSR 0x1a4 bit 5 L2 adaptive multipath",
     .field.source = "PerfSpect; CoreFreq has it on other models only", .field.disputed = true},
    {P_CORE(array_models), OFF_IS_ONE(0x1a4, BIT(6)), .field.name = "MSR 0x1a4 bit 6 LLC page",
     .field.source = "PerfSpect, CoreFreq"},
    {P_CORE(array_models), OFF_IS_ONE(0x1a4, BIT(7)),
     .field.name = "MSR 0x1a4 bit 7 array of pointers", .field.source = "PerfSpect, CoreFreq"},
    {P_CORE(code_stream_models), OFF_IS_ONE(0x1a4, BIT(8)),
     .field.name = "MSR 0x1a4 bit 8 stream code fetch", .field.source = "CoreFreq"},
    INHERITED_BIT(unlisted_next_page_models, 4, "DCU next page"),
    INHERITED_BIT(unlisted_models, 5, "L2 adaptive multipath"),
    INHERITED_BIT(unlisted_models, 6, "LLC page"),
    INHERITED_BIT(unlisted_models, 7, "array of pointers"),
    INHERITED_BIT(unlisted_models, 8, "stream code fetch"),
    INHERITED_BIT(meteor_h_models, 6, "LLC page"),
    INHERITED_BIT(meteor_h_models, 7, "array of pointers"),
    INHERITED_BIT(meteor_h_models, 8, "stream code fetch"),
    {P_CORE(xeon_llc_models), OFF_IS_ONE(0x6d, BIT(14)), .field.name = "MSR 0x6d bit 14 homeless",
     .field.source = "PerfSpect"},
    {P_CORE(xeon_llc_models), OFF_IS_ONE(0x6d, BIT(42)),
     .field.name = "MSR 0x6d bit 42 LLC prefetch", .field.source = "PerfSpect"},

    {E_CORE(DARKMONT), OFF_IS_ONE(0x1a4, BIT(12)), .field.leads = true,
     .field.name = "MSR 0x1a4 bit 12 dynamic prefetch logic",
     .field.source = "E-core paper 4.1 (2.1 prints bit 2)"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1a4, 0xd), SPLIT(efficiency_parts),
     .field.name = "MSR 0x1a4 bits 3,2,0 streamer, L1 NLP, IPP",
     .field.source = "E-core paper 2.1, 4.1"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1a4, BIT(5)),
     .field.name = "MSR 0x1a4 bit 5 adaptive multipath", .field.source = "E-core paper 2.1, 4.1"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1a4, BIT(4)), .field.name = "MSR 0x1a4 bit 4 L1 next page",
     .field.source = "E-core paper: 2.1 from Gracemont, 4.1 from Crestmont",
     .field.disputed = true},
    {E_CORE(CRESTMONT), OFF_IS_ONE(0x1a4, BIT(1)), .field.name = "MSR 0x1a4 bit 1 adjacent line",
     .field.source = "E-core paper 2.1, 4.1"},
    {E_CORE(CRESTMONT), OFF_IS_ONE(0x1a4, BIT(6)), .field.name = "MSR 0x1a4 bit 6 LLC page",
     .field.source = "E-core paper 2.1, 4.1"},
    {E_CORE(CRESTMONT), OFF_IS_ONE(0x1a4, BIT(7)),
     .field.name = "MSR 0x1a4 bit 7 array of pointers", .field.source = "E-core paper 4.1"},
    {E_CORE(CRESTMONT), OFF_IS_ONE(0x1a4, BIT(8)),
     .field.name = "MSR 0x1a4 bit 8 stream code fetch", .field.source = "E-core paper 2.1, 4.1"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1320, BIT(43)), .field.name = "MSR 0x1320 bit 43 LLC streamer",
     .field.source = "E-core paper: 2.1 from Gracemont, 4.2 from Crestmont",
     .field.disputed = true},
    {E_CORE(CRESTMONT), OFF_IS_ONE(0x1320, BIT(30)),
     .field.name = "MSR 0x1320 bit 30 AMP recursive lookup", .field.source = "E-core paper 4.2"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1320, BIT(31)),
     .field.name = "MSR 0x1320 bit 31 AMP next lines", .field.source = "E-core paper 4.2"},
    {E_CORE(GRACEMONT), OFF_IS_ONE(0x1321, BIT(40)), .field.name = "MSR 0x1321 bit 40 L2 next line",
     .field.source = "E-core paper 2.1, 4.3"},

    {INTEL_6(silvermont_models), OFF_IS_ONE(0x1a4, 0x5), SPLIT(atom_parts),
     .field.name = "MSR 0x1a4 bits 2,0 L2 and DCU prefetchers",
     .field.source = "EDK2 SilvermontMsr.h"},
    {INTEL_6(goldmont_models), OFF_IS_ONE(0x1a4, 0x5), SPLIT(atom_parts),
     .field.name = "MSR 0x1a4 bits 2,0 L2 and DCU prefetchers",
     .field.source = "EDK2 GoldmontMsr.h"},
    /* Reversed here: bit 0 is the DCU's, bit 1 the L2's. */
    {INTEL_6(phi_models), OFF_IS_ONE(0x1a4, 0x3), SPLIT(phi_parts),
     .field.name = "MSR 0x1a4 bits 1:0 Phi: L2, DCU", .field.source = "EDK2 XeonPhiMsr.h, LIKWID"},
    {INTEL_6(core2_models), OFF_IS_ONE(0x1a0, BIT(9) | BIT(19) | BIT(37) | BIT(39)),
     SPLIT(core2_parts), .field.name = "MSR 0x1a0 bits 39,37,19,9 IP, DCU, adjacent, hardware",
     .field.source = "LIKWID, CoreFreq"},
    {.vendor = CPU_VENDOR_INTEL,
     .family = 0xf,
     MODELS(netburst_models),
     OFF_IS_ONE(0x1a0, BIT(9) | BIT(19)),
     SPLIT(netburst_parts),
     .field.name = "MSR 0x1a0 bits 19,9 adjacent, hardware",
     .field.source = "LIKWID, CoreFreq; the models are unverified"},
    {INTEL_6(bonnell_models), OFF_IS_ONE(0x1a0, BIT(9)), .field.unofficial = true,
     .field.name = "MSR 0x1a0 bit 9 hardware prefetcher",
     .field.source = "unverified: no document seen"},

    /* Family 1Ah has MasterEnable and an aggressiveness profile in bits 9:6, which are
     * preserved. */
    {AMD_FAMILY(0x19), .needs_amd_bit = true, OFF_IS_ONE(0xc0000108, 0x2f), SPLIT(zen_parts),
     .field.name = "MSR 0xc0000108 bits 5,3:0 L1 and L2 prefetchers",
     .field.source = "PPR, LIKWID, CoreFreq"},
    {AMD_FAMILY(0x1a), .needs_amd_bit = true, OFF_IS_ONE(0xc0000108, 0x2f), SPLIT(zen_parts),
     .field.name = "MSR 0xc0000108 bits 5,3:0 L1 and L2 prefetchers",
     .field.source = "PPR, LIKWID, CoreFreq"},
    {AMD_FAMILY(0x17), OFF_IS_ONE(0xc0011022, BIT(16)), .field.unofficial = true,
     .field.name = "MSR 0xc0011022 bit 16 L1 prefetchers",
     .field.source = "CoreFreq, from BIOS observation; illumos: L1 stream"},
    {AMD_FAMILY(0x17), OFF_IS_ONE(0xc0011022, BIT(13) | BIT(17) | BIT(18)), SPLIT(zen2_l1_parts),
     .field.unofficial = true, .field.disputed = true,
     .field.name = "MSR 0xc0011022 bits 18,17,13 L1 region, stride, hardware",
     .field.source = "illumos, of Zen 2 to 4"},
    {AMD_FAMILY(0x17), OFF_IS_ZERO(0xc001102b, BIT(0)), .field.unofficial = true,
     .field.name = "MSR 0xc001102b bit 0 L2 prefetchers",
     .field.source = "CoreFreq, from BIOS observation; illumos: L2 stream"},
    {AMD_FAMILY(0x17), OFF_IS_ZERO(0xc001102b, BIT(2)), .field.unofficial = true,
     .field.disputed = true, .field.name = "MSR 0xc001102b bit 2 L2 up/down",
     .field.source = "illumos, of Zen 2 to 4"},
    {AMD_FAMILY(0x15), OFF_IS_ONE(0xc001102b, BIT(3) | BIT(16) | BIT(17) | BIT(18)),
     SPLIT(family15_parts), .field.name = "MSR 0xc001102b bits 18:16,3 region, stride, L1 training",
     .field.source = "BKDG, CoreFreq"},
    /* Excavator (models 60h and up) may have it in another register. */
    {AMD_FAMILY(0x15), OFF_IS_ONE(0xc0011022, BIT(13)), .field.disputed = true,
     .field.name = "MSR 0xc0011022 bit 13 L1 hardware",
     .field.source = "AGESA (erratum 498), CoreFreq; not for every model"},
    {AMD_FAMILY(0x16), OFF_IS_ONE(0xc0011022, BIT(13)),
     .field.name = "MSR 0xc0011022 bit 13 L1 hardware",
     .field.source = "AGESA, after BKDG 48751 2.3.3"},
    {AMD_FAMILY(0x16), OFF_IS_ONE(0xc00110a0, BIT(7)),
     .field.name = "MSR 0xc00110a0 bit 7 L2 prefetcher",
     .field.source = "AGESA, after BKDG 48751 2.3.3"},
    /* The memory controller of these families also prefetches (PCI F2x11C), but only into its own
     * buffer; it is left alone. */
    {AMD_FAMILY(0x10), OFF_IS_ONE(0xc0011022, BIT(13) | BIT(15)), SPLIT(family10_parts),
     .field.name = "MSR 0xc0011022 bits 15,13 hardware, for software", .field.source = "CoreFreq"},
    {AMD_FAMILY(0x12), OFF_IS_ONE(0xc0011022, BIT(13) | BIT(15)), SPLIT(family10_parts),
     .field.name = "MSR 0xc0011022 bits 15,13 hardware, for software", .field.source = "CoreFreq"},
};
const size_t x86_64_prefetch_row_count =
    sizeof(x86_64_prefetch_rows) / sizeof(x86_64_prefetch_rows[0]);

/* XPT and UPI (KTI) prefetch: boards' manuals from Skylake-SP on (Supermicro X11 "XPT Prefetch",
 * Intel D50TNP and M50CYP); that the newest have it too is unverified. Zen: speculative DRAM reads,
 * which its L3 starts (PPR, L3 event SpecDramRd; illumos, ChL3Cfg1, a register that all cores of a
 * complex share and that is left alone). */
static const uint8_t speculating_xeons[] = {0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae, 0xaf, 0xdd};
static const uint8_t zen_families[] = {0x17, 0x18, 0x19, 0x1a};

static bool is_in(const uint8_t *list, size_t count, uint32_t number)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

bool x86_64_memory_speculates(const struct cpu_identity *identity)
{
    if (identity->vendor == CPU_VENDOR_AMD)
        return is_in(zen_families, sizeof(zen_families), identity->family);
    if (identity->vendor != CPU_VENDOR_INTEL)
        return false;
    if (identity->family == 0x13)
        return is_in(diamond_models, sizeof(diamond_models), identity->model);
    return identity->family == 6 &&
           is_in(speculating_xeons, sizeof(speculating_xeons), identity->model);
}

/* Alder Lake N, Sierra Forest, Grand Ridge (its model number is unverified), Clearwater Forest. */
const struct x86_64_efficiency_model x86_64_efficiency_models[] = {
    {0xbe, GRACEMONT}, {0xaf, CRESTMONT}, {0xb6, CRESTMONT}, {0xdd, DARKMONT}};
const size_t x86_64_efficiency_model_count =
    sizeof(x86_64_efficiency_models) / sizeof(x86_64_efficiency_models[0]);
