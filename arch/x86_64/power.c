/* SPDX-License-Identifier: BSD-2-Clause */
/* An application has no way to turn CPUs off again by itself. */
#include "arch/arch.h"

const char *arch_power_prepare(const struct acpi_facts *acpi, const struct devicetree_facts *tree)
{
    (void)acpi;
    (void)tree;
    return "the firmware has no MP services to start it with";
}

enum arch_power arch_power_state(uint64_t hardware_id)
{
    (void)hardware_id;
    return ARCH_POWER_UNKNOWN;
}

const char *arch_power_on(uint64_t hardware_id, uintptr_t room, void (*body)(void *arg), void *arg)
{
    (void)hardware_id;
    (void)room;
    (void)body;
    (void)arg;
    return "CPUs cannot be turned on";
}

bool arch_power_ran(uintptr_t room)
{
    (void)room;
    return false;
}

const char *arch_power_stays_on(uintptr_t room)
{
    (void)room;
    return NULL;
}
