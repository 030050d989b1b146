/* SPDX-License-Identifier: BSD-2-Clause */
/* The current exception level, which decides which counter is accessible. */
#ifndef ARCH_AARCH64_LEVEL_H
#define ARCH_AARCH64_LEVEL_H

/* Returns 1 or 2. */
unsigned level_now(void);

#endif
