/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/bijection.h"

#include "core/lib/random.h"

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* ---- the network. `tables` is a compile-time constant at every call. The two digits are separate
 * variables because gcc 12 would keep a struct of them in one register. Left digits are at most
 * 2^32, so the sum of two cannot wrap. */

/* Sum and difference modulo a radix. The choice depends on a sign because compilers turn that into
 * a conditional move of one micro-operation; a branch would be mispredicted every other time. */
ALWAYS_INLINE uint64_t digit_add(uint64_t a, uint64_t b, uint64_t radix)
{
    uint64_t sum = a + b, less = sum - radix;

    return (int64_t)less < 0 ? sum : less;
}

ALWAYS_INLINE uint64_t digit_subtract(uint64_t a, uint64_t b, uint64_t radix)
{
    uint64_t difference = a - b, more = difference + radix;

    return (int64_t)difference < 0 ? more : difference;
}

static inline bool has_tables(const struct bijection *b)
{
    return b->left_radix <= BIJECTION_LEFT;
}

static inline uint64_t right_mask(const struct bijection *b)
{
    return (1ull << b->right_bits) - 1;
}

/* Rounds 1 and 3: the value to XOR into the right digit. */
ALWAYS_INLINE uint64_t by_left(const struct bijection *b, bool tables, unsigned round,
                               uint64_t left)
{
    if (tables)
        return b->by_left[round / 2][left];
    return random_mix(left ^ b->round_key[round]) >> 32 & right_mask(b);
}

/* Position to number. */
ALWAYS_INLINE uint64_t forward(const struct bijection *b, bool tables, uint64_t position)
{
    uint64_t left = position >> b->right_bits, right = position & right_mask(b);

    left = digit_add(left, b->by_right[0][right], b->left_radix);
    right ^= by_left(b, tables, 1, left);
    left = digit_add(left, b->by_right[1][right], b->left_radix);
    right ^= by_left(b, tables, 3, left);
    return left << b->right_bits | right;
}

ALWAYS_INLINE uint64_t backward(const struct bijection *b, bool tables, uint64_t number)
{
    uint64_t left = number >> b->right_bits, right = number & right_mask(b);

    right ^= by_left(b, tables, 3, left);
    left = digit_subtract(left, b->by_right[1][right], b->left_radix);
    right ^= by_left(b, tables, 1, left);
    left = digit_subtract(left, b->by_right[0][right], b->left_radix);
    return left << b->right_bits | right;
}

/* Values shared by all numbers with the same left digit. */
struct step_constants {
    uint64_t radix, mask, last;
};

/* Successor of a number: backward to its position, plus one, and forward again. Two shortcuts:
 * undoing round 0 and redoing it for the next position differ by one table entry (`advance`), and
 * undoing round 3 uses the same value for all numbers with the same left digit. The last position
 * wraps to the first because the digits wrap. */
ALWAYS_INLINE uint64_t step(const struct bijection *b, bool tables, const struct step_constants *c,
                            uint64_t left, uint64_t right)
{
    right ^= c->last;
    left = digit_subtract(left, b->by_right[1][right], c->radix);
    right ^= by_left(b, tables, 1, left);
    left = digit_add(left, b->advance[right], c->radix);
    right = (right + 1) & c->mask;
    right ^= by_left(b, tables, 1, left);
    left = digit_add(left, b->by_right[1][right], c->radix);
    right ^= by_left(b, tables, 3, left);
    return left * (c->mask + 1) + right;
}

__attribute__((noinline)) static uint64_t number_at(const struct bijection *b, uint64_t position)
{
    return has_tables(b) ? forward(b, true, position) : forward(b, false, position);
}

static uint64_t number_position(const struct bijection *b, uint64_t number)
{
    return has_tables(b) ? backward(b, true, number) : backward(b, false, number);
}

/* The successor in the network, which also has numbers >= count. */
__attribute__((noinline)) static uint64_t number_next(const struct bijection *b, uint64_t number)
{
    uint64_t left = number >> b->right_bits, right = number & right_mask(b);
    bool tables = has_tables(b);
    const struct step_constants c = {b->left_radix, right_mask(b), by_left(b, tables, 3, left)};

    return tables ? step(b, true, &c, left, right) : step(b, false, &c, left, right);
}

/* ---- positions: those of the network minus the skipped ones */

