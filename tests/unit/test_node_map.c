/* SPDX-License-Identifier: BSD-2-Clause */
/* core/mapping/node_map.c: which nodes there are, by their memory and by their CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mapping/node_map.h"

#define MIB (1ull << 20)

static struct node_map map;

static void nodes_of_memory_and_of_cpus(void **state)
{
    const struct memory_range ranges[] = {
        {.bytes = 64 * MIB, .node = 5, .usable = true},
        {.bytes = 32 * MIB, .node = 2, .kind = MEMORY_SPECIFIC, .usable = true},
        {.bytes = 8 * MIB, .node = 2, .usable = true},
        {.bytes = 8 * MIB, .node = 2, .usable = false},
        {.bytes = 8 * MIB, .node = NODE_UNKNOWN, .usable = true}};
    const struct cpu_info cpus[] = {{.node = 5, .enabled = true},
                                    {.node = 0, .enabled = true},
                                    {.node = 9, .enabled = false},
                                    {.node = NODE_UNKNOWN, .enabled = true}};

    (void)state;
    node_map_start(&map, ranges, 5, cpus, 4);
    assert_int_equal(map.count, 3);
    assert_int_equal(map.node[0].number, 0);
    assert_int_equal(map.node[0].bytes, 0);
    assert_int_equal(map.node[1].number, 2);
    assert_int_equal(map.node[1].bytes, 40 * MIB);
    assert_int_equal(map.node[1].ordinary_bytes, 8 * MIB);
    assert_int_equal(map.node[2].number, 5);
    assert_int_equal(map.node[2].ordinary_bytes, 64 * MIB);
    assert_int_equal(map.more, 0);
    assert_null(map.source);
}

static void there_is_room_for_so_many(void **state)
{
    (void)state;
    node_map_start(&map, NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < NODES_MAX + 2; i++)
        assert_int_equal(node_map_node(&map, 1000 - i) == NULL, i >= NODES_MAX);
    assert_non_null(node_map_node(&map, 1000));
    assert_int_equal(map.count, NODES_MAX);
    assert_int_equal(map.more, 2);
    for (uint32_t i = 1; i < NODES_MAX; i++)
        assert_true(map.node[i - 1].number < map.node[i].number);
}

static void claims_that_say_nothing_are_none(void **state)
{
    const struct node_claim some[] = {
        {0, 1, 0, 0, 0}, {0, 1, 21, 0, 0}, {1, 0, 0, 80, 0}, {1, 1, 0, 0, 1e9}};

    (void)state;
    node_map_start(&map, NULL, 0, NULL, 0);
    for (size_t i = 0; i < 4; i++)
        node_map_claim(&map, &some[i]);
    assert_int_equal(map.claim_count, 3);
    assert_int_equal(map.claim[0].distance, 21);
    for (size_t i = 0; i < NODES_MAX * NODES_MAX; i++)
        node_map_claim(&map, &some[1]);
    assert_int_equal(map.claim_count, NODES_MAX * NODES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_memory_and_of_cpus),
        cmocka_unit_test(there_is_room_for_so_many),
        cmocka_unit_test(claims_that_say_nothing_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
