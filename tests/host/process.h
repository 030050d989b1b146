/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Linux machine needs to know of the CPU beyond arch/arch.h; implemented in
 * tests/host/<architecture>. */
#ifndef TESTS_HOST_PROCESS_H
#define TESTS_HOST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* Opens access to the prefetcher and frequency controls of that CPU (the kernel's number), and ends
 * that to another's; not between an enter and its leave. False:
 * there is none; why gets the reason, at most `capacity` bytes. */
bool process_controls_open(uint32_t cpu, char *why, size_t capacity);
/* Applies the plan's settings that arch_prefetch_try, arch_turbo_try and arch_speed_try found
 * possible. */
void process_controls_enter(const struct arch_quiet_plan *plan);
/* Restores what was written; without an enter before, does nothing. Signal handlers call it. */
void process_controls_leave(void);
/* The events that this CPU can count, as far as a process can tell. */
void process_pmu_plan(struct pmu_plan *plan);
/* The instruction address in a signal handler's context. */
uint64_t process_instruction(const void *context);

#endif
