/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/mapping/slots.h"

#define SLOT_BITS 9

unsigned table_leaf_level(enum page_size page)
{
    return ((unsigned)page - PAGE_4K) / SLOT_BITS + 1;
}

unsigned table_shift(unsigned level)
{
    return PAGE_4K + SLOT_BITS * (level - 1);
}

unsigned table_slot(uint64_t address, unsigned level)
{
    return (unsigned)(address >> table_shift(level)) & (TABLE_ENTRIES - 1);
}

uint64_t table_bytes(enum page_size page, uint64_t pages, unsigned top)
{
    uint64_t tables = 1, below = pages;

    for (unsigned level = table_leaf_level(page); level < top; level++) {
        /* plus one: a window may begin in the middle of a table */
        below = below / TABLE_ENTRIES + (below % TABLE_ENTRIES != 0) + 1;
        tables += below;
    }
    return tables * TABLE_BYTES;
}

static bool are_free(const uint64_t *table, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        if (table[i] & TABLE_VALID)
            return false;
    return true;
}

bool table_find_free(const uint64_t *table, unsigned first, unsigned end, uint64_t need,
                     unsigned *slot)
{
    for (unsigned margin = 2; margin-- > 0;) {
        if (need + 2 * margin > end - first)
            continue;
        unsigned run = (unsigned)need;
        for (unsigned pos = end - run - margin + 1; pos-- > first + margin;) {
            if (are_free(table, pos - margin, pos + run + margin)) {
                *slot = pos;
                return true;
            }
        }
    }
    return false;
}

uint64_t table_slots_needed(enum page_size page, uint64_t pages, unsigned level)
{
    return ((pages - 1) >> (table_shift(level) - (unsigned)page)) + 1;
}
