/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects and decodes the registers that count SMIs and corrected errors. */
#include "arch/x86_64/pure_disturbance.h"

#define STATUS_VALID       (1ull << 63)
#define STATUS_UNCORRECTED (1ull << 61)
#define MISC_VALID         (1ull << 63)
#define MISC_COUNTER       (1ull << 62)

bool x86_64_smi_counted(const struct cpu_identity *cpu)
{
    static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};

    if (cpu->vendor != CPU_VENDOR_INTEL || cpu->family != 6 || cpu->model < 0x1a || !cpu->msr)
        return false;
    for (unsigned i = 0; i < sizeof without; i++)
        if (cpu->model == without[i])
            return false;
    return true;
}

enum corrected_kind x86_64_corrected_kind(uint32_t cpuid_1_edx, bool smca, uint64_t mcg_cap)
{
    uint32_t needed = 1u << 5 | 1u << 7 | 1u << 14;

    if ((cpuid_1_edx & needed) != needed)
        return CORRECTED_NONE;
    if (smca)
        return CORRECTED_MISC;
    return mcg_cap >> 10 & 1 ? CORRECTED_STATUS : CORRECTED_VALID;
}

uint32_t x86_64_bank_status_msr(enum corrected_kind kind, uint32_t bank)
{
    return kind == CORRECTED_MISC ? 0xc0002001u + 0x10u * bank : 0x401u + 4u * bank;
}

uint32_t x86_64_bank_misc_msr(uint32_t bank)
{
    return 0xc0002003u + 0x10u * bank;
}

uint32_t x86_64_bank_corrected(enum corrected_kind kind, uint64_t status, uint64_t misc)
{
    bool holds_one = (status & STATUS_VALID) && !(status & STATUS_UNCORRECTED);

    switch (kind) {
    case CORRECTED_STATUS:
        return status & STATUS_VALID ? (uint32_t)(status >> 38) & 0x7fffu : 0;
    case CORRECTED_MISC:
        if ((misc & MISC_VALID) && (misc & MISC_COUNTER))
            return (uint32_t)(misc >> 32) & 0xfffu;
        return holds_one;
    case CORRECTED_VALID:
        return holds_one;
    case CORRECTED_NONE:
        break;
    }
    return 0;
}

bool x86_64_bank_uncorrected(uint64_t status)
{
    return (status & STATUS_VALID) && (status & STATUS_UNCORRECTED);
}
