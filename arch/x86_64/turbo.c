/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo of the calling CPU: pure_turbo.c on the real MSRs. */
#include "arch/x86_64/turbo.h"

#include "arch/x86_64/prefetch.h"

struct x86_64_turbo turbo_control;

void turbo_enter(void)
{
    x86_64_turbo_enter(&turbo_control, &prefetch_msr_port);
}

void turbo_leave(void)
{
    x86_64_turbo_leave(&turbo_control, &prefetch_msr_port);
}
