/* SPDX-License-Identifier: BSD-2-Clause */
/* The core frequency from its cycle counter. */
#ifndef ARCH_AARCH64_CYCLES_H
#define ARCH_AARCH64_CYCLES_H

#include <stdint.h>

#include "core/clock/ticks.h"

/* Returns the core frequency in Hz from the cycles counted while chain(loops) runs, and restores
 * the counter. 0: there is no counter, or it is not accessible. */
double cycles_core_hz(uint64_t tick_hz, ticks_chain *chain, uint64_t loops);

#endif
