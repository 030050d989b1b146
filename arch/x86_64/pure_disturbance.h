/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's counter of system management interrupts. Pure. */
#ifndef ARCH_X86_64_PURE_DISTURBANCE_H
#define ARCH_X86_64_PURE_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"

/* True if MSR 34h, bits 31:0, counts SMIs: Intel family 6 from Nehalem (1Ah) and Silvermont on (SDM
 * volume 4, tables 2-6, 2-15, 2-46), but not Bonnell and Saltwell Atoms or Dunnington. AMD has such
 * a counter only in its performance monitoring. */
bool x86_64_smi_counted(const struct cpu_identity *cpu);

#endif
