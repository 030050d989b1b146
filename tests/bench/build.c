/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a chain over the whole window: ours, on one CPU and on all, Sattolo's shuffle in place,
 * and stores alone. All in the time of this thread, so that another process costs none of them
 * more. */
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "tests/bench/bench.h"

#define PROOF_LINES 4096u

static uintptr_t *word_of(const struct bench *bench, uint64_t line)
{
    return (uintptr_t *)(bench->window.base + line * bench->chain.stride_bytes);
}

/* Sattolo 1986: every line points to itself, then each changes its pointer with one below it. The
 * generator is the cheapest that will do, and waits for no load: several swaps are under way at any
 * time. */
static void sattolo(const struct bench *bench, uint64_t lines, uint64_t seed)
{
    uint64_t state = seed | 1;

    for (uint64_t line = 0; line < lines; line++)
        *word_of(bench, line) = (uintptr_t)word_of(bench, line);
    for (uint64_t line = lines - 1; line > 0; line--) {
        uintptr_t *mine = word_of(bench, line), *other, held = *mine;
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        other = word_of(bench, (uint64_t)(((unsigned __int128)state * line) >> 64));
        *mine = *other;
        *other = held;
    }
}

/* What is compared must be a chain too. */
static int sattolo_is_a_cycle(const struct bench *bench)
{
    uintptr_t start = bench->window.base, pos = start;
    uint64_t hops = 0;

    sattolo(bench, PROOF_LINES, 7);
    do {
        pos = *(const uintptr_t *)pos;
        hops++;
    } while (pos != start && hops < PROOF_LINES);
    return pos == start && hops == PROOF_LINES;
}

static int own_is_a_cycle(struct bench *bench, uint64_t lines)
{
    struct chain_check *check = calloc(1, sizeof *check);
    int right;

    if (check == NULL)
        return 0;
    check->chain = &bench->chain;
    check->flush = bench->machine.machine.line_flush;
    chain_verify(check, &bench->window, 0, lines);
    right = check->errors == 0;
    free(check);
    return right;
}

/* The time that the same part takes by the wall clock: once on this CPU, once on all. */
static double wall_s(struct bench *bench, uint32_t cpu)
{
    struct linux_machine *m = &bench->machine;
    struct fault_info fault;
    uint64_t begun_ns = clock_wall_ns();

    if (m->machine.work_run(m, &bench->window, cpu, m->machine.chain_build, &bench->chain, 0,
                            chain_positions(&bench->chain), &fault) != STATUS_OK)
        return 0;
    return (double)(clock_wall_ns() - begun_ns) * 1e-9;
}

int bench_build(struct bench *bench, unsigned repeats)
{
    uint32_t line_bytes = bench->machine.description.line_bytes;
    /* Not a power of two, nor even: any number of lines is as good. */
    uint64_t lines = bench->window.bytes / line_bytes - 5;

    bench->chain = (struct chain){
        .order = &bench->order, .stride_bytes = line_bytes, .line_bytes = line_bytes, .chains = 1};
    if (!sattolo_is_a_cycle(bench)) {
        fprintf(stderr, "bench: the shuffle that is compared with makes no cycle\n");
        return 1;
    }
    for (unsigned i = 0; i < repeats; i++) {
        double begun = bench_thread_s(), own, shuffle, stores, alone;
        line_order_start(&bench->order, ORDER_RANDOM, lines, 1, i);
        bench->machine.machine.chain_build(&bench->chain, &bench->window, 0, lines);
        own = bench_thread_s() - begun;
        if (i == 0 && !own_is_a_cycle(bench, lines)) {
            fprintf(stderr, "bench: the chain does not read back as built\n");
            return 1;
        }
        begun = bench_thread_s();
        sattolo(bench, lines, i);
        shuffle = bench_thread_s() - begun;
        begun = bench_thread_s();
        bench_stream((void *)bench->window.base, lines * line_bytes / 64);
        stores = bench_thread_s() - begun;
        alone = wall_s(bench, 0);
        printf("build %.6f %.6f %.6f %.6f %.6f\n", own, shuffle, stores, alone,
               wall_s(bench, CPU_EVERY));
        fflush(stdout);
    }
    return 0;
}
