/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets to be tried, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/dram/offsets.h"

#define M (1ull << 20)
#define G (1ull << 30)

static struct memory_range range(uint64_t base, uint64_t bytes, bool usable)
{
    return (struct memory_range){.base = phys_make(base), .bytes = bytes, .usable = usable};
}

static void the_hole_is_what_memory_leaves_below_4g(void **state)
{
    const struct memory_range memory[] = {range(0, 640 << 10, true), range(M, 3327 * M, true),
                                          range(3400 * M, 8 * M, false), range(4 * G, 4 * G, true)};

    (void)state;
    assert_true(offsets_hole(memory, 4) == 768 * M);
    assert_true(offsets_hole(&memory[3], 1) == 0);
    assert_true(offsets_hole(NULL, 0) == 0);
}

static void no_offset_is_first_and_the_hole_next(void **state)
{
    struct address_offset offset[OFFSETS_MAX];

    (void)state;
    assert_int_equal(offsets_list(768 * M, false, true, offset), 16);
    assert_true(offset[0].bytes == 0);
    assert_true(offset[1].bytes == 768 * M && offset[1].from == 4 * G);
    for (size_t i = 2; i < 16; i++) {
        assert_true(offset[i].bytes != 768 * M && offset[i].from == 4 * G);
        assert_true(i == 2 || offset[i].bytes > offset[i - 1].bytes);
    }
    assert_int_equal(offsets_list(0, false, true, offset), 16);
    assert_true(offset[1].bytes == 256 * M && offset[15].bytes == 3840 * M);
}

/* On both sides either what is above is moved, or all. */
static void both_sides_have_both_kinds_of_offset(void **state)
{
    struct address_offset offset[OFFSETS_MAX];

    (void)state;
    assert_int_equal(offsets_list(1 * G, true, true, offset), 31);
    assert_true(offset[1].bytes == 1 * G && offset[1].from == 4 * G);
    assert_true(offset[16].bytes == 1 * G && offset[16].from == 0);
    assert_int_equal(offsets_list(1 * G, true, false, offset), 16);
    assert_true(offset[1].from == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hole_is_what_memory_leaves_below_4g),
        cmocka_unit_test(no_offset_is_first_and_the_hole_next),
        cmocka_unit_test(both_sides_have_both_kinds_of_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
