/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/shuffle.h"

#include "core/lib/random.h"

#define TABLE_MASK (SHUFFLE_TABLE - 1)

void shuffle_start(struct shuffle *shuffle, uint64_t key)
{
    struct random random;

    shuffle->key = random_mix(key ^ 0x9e3779b97f4a7c15ull);
    random_start(&random, shuffle->key);
    for (uint32_t i = 0; i < SHUFFLE_TABLE; i++)
        shuffle->table[i] = (uint16_t)random_next(&random);
}

struct shuffle_size shuffle_size_of(uint64_t count)
{
    uint64_t root = 0;

    for (uint64_t bit = SHUFFLE_TABLE; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= count)
            root += bit;
    return (struct shuffle_size){.count = (uint32_t)count,
                                 .left_radix = (uint32_t)root,
                                 .right_radix =
                                     root == 0 ? 0 : (uint32_t)((count + root - 1) / root)};
}

struct shuffle_group shuffle_group_of(const struct shuffle *shuffle,
                                      const struct shuffle_size *size, uint64_t group)
{
    uint64_t hash = random_mix(group * 0x9e3779b97f4a7c15ull ^ shuffle->key);

    return (struct shuffle_group){
        .size = *size,
        .begin = {(uint32_t)hash & TABLE_MASK, (uint32_t)(hash >> 12) & TABLE_MASK,
                  (uint32_t)(hash >> 24) & TABLE_MASK, (uint32_t)(hash >> 36) & TABLE_MASK},
        .turn = (uint32_t)((hash >> 47 & 0xffff) * size->count >> 16),
        .mirrored = hash >> 63 != 0,
    };
}

static inline uint32_t round_add(const struct shuffle *shuffle, uint32_t begin, uint32_t sum,
                                 uint32_t digit, uint32_t radix)
{
    sum += (uint32_t)shuffle->table[(begin + digit) & TABLE_MASK] * radix >> 16;
    return sum >= radix ? sum - radix : sum;
}

uint64_t shuffle_at(const struct shuffle *shuffle, const struct shuffle_group *group, uint64_t pos)
{
    const struct shuffle_size *size = &group->size;
    uint32_t turned = (uint32_t)pos + group->turn;
    uint32_t value = turned >= size->count ? turned - size->count : turned;
    uint32_t left = value / size->right_radix, right = value % size->right_radix;

    do {
        left = round_add(shuffle, group->begin[0], left, right, size->left_radix);
        right = round_add(shuffle, group->begin[1], right, left, size->right_radix);
        left = round_add(shuffle, group->begin[2], left, right, size->left_radix);
        right = round_add(shuffle, group->begin[3], right, left, size->right_radix);
        value = left * size->right_radix + right;
    } while (value >= size->count);
    return group->mirrored ? size->count - 1 - value : value;
}
