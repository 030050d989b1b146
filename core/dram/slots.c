/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/slots.h"

#include "core/lib/bits.h"

/* Below the highest bit in which first and last differ, every bit may. */
bool slots_of_range(const struct address_functions *functions, uint64_t first, uint64_t last,
                    uint32_t *number)
{
    uint64_t differ = first ^ last;

    for (unsigned shift = 1; shift < 64; shift *= 2)
        differ |= differ >> shift;
    *number = address_class(functions, first);
    for (unsigned i = 0; i < functions->count; i++)
        if ((functions->mask[i] & differ) != 0)
            return false;
    return true;
}

bool slots_of_class(const struct address_functions *functions, const uint64_t class_mask[],
                    uint32_t class_masks, uint64_t parities, uint32_t *number)
{
    *number = 0;
    if (class_masks > SLOTS_CLASS_MASKS)
        return false;
    for (unsigned i = 0; i < functions->count; i++) {
        uint32_t choice;
        if (!bits_sum_to(class_mask, class_masks, functions->mask[i], &choice))
            return false;
        *number |= (uint32_t)bits_parity(choice & parities) << i;
    }
    return true;
}
