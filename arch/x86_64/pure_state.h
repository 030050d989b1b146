/* SPDX-License-Identifier: BSD-2-Clause */
/* Microcode, memory encryption and what ids hold, from CPUID and MSRs. Sources: Intel SDM volume 3,
 * 10.11.7.1 (IA32_BIOS_SIGN_ID), volume 4 (IA32_TME_ACTIVATE), volume 2 (CPUID 7, 0Bh, 1Fh); AMD
 * APM volume 2, 7.10 (SYSCFG[23]), volume 3, E.4.15 (Fn8000_001F); the layout of AMD's patch level
 * as in Linux arch/x86/kernel/cpu/microcode/amd.c. */
#ifndef ARCH_X86_64_PURE_STATE_H
#define ARCH_X86_64_PURE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/firmware/census.h"
#include "core/machine.h"

/* How registers are read: false: the access faulted. */
struct state_port {
    void *context;
    bool (*read)(void *context, uint32_t msr, uint64_t *value);
};

/* Fills microcode, memory_encryption and cpu_kinds; reads only registers that CPUID announces. Of
 * AMD's transparent encryption (TSME) no register tells: without SME in use, it is unknown. */
void x86_64_state(const struct cpuid_source *source, const struct state_port *port,
                  struct machine_state *state);
/* From the topology leaves; above CENSUS_BITS_MAX where there are none. */
struct census_bits x86_64_census_bits(const struct cpuid_source *source);

#endif
