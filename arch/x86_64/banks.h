/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the machine-check banks of pure_errors.h on the calling CPU. Never writes. */
#ifndef ARCH_X86_64_BANKS_H
#define ARCH_X86_64_BANKS_H

#include "arch/x86_64/pure_cpuid.h"
#include "core/machine.h"

/* Call this only while faults of msr_read are recoverable. arch_errors_read calls it in a quiet
 * section of its own. */
void banks_read(const struct cpu_identity *cpu, struct error_banks *now);

#endif
