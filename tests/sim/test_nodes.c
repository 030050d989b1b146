/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory is measured: that of the core's own node, unless range= requests another; and every
 * point records where its memory lies. The far memory of these machines has the lowest addresses,
 * so an allocation that ignores nodes would take it first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

#define MIB (1ull << 20)

struct seen {
    size_t points, ranges;
    uint64_t low, high; /* over all points */
    uint64_t node;      /* of all points, if they agree; else RECORD_UNKNOWN - 1 */
    struct record_memory range[2];
    double dram_ns;
};

static void keep(void *context, const struct record *record)
{
    struct seen *seen = context;
    const struct record_point *point = &record->u.point;

    if (record->kind == RECORD_POINT) {
        assert_true(point->physical_high.value - point->physical_low.value + 1 >= point->bytes);
        seen->node =
            seen->points == 0 || point->node == seen->node ? point->node : RECORD_UNKNOWN - 1;
        seen->points++;
        seen->low = point->physical_low.value < seen->low ? point->physical_low.value : seen->low;
        seen->high =
            point->physical_high.value > seen->high ? point->physical_high.value : seen->high;
    }
    if (record->kind == RECORD_MEMORY && seen->ranges < 2)
        seen->range[seen->ranges++] = record->u.memory;
    if (record->kind == RECORD_DRAM)
        seen->dram_ns = record->u.dram.ns;
}

static struct seen run(const char *far, const char *range)
{
    struct seen seen = {.low = UINT64_MAX};
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error file_error;
    struct option_error error;
    struct sim_config config;
    char text[600], words[200];

    assert_non_null(sim);
    snprintf(text, sizeof text,
             "machine name=far pages=4k,2m seed=2\nclock core=2G counter=2G\n"
             "cache name=L1 bytes=32K ways=8 latency=4c\n"
             "cache name=L2 bytes=256K ways=8 latency=14c\n"
             "tlb 4k=64/4 2m=32/4\nwalk kind=constant cost=20c\n"
             "memory bytes=256M base=80ns tcl=14ns %s\nend\n",
             far);
    if (!sim_machine_parse(&config, text, strlen(text), "far", &file_error))
        fail_msg("%s", file_error.text);
    snprintf(words, sizeof words, "tests=dram pages=4k,2m max=16M budget=20 %s", range);
    simulator_start(sim, &config, false);
    if (words_run(&sim->machine, words, keep, &seen, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    simulator_stop(sim);
    free(sim);
    assert_true(seen.points > 4);
    return seen;
}

static void assert_near(const struct seen *seen)
{
    assert_true(seen->dram_ns > 93 && seen->dram_ns < 95);
    assert_int_equal(seen->node, SIM_NODE_NEAR);
    assert_true(seen->low >= SIM_MEMORY_BASE + 64 * MIB);
    assert_true(seen->high < SIM_MEMORY_BASE + 256 * MIB);
}

static void its_own_nodes_memory_is_measured(void **state)
{
    struct seen seen = run("far=64M far-adds=70ns", "");

    (void)state;
    assert_near(&seen);
    assert_int_equal(seen.ranges, 2);
    assert_int_equal(seen.range[0].node, SIM_NODE_FAR);
    assert_string_equal(seen.range[0].kind, "ordinary");
    assert_int_equal(seen.range[0].bytes, 64 * MIB);
    assert_int_equal(seen.range[1].node, SIM_NODE_NEAR);
    assert_int_equal(seen.range[1].base.value, SIM_MEMORY_BASE + 64 * MIB);
}

static void memory_for_specific_purposes_is_not(void **state)
{
    struct seen seen = run("far=64M far-adds=70ns far-kind=specific-purpose", "");

    (void)state;
    assert_near(&seen);
    assert_string_equal(seen.range[0].kind, "specific-purpose");
}

static void range_requests_it(void **state)
{
    static const char *const kinds[] = {"ordinary", "specific-purpose"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char far[80];
        snprintf(far, sizeof far, "far=64M far-adds=70ns far-kind=%s", kinds[i]);
        struct seen seen = run(far, "range=4G-4160M");
        assert_true(seen.dram_ns > 163 && seen.dram_ns < 165);
        assert_int_equal(seen.node, SIM_NODE_FAR);
        assert_int_equal(seen.low, SIM_MEMORY_BASE);
        assert_true(seen.high < SIM_MEMORY_BASE + 64 * MIB);
    }
}

/* Half of the set on each node: it belongs to none. */
static void a_set_of_two_nodes_has_none(void **state)
{
    struct seen seen = run("far=8M far-adds=70ns", "range=4G-4112M");

    (void)state;
    assert_int_equal(seen.low, SIM_MEMORY_BASE);
    assert_true(seen.high >= SIM_MEMORY_BASE + 8 * MIB);
    assert_true(seen.node == RECORD_UNKNOWN - 1 || seen.node == RECORD_UNKNOWN);
}

static void one_node_is_all_there_is(void **state)
{
    struct seen seen = run("", "");

    (void)state;
    assert_int_equal(seen.ranges, 1);
    assert_int_equal(seen.range[0].bytes, 256 * MIB);
    assert_int_equal(seen.node, SIM_NODE_NEAR);
    assert_int_equal(seen.low, SIM_MEMORY_BASE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_own_nodes_memory_is_measured),
        cmocka_unit_test(memory_for_specific_purposes_is_not),
        cmocka_unit_test(range_requests_it),
        cmocka_unit_test(a_set_of_two_nodes_has_none),
        cmocka_unit_test(one_node_is_all_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
