/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of ranges against a map with a byte for each address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/phys_ranges.h"
#include "core/lib/random.h"

#define SPACE 200
#define MAX   20

/* Sorted, disjoint, and with something between any two. */
static void check(const struct phys_range list[], size_t count, const uint8_t map[SPACE])
{
    size_t at = 0;

    for (uint64_t pos = 0; pos < SPACE; pos++) {
        bool inside, here = at < count && pos >= list[at].base.value;
        phys_addr edge = phys_ranges_same(list, count, phys_make(pos), phys_make(SPACE), &inside);
        assert_int_equal(here, map[pos]);
        assert_int_equal(inside, map[pos]);
        assert_true(edge.value > pos && edge.value <= SPACE);
        for (uint64_t next = pos; next < edge.value; next++)
            assert_int_equal(map[next], map[pos]);
        assert_true(edge.value == SPACE || map[edge.value] != map[pos]);
        at += here && pos + 1 == list[at].base.value + list[at].bytes;
    }
    assert_int_equal(at, count);
}

static void ranges_are_joined(void **state)
{
    struct random random;

    (void)state;
    random_start(&random, 5);
    for (int round = 0; round < 200; round++) {
        struct phys_range list[MAX];
        uint8_t map[SPACE] = {0};
        size_t count = 0;
        for (int i = 0; i < 60; i++) {
            uint64_t first = random_below(&random, SPACE - 12);
            uint64_t bytes = 1 + random_below(&random, 12);
            size_t before = count;
            if (phys_ranges_add(list, &count, MAX, (struct phys_range){phys_make(first), bytes}))
                memset(map + first, 1, bytes);
            else
                assert_true(before == MAX && count == MAX);
            check(list, count, map);
        }
    }
}

static void a_full_list_takes_what_joins(void **state)
{
    struct phys_range list[2];
    size_t count = 0;

    (void)state;
    assert_true(phys_ranges_add(list, &count, 2, (struct phys_range){phys_make(10), 2}));
    assert_true(phys_ranges_add(list, &count, 2, (struct phys_range){phys_make(20), 2}));
    assert_false(phys_ranges_add(list, &count, 2, (struct phys_range){phys_make(30), 2}));
    assert_true(phys_ranges_add(list, &count, 2, (struct phys_range){phys_make(12), 8}));
    assert_int_equal(count, 1);
    assert_int_equal(list[0].base.value, 10);
    assert_int_equal(list[0].bytes, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_joined),
        cmocka_unit_test(a_full_list_takes_what_joins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
