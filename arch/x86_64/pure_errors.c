/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_errors.h"

#define STATUS_VALID       (1ull << 63)
#define STATUS_OVERFLOW    (1ull << 62)
#define STATUS_UNCORRECTED (1ull << 61)
#define STATUS_HAS_MISC    (1ull << 59)
#define STATUS_HAS_ADDRESS (1ull << 58)
#define STATUS_DEFERRED    (1ull << 44) /* AMD */
#define MISC_VALID         (1ull << 63)
#define MISC_COUNTER       (1ull << 62)
#define COUNT_MAX          0x7fffu
#define MISC_COUNT_MAX     0xfffu

/* Compound code of a memory controller: 000F 0000 1MMM CCCC (SDM volume 3, 15.9.2). */
#define CODE_MASK   0xef80u
#define CODE_MEMORY 0x0080u
/* Of MCA_IPID: the unified memory controller's (unverified). */
#define HARDWARE_ID(identity) ((identity) >> 32 & 0xfff)
#define HARDWARE_UMC          0x96u
/* MCi_MISC: bits 5:0 the lowest valid address bit, 8:6 the address' kind (SDM 15.3.2.4). */
#define MISC_LOWEST(misc) ((misc)&0x3f)
#define MISC_KIND(misc)   ((misc) >> 6 & 7)
#define KIND_PHYSICAL     2u

enum bank_kind x86_64_bank_kind(uint32_t cpuid_1_edx, bool smca, uint64_t mcg_cap)
{
    uint32_t needed = 1u << 5 | 1u << 7 | 1u << 14;

    if ((cpuid_1_edx & needed) != needed)
        return BANKS_NONE;
    if (smca)
        return BANKS_SCALABLE;
    return mcg_cap >> 10 & 1 ? BANKS_COUNT : BANKS_VALID;
}

uint32_t x86_64_bank_count(uint64_t mcg_cap)
{
    uint32_t count = (uint32_t)(mcg_cap & 0xff);

    return count < ERROR_BANKS_MAX ? count : ERROR_BANKS_MAX;
}

uint32_t x86_64_bank_msr(enum bank_kind kind, uint32_t bank, enum bank_register which)
{
    static const uint8_t plain[BANK_REGISTERS] = {
        [BANK_STATUS] = 1, [BANK_ADDRESS] = 2, [BANK_MISC] = 3};
    static const uint8_t scalable[BANK_REGISTERS] = {
        [BANK_STATUS] = 1, [BANK_ADDRESS] = 2, [BANK_MISC] = 3, [BANK_IDENTITY] = 5};

    if (kind == BANKS_SCALABLE)
        return 0xc0002000u + 0x10u * bank + scalable[which];
    return plain[which] != 0 ? 0x400u + 4u * bank + plain[which] : 0;
}

bool x86_64_bank_has(enum bank_kind kind, uint64_t status, enum bank_register which)
{
    switch (which) {
    case BANK_STATUS:
        return true;
    case BANK_ADDRESS:
        return (status & STATUS_VALID) && (status & STATUS_HAS_ADDRESS);
    case BANK_MISC:
        /* the scalable architecture counts there, valid or not */
        return kind == BANKS_SCALABLE || ((status & STATUS_VALID) && (status & STATUS_HAS_MISC));
    default:
        return kind == BANKS_SCALABLE && (status & STATUS_VALID);
    }
}

static enum error_severity severity_of(enum bank_kind kind, bool intel, uint64_t status)
{
    if (status & STATUS_UNCORRECTED)
        return ERROR_UNCORRECTED;
    return kind != BANKS_NONE && !intel && (status & STATUS_DEFERRED) ? ERROR_DEFERRED
                                                                      : ERROR_CORRECTED;
}

static void count(enum bank_kind kind, uint64_t misc, struct error_bank *bank)
{
    uint64_t most = 1;

    if (kind == BANKS_SCALABLE && (misc & MISC_VALID) && (misc & MISC_COUNTER)) {
        bank->corrected = misc >> 32 & MISC_COUNT_MAX;
        most = MISC_COUNT_MAX;
    } else if (kind == BANKS_COUNT) {
        bank->corrected = bank->valid ? bank->status >> 38 & COUNT_MAX : 0;
        most = COUNT_MAX;
    } else {
        bank->corrected = bank->valid && bank->severity == ERROR_CORRECTED;
    }
    bank->saturated = bank->corrected == most;
}

void x86_64_bank_decode(enum bank_kind kind, bool intel, const uint64_t word[BANK_REGISTERS],
                        struct error_bank *bank)
{
    uint64_t status = word[BANK_STATUS];
    bool has_misc = x86_64_bank_has(kind, status, BANK_MISC);
    bool has_address = x86_64_bank_has(kind, status, BANK_ADDRESS);

    *bank = (struct error_bank){.valid = status & STATUS_VALID,
                                .overflow = status & STATUS_OVERFLOW,
                                .status = status,
                                .address = has_address ? word[BANK_ADDRESS] : ERRORS_UNKNOWN,
                                .misc = has_misc ? word[BANK_MISC] : ERRORS_UNKNOWN,
                                .physical = ERRORS_UNKNOWN};
    bank->severity = severity_of(kind, intel, status);
    bank->memory = kind == BANKS_SCALABLE ? HARDWARE_ID(word[BANK_IDENTITY]) == HARDWARE_UMC
                                          : (status & CODE_MASK) == CODE_MEMORY;
    if (intel && has_address && has_misc && MISC_KIND(word[BANK_MISC]) == KIND_PHYSICAL)
        bank->physical = word[BANK_ADDRESS] >> MISC_LOWEST(word[BANK_MISC])
                                                   << MISC_LOWEST(word[BANK_MISC]);
    count(kind, has_misc ? word[BANK_MISC] : 0, bank);
}
