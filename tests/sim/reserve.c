/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/reserve.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void *sim_reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "simulator: no addresses for %llu bytes\n", (unsigned long long)bytes);
        exit(2);
    }
    return memory;
}

/* Pages that Linux gives back to an anonymous mapping are zero. */
void sim_reserve_clear(void *memory, uint64_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}

void sim_reserve_free(void *memory, uint64_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
