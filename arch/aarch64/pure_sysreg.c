/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the guarded system registers. */
#include "arch/aarch64/pure_sysreg.h"

#define NAME(name, op0, op1, crn, crm, op2) #name,
static const char *const names[] = {SYSREG_LIST(NAME)};

const char *sysreg_name(enum sysreg which)
{
    return names[which];
}
