/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of their own on other CPUs. */
#ifndef TESTS_HOST_THREAD_H
#define TESTS_HOST_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts body(arg) on that CPU, by the kernel's number, from its first instruction on; the caller
 * joins it. Signals other than faults are left to the threads that there are. False: that CPU is
 * not allowed to this process (pin_to_cpu), or the kernel refuses. */
bool thread_start(uint32_t cpu, void *(*body)(void *arg), void *arg, pthread_t *thread);

#endif
