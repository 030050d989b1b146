/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyed bijection. */
#include "core/bijection.h"

#include "core/random.h"

/* The largest a with a * a <= count: radices near each other keep the round tables smallest. */
static uint64_t root_floor(uint64_t count)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 24; bit != 0; bit >>= 1) {
        uint64_t tried = root + bit;
        if (tried * tried <= count)
            root = tried;
    }
    return root;
}

static void fill_round(uint32_t low[BIJECTION_TABLE], uint32_t high[BIJECTION_TABLE],
                       uint64_t radix, struct random *random)
{
    for (uint32_t i = 0; i < BIJECTION_TABLE; i++) {
        low[i] = (uint32_t)random_below(random, radix);
        high[i] = (uint32_t)random_below(random, radix);
    }
    /* Small radices have no high digit: their sums stay in the low table alone. */
    high[0] = 0;
}

void bijection_start(struct bijection *b, uint64_t count, uint64_t key)
{
    struct random random;

    b->count = count;
    b->left_radix = root_floor(count);
    b->right_radix = (count + b->left_radix - 1) / b->left_radix;
    b->key = key;
    random_start(&random, key ^ (count * 0x9e3779b97f4a7c15ull));
    fill_round(b->low[0], b->high[0], b->left_radix, &random);
    fill_round(b->low[1], b->high[1], b->right_radix, &random);
    fill_round(b->low[2], b->high[2], b->left_radix, &random);
}

static inline uint64_t round_add(const struct bijection *b, unsigned round, uint64_t sum,
                                 uint64_t digit, uint64_t radix)
{
    sum += b->low[round][digit & (BIJECTION_TABLE - 1)];
    sum += b->high[round][digit >> BIJECTION_TABLE_BITS];
    /* Three summands below the radix: two conditional moves, no division. */
    sum = sum >= radix ? sum - radix : sum;
    sum = sum >= radix ? sum - radix : sum;
    return sum;
}

uint64_t bijection_at(const struct bijection *b, uint64_t position)
{
    uint64_t left = position / b->right_radix;
    uint64_t right = position % b->right_radix;
    uint64_t value;

    do {
        left = round_add(b, 0, left, right, b->left_radix);
        right = round_add(b, 1, right, left, b->right_radix);
        left = round_add(b, 2, left, right, b->left_radix);
        value = left * b->right_radix + right;
    } while (value >= b->count);
    return value;
}
