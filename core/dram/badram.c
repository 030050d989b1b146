/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/badram.h"

void badram_memmap(phys_addr first, uint64_t bytes, struct text *line)
{
    text_format(line, "memmap=%luK$0x%lx", bytes >> 10, first.value);
}

/* The largest aligned power of two that begins at `pos` and ends by `end`. */
static uint64_t block_at(uint64_t pos, uint64_t end)
{
    uint64_t bytes = pos != 0 ? pos & -pos : 1ull << 63;

    while (bytes > end - pos)
        bytes >>= 1;
    return bytes;
}

static unsigned pairs_of(uint64_t first, uint64_t end)
{
    unsigned pairs = 0;

    for (uint64_t pos = first; pos < end; pos += block_at(pos, end))
        pairs++;
    return pairs;
}

void badram_grub(phys_addr first, uint64_t bytes, struct text *line)
{
    uint64_t from = first.value, end = from + bytes;
    const char *comma = "";

    for (uint64_t unit = BADRAM_PAGE_BYTES; pairs_of(from, end) > BADRAM_PAIRS_MAX; unit *= 2) {
        from &= ~(unit - 1);
        end = (end + unit - 1) & ~(unit - 1);
    }
    while (from < end) {
        uint64_t block = block_at(from, end);
        text_format(line, "%s0x%lx,0x%lx", comma, from, ~(block - 1));
        comma = ",";
        from += block;
    }
}
