/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's op sampler (instruction-based sampling): the hardware follows one op at a time and keeps
 * what became of it in registers, which are polled; no interrupt is wanted. Pure: registers are
 * accessed through a port, a scripted model in tests.
 *
 * CPUID 8000_0001h ECX[10], 8000_001Bh EAX; MSRs IBS_OP_CTL C001_1033h, IBS_OP_DATA3 C001_1037h,
 * IBS_DC_LIN_AD C001_1038h, IBS_CTL C001_103Ah; extended local vector table at APIC offset 500h
 * (Linux asm/amd-ibs.h after PPR 55898, asm/apicdef.h, events/amd/ibs.c; AMD Research IBS Toolkit,
 * ibs-msr-index.h; the APIC's part also APM volume 2, 16.4, as recalled). The sampler's own
 * behaviour is not verified on silicon. */
#ifndef ARCH_X86_64_PURE_IBS_H
#define ARCH_X86_64_PURE_IBS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "core/cpu/prefetch.h"
#include "core/machine.h"

#define MSR_APIC_BASE    0x1bu
#define MSR_X2APIC       0x800u /* plus the register's offset / 16 */
#define MSR_IBS_OP_CTL   0xc0011033u
#define MSR_IBS_OP_DATA3 0xc0011037u
#define MSR_IBS_DC_LIN   0xc0011038u
#define MSR_IBS_CTL      0xc001103au

/* The registers. apic_read reads a register of the local APIC at a physical address. */
struct ibs_port {
    const struct prefetch_port *msr;
    uint32_t (*apic_read)(void *context, uint64_t address);
    void *apic_context;
};

/* What CPUID says. */
struct ibs_plan {
    const char *why; /* it cannot be used; NULL: it can be tried */
    uint64_t armed;  /* IBS_OP_CTL while it waits for an op */
    bool refills;    /* IBS_OP_DATA3 has the DTLB's refill latency */
    bool erratum;    /* to be stopped by clearing the count first, then the enable bit (420) */
};

enum ibs_state {
    IBS_UNTRIED,
    IBS_WORKS,
    IBS_ABSENT,       /* plan.why */
    IBS_UNROUTED,     /* it cannot be told which interrupt it raises */
    IBS_UNMASKED,     /* that interrupt is not masked */
    IBS_IN_USE,       /* by the firmware, or by code below it */
    IBS_REFUSED,      /* an access faulted */
    IBS_NOT_HONOURED, /* IBS_OP_CTL does not read back what was written */
    IBS_STUCK         /* the firmware's value could not be restored */
};

struct ibs {
    struct ibs_plan plan;
    enum ibs_state state;
    bool entered; /* saved must be restored */
    uint64_t saved;
};

/* Fills all of *plan. */
void x86_64_ibs_plan(const struct cpuid_source *cpuid, struct ibs_plan *plan);
/* Looks whether the interrupt is masked and the sampler free, starts it once, restores
 * IBS_OP_CTL, and sets state. */
void x86_64_ibs_try(struct ibs *ibs, const struct ibs_port *port);
/* What came of it. */
void x86_64_ibs_report(const struct ibs *ibs, struct sampler_report *report);

/* enter saves IBS_OP_CTL; arm has the next op followed that the count comes to, after forgetting
 * the one before; leave stops and restores, however far the calls before it got, and does nothing a
 * second time. All do nothing unless the state is IBS_WORKS. If somebody else has started the
 * sampler since the trial, enter leaves it alone. The registers that hold an op keep the last one:
 * the hardware writes them, and without IBS_OP_CTL's valid bit they mean nothing. */
void x86_64_ibs_enter(struct ibs *ibs, const struct prefetch_port *port);
void x86_64_ibs_arm(const struct ibs *ibs, const struct prefetch_port *port);
/* True: an op has been followed to its end since arm, and *sample says what it was. */
bool x86_64_ibs_take(const struct ibs *ibs, const struct prefetch_port *port,
                     struct load_sample *sample);
void x86_64_ibs_leave(struct ibs *ibs, const struct prefetch_port *port);

/* What IBS_OP_DATA3 and IBS_DC_LIN_AD say of an op. */
struct load_sample x86_64_ibs_decode(uint64_t data3, uint64_t linear);

#endif
