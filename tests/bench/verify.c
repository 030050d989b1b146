/* SPDX-License-Identifier: BSD-2-Clause */
/* Testing what memory holds (tests=verify): all steps over the window, beside plain reads and
 * stores of as many bytes, in the time of this thread; and on one CPU and on all, by the wall
 * clock. */
#include <stdio.h>
#include <stdlib.h>

#include "core/dram/verify.h"
#include "tests/bench/bench.h"

static double read_s(const struct bench *bench)
{
    const uint64_t *word = (const uint64_t *)bench->window.base;
    uint64_t words = bench->window.bytes / sizeof *word, sum = 0;
    double begun = bench_thread_s();

    for (uint64_t i = 0; i < words; i += 8)
        sum += word[i] ^ word[i + 1] ^ word[i + 2] ^ word[i + 3] ^ word[i + 4] ^ word[i + 5] ^
               word[i + 6] ^ word[i + 7];
    __asm__ volatile("" : : "r"(sum));
    return bench_thread_s() - begun;
}

/* What is to do is one step at a time. */
typedef bool step_work(struct bench *bench, struct march_step *step);

static bool on_this_cpu(struct bench *bench, struct march_step *step)
{
    bench->machine.machine.march(step, &bench->window, 0, step->lines);
    return true;
}

static bool run_on(struct bench *bench, uint32_t cpu, struct march_step *step)
{
    struct linux_machine *m = &bench->machine;
    struct fault_info fault;

    return m->machine.work_run(m, &bench->window, cpu, m->machine.march, step, 0, step->lines,
                               &fault) == STATUS_OK;
}

static bool on_one_cpu(struct bench *bench, struct march_step *step)
{
    return run_on(bench, 0, step);
}

static bool on_each_cpu(struct bench *bench, struct march_step *step)
{
    static struct march_share share;

    share.count = 0;
    step->share = &share;
    return run_on(bench, CPU_EACH, step) && share.count == 0;
}

static double wall_s(void)
{
    return (double)clock_wall_ns() * 1e-9;
}

/* 0: some of it was not done, or not well. */
static double steps_s(struct bench *bench, struct march_errors *errors, struct bijection *shuffle,
                      step_work *work, double (*now_s)(void))
{
    uint64_t lines = bench->window.bytes / MARCH_LINE_BYTES;
    double begun = now_s();

    for (unsigned i = 0; i < VERIFY_STEPS; i++) {
        struct march_data expected, written;
        struct march_step step = {
            .lines = lines, .order = verify_steps[i].order, .shuffle = shuffle, .errors = errors};
        if (verify_data_of(verify_steps[i].expected, &expected))
            step.expected = &expected;
        if (verify_data_of(verify_steps[i].written, &written))
            step.written = &written;
        if (!work(bench, &step))
            return 0;
    }
    return now_s() - begun;
}

int bench_verify(struct bench *bench, unsigned repeats)
{
    uint64_t lines = bench->window.bytes / MARCH_LINE_BYTES;
    struct march_errors *errors = malloc(sizeof *errors);
    struct bijection *shuffle = malloc(sizeof *shuffle);
    int failed = errors == NULL || shuffle == NULL;

    if (!failed) {
        march_errors_start(errors, lines);
        bijection_start(shuffle, lines, 1);
    }
    for (unsigned i = 0; i < repeats && !failed; i++) {
        double own = steps_s(bench, errors, shuffle, on_this_cpu, bench_thread_s);
        double alone = steps_s(bench, errors, shuffle, on_one_cpu, wall_s);
        double each = steps_s(bench, errors, shuffle, on_each_cpu, wall_s);
        double reads = read_s(bench), begun = bench_thread_s();
        bench_stream((void *)bench->window.base, lines);
        printf("verify %.6f %.6f %.6f %.6f %.6f\n", own, reads, bench_thread_s() - begun, alone,
               each);
        fflush(stdout);
        failed = errors->events != 0;
        if (failed)
            fprintf(stderr, "bench: memory does not hold what was written\n");
    }
    free(errors);
    free(shuffle);
    return failed;
}
