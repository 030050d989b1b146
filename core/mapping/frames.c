/* SPDX-License-Identifier: BSD-2-Clause */
/* Scattered order: pages are numbered in rows of 512 slots. Each slot takes the blocks one after
 * the other from row to row, as contiguous memory does, but starts at another block than its
 * neighbouring slots. */
#include "core/mapping/frames.h"

#include "core/lib/random.h"

#define SLOTS 512u /* 4 KiB frames of a 2 MiB block */
/* Twice the largest group of pages that hardware merges (8: Arm's HPA, AMD), plus one. */
#define STARTS_MIN 17u

/* 64-bit division is three times as slow on older CPUs, and most operands here fit in 32 bits. */
static uint64_t remainder_of(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a % (uint32_t)b : a % b;
}

/* The last slot of a row starts at block 1. True if one of the slots shortly before it does too. */
static bool last_slot_has_company(uint64_t starts)
{
    for (uint64_t slot = SLOTS - STARTS_MIN + 1; slot < SLOTS - 1; slot++)
        if (slot % starts == 1)
            return true;
    return false;
}

/* The distance between the slots' starting blocks has many divisors. So, whatever the ratio of a
 * cache way to a block, every slot cycles through the sets evenly. */
static void starts_choose(struct frames *frames)
{
    static const uint16_t strides[] = {720, 240, 120, 48, 24, 12, 4, 2, 1};
    size_t i = 0;

    while (strides[i] > 1 && frames->blocks / strides[i] < STARTS_MIN)
        i++;
    frames->stride = strides[i];
    frames->starts = frames->blocks / frames->stride;
    if (frames->stride == 1 && frames->starts >= STARTS_MIN &&
        last_slot_has_company(frames->starts))
        frames->starts--;
}

static phys_addr block_address(const struct frames *frames, uint64_t block)
{
    const struct frames_mark *mark = &frames->mark[block >> frames->mark_log2];
    size_t piece = mark->piece;
    uint64_t inside = block - mark->first_block;
    for (;;) {
        uint64_t here = frames->pieces[piece].bytes >> frames->block_log2;
        if (inside < here)
            return phys_make(frames->pieces[piece].base.value + (inside << frames->block_log2));
        inside -= here;
        piece++;
    }
}

/* Every 2^mark_log2 blocks, a mark holds the piece that contains that block, to shorten the
 * search. */
static void marks_start(struct frames *frames)
{
    uint64_t first = 0;
    size_t mark = 0;
    frames->mark_log2 = 0;
    while ((frames->blocks >> frames->mark_log2) >= FRAMES_MARKS)
        frames->mark_log2++;
    for (size_t piece = 0; piece < frames->piece_count; piece++) {
        uint64_t end = first + frames->pieces[piece].bytes / frames->block_bytes;
        for (; mark < FRAMES_MARKS && (uint64_t)mark << frames->mark_log2 < end; mark++)
            frames->mark[mark] = (struct frames_mark){first, piece};
        first = end;
    }
}

void frames_start(struct frames *frames, const struct memmap_run *pieces, size_t count,
                  enum page_size page, enum frame_order order, uint64_t seed)
{
    struct random random;
    frames->pieces = pieces;
    frames->piece_count = count;
    frames->block_log2 = order == FRAMES_SCATTERED && page == PAGE_4K ? PAGE_2M : page;
    frames->block_bytes = 1ull << frames->block_log2;
    frames->page = page;
    frames->order = order;
    frames->blocks = 0;
    for (size_t i = 0; i < count; i++)
        frames->blocks += pieces[i].bytes / frames->block_bytes;
    marks_start(frames);
    starts_choose(frames);
    random_start(&random, seed);
    frames->first = frames->blocks > 0 ? random_below(&random, frames->blocks) : 0;
}

/* The last slot of a row and the first slot of the next row use the same block, 511 frames apart,
 * so that two pages across the row boundary can never be neighbouring frames. */
static uint64_t scattered_block(const struct frames *frames, uint64_t row, uint64_t slot)
{
    uint64_t start = remainder_of(slot, frames->starts) * frames->stride;

    if (slot == SLOTS - 1)
        start = 1;
    return remainder_of(frames->first + row + start, frames->blocks);
}

phys_addr frames_of_page(const struct frames *frames, uint64_t page)
{
    unsigned pages_log2 = frames->block_log2 - (unsigned)frames->page;
    uint64_t row = page >> pages_log2;
    uint64_t slot = page & ((1ull << pages_log2) - 1);
    if (row >= frames->blocks)
        return phys_make(UINT64_MAX);
    uint64_t block = row;
    if (frames->order == FRAMES_SCATTERED && frames->page == PAGE_4K)
        block = scattered_block(frames, row, slot);
    phys_addr address = block_address(frames, block);
    address.value += slot << frames->page;
    return address;
}

/* The node that memory was of where it was looked at last. */
struct known_node {
    uint64_t base, end;
    uint32_t node;
};

static uint32_t node_of(struct known_node *known, uint64_t base, uint64_t end,
                        frames_same_node *same_node, void *context)
{
    if (base >= known->base && end <= known->end)
        return known->node;
    known->base = base;
    /* As far as it goes: pages to come need not ask again. */
    known->end = same_node(context, phys_make(base), phys_make(UINT64_MAX), &known->node).value;
    return end <= known->end ? known->node : NODE_UNKNOWN;
}

void frames_span(const struct frames *frames, uint64_t pages, frames_same_node *same_node,
                 void *context, struct window_span *span)
{
    uint64_t bytes = 1ull << frames->page;
    struct known_node known = {.end = 0};

    *span = (struct window_span){phys_make(UINT64_MAX), phys_make(0), NODE_UNKNOWN};
    for (uint64_t page = 0; page < pages; page++) {
        uint64_t base = frames_of_page(frames, page).value, last = base + bytes - 1;
        uint32_t node = same_node == NULL ? NODE_UNKNOWN
                                          : node_of(&known, base, base + bytes, same_node, context);
        if (page == 0)
            span->node = node;
        span->low = base < span->low.value ? phys_make(base) : span->low;
        span->high = last > span->high.value ? phys_make(last) : span->high;
        span->node = node == span->node ? node : NODE_UNKNOWN;
    }
}
