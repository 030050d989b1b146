/* SPDX-License-Identifier: BSD-2-Clause */
/* nodes on machines of several nodes: each cell of the matrix is what the machine file says, or
 * says why it is not there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/trial.h"

#define MACHINE                                     \
    "clock core=2G counter=2G\n"                    \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"   \
    "cache name=L2 bytes=1M ways=16 latency=20ns\n" \
    "memory bytes=1G base=80ns misses=16\n"
#define WORDS "tests=nodes pages=2m max=32M"

static struct sim_trial trial;

static void run(const char *lines, const char *words)
{
    char machine[2000];

    snprintf(machine, sizeof machine, "%s%s", MACHINE, lines);
    sim_trial_run(&trial, machine, words);
    assert_string_equal(trial.refused, "");
    assert_string_equal(trial.end, "ok");
    for (size_t i = 0; i < trial.pairs; i++) {
        const struct record_pair *pair = &trial.pair[i].pair;
        assert_string_equal(pair->experiment, "nodes");
        assert_int_equal(pair->why == NULL, !isnan(pair->ns));
    }
}

static const struct record_pair *find(uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < trial.pairs; i++)
        if (trial.pair[i].pair.from_node == from && trial.pair[i].pair.home_node == to)
            return &trial.pair[i].pair;
    fail_msg("no pair from node %lu to node %lu", (unsigned long)from, (unsigned long)to);
    return NULL;
}

/* A stream keeps 16 misses under way, so a line takes a 16th of the latency. */
static void expect(uint64_t from, uint64_t to, double ns)
{
    const struct record_pair *pair = find(from, to);
    double rate = 64e9 * 16 / ns;

    assert_null(pair->why);
    assert_true(fabs(pair->ns - ns) < 0.01 * ns);
    assert_true(pair->ns_low <= ns * 1.01 && pair->ns_high >= ns * 0.99);
    assert_true(fabs(pair->bytes_per_s - rate) < 0.01 * rate);
    assert_true(pair->bytes_per_s_low <= pair->bytes_per_s);
    assert_true(pair->bytes_per_s_high >= pair->bytes_per_s);
    assert_int_equal(pair->bytes, 32 << 20);
}

static void expect_points_of_nodes(uint64_t nodes)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < trial.points; i++) {
        assert_true(trial.point[i].node < 4);
        seen |= 1ull << trial.point[i].node;
    }
    assert_int_equal(seen, nodes);
}

#define TWO             \
    "cpu\ncpu node=1\n" \
    "node number=1 bytes=256M\nway from=0 to=1 adds=70ns\nway from=1 to=0 adds=50ns\n"

static void two_nodes(void **state)
{
    (void)state;
    run(TWO, WORDS);
    assert_int_equal(trial.pairs, 4);
    expect(0, 0, 80);
    expect(0, 1, 150);
    expect(1, 0, 130);
    expect(1, 1, 80);
    expect_points_of_nodes(3);
    assert_int_equal(find(1, 0)->from, 2);
    assert_null(find(0, 1)->claimed_by);
    assert_true(isnan(find(0, 1)->claimed));
    assert_true(fabs(find(0, 1)->times - 150.0 / 80) < 0.02);
    assert_false(sim_trial_noted(&trial, "farther than"));
    assert_false(sim_trial_noted(&trial, "slower than the others"));
}

/* Node 2 has memory and no CPU, node 3 a CPU and no memory. */
#define FOUR                                                                      \
    "cpu node=1\ncpu node=3\nnode number=1 bytes=128M\nnode number=2 bytes=64M\n" \
    "way from=0 to=1 adds=70ns\nway from=0 to=2 adds=170ns\n"                     \
    "way from=1 to=0 adds=60ns\nway from=1 to=2 adds=30ns\n"                      \
    "way from=3 to=0 adds=140ns\nway from=3 to=1 adds=100ns\nway from=3 to=2 adds=20ns\n"

