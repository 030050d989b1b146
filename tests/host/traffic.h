/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that load memory while the process chases: load_start and load_stop of core/machine.h,
 * one thread pinned to each CPU. Between chases they sleep. */
#ifndef TESTS_HOST_TRAFFIC_H
#define TESTS_HOST_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/status.h"
#include "core/machine.h"

/* One thread for each of traffic[count], on the CPU whose place in cpus[] it names. It returns once
 * all of them wait. STATUS_UNSUPPORTED: some could not be had, none is left, *why says why. */
enum status traffic_start(const struct cpu_info *cpus, uint32_t line_bytes,
                          const struct traffic *traffic, uint32_t count, const char **why);
/* Ends and joins them; without a start before it does nothing. */
void traffic_end(void);
/* Whether one of them runs on that CPU. */
bool traffic_is_on(uint32_t cpu);

/* Around one chase: has all of them load, and returns once they do; has them sleep, and returns
 * once they do. False: one of them had a fault, *fault, and does not load any more; its words stay
 * until traffic_end. */
bool traffic_go(void);
bool traffic_halt(struct fault_info *fault);

/* Called where the timed samples of a chase begin and end. */
void traffic_samples_begin(void);
void traffic_samples_end(void);
/* What each did between the last two of these; nothing if the kernel gave its CPU to others
 * meanwhile. done is the caller's array[count]. */
void traffic_answer(struct traffic_done *done);

#endif
