/* SPDX-License-Identifier: BSD-2-Clause */
/* What points are expected to take, and which of them a budget covers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/plan/estimate.h"
#include "core/plan/estimate_populate.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/sampling.h"
#include "core/plan/shares.h"
#include "core/plan/uncached.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static uint64_t now_ns;

static const struct cache_level last_level = {.level = 3, .unified = true, .bytes = 256 << 20};
static struct machine_description description = {
    .caches = &last_level, .cache_count = 1, .line_bytes = 64, .build_bypasses = true};
static struct options options;
static struct plan *plan;

static int start(void **state)
{
    (void)state;
    options_default(&options);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return -1;
    now_ns = 0;
    plan->machine = &description;
    plan->options = &options;
    plan->budget.cap_s = 0.15;
    plan->budget.deadline_ns = 10000000000u;
    estimate_start(&plan->estimate, true);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(plan);
    return 0;
}

static struct point point_of(uint64_t bytes)
{
    return (struct point){.kernel = KERNEL_CYCLE,
                          .order = ORDER_RANDOM,
                          .page = PAGE_2M,
                          .bytes = bytes,
                          .stride_bytes = 64,
                          .chains = 1};
}

static void measured(uint64_t bytes, double ns, double sampling_s)
{
    struct point point = point_of(bytes);

    point.result = (struct point_result){.known = true, .ns = ns, .sampling_s = sampling_s};
    estimate_learn(plan, &point, &(struct estimate_seen){.build_ns = 20});
}

/* No more than a point's cap of time, however long a hop turns out to take. */
static void warming_beyond_the_caches_goes_by_what_a_hop_takes(void **state)
{
    struct point point = point_of(GIB);
    uint64_t translations = (GIB >> 21) / 8 * 4;

    (void)state;
    assert_int_equal(estimate_warm_hops(plan, &point, 100), 1500000 + translations);
    assert_int_equal(estimate_warm_hops(plan, &point, 250), 600000 + translations);
    description.build_bypasses = false;
    assert_int_equal(estimate_warm_hops(plan, &point, 250), 5 * (1 << 20) + translations);
    description.build_bypasses = true;
}

/* Three laps, or as many as a fortieth of the budget allows: here 0.25 s; but more than one. */
static void laps_for_a_declared_cache_keep_to_a_share_of_the_budget(void **state)
{
    struct point point = point_of(256 * MIB), drawn = point;

    (void)state;
    drawn.kernel = KERNEL_IID;
    assert_int_equal(estimate_warm_hops(plan, &point, 10), 3 * (4 << 20));
    assert_int_equal(estimate_warm_hops(plan, &point, 25), 10000000);
    assert_int_equal(estimate_warm_hops(plan, &point, 250), 5 << 20);
    assert_int_equal(estimate_warm_hops(plan, &drawn, 250), (1 << 20) + (256 >> 1) / 8 * 4);
    plan->budget.deadline_ns *= 4;
    assert_int_equal(estimate_warm_hops(plan, &drawn, 250), 4000000 + (256 >> 1) / 8 * 4);
}

/* For a cache of 256M; then one of 1280M at least is seen. */
static void points_measured_before_a_larger_cache_was_seen_were_colder(void **state)
{
    static const struct {
        uint64_t bytes;
        enum chase_kernel kernel;
        bool cold, colder;
    } cases[] = {{2 * GIB, KERNEL_CYCLE, false, true},    {2 * GIB, KERNEL_CYCLE, true, false},
                 {256 * MIB, KERNEL_CYCLE, false, false}, {5 * GIB, KERNEL_CYCLE, false, true},
                 {8 * GIB, KERNEL_CYCLE, false, false},   {8 * GIB, KERNEL_IID, false, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].bytes);
        point.kernel = cases[i].kernel;
        point.cold = cases[i].cold;
        point.result = (struct point_result){.known = true, .caches_bytes = 256 * MIB};
        plan->undeclared_bytes = 200 * MIB;
        assert_false(estimate_was_colder(plan, &point));
        plan->undeclared_bytes = 1280 * MIB;
        assert_int_equal(estimate_was_colder(plan, &point), cases[i].colder);
        point.result.caches_bytes = 2560 * MIB;
        assert_false(estimate_was_colder(plan, &point));
    }
    plan->undeclared_bytes = 0;
}

