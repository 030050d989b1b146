/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/pure_psci.h"

/* FADT, ARM_BOOT_ARCH. */
#define BOOT_PSCI 1u
#define BOOT_HVC  2u

static bool has_spin_table(const struct devicetree_facts *tree)
{
    for (size_t i = 0; i < tree->cpu_count; i++)
        if (tree->cpu[i].enable == ENABLE_SPIN_TABLE)
            return true;
    return false;
}

static const char *missing_why(const struct acpi_facts *acpi, const struct devicetree_facts *tree)
{
    if (acpi->cpus_parked != 0)
        return "the firmware keeps it in ACPI's parking protocol, which is not used";
    if (has_spin_table(tree))
        return "the firmware keeps it in a spin table, which is not used";
    return "the firmware has no MP services to start it with, and its tables name no PSCI";
}

static enum psci_conduit named(const struct acpi_facts *acpi, const struct devicetree_facts *tree,
                               const char **why)
{
    if (acpi->fadt_known && (acpi->arm_boot_flags & BOOT_PSCI))
        return acpi->arm_boot_flags & BOOT_HVC ? PSCI_HVC : PSCI_SMC;
    switch (tree->psci) {
    case DEVICETREE_PSCI_HVC:
        return PSCI_HVC;
    case DEVICETREE_PSCI_SMC:
        return PSCI_SMC;
    case DEVICETREE_PSCI_OLD:
        *why = "the devicetree names PSCI 0.1 alone, which cannot tell whether a CPU is off";
        break;
    case DEVICETREE_PSCI_ODD:
        *why = "the devicetree names PSCI without a way to call it";
        break;
    case DEVICETREE_NO_PSCI:
        *why = missing_why(acpi, tree);
        break;
    }
    return PSCI_NO_CONDUIT;
}

enum psci_conduit psci_choose(const struct acpi_facts *acpi, const struct devicetree_facts *tree,
                              unsigned level, const char **why)
{
    enum psci_conduit conduit;

    *why = NULL;
    conduit = named(acpi, tree, why);
    /* At EL2 that call would be taken by EL2 itself. */
    if (conduit == PSCI_HVC && level != 1) {
        *why = "the firmware's tables have PSCI called by HVC, which at EL2 calls nobody";
        return PSCI_NO_CONDUIT;
    }
    return conduit;
}

const char *psci_version_refusal(int64_t answer)
{
    int32_t version = (int32_t)answer;

    if (version < 0)
        return "the PSCI that the firmware's tables name does not answer";
    /* Major 30:16, minor 15:0. AFFINITY_INFO came with 0.2. */
    if (version < 2)
        return "its PSCI is older than 0.2, and cannot tell whether a CPU is off";
    return NULL;
}

enum arch_power psci_state(int64_t answer)
{
    switch ((int32_t)answer) {
    case 0:
        return ARCH_POWER_ON;
    case 1:
        return ARCH_POWER_OFF;
    case 2:
        return ARCH_POWER_TURNING_ON;
    }
    return ARCH_POWER_UNKNOWN;
}

/* 5.2.2. */
const char *psci_error(int64_t answer)
{
    static const char *const words[] = {NULL,
                                        "PSCI says: not supported",
                                        "PSCI says: invalid parameters",
                                        "PSCI says: denied",
                                        "PSCI says: already on",
                                        "PSCI says: on pending",
                                        "PSCI says: internal failure",
                                        "PSCI says: not present",
                                        "PSCI says: disabled",
                                        "PSCI says: invalid address"};
    int32_t error = (int32_t)answer;

    if (error >= 0)
        return NULL;
    return error > -(int32_t)(sizeof words / sizeof words[0]) ? words[-error]
                                                              : "PSCI says: an unknown error";
}
