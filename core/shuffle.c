/* SPDX-License-Identifier: BSD-2-Clause */
/* A permutation for each group. */
#include "core/shuffle.h"

#include "core/random.h"

#define TABLE_MASK (SHUFFLE_TABLE - 1)

void shuffle_start(struct shuffle *shuffle, uint64_t key)
{
    struct random random;

    shuffle->key = key;
    random_start(&random, key ^ 0x9e3779b97f4a7c15ull);
    for (uint32_t i = 0; i < SHUFFLE_TABLE; i++)
        shuffle->table[i] = (uint16_t)random_next(&random);
}

static uint32_t root_floor(uint32_t count)
{
    uint32_t root = 0;

    for (uint32_t bit = SHUFFLE_TABLE; bit != 0; bit >>= 1)
        if ((uint64_t)(root + bit) * (root + bit) <= count)
            root += bit;
    return root;
}

struct group_shuffle shuffle_group(const struct shuffle *shuffle, uint64_t group, uint64_t count)
{
    uint64_t hash = random_mix(random_mix(group ^ shuffle->key) + count);
    uint32_t root = root_floor((uint32_t)count);

    return (struct group_shuffle){
        .count = (uint32_t)count,
        .left_radix = root,
        .right_radix = ((uint32_t)count + root - 1) / root,
        .begin = {(uint32_t)hash & TABLE_MASK, (uint32_t)(hash >> 12) & TABLE_MASK,
                  (uint32_t)(hash >> 24) & TABLE_MASK},
        .turn = (uint32_t)((hash >> 36) % count),
        .mirrored = hash >> 63 != 0,
    };
}

static inline uint32_t round_add(const struct shuffle *shuffle, uint32_t begin, uint32_t sum,
                                 uint32_t digit, uint32_t radix)
{
    sum += (uint32_t)shuffle->table[(begin + digit) & TABLE_MASK] * radix >> 16;
    return sum >= radix ? sum - radix : sum;
}

uint64_t shuffle_at(const struct shuffle *shuffle, const struct group_shuffle *group, uint64_t at)
{
    uint32_t count = group->count;
    uint32_t turned = (uint32_t)at + group->turn;
    uint32_t value = turned >= count ? turned - count : turned;
    uint32_t left = value / group->right_radix, right = value % group->right_radix;

    do {
        left = round_add(shuffle, group->begin[0], left, right, group->left_radix);
        right = round_add(shuffle, group->begin[1], right, left, group->right_radix);
        left = round_add(shuffle, group->begin[2], left, right, group->left_radix);
        value = left * group->right_radix + right;
    } while (value >= count);
    return group->mirrored ? count - 1 - value : value;
}
