/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetcher control for the quiet section. Both functions run on the measuring CPU while faults of
 * sysreg_read and sysreg_write are recoverable, and touch only what arch_prefetch_try found to
 * work. */
#ifndef ARCH_AARCH64_PREFETCH_H
#define ARCH_AARCH64_PREFETCH_H

#include "core/cpu/prefetch.h"

/* What arch_prefetch_try found. */
extern struct prefetch_set prefetch_controls;
/* The registers of the calling core, through sysreg_read and sysreg_write; only for the body of a
 * quiet section. */
extern const struct prefetch_port prefetch_port;

/* Saves the registers and switches off. Does nothing without a successful arch_prefetch_try. */
void prefetch_enter(void);
/* Restores in reverse order what the last prefetch_enter saved. Does nothing if called twice or
 * without prefetch_enter, so every exit path may call it. */
void prefetch_leave(void);

#endif