/* The position in the network of the element at `position`. */
static uint64_t visited_at(const struct bijection *b, uint64_t position)
{
    uint32_t low = 0, high = b->skip_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (b->skip[middle] - middle <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return position + low;
}

/* The number of skipped positions before `visited`. */
static uint32_t skipped_before(const struct bijection *b, uint64_t visited)
{
    uint32_t low = 0, high = b->skip_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (b->skip[middle] < visited)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t bijection_at(const struct bijection *b, uint64_t position)
{
    return number_at(b, visited_at(b, position));
}

uint64_t bijection_position(const struct bijection *b, uint64_t value)
{
    uint64_t visited = number_position(b, value);

    return visited - skipped_before(b, visited);
}

/* ---- setup */

static void choose_radices(struct bijection *b)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(b->count);

    b->right_bits = bits / 2 < BIJECTION_RIGHT_BITS ? bits / 2 : BIJECTION_RIGHT_BITS;
    b->left_radix = (b->count + right_mask(b)) >> b->right_bits;
}

static uint64_t random_left(const struct bijection *b, struct random *random)
{
    return (uint64_t)(((unsigned __int128)random_next(random) * b->left_radix) >> 64);
}

static void fill_tables(struct bijection *b, struct random *random)
{
    uint64_t mask = right_mask(b);

    for (uint64_t i = 0; i <= mask; i++) {
        b->by_right[0][i] = (uint32_t)random_left(b, random);
        b->by_right[1][i] = (uint32_t)random_left(b, random);
    }
    for (uint64_t i = 0; i <= mask; i++) {
        uint64_t after = (i + 1) & mask;
        uint64_t difference =
            digit_subtract(b->by_right[0][after], b->by_right[0][i], b->left_radix);
        b->advance[i] = (uint32_t)digit_add(difference, after == 0, b->left_radix);
    }
    for (uint64_t i = 0; i < b->left_radix && has_tables(b); i++) {
        uint64_t both = random_next(random);
        b->by_left[0][i] = (uint16_t)(both & mask);
        b->by_left[1][i] = (uint16_t)(both >> 32 & mask);
    }
}

/* Shell sort with Knuth's gaps: at most some ten thousand numbers, once. */
static void sort(uint64_t *value, uint32_t count)
{
    uint32_t gap = 1;

    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap != 0; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            uint64_t moved = value[i];
            uint32_t pos = i;
            for (; pos >= gap && value[pos - gap] > moved; pos -= gap)
                value[pos] = value[pos - gap];
            value[pos] = moved;
        }
    }
}

void bijection_start(struct bijection *b, uint64_t count, uint64_t key)
{
    struct random random;
    uint64_t numbers;

    b->count = count;
    b->key = key;
    choose_radices(b);
    random_start(&random, key ^ (count * 0x9e3779b97f4a7c15ull));
    for (unsigned i = 0; i < BIJECTION_ROUNDS; i++)
        b->round_key[i] = random_next(&random);
    fill_tables(b, &random);
    numbers = b->left_radix << b->right_bits;
    b->skip_count = (uint32_t)(numbers - count);
    for (uint32_t i = 0; i < b->skip_count; i++)
        b->skip[i] = number_position(b, count + i);
    sort(b->skip, b->skip_count);
}

/* ---- runs: no element's computation depends on another's, so an out-of-order core overlaps
 * many */

ALWAYS_INLINE void run(const struct bijection *b, bool tables, uint64_t visited, uint32_t count,
                       uint64_t values[])
{
    for (uint32_t i = 0; i < count; visited++) {
        uint64_t value = forward(b, tables, visited);
        values[i] = value;
        i += value < b->count;
    }
}

void bijection_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t values[])
{
    uint64_t visited = visited_at(b, first);

    if (has_tables(b))
        run(b, true, visited, count, values);
    else
        run(b, false, visited, count, values);
}

/* Successors of numbers that share this left digit. The shared values are copied to locals because
 * the compiler must assume that stores to next[] alias *b. */
ALWAYS_INLINE void next_run(const struct bijection *b, bool tables, uint64_t left, uint64_t right,
                            uint32_t count, uint64_t next[])
{
    const struct step_constants c = {b->left_radix, right_mask(b), by_left(b, tables, 3, left)};
    uint64_t elements = b->count, beyond = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = step(b, tables, &c, left, right + i);
        next[i] = number;
        beyond |= elements - 1 - number;
    }
    /* The top bit is set if any successor is >= count, which one in several thousand is. */
    if (beyond >> 63 == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        while (next[i] >= elements)
            next[i] = number_next(b, next[i]);
}

void bijection_next_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t next[])
{
    uint64_t left = first >> b->right_bits, right = first & right_mask(b);

    for (uint32_t done = 0; done < count; left++, right = 0) {
        uint64_t same = right_mask(b) + 1 - right;
        uint32_t some = same < count - done ? (uint32_t)same : count - done;
        if (has_tables(b))
            next_run(b, true, left, right, some, next + done);
        else
            next_run(b, false, left, right, some, next + done);
        done += some;
    }
}
