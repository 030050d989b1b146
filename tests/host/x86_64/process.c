/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals and prefetchers of a process on x86-64, and the count that a sample is marked by. */
#include "tests/host/process.h"

#include <ucontext.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/disturbance.h"
#include "arch/x86_64/prefetch.h"
#include "arch/x86_64/pure_pmu.h"
#include "arch/x86_64/speed.h"
#include "arch/x86_64/turbo.h"
#include "tests/host/quiet.h"

void process_controls_enter(const struct arch_quiet_plan *plan)
{
    if (plan->prefetch_off)
        prefetch_enter();
    if (plan->turbo)
        turbo_enter();
    speed_enter(plan->speed);
}

void process_controls_leave(void)
{
    speed_leave();
    turbo_leave();
    prefetch_leave();
}

uint64_t process_instruction(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

/* A process cannot tell which kind of core a raw event belongs to on hybrid CPUs. */
void process_pmu_plan(struct pmu_plan *plan)
{
    struct cpu_identity cpu;

    cpuid_identify(&cpu_cpuid, &cpu);
    x86_64_pmu_plan(&cpu_cpuid, plan);
    for (size_t i = 0; cpu.hybrid && i < PMU_KINDS; i++) {
        plan->event[i].name = NULL;
        plan->why[i] = "this CPU has cores of several kinds; the firmware machine tells them apart";
    }
}

uint64_t disturbance_count(void)
{
    return quiet_disturbances_seen();
}
