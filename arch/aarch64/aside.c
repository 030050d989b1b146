/* SPDX-License-Identifier: BSD-2-Clause */
/* No firmware of this architecture was seen that runs several CPUs at once for an application:
 * other CPUs do nothing beside the quiet section. */
#include "arch/arch.h"

bool arch_aside_prepare(uintptr_t room, uint32_t places)
{
    (void)room;
    (void)places;
    return false;
}

bool arch_aside_run(struct arch_aside *aside, uint32_t place)
{
    (void)aside;
    (void)place;
    return false;
}
