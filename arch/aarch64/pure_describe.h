/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches, page sizes and the CPU's name from the identification registers, as arch_facts. */
#ifndef ARCH_AARCH64_PURE_DESCRIBE_H
#define ARCH_AARCH64_PURE_DESCRIBE_H

#include <stdint.h>

#include "arch/arch.h"

#define DESCRIBE_LEVELS 7 /* of CLIDR_EL1 */

/* The registers as read. Arm ARM (DDI 0487), D19.2. */
struct describe_snapshot {
    uint64_t midr, mpidr, ctr, clidr;
    uint64_t mmfr0, mmfr2;            /* ID_AA64MMFR0_EL1, ID_AA64MMFR2_EL1 */
    uint64_t ccsidr[DESCRIBE_LEVELS]; /* of each level's data or unified cache, if there is one */
};

/* True if CLIDR_EL1 has a data or unified cache at level 1..7, without gaps below. */
bool describe_has_data_cache(uint64_t clidr, unsigned level);

/* The affinity fields of MPIDR_EL1, as tables of the firmware name a CPU. */
uint64_t aarch64_affinity(uint64_t mpidr);

/* Sets every field. TLBs, hypervisors below, and the sharing of caches stay unknown: no register
 * describes them. Sizes are from CCSIDR_EL1, which the architecture provides for set/way
 * maintenance; they may be fictitious and omit caches outside the cluster, hence caches_doubtful is
 * true. */
void aarch64_describe(const struct describe_snapshot *snapshot, struct arch_facts *facts);

#endif
