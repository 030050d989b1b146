/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 has no architectural control of the core's frequency: it belongs to the firmware. */
#include "arch/arch.h"

void arch_turbo_try(enum turbo_choice choice, struct turbo_report *report)
{
    (void)choice;
    *report = (struct turbo_report){.state = TURBO_UNSUPPORTED,
                                    .name = "",
                                    .source = "",
                                    .requested = MACHINE_UNKNOWN,
                                    .readback = MACHINE_UNKNOWN};
}