static void chased(uint64_t bytes, double ns)
{
    struct point *point = &plan->point[plan->point_count++];

    *point = point_of(bytes);
    point->result = (struct point_result){.known = true, .ns = ns};
    estimate_learn(plan, point, &(struct estimate_seen){.build_ns = 20});
}

/* A hypervisor declares 256M where a guest has 16M. */
static void sets_as_dear_as_memory_are_in_no_declared_cache(void **state)
{
    (void)state;
    chased(64 * MIB, 197);
    assert_true(estimate_last_level_bytes(plan) == 256 * MIB);
    chased(GIB, 200);
    assert_true(estimate_last_level_bytes(plan) == 64 * MIB);
    chased(16 * MIB, 120);
    chased(32 * MIB, 199);
    assert_true(estimate_last_level_bytes(plan) == 32 * MIB);
    /* one between them that is cheaper: a cache may end there */
    chased(128 * MIB, 180);
    assert_true(estimate_last_level_bytes(plan) == 256 * MIB);
}

/* Nothing is told by sets in other pages, by unsettled ones, or by too small ones. */
static void only_alike_and_settled_sets_are_compared(void **state)
{
    (void)state;
    chased(64 * MIB, 200);
    chased(256 * MIB, 200);
    assert_true(estimate_last_level_bytes(plan) == 256 * MIB);
    chased(GIB, 200);
    assert_true(estimate_last_level_bytes(plan) == 64 * MIB);
    plan->point[2].page = PAGE_4K;
    assert_true(uncached_bytes(plan) == GIB);
    plan->point[2].page = PAGE_2M;
    plan->point[2].result.doubt = doubt_of(DOUBT_UNSETTLED);
    assert_true(uncached_bytes(plan) == UINT64_MAX);
    description.cache_count = 0;
    plan->point[2].result.doubt = 0;
    assert_true(uncached_bytes(plan) == UINT64_MAX);
    description.cache_count = 1;
}

/* Interpolated between measured sets; unknown far from all of them. */
static void hops_go_by_sets_that_are_near(void **state)
{
    struct point small = point_of(16 * MIB), middle = point_of(64 * MIB), far = point_of(64 * GIB);
    struct point drawn = middle;

    (void)state;
    drawn.kernel = KERNEL_IID;
    measured(16 * MIB, 4, 0.01);
    assert_true(estimate_hop_ns(plan, &small) == 4);
    assert_true(estimate_hop_ns(plan, &far) == 100);
    measured(256 * MIB, 100, 0.01);
    assert_true(estimate_hop_ns(plan, &middle) > 15 && estimate_hop_ns(plan, &middle) < 25);
    assert_true(estimate_hop_ns(plan, &drawn) == estimate_hop_ns(plan, &middle));
    /* recent points count for more, but not for everything */
    measured(16 * MIB, 8, 0.01);
    assert_true(estimate_hop_ns(plan, &small) > 5 && estimate_hop_ns(plan, &small) < 6);
}

/* Memory that is populated already costs nothing more. */
static void memory_not_yet_populated_takes_time(void **state)
{
    struct point point = point_of(64 * MIB);
    double before_s, slow_s;

    (void)state;
    before_s = estimate_point_s(plan, &point, now_ns);
    estimate_learn_populate(&plan->estimate, PAGE_2M, 32 * MIB, 20000000000u);
    slow_s = estimate_point_s(plan, &point, now_ns);
    assert_true(slow_s > before_s + 5);
    assert_false(estimate_affords(plan, &point, now_ns));
    *estimate_populated_bytes(&plan->estimate, PAGE_4K) = point.bytes;
    assert_true(estimate_point_s(plan, &point, now_ns) == slow_s);
    *estimate_populated_bytes(&plan->estimate, PAGE_2M) = point.bytes;
    assert_true(estimate_point_s(plan, &point, now_ns) < before_s);
    assert_true(estimate_affords(plan, &point, now_ns));
    /* a few pages say nothing about a large set */
    estimate_learn_populate(&plan->estimate, PAGE_1G, 4096, 1000000000u);
    assert_true(estimate_populate_ns(&plan->estimate, PAGE_1G) < 1);
}

