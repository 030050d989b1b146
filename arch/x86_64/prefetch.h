/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetcher control for the quiet section. Both functions run on the measuring CPU while faults of
 * msr_read and msr_write are recoverable, and touch only what arch_prefetch_try found to work. */
#ifndef ARCH_X86_64_PREFETCH_H
#define ARCH_X86_64_PREFETCH_H

#include "core/cpu/prefetch.h"

/* What arch_prefetch_try found. */
extern struct prefetch_set prefetch_controls;
/* The MSRs of the calling CPU, through msr_read and msr_write; only for the body of a quiet
 * section. */
extern const struct prefetch_port prefetch_msr_port;
/* A prefetch_guard: runs body(arg) in a quiet section of its own, where that port may be used.
 * Returns false if it faulted. Not reentrant. */
bool prefetch_quietly(void (*body)(void *arg), void *arg);

/* Saves the registers and switches off. Does nothing without a successful arch_prefetch_try. */
void prefetch_enter(void);
/* Restores in reverse order what the last prefetch_enter saved. Does nothing if called twice or
 * without prefetch_enter, so every exit path may call it. */
void prefetch_leave(void);

#endif
