/* SPDX-License-Identifier: BSD-2-Clause */
/* Model-specific registers. Accessing a missing one, or writing an unsupported value, raises #GP
 * (Intel SDM volume 2, RDMSR, WRMSR). Call these only inside arch_quiet_run (its body,
 * prefetch_enter, prefetch_leave), whose #GP handler recognises the two instructions below, skips
 * them (two bytes) and sets msr_faulted. CPUID must report that MSRs exist (identity.msr). */
#ifndef ARCH_X86_64_MSR_H
#define ARCH_X86_64_MSR_H

#include <stdbool.h>
#include <stdint.h>

/* Return false if the access faulted; *value is then 0, or the register is unchanged. */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);

/* For the #GP handler only: the instructions that may be skipped, their length, and the flag that
 * reports it. */
#define MSR_INSTRUCTION_BYTES 2
extern const char msr_read_instruction[];
extern const char msr_write_instruction[];
extern volatile uint64_t msr_faulted;

#endif
