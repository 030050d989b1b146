/* SPDX-License-Identifier: BSD-2-Clause */
/* Assigns the chosen frames to a window's pages.
 *
 * Scattered 4K frames keep their colour: page i lies at offset (i mod 512) of some 2 MiB block, but
 * the block differs from page to page. Neighbouring pages are never neighbouring frames, so no TLB
 * can coalesce them (AMD merges aligned groups of 4 or 8, Arm's HPA 2 to 8). Pages 512 apart lie in
 * consecutive blocks, so every prefix of the window spreads over the sets of a physically indexed
 * cache about as evenly as contiguous memory does. That also holds if a cache way is larger than a
 * block or is not a multiple or divisor of one, as in caches of three slices. */
#ifndef CORE_MAPPING_FRAMES_H
#define CORE_MAPPING_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/mapping/memmap.h"

#define FRAMES_MARKS 128

/* The piece that contains a block, and the first block of that piece. */
struct frames_mark {
    uint64_t first_block;
    size_t piece;
};

struct frames {
    const struct memmap_run *pieces; /* whole blocks of block_bytes, aligned */
    size_t piece_count;
    uint64_t block_bytes; /* a page's; of scattered 4 KiB pages 2 MiB */
    uint64_t blocks;
    enum page_size page;
    enum frame_order order;
    /* private to frames.c */
    uint64_t first, starts, stride;
    unsigned block_log2, mark_log2;
    struct frames_mark mark[FRAMES_MARKS];
};

/* pieces must outlive *frames. Contiguous order is the order of pieces, ascending inside each;
 * pages larger than 4K always use it. seed selects the first page's block. Sets frames->blocks. A
 * single block cannot be scattered: its pages keep their places. O(pieces). */
void frames_start(struct frames *frames, const struct memmap_run *pieces, size_t count,
                  enum page_size page, enum frame_order order, uint64_t seed);
/* Returns the physical address of the window's page. page is below blocks * block_bytes / page
 * size; beyond that the result is UINT64_MAX. Every frame is assigned to exactly one page. O(1) for
 * up to some hundred pieces. */
phys_addr frames_of_page(const struct frames *frames, uint64_t page);

/* Returns an address, above base and at most end, up to which all memory is of *node
 * (NODE_UNKNOWN); behind it the same may go on. */
typedef phys_addr frames_same_node(void *context, phys_addr base, phys_addr end, uint32_t *node);

/* Where the window's first `pages` pages (at least one) lie. same_node NULL: nodes are unknown. */
void frames_span(const struct frames *frames, uint64_t pages, frames_same_node *same_node,
                 void *context, struct window_span *span);

#endif
