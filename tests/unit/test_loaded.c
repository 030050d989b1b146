/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves of latency over bandwidth: peak, knee and what lies between steps; and which window a
 * point with a load needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "core/experiments/loaded_curve.h"
#include "core/plan/sampling.h"

static struct loaded_curve curve;

static bool step(uint32_t pause, double gb, double ns, double error)
{
    struct loaded_step one = {
        .pause_cycles = pause, .ns = {ns, error * ns}, .bytes_per_s = {gb, error * gb}};

    return loaded_add(&curve, &one);
}

/* Memory that gives 100 at most, 80 ns at rest; by the wait for one server, 80 + 20 u / (1 - u) is
 * twice 80 at u = 0.8. */
static double wait_ns(double gb)
{
    double u = gb / 100;

    return 80 + 20 * u / (1 - u);
}

static void queue(double error)
{
    static const double gb[] = {2, 20, 50, 70, 85, 95};

    curve.count = 0;
    for (unsigned i = 0; i < 6; i++)
        assert_true(step(i == 0 ? 0 : 4096 >> i, gb[i], wait_ns(gb[i]), error));
}

static void steps_stand_by_pause(void **state)
{
    (void)state;
    curve.count = 0;
    assert_true(step(0, 1, 80, 0));
    assert_true(step(0, 90, 200, 0));
    assert_true(step(1000, 20, 90, 0));
    assert_true(step(100, 60, 110, 0));
    assert_false(step(100, 61, 110, 0));
    assert_int_equal(curve.count, 4);
    assert_int_equal(curve.step[1].pause_cycles, 1000);
    assert_int_equal(curve.step[2].pause_cycles, 100);
    assert_int_equal(curve.step[3].pause_cycles, 0);
    assert_true(curve.step[0].ns.value == 80);
    for (uint32_t i = 2000; step(i, 5, 80, 0); i++)
        ;
    assert_int_equal(curve.count, LOADED_STEPS_MAX);
}

static void the_knee_is_at_twice_the_latency(void **state)
{
    struct loaded_knee knee;

    (void)state;
    queue(0.001);
    knee = loaded_find_knee(&curve);
    assert_true(knee.reached);
    assert_int_equal(knee.before, 3);
    assert_int_equal(knee.behind, 4);
    assert_true(knee.low < 80 && 80 < knee.high);
    assert_true(knee.low <= knee.bytes_per_s && knee.bytes_per_s <= knee.high);
    assert_true(fabs(knee.bytes_per_s - 80) < 5);
    assert_true(knee.low > 69 && knee.high < 86);
    /* One more step between them tells more. */
    assert_true(step(300, 79, wait_ns(79), 0.001));
    knee = loaded_find_knee(&curve);
    assert_true(knee.low > 78 && fabs(knee.bytes_per_s - 80) < 1.5);
}

/* A step that is near twice the latency, within its error, is on neither side. */
static void what_is_not_sure_is_within_the_bounds(void **state)
{
    struct loaded_knee knee;

    (void)state;
    queue(0.001);
    assert_true(step(300, 80, 160, 0.02));
    knee = loaded_find_knee(&curve);
    assert_int_equal(knee.before, 3);
    assert_int_equal(knee.behind, 5);
    assert_true(knee.low < 71 && knee.high > 84);
}

static void a_load_that_is_too_weak_has_none(void **state)
{
    struct loaded_knee knee;
    uint32_t pause = 7;

    (void)state;
    queue(0.001);
    curve.count = 4;
    knee = loaded_find_knee(&curve);
    assert_false(knee.reached);
    assert_false(loaded_pause_between(&curve, &knee, &pause));
    assert_int_equal(pause, 7);
    assert_int_equal(loaded_peak(&curve), 3);
}

/* Beyond its peak memory may give less. */
static void the_peak_is_not_always_last(void **state)
{
    struct loaded_knee knee;

    (void)state;
    queue(0.001);
    assert_true(step(1, 88, 700, 0.001));
    assert_int_equal(loaded_peak(&curve), 5);
    knee = loaded_find_knee(&curve);
    assert_true(knee.low < 80 && 80 < knee.high);
}

static void latency_between_steps(void **state)
{
    struct figure ns;

    (void)state;
    queue(0.001);
    ns = loaded_latency_at(&curve, 20);
    assert_true(fabs(ns.value - wait_ns(20)) < 1e-9);
    ns = loaded_latency_at(&curve, 60);
    assert_true(ns.value < (wait_ns(50) + wait_ns(70)) / 2);
    for (double gb = 5; gb < 90; gb += 1) {
        ns = loaded_latency_at(&curve, gb);
        if (figure_is_known(ns) && !(fabs(ns.value - wait_ns(gb)) <= 2 * ns.error))
            fail_msg("at %.0f: %.3f +- %.3f instead of %.3f", gb, ns.value, 2 * ns.error,
                     wait_ns(gb));
    }
    assert_false(figure_is_known(loaded_latency_at(&curve, 1)));
    assert_false(figure_is_known(loaded_latency_at(&curve, 99)));
}

static void refining_halves_and_ends(void **state)
{
    struct loaded_knee knee;
    unsigned added = 0;
    uint32_t pause;

    (void)state;
    queue(0.001);
    knee = loaded_find_knee(&curve);
    while (added < 20 && loaded_pause_between(&curve, &knee, &pause)) {
        /* as if bandwidth went by the pause */
        assert_true(pause < curve.step[knee.before].pause_cycles);
        assert_true(pause > curve.step[knee.behind].pause_cycles);
        double gb = 100.0 / (1 + pause / 1000.0);
        if (!step(pause, gb, wait_ns(gb), 0.0001))
            break;
        knee = loaded_find_knee(&curve);
        added++;
    }
    assert_in_range(added, 1, 6);
}

static void a_load_lies_behind_the_set(void **state)
{
    struct point point = {.page = PAGE_2M, .bytes = (5u << 20) + 64, .stride_bytes = 64};

    (void)state;
    assert_int_equal(sampling_window_bytes(64, &point), (5u << 20) + 64);
    point.traffic.cpus = 3;
    point.traffic.each_bytes = 4u << 20;
    assert_int_equal(sampling_load_offset(&point), 6u << 20);
    assert_int_equal(sampling_window_bytes(64, &point), 18u << 20);
    point.traffic.each_bytes = 0;
    assert_true(sampling_window_bytes(64, &point) >= point.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_stand_by_pause),
        cmocka_unit_test(the_knee_is_at_twice_the_latency),
        cmocka_unit_test(what_is_not_sure_is_within_the_bounds),
        cmocka_unit_test(a_load_that_is_too_weak_has_none),
        cmocka_unit_test(the_peak_is_not_always_last),
        cmocka_unit_test(latency_between_steps),
        cmocka_unit_test(refining_halves_and_ends),
        cmocka_unit_test(a_load_lies_behind_the_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
