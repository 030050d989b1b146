/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares by the CPU's counters, and when they are believed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/measure/witness.h"

static struct machine_counters delta(uint64_t misses, uint64_t walks, uint64_t accesses)
{
    return (struct machine_counters){
        .llc_misses = misses, .page_walks = walks, .accesses = accesses};
}

static void shares_are_of_all_chases(void **state)
{
    struct machine_counters first = delta(90, 10, MACHINE_UNKNOWN), second = delta(300, 0, 300);
    struct witness_counts counts = {.accesses = 0};
    (void)state;

    assert_true(isnan(witness_missed(&counts)));
    witness_add(&counts, &first, 100);
    assert_true(witness_missed(&counts) == 0.9 && witness_walked(&counts) == 0.1);
    /* the machine's own count of accesses is preferred */
    witness_add(&counts, &second, 1000);
    assert_true(witness_missed(&counts) == 390 / 400.0 && witness_walked(&counts) == 10 / 400.0);
}

static void a_count_that_is_lost_once_is_lost(void **state)
{
    struct machine_counters first = delta(90, 10, MACHINE_UNKNOWN);
    struct machine_counters second = delta(MACHINE_UNKNOWN, 10, MACHINE_UNKNOWN);
    struct machine_counters third = delta(90, MACHINE_UNKNOWN, MACHINE_UNKNOWN);
    struct witness_counts counts = {.accesses = 0};
    (void)state;

    witness_add(&counts, &first, 100);
    witness_add(&counts, &second, 100);
    assert_true(isnan(witness_missed(&counts)) && witness_walked(&counts) == 0.1);
    witness_add(&counts, &third, 100);
    assert_true(isnan(witness_missed(&counts)) && isnan(witness_walked(&counts)));
}

static void counters_are_believed_that_count_what_is_known(void **state)
{
    static const struct {
        double hits, misses;
        enum witness_state state;
    } cases[] = {
        {0, 1, WITNESS_SOUND},      {0.02, 0.985, WITNESS_SOUND}, {0, 1.015, WITNESS_SOUND},
        {0.03, 1, WITNESS_UNSOUND}, {0, 0.97, WITNESS_UNSOUND},   {0, 1.03, WITNESS_UNSOUND},
        {NAN, 1, WITNESS_UNSOUND},  {0, NAN, WITNESS_UNSOUND},    {0, 0, WITNESS_UNSOUND},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct witness witness = {.known_hits = cases[i].hits, .known_misses = cases[i].misses};
        witness_judge(&witness);
        assert_int_equal(witness.state, cases[i].state);
    }
}

static void what_caches_cannot_hold_must_miss(void **state)
{
    (void)state;

    assert_true(witness_least_missed(8 << 20, 4 << 20) == 0);
    assert_true(witness_least_missed(8 << 20, 8 << 20) == 0);
    assert_true(witness_least_missed(8 << 20, 16 << 20) == 0.98 * 0.5);
    assert_true(witness_least_missed(0, 1 << 20) == 0.98);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_all_chases),
        cmocka_unit_test(a_count_that_is_lost_once_is_lost),
        cmocka_unit_test(counters_are_believed_that_count_what_is_known),
        cmocka_unit_test(what_caches_cannot_hold_must_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
