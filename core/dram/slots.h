/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of memory a range or a class of lines is of, by functions of address bits: the part's
 * number is the class of its addresses (address_class). Pure. */
#ifndef CORE_DRAM_SLOTS_H
#define CORE_DRAM_SLOTS_H

#include "core/dram/address.h"

/* False: the range [first, last] may be of several. */
bool slots_of_range(const struct address_functions *functions, uint64_t first, uint64_t last,
                    uint32_t *number);
/* Of the lines whose parity under class_mask[n] is bit n of parities. False: they are of several.
 * At most SLOTS_CLASS_MASKS class masks. */
#define SLOTS_CLASS_MASKS 16
bool slots_of_class(const struct address_functions *functions, const uint64_t class_mask[],
                    uint32_t class_masks, uint64_t parities, uint32_t *number);

#endif
