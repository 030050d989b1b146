/* SPDX-License-Identifier: BSD-2-Clause */
/* Permutations of the lines of a group, another one for each group: what a prefetcher learns in one
 * group helps it in no other. A mixed-radix Feistel network of four rounds as the bijection's,
 * whose rounds begin at places of one small random table that the group decides. */
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

/* Groups of one size: numbers are pairs of digits, left * right_radix + right. */
struct shuffle_size {
    uint32_t count, left_radix, right_radix; /* left_radix * right_radix >= count */
};

/* One group's permutation of [0, count). */
struct shuffle_group {
    struct shuffle_size size;
    uint32_t begin[4]; /* where each round begins in the table */
    uint32_t turn;
    bool mirrored;
};

void shuffle_start(struct shuffle *shuffle, uint64_t key);
/* Groups of `count` lines, 0 .. SHUFFLE_MAX; of 0 there are none. */
struct shuffle_size shuffle_size_of(uint64_t count);
struct shuffle_group shuffle_group_of(const struct shuffle *shuffle,
                                      const struct shuffle_size *size, uint64_t group);
/* at < count */
uint64_t shuffle_at(const struct shuffle *shuffle, const struct shuffle_group *group, uint64_t at);

#endif
