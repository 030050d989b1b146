/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_disturbance.h"

bool x86_64_smi_counted(const struct cpu_identity *cpu)
{
    static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};

    if (cpu->vendor != CPU_VENDOR_INTEL || cpu->family != 6 || cpu->model < 0x1a || !cpu->msr)
        return false;
    for (unsigned i = 0; i < sizeof without; i++)
        if (cpu->model == without[i])
            return false;
    return true;
}
