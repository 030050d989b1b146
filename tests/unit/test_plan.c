/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan makes of points, without a machine: limits and the time are passed in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/experiments/curve.h"
#include "core/experiments/curve_gather.h"
#include "core/experiments/curve_levels.h"
#include "core/experiments/pattern.h"
#include "core/experiments/points.h"
#include "core/measure/measure.h"
#include "core/plan/names.h"
#include "core/plan/plan.h"
#include "core/plan/sampling.h"
#include "core/plan/sets.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const struct cache_level last_level = {.level = 3, .unified = true, .bytes = 8 << 20};
static const struct machine_description description = {.caches = &last_level,
                                                       .cache_count = 1,
                                                       .page_sizes = 1u << PAGE_4K | 1u << PAGE_2M,
                                                       .line_bytes = 64,
                                                       .chains_cycle_max = 4,
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

static const struct point *added(struct point point)
{
    plan_add(plan, &point);
    assert_true(plan->point_count > 0);
    return &plan->point[plan->point_count - 1];
}

/* A cache that declares much more than it has would make a set that takes minutes to build. */
static void a_large_cache_makes_no_endless_set(void **state)
{
    static const struct cache_level large = {.level = 3, .unified = true, .bytes = 508 << 20};
    struct machine_description with_large = description;

    (void)state;
    with_large.caches = &large;
    plan->machine = &with_large;
    for (unsigned page = 0; page < POINT_PAGES; page++)
        for (unsigned order = 0; order < PLAN_FRAMES; order++)
            plan->outlook.limit_bytes[page][order] = 64 * GIB;
    assert_int_equal(pattern_plan(plan, NULL, 0), STATUS_OK);
    assert_int_equal(plan->point_count, 1);
    assert_int_equal(plan->point[0].bytes, 4 * 508 * MIB);
    plan->machine = &description;
}

static void orders_that_work_in_groups_have_a_group(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, 64 * MIB);

    (void)state;
    assert_int_equal(point.prefetch, PREFETCH_NOT_MEASURED);
    point.group_bytes = 4096; /* which a random order does not use */
    assert_int_equal(added(point)->group_bytes, 0);
    point.order = ORDER_SEQUENTIAL_PAGES;
    assert_int_equal(added(point)->group_bytes, 4096);
    point.group_bytes = 0;
    point.order = ORDER_GROUPED;
    assert_int_equal(added(point)->group_bytes, 256 << 10);
    options.group_bytes = 1 << 16;
    assert_int_equal(added(point)->group_bytes, 1 << 16);
}

static void what_the_machine_cannot_do_is_left_out_with_one_note(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, MIB);

    (void)state;
    point.chains = 5;
    plan_add(plan, &point);
    plan_add(plan, &point);
    assert_int_equal(plan->point_count, 0);
    assert_int_equal(journal.warnings, 1);
    assert_non_null(strstr(plan->refused, "chains=5"));
}

static void a_full_plan_keeps_what_it_has(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, MIB);

    (void)state;
    for (uint32_t i = 0; i < PLAN_POINTS_MAX; i++)
        plan_add(plan, &point);
    assert_false(plan->full);
    plan_add(plan, &point);
    plan_add(plan, &point);
    assert_true(plan->full);
    assert_int_equal(plan->point_count, PLAN_POINTS_MAX);
    assert_int_equal(journal.warnings, 1);
}

/* However many sets an octave are asked for, each page size has its smallest and largest one, and
 * other experiments have room. */
static void a_curve_leaves_room_for_all_of_it(void **state)
{
    static const uint32_t points[] = {4, 12, 13, 16, 32, 64};

    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        uint64_t largest[2] = {0}, warned = journal.warnings;
        options.points = points[i];
        plan->point_count = 0;
        for (size_t page = 0; page < POINT_PAGES; page++)
            for (size_t frames = 0; frames < PLAN_FRAMES; frames++)
                plan->outlook.limit_bytes[page][frames] = 256 * MIB;
        assert_int_equal(curve_plan(plan, NULL, 0), STATUS_OK);
        for (uint32_t k = 0; k < plan->point_count; k++) {
            const struct point *p = &plan->point[k];
            if (p->tag == CURVE_FIT && p->bytes > largest[p->page == PAGE_2M])
                largest[p->page == PAGE_2M] = p->bytes;
        }
        assert_false(plan->full);
        assert_in_range(plan->point_count, 100, PLAN_POINTS_MAX / 4 * 3 + 8);
        assert_true(largest[0] >= 24 * MIB && largest[1] >= 24 * MIB);
        assert_int_equal(journal.warnings - warned, points[i] > 11);
    }
}

