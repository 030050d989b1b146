/* SPDX-License-Identifier: BSD-2-Clause */
/* The fence around each read of the time-stamp counter. */
#ifndef ARCH_X86_64_TICKS_H
#define ARCH_X86_64_TICKS_H

#include "arch/x86_64/pure_tsc.h"

/* From now on arch_ticks uses this one; before, it asks CPUID alone. */
void ticks_fence(enum tsc_fence needed);

#endif
