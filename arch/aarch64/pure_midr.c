/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of cores. Sources: the cores' manuals; Linux arch/arm64/include/asm/cputype.h; util-linux
 * sys-utils/lscpu-arm.c; TF-A include/lib/cpus/aarch64; XNU osfmk/arm/cpuid.h for Apple's. */
#include "arch/aarch64/pure_midr.h"
#include "core/lib/text.h"

struct core {
    uint16_t implementer, part;
    const char *name;
};

static const struct core cores[] = {
    {MIDR_ARM, 0xd01, "Arm Cortex-A32"},
    {MIDR_ARM, 0xd02, "Arm Cortex-A34"},
    {MIDR_ARM, 0xd03, "Arm Cortex-A53"},
    {MIDR_ARM, 0xd04, "Arm Cortex-A35"},
    {MIDR_ARM, 0xd05, "Arm Cortex-A55"},
    {MIDR_ARM, 0xd06, "Arm Cortex-A65"},
    {MIDR_ARM, 0xd07, "Arm Cortex-A57"},
    {MIDR_ARM, 0xd08, "Arm Cortex-A72"},
    {MIDR_ARM, 0xd09, "Arm Cortex-A73"},
    {MIDR_ARM, 0xd0a, "Arm Cortex-A75"},
    {MIDR_ARM, 0xd0b, "Arm Cortex-A76"},
    {MIDR_ARM, 0xd0c, "Arm Neoverse N1"},
    {MIDR_ARM, 0xd0d, "Arm Cortex-A77"},
    {MIDR_ARM, 0xd0e, "Arm Cortex-A76AE"},
    {MIDR_ARM, 0xd0f, "Arm AEM or Foundation model"},
    {MIDR_ARM, 0xd40, "Arm Neoverse V1"},
    {MIDR_ARM, 0xd41, "Arm Cortex-A78"},
    {MIDR_ARM, 0xd42, "Arm Cortex-A78AE"},
    {MIDR_ARM, 0xd43, "Arm Cortex-A65AE"},
    {MIDR_ARM, 0xd44, "Arm Cortex-X1"},
    {MIDR_ARM, 0xd46, "Arm Cortex-A510"},
    {MIDR_ARM, 0xd47, "Arm Cortex-A710"},
    {MIDR_ARM, 0xd48, "Arm Cortex-X2"},
    {MIDR_ARM, 0xd49, "Arm Neoverse N2"},
    {MIDR_ARM, 0xd4a, "Arm Neoverse E1"},
    {MIDR_ARM, 0xd4b, "Arm Cortex-A78C"},
    {MIDR_ARM, 0xd4c, "Arm Cortex-X1C"},
    {MIDR_ARM, 0xd4d, "Arm Cortex-A715"},
    {MIDR_ARM, 0xd4e, "Arm Cortex-X3"},
    {MIDR_ARM, 0xd4f, "Arm Neoverse V2"},
    {MIDR_ARM, 0xd80, "Arm Cortex-A520"},
    {MIDR_ARM, 0xd81, "Arm Cortex-A720"},
    {MIDR_ARM, 0xd82, "Arm Cortex-X4"},
    {MIDR_ARM, 0xd83, "Arm Neoverse V3AE"},
    {MIDR_ARM, 0xd84, "Arm Neoverse V3"},
    {MIDR_ARM, 0xd85, "Arm Cortex-X925"},
    {MIDR_ARM, 0xd87, "Arm Cortex-A725"},
    {MIDR_ARM, 0xd88, "Arm Cortex-A520AE"},
    {MIDR_ARM, 0xd89, "Arm Cortex-A720AE"},
    {MIDR_ARM, 0xd8a, "Arm C1-Nano"},
    {MIDR_ARM, 0xd8b, "Arm C1-Pro"},
    {MIDR_ARM, 0xd8c, "Arm C1-Ultra"},
    {MIDR_ARM, 0xd8e, "Arm Neoverse N3"},
    {MIDR_ARM, 0xd8f, "Arm Cortex-A320"},
    {MIDR_ARM, 0xd90, "Arm C1-Premium"},
    {MIDR_BROADCOM, 0x100, "Broadcom Brahma-B53"},
    {MIDR_BROADCOM, 0x516, "Broadcom ThunderX2"},
    {MIDR_CAVIUM, 0x0a0, "Cavium ThunderX"},
    {MIDR_CAVIUM, 0x0a1, "Cavium ThunderX 88XX"},
    {MIDR_CAVIUM, 0x0a2, "Cavium ThunderX 81XX"},
    {MIDR_CAVIUM, 0x0a3, "Cavium ThunderX 83XX"},
    {MIDR_CAVIUM, 0x0af, "Cavium ThunderX2 99xx"},
    {MIDR_CAVIUM, 0x0b1, "Marvell OcteonTX2 98XX"},
    {MIDR_CAVIUM, 0x0b2, "Marvell OcteonTX2 96XX"},
    {MIDR_CAVIUM, 0x0b3, "Marvell OcteonTX2 95XX"},
    {MIDR_CAVIUM, 0x0b4, "Marvell OcteonTX2 95XXN"},
    {MIDR_CAVIUM, 0x0b5, "Marvell OcteonTX2 95XXMM"},
    {MIDR_CAVIUM, 0x0b6, "Marvell OcteonTX2 95XXO"},
    {MIDR_CAVIUM, 0x0b8, "Marvell ThunderX3 T110"},
    {MIDR_FUJITSU, 0x001, "Fujitsu A64FX"},
    {MIDR_FUJITSU, 0x003, "Fujitsu MONAKA"},
    {MIDR_HISILICON, 0xd01, "HiSilicon TaiShan v110 (Kunpeng 920)"},
    {MIDR_HISILICON, 0xd02, "HiSilicon TaiShan v120"},
    {MIDR_HISILICON, 0xd40, "HiSilicon Cortex-A76 (Kirin)"},
    {MIDR_HISILICON, 0xd41, "HiSilicon Cortex-A77 (Kirin)"},
    {MIDR_NVIDIA, 0x000, "NVIDIA Denver"},
    {MIDR_NVIDIA, 0x003, "NVIDIA Denver 2"},
    {MIDR_NVIDIA, 0x004, "NVIDIA Carmel"},
    {MIDR_NVIDIA, 0x010, "NVIDIA Olympus"},
    {MIDR_APM, 0x000, "APM X-Gene"},
    {MIDR_QUALCOMM, 0x001, "Qualcomm Oryon"},
    {MIDR_QUALCOMM, 0x201, "Qualcomm Kryo silver"},
    {MIDR_QUALCOMM, 0x205, "Qualcomm Kryo gold"},
    {MIDR_QUALCOMM, 0x211, "Qualcomm Kryo silver"},
    {MIDR_QUALCOMM, 0x800, "Qualcomm Kryo 2XX gold (Cortex-A73)"},
    {MIDR_QUALCOMM, 0x801, "Qualcomm Kryo 2XX silver (Cortex-A53)"},
    {MIDR_QUALCOMM, 0x802, "Qualcomm Kryo 3XX gold (Cortex-A75)"},
    {MIDR_QUALCOMM, 0x803, "Qualcomm Kryo 3XX silver (Cortex-A55)"},
    {MIDR_QUALCOMM, 0x804, "Qualcomm Kryo 4XX gold (Cortex-A76)"},
    {MIDR_QUALCOMM, 0x805, "Qualcomm Kryo 4XX silver (Cortex-A55)"},
    {MIDR_QUALCOMM, 0xc00, "Qualcomm Falkor"},
    {MIDR_QUALCOMM, 0xc01, "Qualcomm Saphira"},
    {MIDR_SAMSUNG, 0x001, "Samsung Exynos M1"},
    {MIDR_SAMSUNG, 0x002, "Samsung Exynos M3"},
    {MIDR_SAMSUNG, 0x003, "Samsung Exynos M4"},
    {MIDR_SAMSUNG, 0x004, "Samsung Exynos M5"},
    {MIDR_APPLE, 0x001, "Apple Cyclone (A7)"},
    {MIDR_APPLE, 0x002, "Apple Typhoon (A8)"},
    {MIDR_APPLE, 0x003, "Apple Typhoon (A8X)"},
    {MIDR_APPLE, 0x004, "Apple Twister (A9)"},
    {MIDR_APPLE, 0x005, "Apple Twister (A9X)"},
    {MIDR_APPLE, 0x006, "Apple Hurricane (A10)"},
    {MIDR_APPLE, 0x007, "Apple Hurricane (A10X)"},
    {MIDR_APPLE, 0x008, "Apple Monsoon (A11)"},
    {MIDR_APPLE, 0x009, "Apple Mistral (A11)"},
    {MIDR_APPLE, 0x00b, "Apple Vortex (A12)"},
    {MIDR_APPLE, 0x00c, "Apple Tempest (A12)"},
    {MIDR_APPLE, 0x012, "Apple Lightning (A13)"},
    {MIDR_APPLE, 0x013, "Apple Thunder (A13)"},
    {MIDR_APPLE, 0x020, "Apple Icestorm (A14)"},
    {MIDR_APPLE, 0x021, "Apple Firestorm (A14)"},
    {MIDR_APPLE, 0x022, "Apple Icestorm (M1)"},
    {MIDR_APPLE, 0x023, "Apple Firestorm (M1)"},
    {MIDR_APPLE, 0x024, "Apple Icestorm (M1 Pro)"},
    {MIDR_APPLE, 0x025, "Apple Firestorm (M1 Pro)"},
    {MIDR_APPLE, 0x028, "Apple Icestorm (M1 Max)"},
    {MIDR_APPLE, 0x029, "Apple Firestorm (M1 Max)"},
    {MIDR_APPLE, 0x030, "Apple Blizzard (A15)"},
    {MIDR_APPLE, 0x031, "Apple Avalanche (A15)"},
    {MIDR_APPLE, 0x032, "Apple Blizzard (M2)"},
    {MIDR_APPLE, 0x033, "Apple Avalanche (M2)"},
    {MIDR_APPLE, 0x034, "Apple Blizzard (M2 Pro)"},
    {MIDR_APPLE, 0x035, "Apple Avalanche (M2 Pro)"},
    {MIDR_APPLE, 0x038, "Apple Blizzard (M2 Max)"},
    {MIDR_APPLE, 0x039, "Apple Avalanche (M2 Max)"},
    {MIDR_MICROSOFT, 0xd49, "Microsoft Azure Cobalt 100 (Neoverse N2)"},
    {MIDR_PHYTIUM, 0x303, "Phytium FTC310"},
    {MIDR_PHYTIUM, 0x660, "Phytium FTC660"},
    {MIDR_PHYTIUM, 0x661, "Phytium FTC661"},
    {MIDR_PHYTIUM, 0x662, "Phytium FTC662"},
    {MIDR_PHYTIUM, 0x663, "Phytium FTC663"},
    {MIDR_PHYTIUM, 0x664, "Phytium FTC664"},
    {MIDR_PHYTIUM, 0x862, "Phytium FTC862"},
    {MIDR_AMPERE, 0xac3, "Ampere-1 (AmpereOne)"},
    {MIDR_AMPERE, 0xac4, "Ampere-1a"},
    {MIDR_AMPERE, 0xac5, "Ampere-1b"},
};

static const char *core_name(uint64_t midr)
{
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cores[i].implementer == midr_implementer(midr) && cores[i].part == midr_part(midr))
            return cores[i].name;
    return NULL;
}

void midr_describe(uint64_t midr, char *words, size_t capacity)
{
    const char *name = core_name(midr);
    struct text text;

    text_start(&text, words, capacity);
    if (name)
        text_add(&text, name);
    else
        text_format(&text, "implementer 0x%x part 0x%x", midr_implementer(midr), midr_part(midr));
    text_format(&text, " r%lup%lu", midr >> 20 & 0xf, midr & 0xf);
}
