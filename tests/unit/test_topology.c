/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/cpu/topology.h"

#define COUNT 16

/* Two nodes of two modules of two cores of two threads. */
static struct cpu_info cpus[COUNT];

static int start(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        cpus[i] = (struct cpu_info){
            .number = i, .core = i / 2, .module = i / 4, .node = i / 8, .enabled = true};
    return 0;
}

static void cpus_are_apart_as_declared(void **state)
{
    (void)state;
    assert_int_equal(topology_apart(&cpus[0], &cpus[1]), APART_CORE);
    assert_int_equal(topology_apart(&cpus[1], &cpus[2]), APART_MODULE);
    assert_int_equal(topology_apart(&cpus[0], &cpus[7]), APART_NODE);
    assert_int_equal(topology_apart(&cpus[0], &cpus[8]), APART_NODES);
    assert_int_equal(topology_apart(&cpus[15], &cpus[0]), APART_NODES);
}

/* Cores of different nodes may have the same number there. */
static void nodes_come_before_cores(void **state)
{
    struct cpu_info a = {.core = 1, .node = 0}, b = {.core = 1, .node = 1};

    (void)state;
    assert_int_equal(topology_apart(&a, &b), APART_NODES);
}

static void every_pair_comes_once(void **state)
{
    static const uint32_t list[] = {0, 1, 2, 5, 8, 9, 15};
    bool seen[COUNT][COUNT] = {{false}};
    struct topology_pairs pairs;
    uint32_t a, b, count = 0;

    (void)state;
    topology_pairs_start(&pairs, cpus, list, 7);
    while (topology_pairs_next(&pairs, &a, &b)) {
        assert_true(a < b && !seen[a][b]);
        seen[a][b] = true;
        /* One of each kind first. */
        if (count < APARTS)
            assert_int_equal(topology_apart(&cpus[a], &cpus[b]), count);
        count++;
    }
    assert_int_equal(count, 21);
    assert_false(topology_pairs_next(&pairs, &a, &b));
}

/* Wherever it ends, no CPU has had more than two pairs beyond the others, but for the first ones.
 */
static void cpus_take_turns(void **state)
{
    static uint32_t list[COUNT];
    uint32_t had[COUNT] = {0}, a, b;
    struct topology_pairs pairs;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        list[i] = i;
    topology_pairs_start(&pairs, cpus, list, COUNT);
    for (uint32_t n = 0; n < APARTS + 2 * COUNT; n++) {
        assert_true(topology_pairs_next(&pairs, &a, &b));
        had[a]++;
        had[b]++;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_in_range(had[i], 2, 8);
}

static void fewer_than_two_make_no_pair(void **state)
{
    static const uint32_t list[] = {3};
    struct topology_pairs pairs;
    uint32_t a, b;

    (void)state;
    topology_pairs_start(&pairs, cpus, list, 1);
    assert_false(topology_pairs_next(&pairs, &a, &b));
    topology_pairs_start(&pairs, cpus, list, 0);
    assert_false(topology_pairs_next(&pairs, &a, &b));
}

static void every_distance_has_a_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < APARTS; i++)
        assert_true(strlen(topology_apart_name((enum topology_apart)i)) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_are_apart_as_declared),  cmocka_unit_test(nodes_come_before_cores),
        cmocka_unit_test(every_pair_comes_once),       cmocka_unit_test(cpus_take_turns),
        cmocka_unit_test(fewer_than_two_make_no_pair), cmocka_unit_test(every_distance_has_a_name),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
