/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sets a page curve gets where it rises steeply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/experiments/curve_between.h"
#include "core/experiments/curve_levels.h"

#define STRIDE_BYTES 4288u
#define EXPERIMENT   1

static const struct machine_description description = {.page_sizes = 1u << PAGE_4K | 1u << PAGE_2M,
                                                       .line_bytes = 64,
                                                       .chains_cycle_max = 1,
                                                       .loads = 1u << LOAD_PLAIN};
static struct options options;
static struct journal journal;
static struct plan *plan;

static int start(void **state)
{
    (void)state;
    options_default(&options);
    journal_start(&journal, NULL);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return -1;
    plan->machine = &description;
    plan->options = &options;
    plan->journal = &journal;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(plan);
    return 0;
}

static double missed(double pages, double entries)
{
    return pages > entries ? (pages - entries) / pages : 0;
}

/* Two TLBs, of 64 and of 80 entries. */
static double two_tlbs(double pages)
{
    return 2 + 4 * missed(pages, 64) + 6 * missed(pages, 80);
}

static double flat(double pages)
{
    (void)pages;
    return 2;
}

static void measure(double (*ns)(double pages))
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        struct point *p = &plan->point[i];
        p->result.known = true;
        p->result.mean_ns = ns((double)(p->bytes / p->stride_bytes));
    }
}

static struct point set_of(uint64_t pages)
{
    struct point point = plan_point(plan, EXPERIMENT, PAGE_4K, true, pages * STRIDE_BYTES);

    point.kernel = KERNEL_IID;
    point.stride_bytes = STRIDE_BYTES;
    point.tag = CURVE_REACH;
    point.pass = PASS_OCTAVES;
    return point;
}

static void add_set(uint64_t pages)
{
    struct point point = set_of(pages);
    uint32_t before = plan->point_count;

    plan_add(plan, &point);
    assert_int_equal(plan->point_count, before + 1);
}

static void add_sets(void)
{
    static const uint64_t pages[] = {16, 32, 64, 79, 96, 128, 256, 512};

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        add_set(pages[i]);
}

static bool has_set(uint64_t pages)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].bytes == pages * STRIDE_BYTES)
            return true;
    return false;
}

static void a_steep_rise_gets_a_set_in_its_middle(void **state)
{
    uint32_t before;

    (void)state;
    add_sets();
    measure(two_tlbs);
    before = plan->point_count;
    assert_true(curve_add_between(plan, EXPERIMENT));
    assert_true(has_set(71) && has_set(87) && has_set(112));
    assert_false(has_set(24) || has_set(48)); /* below the knee nothing rises */
    for (uint32_t i = before; i < plan->point_count; i++) {
        assert_int_equal(plan->point[i].pass, PASS_FINE);
        assert_false(plan->point[i].result.known);
    }
}

/* What was added is not added again; once measured, the rise is halved until it is not steep. */
static void a_rise_is_halved_until_it_is_not_steep(void **state)
{
    uint32_t rounds = 0, count;

    (void)state;
    add_sets();
    do
        measure(two_tlbs);
    while (curve_add_between(plan, EXPERIMENT) && !curve_add_between(plan, EXPERIMENT) &&
           ++rounds < 10);
    assert_in_range(rounds, 2, 4);
    for (uint32_t i = 0; i < plan->point_count; i++)
        for (uint32_t j = i + 1; j < plan->point_count; j++)
            assert_int_not_equal(plan->point[i].bytes, plan->point[j].bytes);
    count = plan->point_count;
    assert_in_range(count, 12, 24);
}

static void neighbours_have_nothing_between_them(void **state)
{
    (void)state;
    add_set(64);
    add_set(65);
    measure(two_tlbs);
    plan->point[1].result.mean_ns = 10;
    assert_false(curve_add_between(plan, EXPERIMENT));
}

static void a_flat_curve_gets_none(void **state)
{
    (void)state;
    add_sets();
    measure(flat);
    assert_false(curve_add_between(plan, EXPERIMENT));
}

static void beside_a_set_that_was_not_measured_there_is_none(void **state)
{
    (void)state;
    add_set(64);
    add_set(79);
    add_set(128);
    measure(two_tlbs);
    plan->point[1].result.known = false;
    assert_false(curve_add_between(plan, EXPERIMENT));
}

/* Sets of other pages, and of other experiments, are other curves. */
static void curves_are_not_mixed(void **state)
{
    struct point large = set_of(128), other = set_of(128);

    (void)state;
    add_set(64);
    large.page = PAGE_2M;
    other.experiment = 0;
    plan_add(plan, &large);
    plan_add(plan, &other);
    assert_int_equal(plan->point_count, 3);
    measure(two_tlbs);
    assert_false(curve_add_between(plan, EXPERIMENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_steep_rise_gets_a_set_in_its_middle, start, stop),
        cmocka_unit_test_setup_teardown(a_rise_is_halved_until_it_is_not_steep, start, stop),
        cmocka_unit_test_setup_teardown(neighbours_have_nothing_between_them, start, stop),
        cmocka_unit_test_setup_teardown(a_flat_curve_gets_none, start, stop),
        cmocka_unit_test_setup_teardown(beside_a_set_that_was_not_measured_there_is_none, start,
                                        stop),
        cmocka_unit_test_setup_teardown(curves_are_not_mixed, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
