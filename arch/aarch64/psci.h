/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls PSCI, and what a CPU finds that it has turned on. */
#ifndef ARCH_AARCH64_PSCI_H
#define ARCH_AARCH64_PSCI_H

#include <stdint.h>

#include "arch/aarch64/pure_psci.h"

/* PSCI's answer. May change what caches hold of a CPU that it turns off, nothing else. */
int64_t psci_call(enum psci_conduit conduit, uint32_t function, uint64_t one, uint64_t two,
                  uint64_t three);

/* What the boot CPU has in its registers, for one that starts with all of them unknown and its
 * translation off; psci_entry.S has the offsets. Of the exception level that both run at. */
struct psci_context {
    uint64_t mair, tcr, ttbr0, ttbr1, sctlr, vbar;
    uint64_t traps; /* CPACR_EL1, CPTR_EL2 */
    uint64_t hcr;   /* at EL2 */
    uint64_t fpcr;
    uint64_t stack_top;      /* aligned to 16 */
    void (*body)(void *arg); /* does not return */
    void *arg;
};

/* Where a CPU begins that CPU_ON turns on, with the address of its struct psci_context, which the
 * point of coherency has as well: until it has joined, it reads around the caches. */
void psci_entry(void);
/* Behind its last instruction. */
extern const char psci_entry_end[] __attribute__((visibility("hidden")));

#endif
