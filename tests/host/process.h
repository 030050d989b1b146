/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Linux machine must know of the CPU beyond arch/arch.h: tests/host/<architecture>. */
#ifndef TESTS_HOST_PROCESS_H
#define TESTS_HOST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the way to the prefetcher controls of that CPU (the kernel's number). False: there is none,
 * and why says why, at most `capacity` bytes. */
bool process_controls_open(uint32_t cpu, char *why, size_t capacity);
/* Off and back, as arch_prefetch_try found possible; also called by handlers of signals. */
void process_prefetch_enter(void);
void process_prefetch_leave(void);
/* The instruction that a signal handler's context stands at. */
uint64_t process_instruction(const void *context);

#endif
