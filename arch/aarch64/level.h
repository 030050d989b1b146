/* SPDX-License-Identifier: BSD-2-Clause */
/* The exception level that decides which counter is ours. */
#ifndef ARCH_AARCH64_LEVEL_H
#define ARCH_AARCH64_LEVEL_H

/* 1 or 2. */
unsigned level_now(void);

#endif
