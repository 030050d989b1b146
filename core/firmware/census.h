/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs of the machine, counted: by the MADT's ids, which hold what each CPU shares (Intel SDM
 * volume 3, 9.9.4; AMD APM volume 3, E.4.7; Arm ARM, MPIDR_EL1). */
#ifndef CORE_FIRMWARE_CENSUS_H
#define CORE_FIRMWARE_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/machine.h"

/* What an id's lowest bits tell apart: threads of one core, CPUs of one package; above
 * CENSUS_BITS_MAX: unknown. */
struct census_bits {
    unsigned thread, package;
};
#define CENSUS_BITS_MAX 63u

/* cpu_info.core of a CPU by its hardware id: threads of one core have the same, other cores
 * another. Where bits.thread is unknown, every CPU is a core of its own. */
uint32_t census_core(uint64_t hardware_id, const struct census_bits *bits);

/* Fills threads_per_core, cpu_kinds and nodes_per_package of *state from the enabled CPUs; cpus[0]
 * is the running one. 0: unknown. listed: the CPUs are those of a MADT, not the running one alone.
 */
void census_take(const struct cpu_info *cpus, size_t count, bool listed,
                 const struct census_bits *bits, struct machine_state *state);

#endif
