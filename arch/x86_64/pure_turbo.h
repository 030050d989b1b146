/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo: which bit of which MSR forbids it, and the bracket around a measurement that sets or
 * clears that bit. Pure: registers are reached through a port, which is a scripted model in tests.
 * Intel: IA32_MISC_ENABLE (1A0h) bit 38, turbo mode disable; the bit that CPUID 06h EAX[1] shows is
 * clear while it is set (SDM volume 4, table 2-2; volume 2, CPUID 06h). AMD: HWCR (C001_0015h) bit
 * 25, CpbDis; CPUID 8000_0007h EDX[9] says that core performance boost is there (APM volume 3,
 * appendix E; PPR, HWCR). */
#ifndef ARCH_X86_64_PURE_TURBO_H
#define ARCH_X86_64_PURE_TURBO_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/cpu/prefetch.h"

struct x86_64_turbo {
    bool there;    /* a control is documented for this CPU */
    bool declared; /* the CPU says that it has turbo (Intel's says so only while it is allowed) */
    uint32_t msr;
    uint64_t forbids; /* the bit; set: no turbo */
    const char *name, *source;
    bool works;      /* enter writes `wanted` into the bit */
    uint64_t wanted; /* 0 or forbids */
    uint64_t saved;  /* the whole register before our write */
    bool written;    /* saved is waiting to be restored */
};

/* Which control this CPU has; tries nothing. */
void x86_64_turbo_start(struct x86_64_turbo *turbo, const struct cpuid_source *cpuid);
/* What is known without touching a register: unsupported, nothing requested. */
void x86_64_turbo_report(const struct x86_64_turbo *turbo, struct turbo_report *report);
/* Tries the choice once and restores the register.
 *   unsupported    no control, the read faulted, or the CPU has no turbo at all
 *   off, on        what the bit says: as found, or as asked and read back
 *   refused        the write faulted
 *   not-honoured   written without a fault, but it does not read back */
void x86_64_turbo_try(struct x86_64_turbo *turbo, enum turbo_choice choice,
                      const struct prefetch_port *port, struct turbo_report *report);
/* Saves the register and writes what the trial found to work; and back. A leave without an enter,
 * or a second one, does nothing. */
void x86_64_turbo_enter(struct x86_64_turbo *turbo, const struct prefetch_port *port);
void x86_64_turbo_leave(struct x86_64_turbo *turbo, const struct prefetch_port *port);

#endif
