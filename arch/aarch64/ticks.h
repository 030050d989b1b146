/* SPDX-License-Identifier: BSD-2-Clause */
/* Which register the generic timer is read from. */
#ifndef ARCH_AARCH64_TICKS_H
#define ARCH_AARCH64_TICKS_H

#include "arch/aarch64/pure_clock.h"

/* What decides it, as far as no read can fault. */
struct clock_snapshot ticks_registers(void);
/* From now on arch_ticks reads this one; before, what those registers allow. */
void ticks_counter(enum clock_counter best);

#endif
