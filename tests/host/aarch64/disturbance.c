/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel counts for a thread. */
#include "arch/aarch64/disturbance.h"

#include "tests/host/quiet.h"

uint64_t disturbance_count(void)
{
    return quiet_disturbances_seen();
}
