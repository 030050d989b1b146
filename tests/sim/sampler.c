/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/sampler.h"

#include "tests/sim/simulator.h"

/* As the hardware's least count, which starts anywhere in its low seven bits. */
#define COUNT        144
#define COUNT_CHANCE 128

#define CONSTANT_CYCLES 100

void sim_sampler_try(void *self, struct sampler_report *report)
{
    const struct simulator *sim = self;
    bool any = sim->config->counters.sampler != SIM_SAMPLER_NONE;

    *report = (struct sampler_report){.name = any ? "the simulated sampler" : "",
                                      .source = any ? "this machine's ledger" : "",
                                      .why = any ? NULL : "this machine has no sampler of ops",
                                      .refills = true};
}

void sim_sampler_arm(struct sim_sampler *sampler)
{
    sampler->left = COUNT - (uint32_t)random_below(&sampler->random, COUNT_CHANCE);
    sampler->followed = false;
    sampler->armed++;
}

static uint32_t cycles_of(double ns, const struct sim_costs *costs)
{
    return (uint32_t)(ns / costs->cycle_ns + 0.5);
}

void sim_sampler_follow(struct sim_sampler *sampler, uintptr_t address,
                        const struct sim_ledger *cost, double ns, const struct sim_costs *costs)
{
    double tlb_ns = cost->cause_ns[SIM_BY_TLB] + cost->cause_ns[SIM_BY_WALK];
    bool missed = cost->served[0] == 0;

    sampler->followed = true;
    sampler->sample = (struct load_sample){
        .load = true,
        .missed = missed,
        .tlb_missed = tlb_ns > 0,
        .address = address,
        .miss_cycles = missed ? cycles_of(ns - tlb_ns - costs->cache_ns[0], costs) : 0,
        .refill_cycles = cycles_of(tlb_ns, costs)};
    if (!sampler->any)
        sampler->first = sampler->sample;
    sampler->any = true;
}

bool sim_sampler_take(struct sim_sampler *sampler, enum sim_sampler_kind kind,
                      struct load_sample *sample)
{
    if (!sampler->followed || kind == SIM_SAMPLER_SILENT)
        return false;
    *sample = kind == SIM_SAMPLER_FROZEN ? sampler->first : sampler->sample;
    if (kind == SIM_SAMPLER_CONSTANT)
        sample->miss_cycles = CONSTANT_CYCLES;
    if (kind == SIM_SAMPLER_ALL)
        sample->missed = true;
    return true;
}
