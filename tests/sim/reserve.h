/* SPDX-License-Identifier: BSD-2-Clause */
/* Large arrays of which the host provides what is written to, and zero elsewhere. */
#ifndef TESTS_SIM_RESERVE_H
#define TESTS_SIM_RESERVE_H

#include <stdint.h>

/* All zero. Exits the program when there are no addresses left. */
void *sim_reserve(uint64_t bytes);
/* All zero again. */
void sim_reserve_clear(void *memory, uint64_t bytes);
/* NULL: nothing happens. */
void sim_reserve_free(void *memory, uint64_t bytes);

#endif
