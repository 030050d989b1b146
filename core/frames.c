/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames behind pages. Scattered order is a keyed permutation of blocks (a mixed-radix Feistel
 * network, cycle-walked), which a 4 KiB page enters at a place that moves on by one with each page
 * and each row of 512 pages. */
#include "core/frames.h"

#include "core/random.h"

#define SLOTS  512u /* 4 KiB frames of a 2 MiB block */
#define ROUNDS 4u
#define COALESCE_MAX \
    16u /* pages that hardware might merge, twice over: Arm's HPA and AMD go to 8 */

/* 64-bit division takes three times as long on older CPUs, and almost no number here needs it. */
static uint64_t divide(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

static uint64_t remainder_of(uint64_t a, uint64_t b)
{
    return a - divide(a, b) * b;
}

/* Smallest root with root * root >= value, for value up to 2^52. */
static uint64_t root_above(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = 1ull << 26; bit > 0; bit >>= 1) {
        if ((root + bit) * (root + bit) < value)
            root += bit;
    }
    return root + 1;
}

static bool coprime(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* Whether the last slot of a row can stand in the row's block number `step` without sharing a block
 * with any of the `near` slots before it. */
static bool step_is_free(uint64_t step, uint64_t blocks, unsigned near)
{
    for (unsigned slot = SLOTS - 1 - near; slot < SLOTS - 1; slot++) {
        if (slot % blocks == step % blocks)
            return false;
    }
    return true;
}

/* How far a row of 512 pages moves on. Rows r and r + 1 meet in one block (the last slot of one and
 * the first of the next, 511 frames apart), so that no border of rows can join two neighbouring
 * blocks. step must be a unit modulo blocks, or a slot would not meet every block. */
static uint64_t step_choose(uint64_t blocks)
{
    for (unsigned near = COALESCE_MAX - 1; near > 0; near /= 2) {
        for (uint64_t step = 1; step < blocks && step < SLOTS; step++) {
            if (coprime(step, blocks) && step_is_free(step, blocks, near))
                return step;
        }
    }
    return 1;
}

/* Round function, uniform over [0, radix). */
static uint64_t spread(uint64_t digit, uint64_t key, uint64_t radix)
{
    uint64_t hash = (digit + key) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ull;
    return (uint64_t)(((hash >> 32) * radix) >> 32);
}

/* Where block `index` of the walk lies among all blocks of the pieces. A permutation, so walking on
 * from an index below blocks comes back below blocks. */
static uint64_t permute(const struct frames *frames, uint64_t index)
{
    do {
        uint64_t left = divide(index, frames->right_radix);
        uint64_t right = index - left * frames->right_radix;
        for (unsigned round = 0; round < ROUNDS; round += 2) {
            left += spread(right, frames->key[round], frames->left_radix);
            left -= left >= frames->left_radix ? frames->left_radix : 0;
            right += spread(left, frames->key[round + 1], frames->right_radix);
            right -= right >= frames->right_radix ? frames->right_radix : 0;
        }
        index = left * frames->right_radix + right;
    } while (index >= frames->blocks);
    return index;
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

/* The table of marks: for every 2^mark_log2 blocks, the piece that the first of them lies in. */
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
    frames->block_log2 = page == PAGE_1G ? PAGE_1G : PAGE_2M;
    frames->block_bytes = 1ull << frames->block_log2;
    frames->page = page;
    frames->order = order;
    frames->seed = seed;
    frames->blocks = 0;
    for (size_t i = 0; i < count; i++)
        frames->blocks += pieces[i].bytes / frames->block_bytes;
    marks_start(frames);
    frames->left_radix = root_above(frames->blocks);
    frames->right_radix = (frames->blocks + frames->left_radix - 1) / frames->left_radix;
    frames->step = step_choose(frames->blocks);
    random_start(&random, seed);
    for (unsigned i = 0; i < ROUNDS; i++)
        frames->key[i] = random_next(&random);
}

phys_addr frames_of_page(const struct frames *frames, uint64_t page)
{
    unsigned pages_log2 = frames->block_log2 - (unsigned)frames->page;
    uint64_t row = page >> pages_log2;
    uint64_t slot = page & ((1ull << pages_log2) - 1);
    if (row >= frames->blocks)
        return phys_make(UINT64_MAX);
    uint64_t block = row;
    if (frames->order == FRAMES_SCATTERED && frames->blocks > 1) {
        uint64_t column = slot == SLOTS - 1 ? frames->step : slot;
        block = permute(frames, remainder_of(column + row * frames->step, frames->blocks));
    }
    phys_addr address = block_address(frames, block);
    address.value += slot << frames->page;
    return address;
}
