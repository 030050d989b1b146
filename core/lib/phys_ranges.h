/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of ranges of physical addresses: sorted, disjoint, neighbours joined. */
#ifndef CORE_LIB_PHYS_RANGES_H
#define CORE_LIB_PHYS_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/phys.h"

struct phys_range {
    phys_addr base;
    uint64_t bytes;
};

/* Adds a range, which may overlap those of the list and is not empty. False: there are `max`
 * already, and the list is as it was. */
bool phys_ranges_add(struct phys_range list[], size_t *count, size_t max, struct phys_range added);

/* Returns an address, above base and at most end, up to which all addresses are in the list
 * (*inside) or none is; behind it the same may go on. */
phys_addr phys_ranges_same(const struct phys_range list[], size_t count, phys_addr base,
                           phys_addr end, bool *inside);

#endif