/* Memory that is only tested may be less than all, so that getting it leaves time to test it. */
static void a_test_of_memory_makes_do_with_what_budget_leaves(void **state)
{
    struct point point = point_of(64 * GIB);
    struct options budgeted = *plan->options;
    double left_s = budget_left_s(&plan->budget, now_ns);

    (void)state;
    point.work_kind = POINT_VERIFY;
    assert_false(estimate_may_shrink(plan, &point));
    estimate_learn_populate(&plan->estimate, PAGE_2M, 32 * MIB, 20000000000u);
    assert_false(estimate_affords(plan, &point, now_ns));
    budgeted.budget_s = left_s;
    plan->options = &budgeted;
    assert_true(estimate_may_shrink(plan, &point));
    assert_true(estimate_affords(plan, &point, now_ns));
    assert_true(estimate_populate_share_s(plan, now_ns) < 0.5 * left_s);
    assert_true(estimate_populate_share_s(plan, now_ns) > 0);
    assert_true(estimate_populate_share_s(plan, plan->budget.deadline_ns + 1) == 0);
    point.work_kind = POINT_CHASE;
    assert_false(estimate_may_shrink(plan, &point));
    assert_false(estimate_affords(plan, &point, now_ns));
}

/* What the first window left is tested too, and both as one, unless max= asks for less. */
static void a_test_of_all_memory_takes_longer(void **state)
{
    struct point point = point_of(64 * MIB);
    struct options limited = *plan->options;
    double all_s, part_s;

    (void)state;
    point.work_kind = POINT_VERIFY;
    all_s = estimate_point_s(plan, &point, now_ns);
    limited.max_bytes = 64 * MIB;
    plan->options = &limited;
    part_s = estimate_point_s(plan, &point, now_ns);
    assert_true(fabs(all_s - part_s - 64 * MIB * 10 * SAMPLING_VERIFY_S_PER_BYTE) < 1e-6);
}

/* What a second of expected work takes now. */
static double pace(void)
{
    return plan->estimate.took_s / plan->estimate.expected_s;
}

/* Other work on the machine makes everything slower at once, and everything faster when it ends. */
static void the_pace_is_that_of_the_last_seconds(void **state)
{
    struct point point = point_of(MIB);
    double alone_s = estimate_point_s(plan, &point, now_ns), beside_s;

    (void)state;
    /* a short point says little, however far off it was */
    estimate_learn_pace(&plan->estimate, 0.001, 0.02);
    assert_true(estimate_point_s(plan, &point, now_ns) < 1.02 * alone_s);
    for (int i = 0; i < 10; i++)
        estimate_learn_pace(&plan->estimate, pace(), 2);
    beside_s = estimate_point_s(plan, &point, now_ns);
    assert_true(beside_s > 1.9 * alone_s && beside_s < 2.1 * alone_s);
    for (int i = 0; i < 10; i++)
        estimate_learn_pace(&plan->estimate, pace(), 1);
    assert_true(estimate_point_s(plan, &point, now_ns) < 1.1 * alone_s);
}

