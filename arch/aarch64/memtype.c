/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory types of the machine: no register of AArch64 says what a physical range is; the firmware's
 * map decides alone. */
#include "arch/arch.h"

bool arch_memory_is_writeback(phys_addr base, uint64_t bytes)
{
    (void)base;
    (void)bytes;
    return true;
}
