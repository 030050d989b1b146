/* SPDX-License-Identifier: BSD-2-Clause */
/* Model-specific registers. Reading or writing one that is not there, or a value it does not take,
 * raises #GP (Intel SDM volume 2, RDMSR, WRMSR). Only to be called inside arch_quiet_run (its body,
 * prefetch_enter, prefetch_leave): there the handler of #GP knows the two instructions below, skips
 * the two bytes and sets msr_faulted. CPUID must have said that MSRs exist (identity.msr). */
#ifndef ARCH_X86_64_MSR_H
#define ARCH_X86_64_MSR_H

#include <stdbool.h>
#include <stdint.h>

/* False when the access faulted; then *value is 0, or the register is as it was. */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);

/* For the #GP handler only: where a fault may be skipped, by how many bytes, and how msr_read and
 * msr_write are told. */
#define MSR_INSTRUCTION_BYTES 2
extern const char msr_read_instruction[];
extern const char msr_write_instruction[];
extern volatile uint64_t msr_faulted;

#endif
