/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a large window of which few are ever written: only those take the host's memory, whose
 * pages would hold a word each. */
#ifndef TESTS_SIM_SPARSE_H
#define TESTS_SIM_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

struct sim_sparse_word {
    uintptr_t address, value; /* address 0: none */
};

struct sim_sparse {
    uint64_t places, count; /* places: a power of two, or 0 */
    struct sim_sparse_word *word;
};

/* All zero is empty. Exits the program when memory runs out; sim_sparse_clear frees. */
void sim_sparse_put(struct sim_sparse *sparse, uintptr_t address, uintptr_t value);
/* False: nothing was put there. */
bool sim_sparse_get(const struct sim_sparse *sparse, uintptr_t address, uintptr_t *value);
void sim_sparse_clear(struct sim_sparse *sparse);

#endif
