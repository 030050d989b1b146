/* SPDX-License-Identifier: BSD-2-Clause */
/* A process has no quiet section: nothing can be masked. Instead, signals that faults become are
 * caught, and the kernel's visible activity in between is counted. Provides arch_quiet_run of
 * arch/arch.h. */
#ifndef TESTS_HOST_QUIET_H
#define TESTS_HOST_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Installs handlers for faults, for stop requests (SIGINT, SIGTERM, and SIGHUP unless ignored; the
 * second one ends the process at once), for pauses and for other signals that kill; prefetchers are
 * restored before the process pauses or dies. Signals of failed writes are ignored: the write
 * fails. */
void quiet_prepare(void);
/* Requests a stop, as a signal would. */
void quiet_stop(void);
bool quiet_stop_asked(void);
/* Runs the body; on any thread, and not inside itself. False: it faulted and was left there; fills
 * *fault, and its words in text. */
#define QUIET_FAULT_BYTES sizeof(((struct arch_quiet_result *)0)->fault_text)
bool quiet_guard(void (*body)(void *arg), void *arg, struct fault_info *fault,
                 char text[QUIET_FAULT_BYTES]);
/* Context switches and page faults of this thread so far: time between two readings that moved it
 * was not spent in the chase alone. Timer interrupts are not seen, nor what a hypervisor does. */
uint64_t quiet_disturbances(void);
/* The last value read; it is read again if that was more than the given number of ticks ago. The
 * system call evicts lines from the first-level cache, which would disturb every short sample. */
uint64_t quiet_disturbances_seen(void);
void quiet_look_every(uint64_t ticks);
void quiet_look_now(void);

#endif
