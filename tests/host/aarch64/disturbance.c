/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's disturbance counts of a thread. */
#include "arch/aarch64/disturbance.h"

#include "tests/host/quiet.h"

uint64_t disturbance_count(void)
{
    return quiet_disturbances_seen();
}
