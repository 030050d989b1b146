/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of a process on AArch64; prefetchers belong to the levels above alone. */
#include "tests/host/process.h"

#include <stdio.h>
#include <ucontext.h>

bool process_controls_open(uint32_t cpu, char *why, size_t capacity)
{
    (void)cpu;
    snprintf(why, capacity, "EL0 reaches no prefetcher register of AArch64");
    return false;
}

void process_controls_enter(bool prefetch, bool turbo)
{
    (void)prefetch;
    (void)turbo;
}

void process_controls_leave(void)
{
}

uint64_t process_instruction(const void *context)
{
    return ((const ucontext_t *)context)->uc_mcontext.pc;
}
