/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/offsets.h"

#define STEPS (OFFSETS_4G / OFFSETS_STEP)

uint64_t offsets_hole(const struct memory_range *memory, size_t count)
{
    uint64_t low_end = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t end = memory[i].base.value + memory[i].bytes;
        low_end = memory[i].usable && end <= OFFSETS_4G && end > low_end ? end : low_end;
    }
    return (OFFSETS_4G - low_end) / OFFSETS_STEP % STEPS * OFFSETS_STEP;
}

static size_t add_all(uint64_t hole, uint64_t from, struct address_offset *offset)
{
    size_t count = 0;

    if (hole != 0)
        offset[count++] = (struct address_offset){.bytes = hole, .from = from};
    for (uint64_t bytes = OFFSETS_STEP; bytes < OFFSETS_4G; bytes += OFFSETS_STEP)
        if (bytes != hole)
            offset[count++] = (struct address_offset){.bytes = bytes, .from = from};
    return count;
}

/* None first, since most controllers of Intel's and Arm's subtract nothing; then what the hole
 * suggests. Boards whose memory begins above 0 and goes on past 4 GiB may subtract its beginning
 * from all addresses. */
size_t offsets_list(uint64_t hole, bool below, bool above,
                    struct address_offset offset[OFFSETS_MAX])
{
    size_t count = 0;

    offset[count++] = (struct address_offset){.bytes = 0};
    if (above)
        count += add_all(hole, OFFSETS_4G, &offset[count]);
    if (below)
        count += add_all(hole, 0, &offset[count]);
    return count;
}
