/* SPDX-License-Identifier: BSD-2-Clause */
/* The visiting order is a bijection for any number of lines, and no stride can be learnt from it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/chase/order.h"

static void expect_bijection(const struct line_order *order, uint8_t *seen)
{
    memset(seen, 0, order->lines);
    for (uint64_t i = 0; i < order->lines; i++) {
        uint64_t line = line_order_at(order, i);
        assert_true(line < order->lines);
        assert_int_equal(seen[line], 0);
        seen[line] = 1;
    }
}

static void every_count_is_one_cycle(void **state)
{
    struct line_order *order = malloc(sizeof *order);
    uint8_t *seen = malloc(1 << 23);
    static const uint64_t large[] = {99991, 1000003, 4194301, 4194304, 5000011, 8388607};

    (void)state;
    for (uint64_t lines = 1; lines <= 5000; lines += lines < 300 ? 1 : 37) {
        line_order_start(order, ORDER_RANDOM, lines, 64, lines * 3);
        expect_bijection(order, seen);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        line_order_start(order, ORDER_RANDOM, large[i], 64, 42);
        expect_bijection(order, seen);
    }
    free(seen);
    free(order);
}

static void huge_counts_stay_inside(void **state)
{
    struct bijection *b = malloc(sizeof *b);
    static const uint64_t counts[] = {(1ull << 36) + 1, (1ull << 46) - 59, 1ull << 46};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        bijection_start(b, counts[c], 7);
        for (uint64_t i = 0; i < 100000; i++)
            assert_true(bijection_at(b, counts[c] - 1 - i * 1000003 % counts[c]) < counts[c]);
    }
    free(b);
}

static void expect_run_agrees(const struct line_order *order)
{
    uint64_t lines[97];

    for (uint64_t first = 0; first < order->lines; first += 61) {
        uint64_t left = order->lines - first;
        uint32_t count = (uint32_t)(left < 97 ? left : 97);
        line_order_run(order, first, count, lines);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(lines[i], line_order_at(order, first + i));
    }
}

static const enum order_kind all_kinds[] = {
    ORDER_RANDOM, ORDER_SEQUENTIAL_PAGES, ORDER_FORWARD,  ORDER_REVERSE, ORDER_SEQUENTIAL,
    ORDER_PAGED,  ORDER_GROUPED,          ORDER_HOP_PAGE,
};

/* Any number of lines in groups of any number: whole groups, a smaller one, or no whole one. */
static void every_kind_is_one_cycle(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 5, 7, 8, 12, 63, 64, 65, 100, 4096};
    struct line_order *order = malloc(sizeof *order);
    uint8_t *seen = malloc(1 << 20);

    (void)state;
    for (size_t k = 0; k < sizeof all_kinds / sizeof all_kinds[0]; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (uint64_t lines = 1; lines < 700; lines += lines < 70 ? 1 : 53) {
                line_order_start(order, all_kinds[k], lines, sizes[s], lines);
                expect_bijection(order, seen);
                expect_run_agrees(order);
            }
            line_order_start(order, all_kinds[k], 100003, sizes[s], 11);
            expect_bijection(order, seen);
        }
    line_order_start(order, ORDER_GROUPED, (1 << 20) - 77, 1 << 19, 3);
    expect_bijection(order, seen);
    free(seen);
    free(order);
}

static void page_orders_keep_their_shape(void **state)
{
    struct line_order *order = malloc(sizeof *order);
    uint64_t lines = 64 * 1001;
    uint8_t *seen = malloc(lines);
    uint64_t stays = 0, steps_up = 0;

    (void)state;
    line_order_start(order, ORDER_SEQUENTIAL_PAGES, lines, 64, 5);
    expect_bijection(order, seen);
    for (uint64_t i = 0; i + 1 < lines; i++)
        steps_up += line_order_at(order, i + 1) == line_order_at(order, i) + 1;
    /* all within a page; between pages only by chance */
    assert_in_range(steps_up, 63 * 1001, 63 * 1001 + 10);

    line_order_start(order, ORDER_PAIRED_PAGES, lines, 64, 5);
    expect_bijection(order, seen);
    steps_up = 0;
    for (uint64_t i = 0; i + 1 < lines; i++) {
        uint64_t a = line_order_at(order, i), b = line_order_at(order, i + 1);
        stays += a / 64 == b / 64;
        steps_up += b == a + 1 || a == b + 1;
    }
    assert_in_range(stays, lines / 2, lines / 2 + lines / 500);
    assert_in_range(steps_up, 0, lines / 20);

    line_order_start(order, ORDER_HALVED_PAGES, lines, 64, 5);
    expect_bijection(order, seen);
    expect_run_agrees(order);
    for (uint64_t i = 0; i < lines; i += 2)
        assert_int_equal(line_order_at(order, i + 1), line_order_at(order, i) + 32);
    free(seen);
    free(order);
}

/* The share of the most frequent distance between successive lines; a stride prefetcher lives on
 * a distance that repeats. */
static double commonest_distance(uint64_t (*pos)(const void *, uint64_t), const void *context,
                                 uint64_t lines)
{
    uint32_t *count = calloc(lines, sizeof *count);
    uint32_t max = 0;

    for (uint64_t i = 0; i + 1 < lines; i++) {
        uint64_t distance = (pos(context, i + 1) + lines - pos(context, i)) % lines;
        count[distance]++;
        max = count[distance] > max ? count[distance] : max;
    }
    free(count);
    return (double)max / (double)lines;
}

static uint64_t order_at(const void *context, uint64_t i)
{
    return line_order_at(context, i);
}

static uint64_t constant_multiplier_at(const void *context, uint64_t i)
{
    (void)context;
    return i * 40503 % 65521;
}

