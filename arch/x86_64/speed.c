/* SPDX-License-Identifier: BSD-2-Clause */
/* Frequencies of the calling CPU and its package: pure_speed.c on the real MSRs. */
#include "arch/x86_64/speed.h"

#include "arch/x86_64/prefetch.h"

struct x86_64_speed speed_controls[SPEED_KINDS];

void speed_enter(uint32_t kinds)
{
    for (unsigned i = 0; i < SPEED_KINDS; i++)
        if (kinds >> i & 1)
            x86_64_speed_enter(&speed_controls[i], &prefetch_msr_port);
}

void speed_leave(void)
{
    for (unsigned i = SPEED_KINDS; i-- > 0;)
        x86_64_speed_leave(&speed_controls[i], &prefetch_msr_port);
}
