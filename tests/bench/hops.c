/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hop costs in a first-level cache: each kernel against its hand-written loop. */
#include <stdio.h>

#include "arch/arch.h"
#include "tests/bench/bench.h"

#define ROUNDS 800 /* some 100 us: short enough that some samples see no interrupt */
#define PAIRS  8   /* the fastest of each side counts: what is slower was disturbed */

static double loop_ticks(const struct bench *bench, const struct bench_kernel *kernel,
                         const struct chase_cursor *start)
{
    uintptr_t next[CHAINS_MAX + 1];
    uint64_t begin;

    for (uint32_t k = 0; k < CHAINS_MAX; k++)
        next[k] = start->next[k];
    if (kernel->kernel == KERNEL_IID)
        next[1] = bench->window.base;
    begin = arch_ticks();
    kernel->loop(next, ROUNDS, bench->order.lines);
    return (double)(arch_ticks() - begin) / ((double)ROUNDS * BENCH_ROUND);
}

static double kernel_ticks(const struct chase_plan *plan, uint64_t hz, uint64_t *ticks)
{
    struct chase_result result = {.samples = 0};

    arch_chase(plan, hz, &result);
    return (double)*ticks / (double)plan->hops;
}

static void measure(struct bench *bench, const struct bench_kernel *kernel)
{
    uint64_t hz = bench->machine.description.clock.hz, ticks = 0;
    double own = 0, loop = 0, cycles_per_tick;
    struct chase_plan plan;
    const char *source;

    bench_prepare(bench, kernel, ROUNDS * BENCH_ROUND, &plan);
    plan.ticks = &ticks;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        double one = kernel_ticks(&plan, hz, &ticks), other;
        other = loop_ticks(bench, kernel, &plan.start);
        own = pair == 0 || one < own ? one : own;
        loop = pair == 0 || other < loop ? other : loop;
    }
    cycles_per_tick = arch_core_hz(hz, &source) / (double)hz;
    printf("hop %s %.4f %.4f\n", kernel->name, own * cycles_per_tick, loop * cycles_per_tick);
}

int bench_hops(struct bench *bench, unsigned repeats)
{
    struct bench_kernel kernel[BENCH_KERNELS_MAX];
    size_t count = bench_kernels(bench, kernel);

    for (unsigned i = 0; i < repeats; i++)
        for (size_t k = 0; k < count; k++)
            measure(bench, &kernel[k]);
    return 0;
}
