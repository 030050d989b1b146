/* SPDX-License-Identifier: BSD-2-Clause */
/* Testing what memory holds (tests=verify): all steps over the window, beside plain reads and
 * stores of as many bytes. All in the time of this thread. */
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

static double steps_s(const struct bench *bench, struct march_errors *errors,
                      struct bijection *shuffle)
{
    uint64_t lines = bench->window.bytes / MARCH_LINE_BYTES;
    double begun = bench_thread_s();

    for (unsigned i = 0; i < VERIFY_STEPS; i++) {
        struct march_data expected, written;
        struct march_step step = {
            .lines = lines, .order = verify_steps[i].order, .shuffle = shuffle, .errors = errors};
        if (verify_data_of(verify_steps[i].expected, &expected))
            step.expected = &expected;
        if (verify_data_of(verify_steps[i].written, &written))
            step.written = &written;
        bench->machine.machine.march(&step, &bench->window, 0, lines);
    }
    return bench_thread_s() - begun;
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
        double own = steps_s(bench, errors, shuffle), reads = read_s(bench),
               begun = bench_thread_s();
        bench_stream((void *)bench->window.base, lines);
        printf("verify %.6f %.6f %.6f\n", own, reads, bench_thread_s() - begun);
        fflush(stdout);
        failed = errors->events != 0;
        if (failed)
            fprintf(stderr, "bench: memory does not hold what was written\n");
    }
    free(errors);
    free(shuffle);
    return failed;
}
