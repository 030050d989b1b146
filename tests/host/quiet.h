/* SPDX-License-Identifier: BSD-2-Clause */
/* A process has no quiet section: nothing can be masked. What stands in its place catches the
 * signals that faults become, and counts what the kernel is seen to have done in between. It
 * provides arch_quiet_run of arch/arch.h. */
#ifndef TESTS_HOST_QUIET_H
#define TESTS_HOST_QUIET_H

#include <stdbool.h>
#include <stdint.h>

/* Handlers for faults, for whoever wants it to stop (SIGINT, SIGTERM, SIGHUP unless ignored: the
 * second one ends the process at once), to pause, or to die: prefetchers are given back first. What
 * a failed write sends is ignored: the write fails. */
void quiet_prepare(void);
/* As if a signal had asked for it. */
void quiet_stop(void);
bool quiet_stop_asked(void);
/* Context switches and page faults of this thread so far: what moves it between two readings was
 * no part of the chase. Timer interrupts are not seen, nor what a hypervisor does. */
uint64_t quiet_disturbances(void);
/* The same as last asked for, and asked for again when that is more than so many ticks ago: the
 * kernel's answer takes lines out of the first-level cache, which short samples would be full of.
 */
uint64_t quiet_disturbances_seen(void);
void quiet_look_every(uint64_t ticks);
void quiet_look_now(void);

#endif
