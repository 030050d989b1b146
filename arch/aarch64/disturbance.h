/* SPDX-License-Identifier: BSD-2-Clause */
/* Disturbances between two readings. */
#ifndef ARCH_AARCH64_DISTURBANCE_H
#define ARCH_AARCH64_DISTURBANCE_H

#include <stdint.h>

/* Returns a count that changes when something interrupted; constant here, because EL3 leaves no
 * visible trace. */
uint64_t disturbance_count(void);

#endif
