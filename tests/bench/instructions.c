/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of a hop, counted by stepping through the kernel one instruction at a time: exact,
 * and to be had where performance counters are not. The difference of two lengths leaves out what
 * is not the loop. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tests/bench/bench.h"

/* Whole rounds of every loop that is unrolled. */
#define HOPS_SHORT 1024u
#define HOPS_LONG  2048u

static void chase_traced(const struct chase_plan *plan, uint64_t hz)
{
    struct chase_result result = {.samples = 0};

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    raise(SIGSTOP);
    arch_chase(plan, hz, &result);
    _exit(0);
}

/* Steps until the child ends; -1: it cannot be traced. */
static long steps_of(const struct chase_plan *plan, uint64_t hz)
{
    pid_t child = fork();
    long steps = 0;
    int status;

    if (child == 0)
        chase_traced(plan, hz);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return -1;
    while (WIFSTOPPED(status)) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 ||
            waitpid(child, &status, 0) != child)
            return -1;
        steps++;
    }
    return steps;
}

int bench_instructions(struct bench *bench)
{
    struct bench_kernel kernel[BENCH_KERNELS_MAX];
    size_t count = bench_kernels(bench, kernel);
    uint64_t hz = bench->machine.description.clock.hz, ticks;

    for (size_t k = 0; k < count; k++) {
        struct chase_plan plan;
        long few, many;
        bench_prepare(bench, &kernel[k], HOPS_SHORT, &plan);
        plan.ticks = &ticks;
        few = steps_of(&plan, hz);
        plan.hops = HOPS_LONG;
        many = few < 0 ? -1 : steps_of(&plan, hz);
        if (many < 0) {
            fprintf(stderr, "bench: a child cannot be traced: %s\n", strerror(errno));
            return 1;
        }
        printf("instructions %s %.4f\n", kernel[k].name,
               (double)(many - few) / (HOPS_LONG - HOPS_SHORT));
        fflush(stdout);
    }
    return 0;
}