static void four_uneven_nodes(void **state)
{
    static const double ns[3][3] = {{80, 150, 250}, {140, 80, 110}, {220, 180, 100}};
    static const unsigned from[] = {0, 1, 3};

    (void)state;
    run(FOUR, WORDS);
    assert_int_equal(trial.pairs, 9);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned to = 0; to < 3; to++)
            expect(from[i], to, ns[i][to]);
    expect_points_of_nodes(7);
    assert_true(fabs(find(3, 1)->times - 1.8) < 0.02); /* than its nearest, which is not its own */
}

/* Claims are told as they are, and held against what was found: in ratios where only distances are
 * claimed. */
static void claims_are_held_against_it(void **state)
{
    (void)state;
    run("cpu node=1\nnode number=1 bytes=64M\n"
        "way from=0 to=0 distance=10 latency=80ns bandwidth=20G\n"
        "way from=0 to=1 adds=70ns distance=21 latency=150ns bandwidth=10G\n"
        "way from=1 to=0 adds=120ns distance=21\nway from=1 to=1 distance=10\n",
        WORDS);
    assert_string_equal(find(0, 1)->claimed_by, "machine file");
    assert_true(find(0, 1)->claimed_ns == 150 && find(0, 1)->claimed_bytes_per_s == 10e9);
    assert_int_equal(find(0, 1)->claimed_distance, 21);
    assert_true(fabs(find(0, 1)->claimed - 150.0 / 80) < 1e-9); /* latencies go before distances */
    assert_true(fabs(find(1, 0)->claimed - 2.1) < 1e-9);
    assert_true(isnan(find(1, 0)->claimed_ns));
    assert_true(fabs(find(1, 0)->times - 2.5) < 0.02);
    assert_true(sim_trial_noted(&trial, "farther than the firmware claims: from node 1 to node 0"));
    assert_false(sim_trial_noted(&trial, "claims: from node 0"));
}

static void a_slow_node_is_found(void **state)
{
    (void)state;
    run("cpu node=1\ncpu node=2\nnode number=1 bytes=64M\nnode number=2 bytes=64M\n"
        "way from=1 to=1 adds=12ns\n",
        WORDS);
    assert_true(sim_trial_noted(&trial, "own memory is slower than the others': node 1: 12.0"));
    assert_true(fabs(find(1, 1)->slower_ns - 12) < 0.8);
    assert_false(sim_trial_noted(&trial, "others': node 0"));
    assert_true(isnan(find(0, 1)->slower_ns));
}

/* One set for all cells: no larger than the smallest node that has room for one. */
static void nodes_without_room_say_so(void **state)
{
    (void)state;
    run("cpu node=1\nnode number=1 bytes=16M\nnode number=2 bytes=2M\n", WORDS);
    assert_int_equal(trial.pairs, 6);
    for (uint64_t from = 0; from < 2; from++) {
        assert_int_equal(find(from, 0)->bytes, 16 << 20);
        assert_null(find(from, 1)->why);
        assert_non_null(strstr(find(from, 2)->why, "no room for a set beyond the caches"));
    }
    assert_true(sim_trial_noted(&trial, "nodes: the set of memory: clamped"));
    expect_points_of_nodes(3);
}

static void cpus_that_cannot_be_had_say_why(void **state)
{
    (void)state;
    run("cpu node=1 fails=yes\ncpu node=1\ncpu node=2 fails=yes\ncpu node=3 present=no\n"
        "node number=1 bytes=64M\n",
        WORDS);
    assert_int_equal(trial.pairs, 6);
    assert_int_equal(find(1, 0)->from, 2); /* the first that starts */
    expect(1, 0, 80);
    assert_string_equal(find(2, 0)->why, "it did not start");
    assert_string_equal(find(2, 1)->why, "it did not start");
    run("cpu node=1\ncpu node=1\ncpu node=2\nnode number=1 bytes=64M\n", WORDS " cpus=2,9");
    assert_int_equal(trial.pairs, 4); /* CPU 0's node is measured in any case */
    assert_int_equal(find(1, 0)->from, 2);
    assert_true(sim_trial_noted(&trial, "cpus= names a CPU that is not there: CPU 9"));
}

