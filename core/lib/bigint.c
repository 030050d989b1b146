/* SPDX-License-Identifier: BSD-2-Clause */
/* Schoolbook arithmetic on 32-bit words, low word first. */
#include "core/lib/bigint.h"

static void bigint_trim(struct bigint *a)
{
    while (a->used > 0 && a->word[a->used - 1] == 0)
        a->used--;
}

static void bigint_push(struct bigint *a, uint32_t word)
{
    if (a->used < BIGINT_WORDS)
        a->word[a->used++] = word;
}

void bigint_set(struct bigint *a, uint64_t value)
{
    a->used = 0;
    bigint_push(a, (uint32_t)value);
    bigint_push(a, (uint32_t)(value >> 32));
    bigint_trim(a);
}

void bigint_copy(struct bigint *a, const struct bigint *b)
{
    a->used = b->used;
    for (uint32_t i = 0; i < b->used; i++)
        a->word[i] = b->word[i];
}

bool bigint_is_zero(const struct bigint *a)
{
    return a->used == 0;
}

uint32_t bigint_bits(const struct bigint *a)
{
    uint32_t bits = 0;

    if (a->used == 0)
        return 0;
    for (uint32_t top = a->word[a->used - 1]; top != 0; top >>= 1)
        bits++;
    return (a->used - 1) * 32 + bits;
}

void bigint_multiply_add(struct bigint *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (uint32_t i = 0; i < a->used; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        bigint_push(a, (uint32_t)carry);
    bigint_trim(a);
}

void bigint_power10(struct bigint *a, uint32_t power)
{
    for (; power >= 9; power -= 9)
        bigint_multiply_add(a, 1000000000u, 0);
    for (; power > 0; power--)
        bigint_multiply_add(a, 10, 0);
}

void bigint_left(struct bigint *a, uint32_t bits)
{
    uint32_t words = bits / 32, rest = bits % 32;

    if (a->used == 0)
        return;
    bigint_multiply_add(a, (uint32_t)1 << rest, 0);
    if (words == 0)
        return;
    if (words + a->used > BIGINT_WORDS)
        words = BIGINT_WORDS - a->used;
    for (uint32_t i = a->used; i-- > 0;)
        a->word[i + words] = a->word[i];
    for (uint32_t i = 0; i < words; i++)
        a->word[i] = 0;
    a->used += words;
}

uint32_t bigint_divide(struct bigint *a, uint32_t divisor)
{
    uint64_t rest = 0;

    for (uint32_t i = a->used; i-- > 0;) {
        rest = rest << 32 | a->word[i];
        a->word[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    bigint_trim(a);
    return (uint32_t)rest;
}

int bigint_compare(const struct bigint *a, const struct bigint *b)
{
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    for (uint32_t i = a->used; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

void bigint_add(struct bigint *a, const struct bigint *b)
{
    uint64_t carry = 0;

    while (a->used < b->used)
        bigint_push(a, 0);
    for (uint32_t i = 0; i < a->used; i++) {
        carry += (uint64_t)a->word[i] + (i < b->used ? b->word[i] : 0);
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        bigint_push(a, (uint32_t)carry);
}

void bigint_subtract_times(struct bigint *a, const struct bigint *b, uint32_t factor)
{
    uint64_t borrow = 0;

    for (uint32_t i = 0; i < a->used; i++) {
        uint64_t less = borrow + (i < b->used ? (uint64_t)b->word[i] * factor : 0);

        borrow = (less >> 32) + (a->word[i] < (uint32_t)less);
        a->word[i] -= (uint32_t)less;
    }
    bigint_trim(a);
}

void bigint_subtract(struct bigint *a, const struct bigint *b)
{
    bigint_subtract_times(a, b, 1);
}

static bool bigint_bit(const struct bigint *a, uint32_t bit)
{
    return bit / 32 < a->used && (a->word[bit / 32] >> bit % 32 & 1) != 0;
}

static bool bigint_any_below(const struct bigint *a, uint32_t bit)
{
    uint32_t words = bit / 32, rest = bit % 32;

    for (uint32_t i = 0; i < words && i < a->used; i++)
        if (a->word[i] != 0)
            return true;
    return words < a->used && (a->word[words] & (((uint32_t)1 << rest) - 1)) != 0;
}

void bigint_right_even(struct bigint *a, uint32_t bits)
{
    uint32_t words = bits / 32, rest = bits % 32;
    bool half = bits > 0 && bigint_bit(a, bits - 1);
    bool below = bits > 0 && bigint_any_below(a, bits - 1);
    bool odd = bigint_bit(a, bits);

    for (uint32_t i = 0; i < a->used; i++) {
        uint64_t low = i + words < a->used ? a->word[i + words] : 0;
        uint64_t high = i + words + 1 < a->used ? a->word[i + words + 1] : 0;

        a->word[i] = (uint32_t)((high << 32 | low) >> rest);
    }
    bigint_trim(a);
    if (half && (below || odd)) {
        struct bigint one;

        bigint_set(&one, 1);
        bigint_add(a, &one);
    }
}

static uint64_t bigint_word(const struct bigint *a, uint32_t index)
{
    return index < a->used ? a->word[index] : 0;
}

uint64_t bigint_from_bit(const struct bigint *a, uint32_t bit)
{
    uint32_t words = bit / 32, rest = bit % 32;
    uint64_t low = bigint_word(a, words) | bigint_word(a, words + 1) << 32;

    return rest == 0 ? low : low >> rest | bigint_word(a, words + 2) << (64 - rest);
}
