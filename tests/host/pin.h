/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU that a run is on: one for all of it, or another for a time. */
#ifndef TESTS_HOST_PIN_H
#define TESTS_HOST_PIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIN_MESSAGE_BYTES 256

/* Pins the calling thread. wanted 0: the CPU it is on; else the kernel's number plus 1, as in
 * options. *cpu is the CPU's number. False: message says what is wrong and which CPUs there are. */
bool pin_to_cpu(uint32_t wanted, uint32_t *cpu, char message[PIN_MESSAGE_BYTES]);

/* Pins the calling thread to another CPU, by the kernel's number, after pin_to_cpu. False: it was
 * not allowed to this process when that was called, or the kernel refuses; the thread stays where
 * it is. */
bool pin_move(uint32_t cpu);

/* Whether it was allowed then. */
bool pin_allowed(uint32_t cpu);

/* A thread that is created with these attributes runs on that CPU alone. False: as pin_move. */
bool pin_attributes(uint32_t cpu, pthread_attr_t *attributes);

#endif