static void no_distance_repeats(void **state)
{
    struct line_order *order = malloc(sizeof *order);

    (void)state;
    line_order_start(order, ORDER_RANDOM, 65521, 64, 9);
    /* A random order repeats its commonest distance about 8 times in 65521 hops. */
    assert_true(commonest_distance(order_at, order, 65521) < 16.0 / 65521);
    /* The test can fail: a multiplier modulo a prime is a constant stride. */
    assert_false(commonest_distance(constant_multiplier_at, NULL, 65521) < 16.0 / 65521);
    free(order);
}

/* How many of the groups' walks share a distance at the same step with the group before them, and
 * with themselves one step before: both are what a prefetcher that remembers distances needs. */
struct habits {
    uint64_t steps, as_before, as_neighbour;
};

static struct habits habits_of(const struct line_order *order)
{
    struct habits habits = {.steps = 0};
    uint64_t per = order->per_group;

    for (uint64_t first = per; first + per <= order->lines; first += per)
        for (uint64_t i = first + 2; i < first + per; i++) {
            uint64_t now = line_order_at(order, i) - line_order_at(order, i - 1);
            uint64_t last = line_order_at(order, i - 1) - line_order_at(order, i - 2);
            uint64_t there = line_order_at(order, i - per) - line_order_at(order, i - 1 - per);
            habits.steps++;
            habits.as_before += now == last;
            habits.as_neighbour += now == there;
        }
    return habits;
}

/* In a random permutation of n lines two distances are the same with a probability of about 2 / 3n;
 * a sixth more than that would be of no use to a prefetcher. Groups that are walked alike have all
 * of them in common. */
static void groups_are_walked_each_in_its_own_way(void **state)
{
    static const uint64_t sizes[] = {16, 48, 64, 100, 4096};
    struct line_order *order = malloc(sizeof *order);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t groups = sizes[s] > 1000 ? 40 : 2000;
        struct habits habits;
        double share = 0.8 / (double)sizes[s];
        line_order_start(order, ORDER_PAGED, groups * sizes[s], sizes[s], 5);
        habits = habits_of(order);
        assert_true((double)habits.as_before < share * (double)habits.steps + 30);
        assert_true((double)habits.as_neighbour < share * (double)habits.steps + 30);
    }
    /* The test can fail. */
    line_order_start(order, ORDER_SEQUENTIAL_PAGES, 64 * 2000, 64, 5);
    assert_int_equal(habits_of(order).as_neighbour, habits_of(order).steps);
    free(order);
}

/* Every line of a group is as likely as any other to be the first, the second, ... */
static void groups_begin_anywhere(void **state)
{
    struct line_order *order = malloc(sizeof *order);
    static uint32_t first[48], second[48];
    const uint32_t groups = 48 * 500;

    (void)state;
    line_order_start(order, ORDER_GROUPED, groups * 48ull, 48, 17);
    for (uint32_t g = 0; g < groups; g++) {
        first[line_order_at(order, g * 48ull) % 48]++;
        second[line_order_at(order, g * 48ull + 1) % 48]++;
    }
    for (unsigned i = 0; i < 48; i++) {
        /* 500 expected, standard deviation 22 */
        assert_in_range(first[i], 500 - 110, 500 + 110);
        assert_in_range(second[i], 500 - 110, 500 + 110);
    }
    free(order);
}

/* A new group every hop, groups in the same order in each pass, at another line each time. */
static void hop_page_leaves_its_page_every_hop(void **state)
{
    struct line_order *order = malloc(sizeof *order);
    const uint64_t groups = 301, lines = groups * 64 + 17;
    unsigned same_line = 0;

    (void)state;
    line_order_start(order, ORDER_HOP_PAGE, lines, 64, 23);
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t here = line_order_at(order, i), next = line_order_at(order, (i + 1) % lines);
        assert_true(here / 64 != next / 64);
        if (i < 17 * (groups + 1) - groups - 1) {
            uint64_t again = line_order_at(order, i + groups + 1);
            assert_int_equal(here / 64, again / 64);
            assert_true(here != again);
        }
        same_line += here % 64 == next % 64;
    }
    assert_in_range(same_line, 0, lines / 32);
    free(order);
}

/* One group's lines before the next one's. */
static void groups_come_whole(void **state)
{
    struct line_order *order = malloc(sizeof *order);

    (void)state;
    line_order_start(order, ORDER_PAGED, 100 * 37 + 5, 37, 1);
    for (uint64_t i = 0; i < 100 * 37 + 5; i++)
        assert_int_equal(line_order_at(order, i) / 37, line_order_at(order, i / 37 * 37) / 37);
    free(order);
}

static void seeds_differ(void **state)
{
    struct line_order *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    unsigned same = 0;

    (void)state;
    line_order_start(a, ORDER_RANDOM, 4096, 64, 1);
    line_order_start(b, ORDER_RANDOM, 4096, 64, 2);
    for (uint64_t i = 0; i < 4096; i++)
        same += line_order_at(a, i) == line_order_at(b, i);
    assert_in_range(same, 0, 12);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_is_one_cycle),
        cmocka_unit_test(every_kind_is_one_cycle),
        cmocka_unit_test(huge_counts_stay_inside),
        cmocka_unit_test(page_orders_keep_their_shape),
        cmocka_unit_test(no_distance_repeats),
        cmocka_unit_test(groups_are_walked_each_in_its_own_way),
        cmocka_unit_test(groups_begin_anywhere),
        cmocka_unit_test(hop_page_leaves_its_page_every_hop),
        cmocka_unit_test(groups_come_whole),
        cmocka_unit_test(seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
