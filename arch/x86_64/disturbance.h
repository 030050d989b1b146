/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what disturbs the calling CPU, or went wrong on it: pure_disturbance.h and banks.h. Never
 * writes. */
#ifndef ARCH_X86_64_DISTURBANCE_H
#define ARCH_X86_64_DISTURBANCE_H

#include <stdint.h>

#include "arch/arch.h"

struct disturbance {
    uint64_t smi; /* MACHINE_UNKNOWN: cannot be counted */
    struct error_banks errors;
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
