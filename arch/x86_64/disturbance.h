/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counters of pure_disturbance.h on the calling CPU. Nothing is ever written: errors that
 * wait in a bank stay there for whoever looks for them. */
#ifndef ARCH_X86_64_DISTURBANCE_H
#define ARCH_X86_64_DISTURBANCE_H

#include <stdint.h>

#include "arch/arch.h"

#define BANKS_MAX 64

struct disturbance {
    uint64_t smi;                  /* MACHINE_UNKNOWN: not countable */
    uint32_t banks;                /* 0: no machine check architecture */
    uint32_t corrected[BANKS_MAX]; /* per bank */
    uint32_t worst_bank;           /* the first that holds an uncorrected error; banks: none */
    uint64_t worst_status;
};

/* Both only where faults of msr_read are recoverable. */
void disturbance_read(struct disturbance *now);
/* A count that moves with every SMI that can be counted and every NMI caught: for marking single
 * samples, between two disturbance_read of the same quiet section. */
uint64_t disturbance_count(void);
/* smi and machine_checks of *delta; nmi is left alone. */
void disturbance_since(const struct disturbance *before, const struct disturbance *now,
                       struct arch_quiet_counters *delta);

#endif
