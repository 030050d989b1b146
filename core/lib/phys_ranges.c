/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/phys_ranges.h"

static uint64_t end_of(const struct phys_range *range)
{
    return range->base.value + range->bytes;
}

/* The first range that ends at `address` or behind it. */
static size_t first_from(const struct phys_range list[], size_t count, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end_of(&list[middle]) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool phys_ranges_add(struct phys_range list[], size_t *count, size_t max, struct phys_range added)
{
    size_t first = first_from(list, *count, added.base.value), last = first;
    uint64_t low = added.base.value, high = end_of(&added);

    while (last < *count && list[last].base.value <= high) {
        low = list[last].base.value < low ? list[last].base.value : low;
        high = end_of(&list[last]) > high ? end_of(&list[last]) : high;
        last++;
    }
    if (last == first && *count == max)
        return false;
    if (last == first)
        for (size_t i = *count; i > first; i--)
            list[i] = list[i - 1];
    else
        for (size_t i = last; i < *count; i++)
            list[first + 1 + i - last] = list[i];
    list[first] = (struct phys_range){phys_make(low), high - low};
    *count += 1 + first - last;
    return true;
}

phys_addr phys_ranges_same(const struct phys_range list[], size_t count, phys_addr base,
                           phys_addr end, bool *inside)
{
    size_t at = first_from(list, count, base.value + 1);
    uint64_t edge = at < count ? list[at].base.value : end.value;

    *inside = at < count && edge <= base.value;
    if (*inside)
        edge = end_of(&list[at]);
    return phys_make(edge < end.value ? edge : end.value);
}
