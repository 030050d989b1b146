/* SPDX-License-Identifier: BSD-2-Clause */
/* Permutations of the lines of a group, another one for each group: what a prefetcher learns in one
 * group helps it in no other. A mixed-radix Feistel network of three rounds like the bijection's,
 * whose rounds begin at places of one small random table that the group decides. */
#ifndef CORE_SHUFFLE_H
#define CORE_SHUFFLE_H

#include <stdbool.h>
#include <stdint.h>

#define SHUFFLE_TABLE_BITS 12
#define SHUFFLE_TABLE      (1u << SHUFFLE_TABLE_BITS)
#define SHUFFLE_MAX        (1ull << (2 * SHUFFLE_TABLE_BITS)) /* lines of a group */

struct shuffle {
    uint64_t key;
    uint16_t table[SHUFFLE_TABLE];
};

/* One group's permutation of [0, count). */
struct group_shuffle {
    uint32_t count, left_radix, right_radix; /* left_radix * right_radix >= count */
    uint32_t begin[3];                       /* where each round begins in the table */
    uint32_t turn;
    bool mirrored;
};

void shuffle_start(struct shuffle *shuffle, uint64_t key);
/* The permutation of a group of `count` lines, 1 .. SHUFFLE_MAX. */
struct group_shuffle shuffle_group(const struct shuffle *shuffle, uint64_t group, uint64_t count);
/* at < count */
uint64_t shuffle_at(const struct shuffle *shuffle, const struct group_shuffle *group, uint64_t at);

#endif
