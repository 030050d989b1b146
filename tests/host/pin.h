/* SPDX-License-Identifier: BSD-2-Clause */
/* The one CPU that a run stays on. */
#ifndef TESTS_HOST_PIN_H
#define TESTS_HOST_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIN_MESSAGE_BYTES 256

/* Pins the calling thread. wanted 0: the CPU it is on; else the kernel's number plus 1, as in
 * options. *cpu is the CPU's number. False: message says what is wrong and which CPUs there are. */
bool pin_to_cpu(uint32_t wanted, uint32_t *cpu, char message[PIN_MESSAGE_BYTES]);

#endif
