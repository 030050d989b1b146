/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers that may not be there, or may not be ours: an access raises UNDEF at our own
 * level, or is trapped by EL2 or EL3 and comes back as UNDEF (firmware older than TF-A 2024 halts
 * instead; what is written, and when, is prefetch.c's care). Only to be called inside
 * arch_quiet_run (its body, prefetch_enter, prefetch_leave): the handler of synchronous exceptions
 * knows the instructions between sysreg_guard_begin and sysreg_guard_end, steps over the one that
 * faulted (4 bytes) when the class is UNDEF (EC 0x00) or a trapped MSR or MRS (EC 0x18), and sets
 * sysreg_faulted. */
#ifndef ARCH_AARCH64_SYSREG_H
#define ARCH_AARCH64_SYSREG_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/aarch64/pure_sysreg.h"

/* False when the access faulted; then *value is 0, or the register is as it was. A write is
 * followed by ISB. */
bool sysreg_read(enum sysreg which, uint64_t *value);
bool sysreg_write(enum sysreg which, uint64_t value);

/* For the exception handler only: where a fault may be stepped over, and how sysreg_read and
 * sysreg_write are told. */
#define SYSREG_INSTRUCTION_BYTES 4
extern const char sysreg_guard_begin[] __attribute__((visibility("hidden")));
extern const char sysreg_guard_end[] __attribute__((visibility("hidden")));
extern volatile uint64_t sysreg_faulted;

#endif
