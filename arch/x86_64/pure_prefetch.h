/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetcher control over a port to the MSRs: the same code runs over RDMSR and WRMSR in the
 * product and over a scripted register model in tests. */
#ifndef ARCH_X86_64_PURE_PREFETCH_H
#define ARCH_X86_64_PURE_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "arch/x86_64/pure_cpuid.h"
#include "arch/x86_64/pure_prefetch_table.h"
#include "core/machine.h"

/* read and write answer false when the access faulted. */
struct msr_port {
    void *context;
    bool (*read)(void *context, uint32_t msr, uint64_t *value);
    bool (*write)(void *context, uint32_t msr, uint64_t value);
};

struct x86_64_prefetch_action {
    const struct x86_64_prefetch_row *row;
    uint64_t works; /* the bits of the field that took the off value on trial; 0: leave alone */
    uint64_t saved; /* the whole register before our write */
    bool written;   /* saved is waiting to be restored */
};

struct x86_64_prefetch {
    size_t count;
    struct x86_64_prefetch_action action[PREFETCH_CONTROLS_MAX];
};

/* Chooses the rows of this CPU; tries nothing. */
void x86_64_prefetch_start(struct x86_64_prefetch *set, const struct cpu_identity *identity);

/* Tries each control once as wished and restores everything in reverse order, also when a later one
 * faulted. Per control:
 *   unsupported    the read faulted; or unofficial and not wished; or a field that is off when 0 in
 *                  a register that reads 0 altogether (nobody implements it)
 *   on, off        what the firmware left, when off is not wished or nothing may be written
 *   off            reads back as requested
 *   refused        no write of the whole field went through. A write that faults is tried again
 *                  with fewer bits; those that stick are used, and the control stays refused
 *   not-honoured   written without a fault, but it does not read back
 * report->state is the worst of those tried, in the order off, unsupported, not-honoured, refused,
 * on; unsupported when none was tried. */
void x86_64_prefetch_try(struct x86_64_prefetch *set, const struct arch_prefetch_wish *wish,
                         const struct msr_port *port, struct prefetch_report *report);

/* Saves and switches off what the trial found to work; and back, in reverse order. A leave without
 * an enter, or a second one, does nothing. */
void x86_64_prefetch_enter(struct x86_64_prefetch *set, const struct msr_port *port);
void x86_64_prefetch_leave(struct x86_64_prefetch *set, const struct msr_port *port);

#endif
