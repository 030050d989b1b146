/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 has no architectural frequency control; the firmware owns it. */
#include "arch/arch.h"

void arch_speed_try(enum speed_kind kind, struct speed_report *report)
{
    (void)kind;
    *report =
        (struct speed_report){.state = SPEED_UNSUPPORTED,
                              .name = "",
                              .source = "",
                              .why = "AArch64 has no architectural control of frequencies; the "
                                     "firmware owns them",
                              .requested = MACHINE_UNKNOWN,
                              .readback = MACHINE_UNKNOWN};
}
