/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of one MSR that are tried once, and then written around each measurement and restored after
 * it. Pure: registers are accessed through a port, a scripted model in tests. */
#ifndef ARCH_X86_64_PURE_MSR_BITS_H
#define ARCH_X86_64_PURE_MSR_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cpu/prefetch.h"

struct msr_bits {
    uint32_t msr;
    uint64_t mask, wanted; /* the bits, and the value that enter writes into them */
    bool works;            /* enter writes */
    bool written;          /* saved must be restored */
    uint64_t saved;        /* the whole register before our write */
};

enum msr_trial {
    MSR_TRIAL_HONOURED,
    MSR_TRIAL_REFUSED,     /* the register cannot be read, or the write faulted */
    MSR_TRIAL_NOT_HONOURED /* written without a fault, but does not read back as wanted */
};

struct msr_trial_report {
    enum msr_trial result;
    uint64_t readback; /* the bits after the write; MACHINE_UNKNOWN: not written, or not readable */
    bool stuck;        /* the bits do not read back as restored */
};

/* Writes `wanted` once, reads it back and restores the register. Afterwards works tells whether
 * enter writes: only if the write was honoured and the register could be restored. */
struct msr_trial_report msr_bits_try(struct msr_bits *bits, const struct prefetch_port *port);
/* enter saves the register and writes `wanted`, if that works; leave restores it. A leave without
 * an enter, or a second one, does nothing. */
void msr_bits_enter(struct msr_bits *bits, const struct prefetch_port *port);
void msr_bits_leave(struct msr_bits *bits, const struct prefetch_port *port);

#endif
