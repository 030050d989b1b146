/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 has no architectural frequency control; the firmware owns it. */
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
