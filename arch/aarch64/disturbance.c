/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/disturbance.h"

uint64_t disturbance_count(void)
{
    return 0;
}
