/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/level.h"

#include "arch/aarch64/registers.h"

unsigned level_now(void)
{
    return registers_level();
}