static void too_many_points_for_levels_lose_none_of_the_first_passes(void **state)
{
    static struct level_point points[LEVELS_POINTS_MAX];
    struct point point = plan_point(plan, 0, PAGE_4K, true, MIB);
    uint32_t coarse = 0, fine = 0;
    double last = 0, gap = 0;

    (void)state;
    point.tag = CURVE_FIT;
    for (uint32_t i = 0; i < 2 * LEVELS_POINTS_MAX; i++) {
        point.bytes = (i + 1) * 4096;
        point.pass = i % 16 == 0 ? PASS_OCTAVES : PASS_FINE;
        plan_add(plan, &point);
        plan->point[i].result.known = true;
        plan->point[i].result.mean_ns = 1;
    }
    assert_int_equal(curve_gather_sets(plan, 0, points), LEVELS_POINTS_MAX);
    for (size_t i = 0; i < LEVELS_POINTS_MAX; i++) {
        bool early = ((uint64_t)points[i].bytes / 4096 - 1) % 16 == 0;
        coarse += early;
        fine += !early;
        gap = points[i].bytes - last > gap ? points[i].bytes - last : gap;
        last = points[i].bytes;
    }
    assert_int_equal(coarse, 2 * LEVELS_POINTS_MAX / 16);
    assert_int_equal(fine, LEVELS_POINTS_MAX - 2 * LEVELS_POINTS_MAX / 16);
    assert_true(gap <= 3 * 4096);
}

static void sets_go_by_the_limits_that_were_handed_in(void **state)
{
    enum page_size page;
    uint64_t limit;

    (void)state;
    assert_int_equal(plan_memory_set(plan, "test", &page), 0);
    assert_int_equal(journal.warnings, 1);
    plan->outlook.limit_bytes[point_page_index(PAGE_4K)][FRAMES_SCATTERED] = GIB;
    plan->outlook.limit_bytes[point_page_index(PAGE_2M)][FRAMES_CONTIGUOUS] = 100 * MIB;
    assert_int_equal(plan_reaching_page(plan, plan_page_sizes(plan), 64 * MIB, &limit), PAGE_2M);
    assert_int_equal(limit, 100 * MIB);
    assert_int_equal(plan_reaching_page(plan, plan_page_sizes(plan), 200 * MIB, &limit), PAGE_4K);
    assert_int_equal(limit, GIB);
    assert_int_equal(plan_memory_set(plan, "test", &page), 256 * MIB);
    assert_int_equal(page, PAGE_4K);
    options.max_bytes = 2 * GIB;
    assert_int_equal(plan_memory_set(plan, "test", &page), GIB);
    assert_int_equal(journal.warnings, 2);
}

static uint32_t windows_asked;

/* The same for each page size, half of it in contiguous frames, and more of all nodes. */
static uint64_t window_limit(void *self, const struct window_request *request)
{
    (void)self;
    windows_asked++;
    if (request->below.value != 0)
        return (uint64_t)3 << request->page;
    return (request->order == FRAMES_CONTIGUOUS ? 1 : 2) * (uint64_t)1 << request->page;
}

static uint64_t wall_ns(void *self)
{
    (void)self;
    return 5;
}

static void every_window_that_a_point_may_need_is_queried(void **state)
{
    const struct machine machine = {
        .description = &description, .window_limit = window_limit, .wall_ns = wall_ns};
    struct point point = plan_point(plan, 0, PAGE_4K, true, 0);

    (void)state;
    windows_asked = 0;
    measure_look(&machine, plan);
    assert_int_equal(windows_asked, 5);
    assert_int_equal(plan->outlook.now_ns, 5);
    assert_int_equal(plan_limit(plan, PAGE_4K), 2 << PAGE_4K);
    assert_int_equal(plan_limit(plan, PAGE_2M), 1 << PAGE_2M);
    assert_int_equal(plan_limit(plan, PAGE_1G), 0);
    point.frames = FRAMES_CONTIGUOUS;
    assert_int_equal(plan_point_limit(plan, &point), 1 << PAGE_4K);
    point.everywhere = true;
    assert_int_equal(plan_point_limit(plan, &point), 3 << PAGE_4K);
}

static void a_window_is_of_the_points_node(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, MIB), other = point;
    struct machine_description at_home = description;
    struct window_request request;

    (void)state;
    at_home.home_node = 3;
    plan->machine = &at_home;
    assert_int_equal(plan_window(plan, &point, MIB).node, 3);
    point.node = 1;
    request = plan_window(plan, &point, MIB);
    assert_int_equal(request.node, 1);
    assert_int_equal(request.below.value, 0);
    assert_false(plan_same_window(&point, &other));
    other.node = 1;
    assert_true(plan_same_window(&point, &other));
    point.everywhere = true; /* of any kind of its memory */
    request = plan_window(plan, &point, MIB);
    assert_int_equal(request.node, 1);
    assert_true(request.below.value == PHYS_ALL);
    options.range_below = phys_make(1ull << 32);
    point.everywhere = false;
    request = plan_window(plan, &point, MIB);
    assert_int_equal(request.node, 1);
    assert_true(request.below.value == 1ull << 32);
}