static void an_expensive_optional_point_waits(void **state)
{
    struct point point = point_of(GIB);

    (void)state;
    plan->estimate.populated_bytes[1] = GIB;
    assert_true(estimate_point_s(plan, &point, now_ns) > 0.7 &&
                estimate_point_s(plan, &point, now_ns) < 9);
    assert_true(estimate_affords(plan, &point, now_ns));
    point.optional = true;
    assert_false(estimate_affords(plan, &point, now_ns));
    point.pass = PASS_POSTPONED;
    assert_true(estimate_affords(plan, &point, now_ns));
    now_ns = 9900000000u;
    assert_false(estimate_affords(plan, &point, now_ns));
}

/* The points that a pass must measure share the rest; those of later passes get what is left then.
 */
static void later_passes_take_no_share(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        plan->point[i] = point_of(MIB);
        plan->point[i].pass = i < 2 ? PASS_MIN : PASS_FINE;
    }
    plan->point_count = 8;
    plan->pass = PASS_MIN;
    assert_true(estimate_sampling_share_s(plan, now_ns) == 10);
    assert_true(estimate_share_s(plan, now_ns) == 2.5);
    plan->point[0].over = plan->point[1].over = true;
    plan->pass = PASS_FINE;
    assert_true(estimate_sampling_share_s(plan, now_ns) == estimate_share_s(plan, now_ns));
    assert_true(estimate_left_s(plan, now_ns) > 0 && estimate_left_s(plan, now_ns) < 10);
    now_ns = 9999999999u;
    assert_true(estimate_left_s(plan, now_ns) < 0.001);
}

/* Curves have their octaves before what only shows how far a headline can be trusted. */
static void half_of_the_budget_is_kept_for_other_experiments(void **state)
{
    struct point proof = point_of(64 * MIB), octave = proof;

    (void)state;
    proof.pass = PASS_PROOF;
    octave.experiment = 1;
    octave.pass = PASS_OCTAVES;
    plan->point[plan->point_count++] = octave;
    plan->pass = PASS_PROOF;
    assert_true(estimate_affords(plan, &proof, 4000000000u));
    assert_false(estimate_affords(plan, &proof, 5000000000u));
    plan->pass = PASS_OCTAVES;
    assert_false(estimate_affords(plan, &proof, 5000000000u));
    plan->pass = PASS_HALVES;
    assert_true(estimate_affords(plan, &proof, 5000000000u));
    plan->pass = PASS_MIN;
    assert_true(estimate_affords(plan, &proof, 5000000000u));
    plan->pass = PASS_PROOF;
    plan->point[0].over = true;
    assert_true(estimate_affords(plan, &proof, 5000000000u));
    plan->point[0].over = false;
    plan->point[0].experiment = 0;
    assert_true(estimate_affords(plan, &proof, 5000000000u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(warming_beyond_the_caches_goes_by_what_a_hop_takes, start,
                                        stop),
        cmocka_unit_test_setup_teardown(laps_for_a_declared_cache_keep_to_a_share_of_the_budget,
                                        start, stop),
        cmocka_unit_test_setup_teardown(points_measured_before_a_larger_cache_was_seen_were_colder,
                                        start, stop),
        cmocka_unit_test_setup_teardown(sets_as_dear_as_memory_are_in_no_declared_cache, start,
                                        stop),
        cmocka_unit_test_setup_teardown(only_alike_and_settled_sets_are_compared, start, stop),
        cmocka_unit_test_setup_teardown(hops_go_by_sets_that_are_near, start, stop),
        cmocka_unit_test_setup_teardown(memory_not_yet_populated_takes_time, start, stop),
        cmocka_unit_test_setup_teardown(a_test_of_memory_makes_do_with_what_budget_leaves, start,
                                        stop),
        cmocka_unit_test_setup_teardown(a_test_of_all_memory_takes_longer, start, stop),
        cmocka_unit_test_setup_teardown(the_pace_is_that_of_the_last_seconds, start, stop),
        cmocka_unit_test_setup_teardown(an_expensive_optional_point_waits, start, stop),
        cmocka_unit_test_setup_teardown(later_passes_take_no_share, start, stop),
        cmocka_unit_test_setup_teardown(half_of_the_budget_is_kept_for_other_experiments, start,
                                        stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
