/* SPDX-License-Identifier: BSD-2-Clause */
/* Other CPUs where the firmware has no MP services: turned on for one body each, off again behind
 * it (PSCI on AArch64; arch/arch.h). The boot CPU goes on meanwhile. Only a CPU that is off is
 * turned on: one that is on runs what somebody else has for it. */
#ifndef EFI_POWER_H
#define EFI_POWER_H

#include "arch/arch.h"
#include "efi/firmware.h"

struct power {
    const struct acpi_facts *acpi; /* both set before any of these functions */
    const struct devicetree_facts *tree;
    const struct firmware *fw;
    void *memory; /* the firmware's: a room for each CPU but the first */
    uintptr_t room;
    bool tried;      /* `why` is known */
    const char *why; /* none can be turned on; NULL: they can */
};

/* Finds out, once, whether CPUs of this machine can be turned on, and takes memory for `count` of
 * them, the boot CPU among them. At TPL_HIGH_LEVEL nothing of it may be called. NULL: they can;
 * else why not, static. */
const char *power_prepare(struct power *power, const struct firmware *fw, size_t count);
/* Why that CPU, an index below count and not 0, is left as it is, static; NULL: it is off, and may
 * be turned on. */
const char *power_refusal(const struct power *power, const struct cpu_info *cpu);
/* Turns it on to run body(arg); cpu as cpus[place] has it. NULL: it was turned on; else why not,
 * static. */
const char *power_on(const struct power *power, size_t place, const struct cpu_info *cpu,
                     void (*body)(void *arg), void *arg);
/* Waits until it has run that and is off, for `ms` at most. NULL: it is; else why not, static: it
 * may still run, and its room stays its own. */
const char *power_wait_off(const struct power *power, size_t place, const struct cpu_info *cpu,
                           unsigned ms);
/* Gives the memory back, unless `lost`: a CPU may still run in it. */
void power_stop(struct power *power, bool lost);

#endif
