/* SPDX-License-Identifier: BSD-2-Clause */
/* build/bench/measure build|verify|hops|instructions [REPEATS]: one part of the benchmark.
 * tests/bench/run runs them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"
#include "tests/host/pin.h"
#include "tests/host/window.h"

#define BUILD_BYTES (1ull << 30)

/* Pages of 2 MiB, or what there is: said on the first line. */
static int open_window(struct bench *bench, uint64_t bytes)
{
    static const enum page_size pages[] = {PAGE_2M, PAGE_4K};

    for (size_t i = 0; i < 2; i++) {
        struct window_request request = {
            .bytes = bytes, .page = pages[i], .map = MAP_PROCESS, .order = FRAMES_AS_ALLOCATED};
        if (window_open(&request, &bench->window, &bench->machine.notes) != STATUS_OK)
            continue;
        if (window_populate(&bench->window, bytes, &bench->machine.notes) != STATUS_OK) {
            window_close(&bench->window);
            continue;
        }
        printf("pages %s\n", pages[i] == PAGE_2M ? "2m" : "4k");
        fflush(stdout);
        return 1;
    }
    fprintf(stderr, "bench: there are no %llu MiB of memory to be had\n",
            (unsigned long long)(bytes >> 20));
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *part = argc > 1 ? argv[1] : "";
    unsigned repeats = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    char message[PIN_MESSAGE_BYTES];
    struct options options;
    uint32_t cpu;

    options_default(&options);
    if (!pin_to_cpu(0, &cpu, message)) {
        fprintf(stderr, "bench: %s\n", message);
        return 1;
    }
    linux_machine_start(&bench.machine, cpu, &options);
    if (!open_window(&bench, strcmp(part, "build") == 0 || strcmp(part, "verify") == 0
                                 ? BUILD_BYTES
                                 : 1ull << PAGE_2M))
        return 1;
    if (strcmp(part, "build") == 0)
        return bench_build(&bench, repeats);
    if (strcmp(part, "verify") == 0)
        return bench_verify(&bench, repeats);
    if (strcmp(part, "hops") == 0)
        return bench_hops(&bench, repeats);
    if (strcmp(part, "instructions") == 0)
        return bench_instructions(&bench);
    fprintf(stderr, "usage: measure build|verify|hops|instructions [REPEATS]\n");
    return 2;
}
