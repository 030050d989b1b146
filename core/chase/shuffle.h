/* SPDX-License-Identifier: BSD-2-Clause */
/* Permutations of the lines of a group, different for each group, so that what a prefetcher learns
 * in one group does not help in another. A four-round mixed-radix Feistel network like the
 * bijection's; its round functions are slices of one small random table, starting at offsets that
 * depend on the group. */
#ifndef CORE_CHASE_SHUFFLE_H
#define CORE_CHASE_SHUFFLE_H

#include <stdbool.h>
#include <stdint.h>

#define SHUFFLE_TABLE_BITS 12
#define SHUFFLE_TABLE      (1u << SHUFFLE_TABLE_BITS)
#define SHUFFLE_MAX        (1ull << (2 * SHUFFLE_TABLE_BITS)) /* lines of a group */

struct shuffle {
    uint64_t key;
    uint16_t table[SHUFFLE_TABLE];
};

/* Groups of one size: a number is left * right_radix + right. */
struct shuffle_size {
    uint32_t count, left_radix, right_radix; /* left_radix * right_radix >= count */
};

/* One group's permutation of [0, count). */
struct shuffle_group {
    struct shuffle_size size;
    uint32_t begin[4]; /* table offset of each round */
    uint32_t turn;
    bool mirrored;
};

void shuffle_start(struct shuffle *shuffle, uint64_t key);
/* count: lines per group, 0 .. SHUFFLE_MAX; 0 if there is no such group. */
struct shuffle_size shuffle_size_of(uint64_t count);
struct shuffle_group shuffle_group_of(const struct shuffle *shuffle,
                                      const struct shuffle_size *size, uint64_t group);
/* at < count */
uint64_t shuffle_at(const struct shuffle *shuffle, const struct shuffle_group *group, uint64_t pos);

#endif
