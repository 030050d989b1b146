/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyed bijection: one cycle through every element for any count, the same one by every way of
 * querying it, and nothing in its distances that a prefetcher could learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/chase/bijection.h"
#include "core/lib/random.h"
#include "tests/long.h"

#define COUNT_MAX 10000019u

/* ---- one cycle */

struct cycle {
    struct bijection b;
    uint64_t next[COUNT_MAX];
};

/* Follows every successor: the first comes back after all others and not before. */
static void expect_one_cycle(const struct cycle *cycle)
{
    uint64_t pos = 0, hops = 0;

    do {
        assert_true(pos < cycle->b.count);
        pos = cycle->next[pos];
        hops++;
    } while (pos != 0 && hops < cycle->b.count);
    assert_int_equal(pos, 0);
    assert_int_equal(hops, cycle->b.count);
}

/* The elements by position are the same cycle, from the element at position 0 on. */
static void expect_same_by_position(const struct cycle *cycle, uint32_t run)
{
    uint64_t count = cycle->b.count, values[64];
    uint64_t expected = bijection_at(&cycle->b, 0);

    for (uint64_t first = 0; first < count; first += run) {
        uint32_t some = count - first < run ? (uint32_t)(count - first) : run;
        bijection_run(&cycle->b, first, some, values);
        for (uint32_t i = 0; i < some; i++) {
            assert_int_equal(values[i], expected);
            expected = cycle->next[expected];
        }
        assert_int_equal(bijection_at(&cycle->b, first), values[0]);
        assert_int_equal(bijection_position(&cycle->b, values[some - 1]), first + some - 1);
    }
}

static void check_count(struct cycle *cycle, uint64_t count, uint64_t key)
{
    uint32_t run = 1 + (uint32_t)(random_mix(count) % 64);

    bijection_start(&cycle->b, count, key);
    for (uint64_t first = 0; first < count; first += run) {
        uint32_t some = count - first < run ? (uint32_t)(count - first) : run;
        bijection_next_run(&cycle->b, first, some, cycle->next + first);
    }
    expect_one_cycle(cycle);
    expect_same_by_position(cycle, run);
}

static void every_count_to_5000_is_one_cycle(void **state)
{
    struct cycle *cycle = malloc(sizeof *cycle);

    (void)state;
    for (uint64_t count = 1; count <= 5000; count++)
        check_count(cycle, count, count * 3);
    free(cycle);
}

static void large_odd_counts_are_one_cycle(void **state)
{
    unsigned counts = tests_are_long() ? 98 : 24;
    struct cycle *cycle = malloc(sizeof *cycle);
    struct random random;

    (void)state;
    random_start(&random, 5);
    for (unsigned i = 0; i < counts; i++)
        check_count(cycle, (5001 + random_below(&random, i % 12 ? 60000 : 300000)) | 1, i);
    check_count(cycle, 4194301, 1);
    if (tests_are_long()) /* makes this test three times as long */
        check_count(cycle, COUNT_MAX, 3);
    free(cycle);
}

/* ---- radices and sizes that no test can walk through */

static void hardly_any_number_is_left_out(void **state)
{
    struct bijection *b = malloc(sizeof *b);
    struct random random;

    (void)state;
    random_start(&random, 11);
    for (unsigned i = 0; i < 60; i++) {
        uint64_t count = (1ull << (20 + i % 20)) + random_below(&random, 1 << 20);
        bijection_start(b, count, i);
        assert_int_equal(b->left_radix << b->right_bits, count + b->skip_count);
        assert_true(b->skip_count * 1000ull <= count);
        for (uint32_t k = 1; k < b->skip_count; k++)
            assert_true(b->skip[k - 1] < b->skip[k]);
    }
    free(b);
}

/* Three ways to the same successor, at both ends and anywhere, where round functions are computed
 * and where they are looked up. */
