/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order chosen frames stand behind a window's pages. Scattered 4K frames keep their
 * colour: page i lies at offset (i mod 512) of some 2 MiB block, but the block differs from page to
 * page. No two neighbouring pages are neighbouring frames (so nothing can be coalesced: AMD merges
 * aligned groups of 4 or 8, Arm's HPA 2 to 8). Yet the pages of one slot, which are 512 apart, lie
 * in blocks that follow each other, so that every prefix of the window spreads over the sets of a
 * physically indexed cache about as evenly as contiguous memory does, also where a way is larger
 * than a block or no part of one, as in caches of three slices. */
#ifndef CORE_MAPPING_FRAMES_H
#define CORE_MAPPING_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/mapping/memmap.h"

#define FRAMES_MARKS 128

/* The piece that a block lies in, and that piece's first block. */
struct frames_mark {
    uint64_t first_block;
    size_t piece;
};

struct frames {
    const struct memmap_run *pieces; /* whole blocks of block_bytes, aligned */
    size_t piece_count;
    uint64_t block_bytes; /* 2 MiB, or 1 GiB for 1 GiB pages */
    uint64_t blocks;
    enum page_size page;
    enum frame_order order;
    /* of frames.c alone */
    uint64_t first, starts, stride;
    unsigned block_log2, mark_log2;
    struct frames_mark mark[FRAMES_MARKS];
};

/* pieces must outlive *frames; contiguous order is theirs, ascending inside each, and so is that of
 * larger pages than 4K, whatever is asked. seed: which block is the first page's. blocks is counted
 * here. A single block cannot be scattered: its pages keep their places. Takes O(pieces). */
void frames_start(struct frames *frames, const struct memmap_run *pieces, size_t count,
                  enum page_size page, enum frame_order order, uint64_t seed);
/* The physical address of the window's page; page < blocks * block_bytes / page size (beyond:
 * UINT64_MAX). Every frame is given exactly once. O(1) up to some hundred pieces. */
phys_addr frames_of_page(const struct frames *frames, uint64_t page);

#endif
