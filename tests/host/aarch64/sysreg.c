/* SPDX-License-Identifier: BSD-2-Clause */
/* Accessors of optional system registers: a process can access none of them. */
#include "arch/aarch64/sysreg.h"

bool sysreg_read(enum sysreg which, uint64_t *value)
{
    (void)which;
    *value = 0;
    return false;
}

bool sysreg_write(enum sysreg which, uint64_t value)
{
    (void)which;
    (void)value;
    return false;
}
