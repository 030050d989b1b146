/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the time-stamp counter, in order with the loads around it. */
#include "arch/x86_64/ticks.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/registers.h"

static bool fence_known;
static enum tsc_fence fence;

void ticks_fence(enum tsc_fence needed)
{
    fence = needed;
    fence_known = true;
}

/* Out of line: CPUID is slow in virtual machines and must not be in the timed path. */
static __attribute__((noinline)) void fence_choose(void)
{
    struct tsc_snapshot snapshot;

    tsc_snapshot_cpuid(&snapshot, &cpu_cpuid);
    ticks_fence(tsc_fence_needed(&snapshot));
}

uint64_t arch_ticks(void)
{
    uint64_t ticks;

    if (!fence_known)
        fence_choose();
    if (fence == TSC_FENCE_MFENCE) {
        registers_mfence();
        ticks = registers_tsc();
        registers_mfence();
        return ticks;
    }
    registers_lfence();
    ticks = registers_tsc();
    registers_lfence();
    return ticks;
}
