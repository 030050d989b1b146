/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyed bijection. */
#include "core/bijection.h"

#include "core/random.h"

#define RADIX_TRIES  65536u
#define WASTE_ENOUGH 8u
#define WASTE_SHARE  1024u /* of the count, at most one in so many */

/* ---- digits */

/* Sum and difference modulo a radix. Written as a minimum, because compilers make that a
 * conditional move; a branch here would be mispredicted every other time. */
static inline uint32_t digit_add(uint32_t a, uint32_t b, uint32_t radix)
{
    uint32_t sum = a + b, less = sum - radix;

    return less < sum ? less : sum;
}

static inline uint32_t digit_subtract(uint32_t a, uint32_t b, uint32_t radix)
{
    uint32_t difference = a - b, more = difference + radix;

    return more < difference ? more : difference;
}

struct digits {
    uint32_t left, right;
};

/* A division by 32 bits takes a fraction of one by 64 on CPUs before about 2019. */
static inline struct digits digits_of(const struct bijection *b, uint64_t value)
{
    uint32_t radix = b->right_radix;

    if (value <= UINT32_MAX)
        return (struct digits){(uint32_t)value / radix, (uint32_t)value % radix};
    return (struct digits){(uint32_t)(value / radix), (uint32_t)(value % radix)};
}

/* ---- the network. `tables` is a constant wherever these are called from, and digits are
 * variables of their own: gcc 12 would keep a pair of them in one register. */

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

static inline bool has_tables(const struct bijection *b)
{
    return b->left_radix <= BIJECTION_TABLE && b->right_radix <= BIJECTION_TABLE;
}

static inline uint32_t round_computed(const struct bijection *b, unsigned round, uint32_t digit,
                                      uint32_t radix)
{
    return (uint32_t)((random_mix(digit ^ b->round_key[round]) >> 32) * radix >> 32);
}

ALWAYS_INLINE uint32_t round_of(const struct bijection *b, bool tables, unsigned round,
                                uint32_t digit, uint32_t radix)
{
    return tables ? b->round[round][digit] : round_computed(b, round, digit, radix);
}

/* From a position's digits to the number there. */
ALWAYS_INLINE uint64_t forward(const struct bijection *b, bool tables, uint32_t left,
                               uint32_t right)
{
    uint32_t a = b->left_radix, c = b->right_radix;

    left = digit_add(left, round_of(b, tables, 0, right, a), a);
    right = digit_add(right, round_of(b, tables, 1, left, c), c);
    left = digit_add(left, round_of(b, tables, 2, right, a), a);
    right = digit_add(right, round_of(b, tables, 3, left, c), c);
    return (uint64_t)left * c + right;
}

ALWAYS_INLINE uint64_t backward(const struct bijection *b, bool tables, uint32_t left,
                                uint32_t right)
{
    uint32_t a = b->left_radix, c = b->right_radix;

    right = digit_subtract(right, round_of(b, tables, 3, left, c), c);
    left = digit_subtract(left, round_of(b, tables, 2, right, a), a);
    right = digit_subtract(right, round_of(b, tables, 1, left, c), c);
    left = digit_subtract(left, round_of(b, tables, 0, right, a), a);
    return (uint64_t)left * c + right;
}

ALWAYS_INLINE uint32_t right_after(const struct bijection *b, uint32_t right)
{
    return right + 1 == b->right_radix ? 0 : right + 1;
}

/* Backward to the position, one on, and forward again, by tables; but what the first round takes
 * away and gives back differs by one table entry, so that it takes seven look-ups and not eight,
 * and the last round's, on the way back, is one for a whole run: `last`. After the last position
 * comes the first: digits wrap by themselves. */
ALWAYS_INLINE uint64_t step(const struct bijection *b, uint32_t last, uint32_t left, uint32_t right)
{
    uint32_t a = b->left_radix, c = b->right_radix;

    right = digit_subtract(right, last, c);
    left = digit_subtract(left, b->round[2][right], a);
    right = digit_subtract(right, b->round[1][left], c);
    left = digit_add(left, b->advance[right], a);
    right = right_after(b, right);
    right = digit_add(right, b->round[1][left], c);
    left = digit_add(left, b->round[2][right], a);
    right = digit_add(right, b->round[3][left], c);
    return (uint64_t)left * c + right;
}

__attribute__((noinline)) static uint64_t number_at(const struct bijection *b, uint64_t position)
{
    struct digits d = digits_of(b, position);

    return has_tables(b) ? forward(b, true, d.left, d.right) : forward(b, false, d.left, d.right);
}

__attribute__((noinline)) static uint64_t number_position(const struct bijection *b,
                                                          uint64_t number)
{
    struct digits d = digits_of(b, number);

    return has_tables(b) ? backward(b, true, d.left, d.right) : backward(b, false, d.left, d.right);
}

uint64_t bijection_at(const struct bijection *b, uint64_t position)
{
    uint64_t value = number_at(b, position);

    while (value >= b->count)
        value = number_at(b, value);
    return value;
}

uint64_t bijection_position(const struct bijection *b, uint64_t value)
{
    uint64_t position = number_position(b, value);

    while (position >= b->count)
        position = number_position(b, position);
    return position;
}

__attribute__((noinline)) static uint64_t next_of(const struct bijection *b, uint64_t value)
{
    uint64_t after = bijection_position(b, value) + 1;

    return bijection_at(b, after == b->count ? 0 : after);
}

