/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counters of pure_disturbance.h on the calling CPU. Never writes: errors pending in a
 * bank stay there for their handler. */
#ifndef ARCH_X86_64_DISTURBANCE_H
#define ARCH_X86_64_DISTURBANCE_H

#include <stdint.h>

#include "arch/arch.h"

#define BANKS_MAX 64

struct disturbance {
    uint64_t smi;                  /* MACHINE_UNKNOWN: cannot be counted */
    uint32_t banks;                /* 0: no machine check architecture */
    uint32_t corrected[BANKS_MAX]; /* per bank */
    uint32_t worst_bank;           /* first bank with an uncorrected error; banks: none */
    uint64_t worst_status;
};

/* Call these only while faults of msr_read are recoverable. */
void disturbance_read(struct disturbance *now);
/* Returns a count that changes with every countable SMI and every NMI caught; marks single samples
 * between two disturbance_read of the same quiet section. */
uint64_t disturbance_count(void);
/* Sets smi and machine_checks of *delta; leaves nmi alone. */
void disturbance_since(const struct disturbance *before, const struct disturbance *now,
                       struct arch_quiet_counters *delta);

#endif
