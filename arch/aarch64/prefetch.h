/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section's side of prefetcher control. Both run on the CPU that is quiet, with faults of
 * sysreg_read and sysreg_write recoverable, and touch only what arch_prefetch_try found to work. */
#ifndef ARCH_AARCH64_PREFETCH_H
#define ARCH_AARCH64_PREFETCH_H

/* Saves and switches off. Without a successful arch_prefetch_try before, does nothing. */
void prefetch_enter(void);
/* Restores what the last prefetch_enter saved, in reverse order; does nothing a second time, or
 * without one, so that every exit path may call it. */
void prefetch_leave(void);

#endif
