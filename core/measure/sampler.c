/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/sampler.h"

#include "core/lib/real.h"
#include "core/stats/stats.h"

void sampler_forget(struct sampler *sampler)
{
    sampler->samples = sampler->ops = sampler->loads = 0;
}

void sampler_keep(struct sampler *sampler, uint32_t samples, uint32_t ops, uintptr_t base,
                  uint64_t bytes)
{
    const struct load_sample *taken = &sampler->load[sampler->loads];

    sampler->samples += samples;
    sampler->ops += ops;
    for (uint32_t i = 0; i < ops; i++)
        if (taken[i].load && taken[i].address - base < bytes)
            sampler->load[sampler->loads++] = taken[i];
}

/* One that only repeats its first answer can be right about one kind of loads. */
static bool is_of_one_address(const struct sampler *sampler)
{
    for (uint32_t i = 1; i < sampler->loads; i++)
        if (sampler->load[i].address != sampler->load[0].address)
            return false;
    return true;
}

double sampler_missed(const struct sampler *sampler)
{
    uint32_t missed = 0;

    if (sampler->loads < SAMPLER_KNOWN || is_of_one_address(sampler))
        return real_nan();
    for (uint32_t i = 0; i < sampler->loads; i++)
        missed += sampler->load[i].missed;
    return (double)missed / (double)sampler->loads;
}

/* The median of count values, in whole cycles. */
static struct figure median_of(struct sampler *sampler, uint32_t count)
{
    struct stats stats;

    if (count == 0)
        return figure_unknown();
    stats_of(sampler->value, sampler->scratch, count, 1, &stats);
    return figure_of(stats.median, stats.rel_error);
}

struct load_summary sampler_summary(struct sampler *sampler)
{
    struct load_summary summary = {.known = sampler->loads >= SAMPLER_KNOWN,
                                   .ops = sampler->ops,
                                   .loads = sampler->loads,
                                   .refill_mean_cycles = 0};

    for (uint32_t i = 0; i < sampler->loads; i++)
        if (sampler->load[i].missed)
            sampler->value[summary.missed++] = sampler->load[i].miss_cycles;
    summary.miss_cycles = median_of(sampler, (uint32_t)summary.missed);
    for (uint32_t i = 0; i < sampler->loads; i++)
        if (sampler->load[i].tlb_missed) {
            sampler->value[summary.tlb_missed++] = sampler->load[i].refill_cycles;
            summary.refill_mean_cycles += sampler->load[i].refill_cycles / (double)sampler->loads;
        }
    summary.refill_cycles = sampler->report.refills
                                ? median_of(sampler, (uint32_t)summary.tlb_missed).value
                                : real_nan();
    return summary;
}
