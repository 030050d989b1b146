/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's own frequency by its cycle counter. */
#ifndef ARCH_AARCH64_CYCLES_H
#define ARCH_AARCH64_CYCLES_H

#include <stdint.h>

#include "core/clock/ticks.h"

/* Counts while chain(loops) runs, and leaves the counter as it was found. 0: there is no counter,
 * or it is not ours. */
double cycles_core_hz(uint64_t tick_hz, ticks_chain *chain, uint64_t loops);

#endif
