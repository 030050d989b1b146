/* SPDX-License-Identifier: BSD-2-Clause */
/* No register of the architecture tells a core's frequency; firmware sets it (Arm SCMI, CPPC). */
#include "arch/arch.h"

void arch_frequency_read(struct frequency_registers *registers)
{
    registers->count = registers->unread_count = 0;
}