static void a_set_of_memory_has_a_least_size(void **state)
{
    struct machine_description cacheless = description;

    (void)state;
    assert_int_equal(plan_least_bytes(plan), 4 * plan_last_level_bytes(plan));
    assert_true(plan_least_bytes(plan) < plan_wanted_bytes(plan));
    options.max_bytes = plan_last_level_bytes(plan) + 4096;
    assert_int_equal(plan_least_bytes(plan), options.max_bytes);
    assert_int_equal(plan_wanted_bytes(plan), options.max_bytes);
    options.max_bytes = 0;
    cacheless.cache_count = 0;
    plan->machine = &cacheless;
    assert_int_equal(plan_least_bytes(plan), GIB);
}

static void bounds_that_reach_0_are_a_doubt(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, GIB);

    (void)state;
    assert_int_equal(points_doubt(plan, &point), 0);
    point.result = (struct point_result){.known = true, .mean_ns = 10, .mean_rel_error = 0.3};
    assert_int_equal(points_doubt(plan, &point), 0);
    point.result.mean_rel_error = 0.4;
    assert_int_equal(points_doubt(plan, &point), doubt_of(DOUBT_DISTURBED));
    point.result.mean_rel_error = 0.3;
    point.result.drift_ns = 10;
    assert_int_equal(points_doubt(plan, &point), doubt_of(DOUBT_DISTURBED));
}

static void caches_are_left_as_they_are_where_a_point_says_so(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, MIB);

    (void)state;
    assert_true(sampling_drops(&point));
    point.stays_cached = true;
    assert_false(sampling_drops(&point));
    point.stays_cached = false;
    point.cold = true;
    assert_false(sampling_drops(&point));
}

static void windows_hold_what_draws_are_calibrated_on(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, 1024);

    (void)state;
    assert_int_equal(sampling_window_bytes(64, &point), 1024);
    point.kernel = KERNEL_IID;
    assert_int_equal(sampling_window_bytes(64, &point), 4096);
    point.stride_bytes = 192;
    assert_int_equal(sampling_window_bytes(64, &point), 3 * 4096);
    point.bytes = MIB;
    assert_int_equal(sampling_window_bytes(64, &point), MIB);
}

static void records_say_what_a_point_is_for(void **state)
{
    struct point point = plan_point(plan, 0, PAGE_2M, true, MIB);

    (void)state;
    assert_null(plan_purpose_name(&point));
    point.purpose = PURPOSE_TRANSLATION;
    assert_string_equal(plan_purpose_name(&point), "translation");
    point.purpose = PURPOSE_PROOF;
    assert_string_equal(plan_purpose_name(&point), "proof");
    assert_string_equal(plan_pattern_name(&point), "cycle");
    point.work_kind = POINT_FOOTPRINT;
    assert_string_equal(plan_pattern_name(&point), "footprint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_large_cache_makes_no_endless_set, start, stop),
        cmocka_unit_test_setup_teardown(orders_that_work_in_groups_have_a_group, start, stop),
        cmocka_unit_test_setup_teardown(what_the_machine_cannot_do_is_left_out_with_one_note, start,
                                        stop),
        cmocka_unit_test_setup_teardown(a_full_plan_keeps_what_it_has, start, stop),
        cmocka_unit_test_setup_teardown(a_curve_leaves_room_for_all_of_it, start, stop),
        cmocka_unit_test_setup_teardown(too_many_points_for_levels_lose_none_of_the_first_passes,
                                        start, stop),
        cmocka_unit_test_setup_teardown(sets_go_by_the_limits_that_were_handed_in, start, stop),
        cmocka_unit_test_setup_teardown(every_window_that_a_point_may_need_is_queried, start, stop),
        cmocka_unit_test_setup_teardown(a_window_is_of_the_points_node, start, stop),
        cmocka_unit_test_setup_teardown(a_set_of_memory_has_a_least_size, start, stop),
        cmocka_unit_test_setup_teardown(bounds_that_reach_0_are_a_doubt, start, stop),
        cmocka_unit_test_setup_teardown(caches_are_left_as_they_are_where_a_point_says_so, start,
                                        stop),
        cmocka_unit_test_setup_teardown(windows_hold_what_draws_are_calibrated_on, start, stop),
        cmocka_unit_test_setup_teardown(records_say_what_a_point_is_for, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