static void options_choose_cells(void **state)
{
    (void)state;
    run(FOUR, WORDS " node=local");
    assert_int_equal(trial.pairs, 2); /* of node 3 none: it has no memory */
    expect(1, 1, 80);
    run(FOUR, WORDS " node=1-2,5");
    assert_int_equal(trial.pairs, 6);
    assert_true(sim_trial_noted(&trial, "is not there: node 5; there is 0, 1, 2, 3"));
    run(FOUR, WORDS " place=add:1");
    assert_int_equal(trial.pairs, 3);
    expect(0, 1, 150);
    expect(1, 2, 110);
    expect(3, 0, 220);
    run(FOUR, WORDS " place=map:1:0,2"); /* no cell of CPU 0 */
    assert_int_equal(trial.pairs, 2);
    expect(1, 0, 140);
}

static void memory_for_specific_purposes_is_measured_too(void **state)
{
    (void)state;
    run("node number=1 bytes=64M kind=specific-purpose\nway from=0 to=1 adds=90ns\n", WORDS);
    expect(0, 0, 80);
    expect(0, 1, 170);
    assert_true(sim_trial_noted(&trial, "nodes: memory for specific purposes: node 1"));
}

static void one_node_is_said(void **state)
{
    (void)state;
    run("cpu\n", WORDS);
    assert_int_equal(trial.pairs, 1);
    expect(0, 0, 80);
    assert_true(sim_trial_noted(&trial, "nodes: one node: the machine has no other"));
}

static void no_pair_is_said_to_be_none(void **state)
{
    static const char *const choices[] = {"place=xor:1", "place=map:0:9", "node=7"};
    char words[80];

    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        snprintf(words, sizeof words, WORDS " %s", choices[i]);
        sim_trial_run(&trial, MACHINE, words);
        assert_string_equal(trial.refused, "");
        assert_true(sim_trial_noted(&trial, "nodes: nothing to measure: node=, place= and cpus= "
                                            "together take no pair of nodes; there is 0"));
        assert_false(sim_trial_noted(&trial, "no node has"));
        assert_false(sim_trial_noted(&trial, "is measured"));
    }
}

static void both_states_of_the_prefetchers(void **state)
{
    (void)state;
    run(TWO "prefetch kind=stream control=controllable degree=4 into=1\n", WORDS " prefetch=both");
    assert_int_equal(trial.pairs, 8);
    expect(0, 1, 150);
    assert_int_equal(trial.pair[0].pair.prefetch, PREFETCH_OFF);
    assert_int_equal(trial.pair[4].pair.prefetch, PREFETCH_ON);
}

/* A budget that ends leaves cells without figures, not without records. */
static void a_budget_leaves_reasons(void **state)
{
    unsigned none = 0;

    (void)state;
    run("cpu node=1\ncpu node=2\nnode number=1 bytes=256M\nnode number=2 bytes=256M\n",
        "tests=nodes pages=2m max=256M budget=1");
    assert_int_equal(trial.pairs, 9);
    for (size_t i = 0; i < trial.pairs; i++)
        none += trial.pair[i].pair.why != NULL;
    assert_true(none > 0 && none < 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nodes),
        cmocka_unit_test(four_uneven_nodes),
        cmocka_unit_test(claims_are_held_against_it),
        cmocka_unit_test(a_slow_node_is_found),
        cmocka_unit_test(nodes_without_room_say_so),
        cmocka_unit_test(cpus_that_cannot_be_had_say_why),
        cmocka_unit_test(options_choose_cells),
        cmocka_unit_test(memory_for_specific_purposes_is_measured_too),
        cmocka_unit_test(one_node_is_said),
        cmocka_unit_test(no_pair_is_said_to_be_none),
        cmocka_unit_test(both_states_of_the_prefetchers),
        cmocka_unit_test(a_budget_leaves_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
