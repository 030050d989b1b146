/* SPDX-License-Identifier: BSD-2-Clause */
/* Error records of the RAS extension: what their words say. Pure. Arm ARM (DDI 0487), D19 and the
 * register descriptions of ERR<n>FR, ERR<n>STATUS, ERR<n>ADDR and ERR<n>MISC0; never seen on
 * silicon. */
#ifndef ARCH_AARCH64_PURE_ERRORS_H
#define ARCH_AARCH64_PURE_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* ID_AA64PFR0_EL1.RAS: whether there are such registers. */
bool aarch64_has_error_records(uint64_t id_aa64pfr0);
/* Records of that ERRIDR_EL1 that are looked at. */
uint32_t aarch64_error_count(uint64_t erridr);

struct aarch64_error_words {
    uint64_t feature, status, address, misc0;
};
/* Whether a record is there at all (ERR<n>FR.ED). */
bool aarch64_error_is_there(uint64_t feature);
/* Whether the record counts corrected errors (ERR<n>FR.CEC). */
bool aarch64_error_counts(uint64_t feature);
/* What the words say. */
void aarch64_error_decode(const struct aarch64_error_words *words, struct error_bank *bank);

#endif