/* ---- starting */

/* The largest a with a * a <= count: radices near each other keep the tables smallest. */
static uint32_t root_floor(uint64_t count)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 24; bit != 0; bit >>= 1) {
        uint64_t tried = root + bit;
        if (tried * tried <= count)
            root = tried;
    }
    return (uint32_t)root;
}

/* Radices whose product exceeds the count by next to nothing: of the left radices from the root
 * down to three quarters of it, the first that is good enough, else the best. */
static void choose_radices(struct bijection *b)
{
    uint32_t root = root_floor(b->count);
    uint32_t least = root - root / 4;

    b->waste = UINT64_MAX;
    for (uint32_t tries = 0; tries < RADIX_TRIES && root - tries >= least; tries++) {
        uint32_t left = root - tries;
        uint64_t right = (b->count + left - 1) / left;
        uint64_t waste = left * right - b->count;
        if (waste >= b->waste)
            continue;
        b->waste = waste;
        b->left_radix = left;
        b->right_radix = (uint32_t)right;
        if (waste <= WASTE_ENOUGH && waste * WASTE_SHARE <= b->count)
            return;
    }
}

static void fill_tables(struct bijection *b, struct random *random)
{
    for (uint32_t i = 0; i < b->right_radix; i++) {
        b->round[0][i] = (uint16_t)random_below(random, b->left_radix);
        b->round[2][i] = (uint16_t)random_below(random, b->left_radix);
    }
    for (uint32_t i = 0; i < b->left_radix; i++) {
        b->round[1][i] = (uint16_t)random_below(random, b->right_radix);
        b->round[3][i] = (uint16_t)random_below(random, b->right_radix);
    }
    for (uint32_t i = 0; i < b->right_radix; i++) {
        uint32_t after = right_after(b, i);
        uint32_t difference = digit_subtract(b->round[0][after], b->round[0][i], b->left_radix);
        b->advance[i] = (uint16_t)digit_add(difference, after == 0, b->left_radix);
    }
}

/* Inserted by value; a second time is as good as once. */
static void add_odd(struct bijection *b, uint64_t value)
{
    uint32_t at = b->odd_count;

    if (value >= b->count)
        return;
    for (; at > 0 && b->odd[at - 1].value > value; at--)
        b->odd[at] = b->odd[at - 1];
    b->odd[at] = (struct bijection_odd){value, next_of(b, value)};
    b->odd_count++;
}

/* Those whose next number is no element, those that are the number at a position beyond the
 * elements', and the last. All others' next number is their successor. */
static void find_odd(struct bijection *b)
{
    uint64_t numbers = b->count + b->waste;

    b->odd_count = 0;
    if (!has_tables(b) || b->waste > BIJECTION_WASTE_MAX)
        return;
    for (uint64_t position = b->count - 1; position < numbers; position++)
        add_odd(b, number_at(b, position));
    for (uint64_t number = b->count; number < numbers; number++) {
        uint64_t position = number_position(b, number);
        add_odd(b, number_at(b, position == 0 ? numbers - 1 : position - 1));
    }
}

void bijection_start(struct bijection *b, uint64_t count, uint64_t key)
{
    struct random random;

    b->count = count;
    b->key = key;
    choose_radices(b);
    random_start(&random, key ^ (count * 0x9e3779b97f4a7c15ull));
    for (unsigned i = 0; i < BIJECTION_ROUNDS; i++)
        b->round_key[i] = random_next(&random);
    if (has_tables(b))
        fill_tables(b, &random);
    find_odd(b);
}

/* ---- runs: numbers that follow each other share their left digit, and nothing that is computed
 * for one waits for another, so that a CPU works on many at a time. */

/* How many of the numbers from d on have its left digit, at most count. */
static inline uint32_t same_left(const struct bijection *b, struct digits d, uint32_t count)
{
    uint32_t left_over = b->right_radix - d.right;

    return left_over < count ? left_over : count;
}

void bijection_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t values[])
{
    struct digits d = digits_of(b, first);

    if (!has_tables(b)) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = bijection_at(b, first + i);
        return;
    }
    for (uint32_t done = 0; done < count; d = (struct digits){d.left + 1, 0}) {
        uint32_t end = done + same_left(b, d, count - done);
        for (; done < end; done++, d.right++) {
            uint64_t value = forward(b, true, d.left, d.right);
            values[done] = value < b->count ? value : bijection_at(b, value);
        }
    }
}

/* Puts right the successors of those of [first, first + count) whose next number is not theirs. */
static void mend_odd(const struct bijection *b, uint64_t first, uint32_t count, uint64_t next[])
{
    uint32_t low = 0, high = b->odd_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (b->odd[middle].value < first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < b->odd_count && b->odd[low].value - first < count; low++)
        next[b->odd[low].value - first] = b->odd[low].next;
}

void bijection_next_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t next[])
{
    struct digits d = digits_of(b, first);

    if (!has_tables(b) || b->waste > BIJECTION_WASTE_MAX) {
        for (uint32_t i = 0; i < count; i++)
            next[i] = next_of(b, first + i);
        return;
    }
    for (uint32_t done = 0; done < count; d = (struct digits){d.left + 1, 0}) {
        uint32_t end = done + same_left(b, d, count - done);
        uint32_t last = b->round[3][d.left];
        for (; done < end; done++, d.right++)
            next[done] = step(b, last, d.left, d.right);
    }
    mend_odd(b, first, count, next);
}
