/* SPDX-License-Identifier: BSD-2-Clause */
/* What the benchmark measures, on the Linux machine. Each part prints one line of words and numbers
 * for each repetition; tests/bench/run makes medians of them. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/chase/chain.h"
#include "tests/host/linux_machine.h"

struct bench {
    struct linux_machine machine;
    struct window window;
    struct line_order order;
    struct chain chain; /* of that order, in that window */
};

/* Seconds that this thread has been on a CPU: another process costs none of them. */
static inline double bench_thread_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- <architecture>/loops.S: hand-written loops */

#define BENCH_ROUND 64

/* Takes the chains that stand at at[] rounds * BENCH_ROUND hops further. */
typedef void bench_loop(uintptr_t pos[], uint64_t rounds, uint64_t argument);

extern bench_loop *const bench_plain[]; /* of 1, 2, ... chains; ends with NULL */
extern bench_loop bench_nt, bench_dirty, bench_hint_nta, bench_hint_t0, bench_hint_t1,
    bench_hint_t2;
/* One of `argument` lines from at[1] on. */
extern bench_loop bench_draw;
/* Stores whole lines of 64 bytes, past the caches, as fast as the CPU can. */
void bench_stream(void *to, uint64_t lines);

/* ---- verify.c */

int bench_verify(struct bench *bench, unsigned repeats);

/* ---- kernels.c: what is measured of the kernels */

struct bench_kernel {
    char name[16];
    enum chase_kernel kernel;
    uint32_t chains;
    enum chase_load load;
    enum chase_hint hint;
    bench_loop *loop;
};

#define BENCH_KERNELS_MAX (CHAINS_MAX + 8)

/* Every kernel that has a hand-written counterpart; returns how many. */
size_t bench_kernels(const struct bench *bench, struct bench_kernel kernel[BENCH_KERNELS_MAX]);
/* Builds the 16 KiB that this kernel chases, and its plan: one sample of hops, from the start. */
#define BENCH_SET_BYTES 16384u
void bench_prepare(struct bench *bench, const struct bench_kernel *kernel, uint64_t hops,
                   struct chase_plan *plan);

/* ---- the parts; 0, or 1 after a message */

/* "build OWN SATTOLO STREAM": seconds of this thread's time for that many lines of the window. */
int bench_build(struct bench *bench, unsigned repeats);
/* "hop NAME KERNEL LOOP": core cycles for a hop of each chain. */
int bench_hops(struct bench *bench, unsigned repeats);
/* "instructions NAME KERNEL": instructions for a hop of each chain. */
int bench_instructions(struct bench *bench);

#endif
