/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo control: the MSR bit that disables turbo, and enter/leave around a measurement. Pure:
 * registers are accessed through a port, a scripted model in tests. Intel: IA32_MISC_ENABLE (1A0h)
 * bit 38, turbo mode disable; CPUID 06h EAX[1] reads as 0 while it is set (SDM volume 4, table 2-2;
 * volume 2, CPUID 06h). AMD: HWCR (C001_0015h) bit 25, CpbDis; CPUID 8000_0007h EDX[9] indicates
 * core performance boost (APM volume 3, appendix E; PPR, HWCR). */
#ifndef ARCH_X86_64_PURE_TURBO_H
#define ARCH_X86_64_PURE_TURBO_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "arch/x86_64/pure_msr_bits.h"
#include "core/cpu/prefetch.h"

struct x86_64_turbo {
    bool there;           /* a control is documented for this CPU */
    bool declared;        /* CPUID reports turbo (on Intel only while it is enabled) */
    struct msr_bits bits; /* the disable bit */
    const char *name, *source;
};

/* Determines this CPU's control without trying it. */
void x86_64_turbo_start(struct x86_64_turbo *turbo, const struct cpuid_source *cpuid);
/* The report without register access: unsupported, nothing requested. */
void x86_64_turbo_report(const struct x86_64_turbo *turbo, struct turbo_report *report);
/* Tries the choice once and restores the register. State:
 *   unsupported    no control, the read faulted, or the CPU has no turbo
 *   off, on        the bit's value: as found, or as requested and read back
 *   refused        the write faulted
 *   not-honoured   written without a fault, but does not read back */
void x86_64_turbo_try(struct x86_64_turbo *turbo, enum turbo_choice choice,
                      const struct prefetch_port *port, struct turbo_report *report);
/* enter saves the register and writes what the trial found to work; leave restores it. A leave
 * without an enter, or a second one, does nothing. */
void x86_64_turbo_enter(struct x86_64_turbo *turbo, const struct prefetch_port *port);
void x86_64_turbo_leave(struct x86_64_turbo *turbo, const struct prefetch_port *port);

#endif
