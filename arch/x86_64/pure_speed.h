/* SPDX-License-Identifier: BSD-2-Clause */
/* Highest frequency of the core and of the uncore: which register asks for it, and enter/leave
 * around a measurement. Pure: registers are accessed through a port, a scripted model in tests.
 * Neither HWP nor CPPC is ever switched on: they stay on until reset.
 *
 * Core, with HWP on (IA32_PM_ENABLE 770h bit 0): IA32_HWP_REQUEST 774h, maximum 15:8 from
 * IA32_HWP_CAPABILITIES 771h bits 7:0 (highest performance), desired 23:16 = 0 (the hardware
 * chooses), bit 42 clear (the package's request does not stand in for it). Otherwise, with
 * IA32_MISC_ENABLE 1A0h bit 16 (SpeedStep): IA32_PERF_CTL 199h, ratio 15:8 from
 * MSR_TURBO_RATIO_LIMIT 1ADh bits 7:0 or MSR_PLATFORM_INFO CEh bits 15:8, the larger; bit 32
 * (turbo disengaged) clear. Neither is ever lowered. Intel SDM volume 3, 15.4 (HWP) and 15.1;
 * volume 4, tables 2-2 and 2-20. Uncore: MSR_UNCORE_RATIO_LIMIT 620h, of the package, maximum 6:0,
 * minimum 14:8, in 100 MHz; SDM volume 4, table 2-39. */
#ifndef ARCH_X86_64_PURE_SPEED_H
#define ARCH_X86_64_PURE_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "arch/x86_64/pure_msr_bits.h"
#include "core/cpu/prefetch.h"

struct x86_64_speed {
    bool hwp, eist, ratios; /* by CPUID: HWP, SpeedStep; CEh and 1ADh are documented */
    bool uncore;            /* 620h is documented */
    const char *why;        /* nothing can be requested; NULL: something may be */
    struct msr_bits bits;   /* those that request it, once chosen by a trial */
    const char *name, *source;
};

#define SPEED_MSRS_MAX 3

/* Determines what this CPU documents for that kind, without register access. */
void x86_64_speed_start(struct x86_64_speed *speed, enum speed_kind kind,
                        const struct cpuid_source *cpuid);
/* The report without register access: unsupported, nothing requested. */
void x86_64_speed_report(const struct x86_64_speed *speed, struct speed_report *report);
/* Tries the maximum once and restores the register. State:
 *   unsupported    no control; report->why says why
 *   max            as found, or read back as requested
 *   refused        the write faulted
 *   not-honoured   written without a fault, but does not read back */
void x86_64_speed_try(struct x86_64_speed *speed, const struct prefetch_port *port,
                      struct speed_report *report);
/* enter saves the register and writes what the trial found to work; leave restores it. A leave
 * without an enter, or a second one, does nothing. */
void x86_64_speed_enter(struct x86_64_speed *speed, const struct prefetch_port *port);
void x86_64_speed_leave(struct x86_64_speed *speed, const struct prefetch_port *port);
/* Fills list, of SPEED_MSRS_MAX, with the registers that this CPU documents and that a trial may
 * write; returns how many. */
size_t x86_64_speed_msrs(const struct cpuid_source *cpuid, uint32_t *list);

#endif