static void huge_counts_agree(void **state)
{
    static const uint64_t counts[] = {(1ull << 30) - 5, (1ull << 30) + 15, (1ull << 36) + 1,
                                      BIJECTION_COUNT_MAX - 59, BIJECTION_COUNT_MAX};
    struct bijection *b = malloc(sizeof *b);
    uint64_t next[24], values[24];

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        bijection_start(b, counts[c], 7);
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t first = i == 0 ? 0 : random_mix(i) % (counts[c] - 24);
            first = i == 1 ? counts[c] - 24 : first;
            bijection_next_run(b, first, 24, next);
            bijection_run(b, first, 24, values);
            for (uint64_t k = 0; k < 24; k += 23) {
                uint64_t after = bijection_position(b, first + k) + 1;
                assert_int_equal(next[k], bijection_at(b, after == counts[c] ? 0 : after));
                assert_int_equal(values[k], bijection_at(b, first + k));
                assert_true(values[k] < counts[c]);
            }
        }
    }
    free(b);
}

static void keys_differ(void **state)
{
    struct bijection *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    unsigned same = 0;

    (void)state;
    bijection_start(a, 4096, 1);
    bijection_start(b, 4096, 2);
    for (uint64_t i = 0; i < 4096; i++)
        same += bijection_at(a, i) == bijection_at(b, i);
    assert_in_range(same, 0, 12);
    free(a);
    free(b);
}

/* ---- distances. Each statistic is tested on sequences that must not pass, too. */

#define LINES_PRIME  1048573u /* the largest prime below 2^20 */
#define LINES_BINARY (1u << 20)

/* No distance of successive lines, and no factor from one to the next, may occur this often in 2^20
 * hops: in a random order each occurs about once, the commonest 8 to 11 times, and one in 10^6
 * orders would have one of 16. */
#define COMMONEST_MAX 16
/* The same of lines that are visited some hops apart: each would be right once in 30 000 hops. (A
 * row of the network is a lag at which up to 20 are seen.) */
#define COMMONEST_LAGGED_MAX 32

static uint32_t commonest(const uint32_t *value, uint64_t values, uint64_t bound)
{
    uint32_t *count = calloc(bound, sizeof *count);
    uint32_t max = 0;

    for (uint64_t i = 0; i < values; i++) {
        count[value[i]]++;
        max = count[value[i]] > max ? count[value[i]] : max;
    }
    free(count);
    return max;
}

static uint32_t commonest_distance(const uint32_t *line, uint64_t lines, uint64_t lag)
{
    uint32_t *distance = malloc(lines * sizeof *distance);
    uint32_t max;

    for (uint64_t i = 0; i < lines; i++)
        distance[i] = (uint32_t)((line[(i + lag) % lines] + lines - line[i]) % lines);
    max = commonest(distance, lines, lines);
    free(distance);
    return max;
}

/* What a stride prefetcher lives on, at any delay up to what it could remember: the most frequent
 * distance of lines that are visited 2 .. 16, 32 .. 8192 hops apart. */
static uint32_t commonest_lagged(const uint32_t *line, uint64_t lines)
{
    uint32_t max = 0;

    for (uint64_t lag = 2; lag <= 8192; lag += lag < 16 ? 1 : lag) {
        uint32_t found = commonest_distance(line, lines, lag);
        max = found > max ? found : max;
    }
    return max;
}

static uint32_t inverse(uint32_t a, uint32_t prime)
{
    uint64_t result = 1, power = a;

    for (uint32_t e = prime - 2; e != 0; e >>= 1) {
        result = e & 1 ? result * power % prime : result;
        power = power * power % prime;
    }
    return (uint32_t)result;
}

/* The most frequent factor from a distance to the next, modulo the (prime) number of lines: what
 * gives away a congruential generator whose distances never repeat. */
static uint32_t commonest_factor(const uint32_t *line, uint64_t prime)
{
    uint32_t *factor = malloc(prime * sizeof *factor);
    uint32_t max;

    for (uint64_t i = 0; i + 2 < prime; i++) {
        uint64_t first = (line[i + 1] + prime - line[i]) % prime;
        uint64_t second = (line[i + 2] + prime - line[i + 1]) % prime;
        factor[i] = (uint32_t)(second * inverse((uint32_t)first, (uint32_t)prime) % prime);
    }
    max = commonest(factor, prime - 2, prime);
    free(factor);
    return max;
}

