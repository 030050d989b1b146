/* SPDX-License-Identifier: BSD-2-Clause */
/* Instantiates core/chase/kernels.h with bare x86-64 instructions. */
#include "arch/arch.h"
#include "arch/x86_64/disturbance.h"
#include "arch/x86_64/hooks.h"

#define KERNEL_TICKS_BEGIN()  arch_ticks()
#define KERNEL_TICKS_END()    arch_ticks()
#define KERNEL_DISTURBANCES() disturbance_count()
#define KERNEL_EVENTS_BEGIN() arch_pmu_begin()
#define KERNEL_EVENTS_END()   arch_pmu_end()
#define KERNEL_SAMPLER_ARM()  arch_sampler_arm()

#define KERNEL_SAMPLER_TAKE(sample) arch_sampler_take(sample)

#include "core/chase/kernels.h"

#include "core/chase/kernels_traffic.h"

void arch_chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result)
{
    kernel_chase(plan, tick_hz, result);
}

void arch_probe(const struct probe_plan *plan)
{
    kernel_probe(plan);
}

void arch_pairs(const struct pair_plan *plan)
{
    kernel_pairs(plan);
}

void arch_singles(const struct single_plan *plan)
{
    kernel_singles(plan);
}

void arch_reads(const struct reads_plan *plan)
{
    kernel_reads(plan);
}

void arch_traffic(const struct traffic *traffic, struct traffic_progress *shared)
{
    kernel_traffic(traffic, shared);
}

void arch_handoff_prepare(const struct handoff_plan *plan)
{
    kernel_handoff_prepare(plan);
}

bool arch_handoff_time(struct handoff_plan *plan, uint64_t tick_hz)
{
    return kernel_handoff_time(plan, tick_hz);
}

void arch_handoff_answer(const struct handoff_plan *plan, uint64_t tick_hz)
{
    kernel_handoff_answer(plan, tick_hz);
}

void arch_kernels_offer(struct machine *machine, struct machine_description *description)
{
    machine->chain_build = kernel_build;
    machine->draw_fill = kernel_fill;
    machine->march = kernel_march;
    machine->line_flush = hook_flush;
    description->chains_cycle_max = HOOK_MANY_MAX;
    description->loads = hook_loads();
    /* A non-temporal store to write-back memory allocates no cache line and evicts a cached one
     * (SDM volume 1, section 10.4.6.2). */
    description->build_bypasses = true;
}
