/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that are measured, each with its plan over a set that every first-level cache holds.
 */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "tests/bench/bench.h"

static const struct bench_kernel specials[] = {
    {"iid", KERNEL_IID, 1, LOAD_PLAIN, HINT_NONE, bench_draw},
    {"nt", KERNEL_CYCLE, 1, LOAD_NT, HINT_NONE, bench_nt},
    {"dirty", KERNEL_CYCLE, 1, LOAD_DIRTY, HINT_NONE, bench_dirty},
    {"hint-nta", KERNEL_CYCLE, 1, LOAD_PLAIN, HINT_NTA, bench_hint_nta},
    {"hint-t0", KERNEL_CYCLE, 1, LOAD_PLAIN, HINT_T0, bench_hint_t0},
    {"hint-t1", KERNEL_CYCLE, 1, LOAD_PLAIN, HINT_T1, bench_hint_t1},
    {"hint-t2", KERNEL_CYCLE, 1, LOAD_PLAIN, HINT_T2, bench_hint_t2},
};

size_t bench_kernels(const struct bench *bench, struct bench_kernel kernel[BENCH_KERNELS_MAX])
{
    const struct machine_description *cpu = &bench->machine.description;
    size_t count = 0;

    for (uint32_t chains = 1; chains <= cpu->chains_cycle_max && bench_plain[chains - 1] != NULL;
         chains++) {
        struct bench_kernel *k = &kernel[count++];
        *k = (struct bench_kernel){.chains = chains, .loop = bench_plain[chains - 1]};
        snprintf(k->name, sizeof k->name, "cycle-%u", chains);
    }
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (cpu->loads >> specials[i].load & 1)
            kernel[count++] = specials[i];
    return count;
}

void bench_prepare(struct bench *bench, const struct bench_kernel *kernel, uint64_t hops,
                   struct chase_plan *plan)
{
    uint32_t line_bytes = bench->machine.description.line_bytes;
    uint64_t lines = BENCH_SET_BYTES / line_bytes;
    const struct machine *machine = &bench->machine.machine;

    line_order_start(&bench->order, ORDER_RANDOM, lines, 1, 1);
    bench->chain = (struct chain){.order = &bench->order,
                                  .stride_bytes = line_bytes,
                                  .line_bytes = line_bytes,
                                  .chains = kernel->chains};
    if (kernel->kernel == KERNEL_IID)
        machine->draw_fill(&bench->chain, &bench->window, 0, lines);
    else
        machine->chain_build(&bench->chain, &bench->window, 0, chain_positions(&bench->chain));
    *plan = (struct chase_plan){.kernel = kernel->kernel,
                                .chains = kernel->chains,
                                .load = kernel->load,
                                .hint = kernel->hint,
                                .line_bytes = line_bytes,
                                .base = bench->window.base,
                                .lines = lines,
                                .stride_bytes = line_bytes,
                                .hops = hops,
                                .samples = 1};
    for (uint32_t k = 0; k < kernel->chains; k++)
        plan->start.next[k] = chain_after(&bench->chain, &bench->window, k, 0);
}
