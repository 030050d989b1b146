/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs are at work beside a point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/cpu/topology.h"
#include "core/measure/at_work.h"

/* Two threads a core; the last core is of another node and has the first one's number. */
static const struct cpu_info cpus[] = {
    {.core = 0}, {.core = 0}, {.core = 1}, {.core = 1}, {.core = 0, .node = 1}};
static const struct machine_description machine = {.cpus = cpus, .cpu_count = 5};
static struct plan *plan;

static int start(void **state)
{
    (void)state;
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return -1;
    plan->machine = &machine;
    plan->crew.count = 4;
    for (uint32_t i = 0; i < 4; i++)
        plan->crew.cpu[i] = i + 1;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(plan);
    return 0;
}

static void threads_of_a_core_share_node_and_number(void **state)
{
    (void)state;
    assert_true(topology_apart(&cpus[0], &cpus[1]) == APART_CORE);
    assert_false(topology_apart(&cpus[1], &cpus[2]) == APART_CORE);
    assert_false(topology_apart(&cpus[0], &cpus[4]) == APART_CORE);
    assert_int_equal(at_work_siblings(plan, 0), 1);
    assert_int_equal(at_work_siblings(plan, 4), 1);
}

static void a_core_can_be_spared(void **state)
{
    struct point point = {.cpu = 0, .traffic = {.cpus = 3, .spares_core = true}};
    uint32_t place = 0;

    (void)state;
    assert_int_equal(at_work_beside(plan, &point), 0);
    for (uint32_t cpu = 2; cpu <= 4; cpu++)
        assert_int_equal(at_work_next(plan, &point, &place), cpu);
    point.traffic = (struct point_traffic){.cpus = 4};
    place = 0;
    assert_int_equal(at_work_beside(plan, &point), 1);
    for (uint32_t cpu = 1; cpu <= 4; cpu++)
        assert_int_equal(at_work_next(plan, &point, &place), cpu);
}

static void a_core_can_be_parked(void **state)
{
    struct point point = {.cpu = 0, .traffic = {.cpus = 4, .parks_core = true}};

    (void)state;
    assert_int_equal(at_work_beside(plan, &point), 0);
    assert_int_equal(at_work_parked(plan, &point), 1);
    assert_true(at_work_parks(plan, &point, 1));
    assert_false(at_work_parks(plan, &point, 2));
    point.traffic = (struct point_traffic){.cpus = 3, .kind = TRAFFIC_PARK};
    assert_int_equal(at_work_beside(plan, &point), 0);
    assert_int_equal(at_work_parked(plan, &point), 3);
    point.traffic = (struct point_traffic){.cpus = 4};
    assert_int_equal(at_work_parked(plan, &point), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_of_a_core_share_node_and_number, start, stop),
        cmocka_unit_test_setup_teardown(a_core_can_be_spared, start, stop),
        cmocka_unit_test_setup_teardown(a_core_can_be_parked, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
