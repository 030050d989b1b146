/* SPDX-License-Identifier: BSD-2-Clause */
/* The quiet section's side of prefetcher control. Both run on the CPU that is quiet, with faults of
 * msr_read and msr_write recoverable, and touch only what arch_prefetch_try found to work. */
#ifndef ARCH_X86_64_PREFETCH_H
#define ARCH_X86_64_PREFETCH_H

#include "core/cpu/prefetch.h"

/* The CPU's own MSRs, by msr_read and msr_write: for the body of a quiet section only. */
extern const struct prefetch_port prefetch_msr_port;
/* A prefetch_guard: runs body(arg) in a quiet section of its own, where that port may be
 * used; false when it faulted. Not reentrant. */
bool prefetch_quietly(void (*body)(void *arg), void *arg);

/* Saves and switches off. Without a successful arch_prefetch_try before, does nothing. */
void prefetch_enter(void);
/* Restores what the last prefetch_enter saved, in reverse order; does nothing a second time, or
 * without one, so that every exit path may call it. */
void prefetch_leave(void);

#endif
