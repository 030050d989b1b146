/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodings and names of the guarded system registers. */
#include "arch/aarch64/pure_sysreg.h"

#define ENCODING(name, op0, op1, crn, crm, op2) \
    (uint16_t)(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2),
static const uint16_t encodings[] = {SYSREG_LIST(ENCODING)};

#define NAME(name, op0, op1, crn, crm, op2) #name,
static const char *const names[] = {SYSREG_LIST(NAME)};

uint32_t sysreg_encoding(enum sysreg which)
{
    return encodings[which];
}

const char *sysreg_name(enum sysreg which)
{
    return names[which];
}