/* Chi square of 64 * 64 cells: which sixty-fourth of the set the next line is in, by which this one
 * is in. In a random order 4095 +- 90. */
static double neighbourhood(const uint32_t *line, uint64_t lines)
{
    static uint32_t cell[64][64];
    double expected = (double)lines / 4096, sum = 0;

    memset(cell, 0, sizeof cell);
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t here = line[i] * 64ull / lines, there = line[(i + 1) % lines] * 64ull / lines;
        cell[here][there]++;
    }
    for (unsigned i = 0; i < 64 * 64; i++) {
        double off = cell[i / 64][i % 64] - expected;
        sum += off * off / expected;
    }
    return sum;
}

static uint32_t *order_of(uint64_t lines, uint64_t key)
{
    struct bijection *b = malloc(sizeof *b);
    uint32_t *line = malloc(lines * sizeof *line);

    bijection_start(b, lines, key);
    for (uint64_t i = 0; i < lines; i++)
        line[i] = (uint32_t)bijection_at(b, i);
    free(b);
    return line;
}

static void no_distance_can_be_learnt(void **state)
{
    static const uint64_t lines[] = {LINES_BINARY, LINES_PRIME, 1000000};

    (void)state;
    for (uint64_t i = 0; i < (tests_are_long() ? 3 : 2); i++) {
        uint32_t *line = order_of(lines[i], 100 + i);
        assert_in_range(commonest_distance(line, lines[i], 1), 2, COMMONEST_MAX - 1);
        assert_in_range(commonest_lagged(line, lines[i]), 2, COMMONEST_LAGGED_MAX - 1);
        assert_in_range((uint64_t)neighbourhood(line, lines[i]), 4095 - 450, 4095 + 450);
        if (lines[i] == LINES_PRIME)
            assert_in_range(commonest_factor(line, lines[i]), 2, COMMONEST_MAX - 1);
        free(line);
    }
}

/* x -> a x + c, from 1 on. */
static uint32_t *congruential(uint64_t lines, uint64_t a, uint64_t c)
{
    uint32_t *line = malloc(lines * sizeof *line);
    uint64_t x = 1;

    for (uint64_t i = 0; i < lines; i++, x = (a * x + c) % lines)
        line[i] = (uint32_t)x;
    return line;
}

/* The same statistics reject what is not random enough. */
static void constant_multipliers_are_detected(void **state)
{
    uint32_t *line = congruential(LINES_BINARY, 1664525, 1013904223);

    (void)state;
    /* Modulo a power of two low bits have short periods: every 4096th line but repeats 256
     * distances. */
    assert_true(commonest_lagged(line, LINES_BINARY) >= COMMONEST_LAGGED_MAX);
    free(line);
    /* Modulo a prime no distance repeats, but each is the same multiple of the last. */
    line = congruential(LINES_PRIME, 48271, 0);
    assert_true(commonest_distance(line, LINES_PRIME, 1) < COMMONEST_MAX);
    assert_true(commonest_factor(line, LINES_PRIME) >= COMMONEST_MAX);
    free(line);
    /* A small multiplier keeps neighbours together. */
    line = congruential(LINES_PRIME, 5, 0);
    assert_false(neighbourhood(line, LINES_PRIME) < 4095 + 450);
    free(line);
    /* A constant stride. */
    line = congruential(LINES_PRIME, 1, 40503);
    assert_true(commonest_distance(line, LINES_PRIME, 1) >= COMMONEST_MAX);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_to_5000_is_one_cycle),
        cmocka_unit_test(large_odd_counts_are_one_cycle),
        cmocka_unit_test(hardly_any_number_is_left_out),
        cmocka_unit_test(huge_counts_agree),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(no_distance_can_be_learnt),
        cmocka_unit_test(constant_multipliers_are_detected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
