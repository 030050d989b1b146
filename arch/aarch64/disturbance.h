/* SPDX-License-Identifier: BSD-2-Clause */
/* What came between two readings. */
#ifndef ARCH_AARCH64_DISTURBANCE_H
#define ARCH_AARCH64_DISTURBANCE_H

#include <stdint.h>

/* A count that moves when something interrupted: never on the firmware machine, where nothing that
 * EL3 does leaves a trace here. */
uint64_t disturbance_count(void);

#endif
