/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/pure_errors.h"

#define STATUS_AV (1ull << 31) /* the address is valid */
#define STATUS_V  (1ull << 30)
#define STATUS_UE (1ull << 29)
#define STATUS_OF (1ull << 27)
#define STATUS_MV (1ull << 26) /* MISC is valid */
#define STATUS_CE (3ull << 24)
#define STATUS_DE (1ull << 23)

#define ADDRESS_AI    (1ull << 61) /* incomplete or incorrect */
#define ADDRESS_VA    (1ull << 60) /* virtual */
#define ADDRESS_PADDR ((1ull << 56) - 1)

#define FEATURE_ED(feature)  ((feature)&3)
#define FEATURE_CEC(feature) ((feature) >> 12 & 7)
#define FEATURE_RP(feature)  ((feature) >> 15 & 1)
#define CEC_8                2u
#define CEC_16               4u

bool aarch64_has_error_records(uint64_t id_aa64pfr0)
{
    return (id_aa64pfr0 >> 28 & 15) != 0;
}

uint32_t aarch64_error_count(uint64_t erridr)
{
    uint32_t count = (uint32_t)(erridr & 0xffff);

    return count < ERROR_BANKS_MAX ? count : ERROR_BANKS_MAX;
}

bool aarch64_error_is_there(uint64_t feature)
{
    return FEATURE_ED(feature) != 0;
}

bool aarch64_error_counts(uint64_t feature)
{
    return FEATURE_CEC(feature) == CEC_8 || FEATURE_CEC(feature) == CEC_16;
}

/* The counter in MISC0: its bits from 32 on, then its overflow flag; with RP a second one of other
 * errors behind it. */
static void count(uint64_t feature, uint64_t misc0, struct error_bank *bank)
{
    unsigned bits = FEATURE_CEC(feature) == CEC_8 ? 7 : 15;
    uint64_t most = (1ull << bits) - 1;

    bank->corrected = misc0 >> 32 & most;
    bank->saturated = misc0 >> (32 + bits) & 1;
    if (!FEATURE_RP(feature))
        return;
    bank->corrected += misc0 >> (33 + bits) & most;
    bank->saturated |= misc0 >> (33 + 2 * bits) & 1;
}

void aarch64_error_decode(const struct aarch64_error_words *words, struct error_bank *bank)
{
    uint64_t status = words->status;
    bool has_address = (status & STATUS_V) && (status & STATUS_AV);

    *bank = (struct error_bank){.valid = status & STATUS_V,
                                .severity = status & STATUS_UE   ? ERROR_UNCORRECTED
                                            : status & STATUS_DE ? ERROR_DEFERRED
                                                                 : ERROR_CORRECTED,
                                .overflow = status & STATUS_OF,
                                .status = status,
                                .address = has_address ? words->address : ERRORS_UNKNOWN,
                                .misc = ERRORS_UNKNOWN,
                                .physical = ERRORS_UNKNOWN};
    if ((status & STATUS_V) && (status & STATUS_MV))
        bank->misc = words->misc0;
    if (has_address && !(words->address & (ADDRESS_AI | ADDRESS_VA)))
        bank->physical = words->address & ADDRESS_PADDR;
    if (aarch64_error_counts(words->feature)) {
        count(words->feature, words->misc0, bank);
    } else {
        bank->corrected = bank->valid && (status & STATUS_CE);
        bank->saturated = bank->corrected != 0;
    }
}
