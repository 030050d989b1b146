/* SPDX-License-Identifier: BSD-2-Clause */
/* PSCI, by which other CPUs are turned on and off: Arm Power State Coordination Interface
 * (DEN0022), 5.1 and 5.2; by which instruction it is called: ACPI 6.5, 5.2.9.4 (ARM_BOOT_ARCH), or
 * the devicetree. Pure. */
#ifndef ARCH_AARCH64_PURE_PSCI_H
#define ARCH_AARCH64_PURE_PSCI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Functions, by the SMC calling convention (DEN0028): those that take addresses or MPIDRs have 64
 * bits. */
#define PSCI_VERSION       0x84000000u
#define PSCI_CPU_OFF       0x84000002u
#define PSCI_CPU_ON        0xc4000003u
#define PSCI_AFFINITY_INFO 0xc4000004u

enum psci_conduit { PSCI_NO_CONDUIT, PSCI_HVC, PSCI_SMC };

/* By which instruction PSCI is called at that exception level, by the tables of the firmware: those
 * of ACPI where they name it. *why: static, why it cannot be called; NULL: it can. */
enum psci_conduit psci_choose(const struct acpi_facts *acpi, const struct devicetree_facts *tree,
                              unsigned level, const char **why);
/* Why what PSCI_VERSION answered is not a PSCI that can be used, static; NULL: it is. */
const char *psci_version_refusal(int64_t answer);
/* Of the answer of AFFINITY_INFO for one CPU. */
enum arch_power psci_state(int64_t answer);
/* An error of PSCI in words, static; NULL: it is none. */
const char *psci_error(int64_t answer);

#endif
