/* SPDX-License-Identifier: BSD-2-Clause */
/* What counts of pairs say of banks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/dram/banks.h"

static struct banks_summary counted(uint32_t conflicts, uint32_t pairs)
{
    struct banks_summary summary = {.conflicts = conflicts, .pairs = pairs, .bits = 0xffffffc0};

    banks_count(&summary);
    return summary;
}

static void a_flush_that_does_nothing_is_seen(void **state)
{
    (void)state;
    assert_true(banks_flushed(5400, 300)); /* memory, and a first cache */
    assert_true(banks_flushed(200, 4));    /* by a slow clock */
    assert_false(banks_flushed(700, 640)); /* an emulator */
    assert_false(banks_flushed(0, 0));
}

static void banks_are_counted_by_their_share(void **state)
{
    struct banks_summary summary = counted(256, 4096);

    (void)state;
    assert_true(summary.banks_low > 11 && summary.banks_low < 15);
    assert_true(summary.banks_high > 17 && summary.banks_high < 23);
    assert_true(banks_agree(&summary, 4) && !banks_agree(&summary, 3) && !banks_agree(&summary, 5));
    assert_true(banks_too_few(&summary, 3) && !banks_too_few(&summary, 4) &&
                !banks_too_few(&summary, 5));
}

/* The share of one bank is 1; without conflicts there may be any number. */
static void counts_have_ends(void **state)
{
    struct banks_summary all = counted(100, 100), none = counted(0, 100);

    (void)state;
    assert_true(all.banks_low == 1 && banks_agree(&all, 0) && !banks_agree(&all, 1));
    assert_true(isnan(none.banks_high) && none.banks_low > 10);
    assert_true(!banks_agree(&none, 3) && banks_agree(&none, 12));
}

/* Half of all conflicts are seen, of a few that were tried: there are fewer banks, by as much. */
static void conflicts_that_are_missed_count(void **state)
{
    struct banks_summary all = counted(64, 65536), half = all;

    (void)state;
    half.seen = (struct banks_repeat){.tried = 64, .conflicts = 32};
    banks_count(&half);
    assert_true(all.banks_low > 550 && all.banks_low < 700);
    assert_true(half.banks_low > 0.25 * all.banks_low && half.banks_low < 0.35 * all.banks_low);
    assert_true(half.banks_high > 0.65 * all.banks_high && half.banks_high < 0.75 * all.banks_high);
    half.seen.conflicts = 64;
    banks_count(&half);
    assert_true(half.banks_low < all.banks_low && half.banks_low > 0.85 * all.banks_low);
    assert_true(half.banks_high == all.banks_high);
}

static const char *doubt(uint32_t conflicts, uint32_t slow, uint32_t again, uint32_t fast)
{
    struct banks_summary summary = counted(conflicts, 4096);

    return banks_doubt(&summary, &(struct banks_repeat){slow, again},
                       &(struct banks_repeat){256, fast});
}

static void pairs_must_repeat(void **state)
{
    struct banks_summary summary = counted(256, 4096);

    (void)state;
    assert_non_null(
        banks_doubt(&summary, &(struct banks_repeat){256, 200}, &(struct banks_repeat){256, 0}));
    assert_true(isnan(summary.banks_low) && isnan(summary.banks_high));
    assert_null(doubt(256, 256, 256, 0));
    assert_null(doubt(256, 256, 240, 10));
    assert_non_null(doubt(256, 256, 200, 0));
    assert_non_null(doubt(256, 256, 256, 20));
    /* two banks, but no fewer */
    assert_null(doubt(2048, 256, 256, 0));
    assert_non_null(doubt(3400, 256, 256, 0));
    /* 26 address bits and some to spare */
    assert_null(doubt(60, 60, 60, 0));
    assert_non_null(doubt(40, 40, 40, 0));
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(banks_verdict_name(BANKS_UNSURE), "unsure");
    assert_string_equal(banks_verdict_name(BANKS_LINEAR), "linear");
    assert_string_equal(banks_verdict_name(BANKS_NOT_LINEAR), "not-linear");
}

static bool of_guest;

static const char *expectation(enum banks_verdict verdict, unsigned rank, uint32_t expected)
{
    struct banks_summary summary = counted(256, 4096);

    summary.verdict = verdict;
    summary.mapping.functions.count = rank;
    return banks_expectation_name(banks_expect(&summary, expected, of_guest));
}

static void expected_banks_are_told(void **state)
{
    (void)state;
    assert_null(expectation(BANKS_LINEAR, 4, 0));
    assert_string_equal(expectation(BANKS_LINEAR, 4, 16), "met");
    assert_string_equal(expectation(BANKS_LINEAR, 4, 17), "unmet");
    assert_string_equal(expectation(BANKS_LINEAR, 4, 4), "unmet");
    assert_string_equal(expectation(BANKS_NOT_LINEAR, 1, 17), "possible");
    assert_string_equal(expectation(BANKS_NOT_LINEAR, 1, 11), "unmet");
    assert_string_equal(expectation(BANKS_NOT_LINEAR, 1, 30), "unmet");
    assert_string_equal(expectation(BANKS_UNSURE, 4, 16), "unknown");
    of_guest = true;
    assert_string_equal(expectation(BANKS_LINEAR, 4, 16), "met");
    assert_string_equal(expectation(BANKS_LINEAR, 4, 17), "unknown");
    assert_string_equal(expectation(BANKS_NOT_LINEAR, 1, 17), "possible");
    assert_string_equal(expectation(BANKS_NOT_LINEAR, 1, 30), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flush_that_does_nothing_is_seen),
        cmocka_unit_test(banks_are_counted_by_their_share),
        cmocka_unit_test(counts_have_ends),
        cmocka_unit_test(conflicts_that_are_missed_count),
        cmocka_unit_test(pairs_must_repeat),
        cmocka_unit_test(verdicts_have_names),
        cmocka_unit_test(expected_banks_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
