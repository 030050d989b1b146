/* SPDX-License-Identifier: BSD-2-Clause */
/* node= and place=, as core/options/nodes.c reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/options/nodes.h"

#define COUNT 4

/* Bit 4 * from + to: a CPU of node `from` measures the memory of node `to`. */
static uint32_t chosen(const char *words)
{
    struct node_choice choice;
    uint32_t mask = 0;
    const char *why;

    assert_true(node_read(words, strlen(words), &choice, &why));
    for (uint32_t i = 0; i < COUNT * COUNT; i++)
        mask |= (uint32_t)node_chosen(&choice, i / COUNT, i % COUNT) << i;
    return mask;
}

static uint32_t placed(const char *words, uint32_t count)
{
    static const uint32_t node[] = {0, 1, 2, 3};
    struct place_choice choice;
    uint32_t mask = 0;
    const char *why;

    assert_true(place_read(words, strlen(words), &choice, &why));
    for (uint32_t i = 0; i < COUNT * COUNT; i++)
        if (i / COUNT < count && i % COUNT < count)
            mask |= (uint32_t)place_chosen(&choice, node, count, i / COUNT, i % COUNT) << i;
    return mask;
}

static void nodes_are_chosen(void **state)
{
    (void)state;
    assert_int_equal(chosen(""), 0xffff);
    assert_int_equal(chosen("all"), 0xffff);
    assert_int_equal(chosen("local"), 0x8421);
    assert_int_equal(chosen("1"), 0x2222);
    assert_int_equal(chosen("0,2-9"), 0xdddd);
}

static void memory_is_placed_as_pchase_does(void **state)
{
    (void)state;
    assert_int_equal(placed("", 4), 0xffff);
    assert_int_equal(placed("local", 4), 0x8421);
    assert_int_equal(placed("xor:0", 4), 0x8421);
    assert_int_equal(placed("xor:1", 4), 0x4812);
    assert_int_equal(placed("xor:2", 4), 0x2184);
    assert_int_equal(placed("xor:1", 3), 0x0012); /* node 3 is not there */
    assert_int_equal(placed("xor:8", 4), 0);
    assert_int_equal(placed("add:1", 4), 0x1842);
    assert_int_equal(placed("add:5", 4), 0x1842);
    assert_int_equal(placed("add:1", 3), 0x0142);
    assert_int_equal(placed("map:0:1;1:0", 4), 0x0012);
    assert_int_equal(placed("map:3:0,2;0:0", 4), 0x5001);
    assert_int_equal(placed("map:7:0", 4), 0);
}

/* xor and add count places, a map names numbers. */
static void numbers_need_not_be_places(void **state)
{
    static const uint32_t node[] = {0, 4, 9};
    struct place_choice choice;
    const char *why;

    (void)state;
    assert_true(place_read("xor:1", 5, &choice, &why));
    assert_true(place_chosen(&choice, node, 3, 0, 1));
    assert_true(place_chosen(&choice, node, 3, 1, 0));
    assert_true(place_read("map:9:4", 7, &choice, &why));
    assert_true(place_chosen(&choice, node, 3, 2, 1));
    assert_false(place_chosen(&choice, node, 3, 1, 2));
}

static void nodes_that_are_not_there_are_named(void **state)
{
    static const uint32_t node[] = {0, 4, 9};
    struct node_choice choice;
    const char *why;

    (void)state;
    assert_true(node_read("4,0", 3, &choice, &why));
    assert_int_equal(node_missing(&choice, node, 3), UINT32_MAX);
    assert_true(node_read("9,3-5,0", 7, &choice, &why));
    assert_int_equal(node_missing(&choice, node, 3), 3);
    assert_true(node_read("local", 5, &choice, &why));
    assert_int_equal(node_missing(&choice, node, 3), UINT32_MAX);
}

static void anything_else_is_refused(void **state)
{
    static const char *const nodes[] = {"here", "-1", "0,", ",0", "2-1", "65536", "0 1"};
    static const char *const places[] = {"near",     "xor",      "xor:",   "xor:x", "xor:65536",
                                         "add:-1",   "map",      "map:",   "map:0", "map:0:",
                                         "map:0:1;", "map:0:1,", "local:", "xor1",  "map:;0:1"};
    struct place_choice place;
    struct node_choice node;
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        assert_false(node_read(nodes[i], strlen(nodes[i]), &node, &why));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_false(place_read(places[i], strlen(places[i]), &place, &why));
}

static void there_is_room_for_so_many(void **state)
{
    struct place_choice place;
    char words[600] = "map:0:0";
    const char *why;

    (void)state;
    for (unsigned i = 1; i < PLACE_PAIRS_MAX; i++)
        strcat(words, ",1");
    assert_true(place_read(words, strlen(words), &place, &why));
    strcat(words, ",2");
    assert_false(place_read(words, strlen(words), &place, &why));
    assert_string_equal(why, "has more than 64 pairs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_chosen),
        cmocka_unit_test(memory_is_placed_as_pchase_does),
        cmocka_unit_test(numbers_need_not_be_places),
        cmocka_unit_test(nodes_that_are_not_there_are_named),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(there_is_room_for_so_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
