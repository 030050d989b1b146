/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers that may be absent or inaccessible: an access raises UNDEF at our own level, or
 * is trapped by EL2 or EL3 and returns as UNDEF (firmware older than TF-A 2024 halts instead;
 * prefetch.c decides what may be written, and when). Call these only inside arch_quiet_run (its
 * body, prefetch_enter, prefetch_leave): its handler of synchronous exceptions recognises the
 * instructions between sysreg_guard_begin and sysreg_guard_end, skips the faulting one (4 bytes) if
 * the class is UNDEF (EC 0x00) or a trapped MSR or MRS (EC 0x18), and sets sysreg_faulted. */
#ifndef ARCH_AARCH64_SYSREG_H
#define ARCH_AARCH64_SYSREG_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/aarch64/pure_sysreg.h"

/* Return false if the access faulted; *value is then 0, or the register is unchanged. A write is
 * followed by ISB. */
bool sysreg_read(enum sysreg which, uint64_t *value);
bool sysreg_write(enum sysreg which, uint64_t value);

/* For the exception handler only: the instructions that may be skipped, their length, and the flag
 * that reports it. */
#define SYSREG_INSTRUCTION_BYTES 4
extern const char sysreg_guard_begin[] __attribute__((visibility("hidden")));
extern const char sysreg_guard_end[] __attribute__((visibility("hidden")));
extern volatile uint64_t sysreg_faulted;

#endif
