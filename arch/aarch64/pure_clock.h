/* SPDX-License-Identifier: BSD-2-Clause */
/* The generic timer as declared by registers, and the set-up of the cycle counter. */
#ifndef ARCH_AARCH64_PURE_CLOCK_H
#define ARCH_AARCH64_PURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* CNTFRQ_EL0, ID_AA64MMFR0_EL1, and whether this level's self-synchronised counter could be read
 * without a fault (tried only if clock_has_self_synchronised). */
struct clock_snapshot {
    unsigned level; /* 1 or 2 */
    uint64_t cntfrq, mmfr0;
    bool self_synchronised;
};

/* FEAT_ECV, ID_AA64MMFR0_EL1.ECV: Arm ARM D19.2.64. */
bool clock_has_self_synchronised(uint64_t mmfr0);

/* The counter that arch_ticks reads. EL2 may always read the physical one. At EL1 a hypervisor may
 * trap that and offers the virtual one, which CNTVOFF_EL2 offsets but does not scale. */
enum clock_counter {
    CLOCK_VIRTUAL,
    CLOCK_PHYSICAL,
    CLOCK_VIRTUAL_SELF_SYNCHRONISED,
    CLOCK_PHYSICAL_SELF_SYNCHRONISED
};
enum clock_counter clock_counter_for(const struct clock_snapshot *snapshot);

/* CNTFRQ_EL0, bits 31:0, is a value that firmware wrote; below 1 MHz or above 2 GHz it is ignored:
 * hz 0 and source "". The generic timer's rate is constant. resolution_ticks is 0. */
void aarch64_clock_declared(const struct clock_snapshot *snapshot, struct arch_clock *clock);

/* ---- the cycle counter. Arm ARM D13, D19.5. */

/* ID_AA64DFR0_EL1.PMUVer: 1 to 0xe are PMUv3 and its successors. */
bool clock_has_pmu(uint64_t dfr0);

struct clock_pmu {
    uint64_t pmcr, enabled, filter; /* PMCR_EL0, PMCNTENSET_EL0, PMCCFILTR_EL0 */
    uint64_t mdcr;                  /* MDCR_EL2; at EL1 0 and not accessed */
};

/* Returns the values to write for counting, given the values read: only the cycle counter, 64-bit,
 * undivided, at this level; stopped event counters stay stopped. `enabled` is what to enable. No
 * counter is reset. */
struct clock_pmu clock_pmu_counting(const struct clock_pmu *found, unsigned level);
/* True if the cycle counter was already running. */
bool clock_pmu_was_counting(const struct clock_pmu *found);

#endif
