/* SPDX-License-Identifier: BSD-2-Clause */
/* The cycle counter is the kernel's: a process is told so by SIGILL, and does not try. */
#include "arch/aarch64/cycles.h"

double cycles_core_hz(uint64_t tick_hz, ticks_chain *chain, uint64_t loops)
{
    (void)tick_hz;
    (void)chain;
    (void)loops;
    return 0;
}
