/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines with more memory than lines have 32-bit numbers for, and caches larger than the host
 * would like to hold: what small machines do, they do too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/lib/random.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/memory_system.h"

#define STEPS 60000
#define FEW   6000

/* The same steps in both kinds of store have the same results, whatever the policy. */
static void assert_alike(uint32_t entries, uint32_t ways, uint32_t slices, enum sim_policy policy,
                         uint64_t above)
{
    struct sim_cache narrow, wide;
    struct random random;

    sim_cache_start(&narrow, entries, ways, policy, 3);
    sim_cache_start_wide(&wide, entries, ways, policy, 3);
    sim_cache_slice(&narrow, slices);
    sim_cache_slice(&wide, slices);
    random_start(&random, 4);
    for (int i = 0; i < STEPS; i++) {
        uint64_t key = random_below(&random, 2 * entries), gone;
        bool there = sim_cache_holds(&narrow, key);
        assert_int_equal(sim_cache_holds(&wide, key + above), there);
        if (random_below(&random, 50) == 0) {
            assert_int_equal(sim_cache_drop(&narrow, key), there);
            assert_int_equal(sim_cache_drop(&wide, key + above), there);
            continue;
        }
        assert_int_equal(sim_cache_touch(&narrow, key), there);
        assert_int_equal(sim_cache_touch(&wide, key + above), there);
        if (there)
            continue;
        gone = sim_cache_fill(&narrow, key);
        assert_int_equal(sim_cache_fill(&wide, key + above),
                         gone == SIM_NO_KEY ? SIM_NO_KEY : gone + above);
    }
    assert_int_equal(wide.hits, narrow.hits);
    assert_true(narrow.hits > STEPS / 4);
    sim_cache_clear(&wide);
    for (uint64_t key = 0; key < 2 * entries; key++)
        assert_false(sim_cache_holds(&wide, key + above));
    sim_cache_stop(&narrow);
    sim_cache_stop(&wide);
}

static void wide_caches_are_like_others(void **state)
{
    (void)state;
    for (unsigned policy = 0; policy < SIM_POLICIES; policy++) {
        assert_alike(1024, 8, 1, (enum sim_policy)policy, 0);
        assert_alike(1024, 8, 1, (enum sim_policy)policy, 1ull << 37);
        assert_alike(96 * 8, 8, 1, (enum sim_policy)policy, 0);
        assert_alike(96 * 8, 8, 1, (enum sim_policy)policy, 96ull << 33);
        assert_alike(1024, 8, 8, (enum sim_policy)policy, 0);
        assert_alike(960 * 8, 8, 10, (enum sim_policy)policy, 0);
    }
}

/* A key of 32 ones is a key like others. */
static void no_number_is_special(void **state)
{
    struct sim_cache wide;

    (void)state;
    sim_cache_start_wide(&wide, 8, 2, SIM_LRU, 1);
    assert_false(sim_cache_touch(&wide, UINT32_MAX));
    assert_int_equal(sim_cache_fill(&wide, UINT32_MAX), SIM_NO_KEY);
    assert_true(sim_cache_touch(&wide, UINT32_MAX));
    assert_int_equal(sim_cache_fill(&wide, 7), SIM_NO_KEY);
    assert_int_equal(sim_cache_fill(&wide, 3), UINT32_MAX);
    sim_cache_stop(&wide);
}

static void parse(struct sim_config *config, const char *machine)
{
    struct sim_file_error error;

    if (!sim_machine_parse(config, machine, strlen(machine), "m", &error))
        fail_msg("%s", error.text);
}

/* Of a large machine, lines that are 2^32 apart; of a small one, as many near each other. Every
 * load costs the same in both. */
#define MACHINE(bytes)                                                      \
    "machine name=m pages=2m,1g\nclock core=2G counter=2G\n"                \
    "cache name=L1 bytes=64K ways=8 latency=4c\n"                           \
    "cache name=L2 bytes=768K ways=12 latency=14c holds=inclusive\n"        \
    "cache name=L3 bytes=2M ways=16 latency=40c slices=4 holds=exclusive\n" \
    "tlb 2m=32\nwalk kind=loads entries-512g=2\n"                           \
    "memory bytes=" bytes " base=80ns tcl=10ns rows=closed\n"               \
    "prefetch kind=adjacent-line control=on\nend\n"

static double walk_lines(const char *machine, uint64_t distance, bool stores)
{
    struct sim_memory_system *system = malloc(sizeof *system);
    struct sim_config config;
    struct random random;
    double now = 1e5, sum = 0;

    assert_non_null(system);
    parse(&config, machine);
    sim_memory_start(system, &config);
    sim_memory_open(system, SIM_PAGE_2M, NULL, 1);
    /* Tables are not where memory is. */
    assert_true(sim_tlb_leaf(&system->tlb, 0) >= config.memory.bytes / 64);
    random_start(&random, 8);
    for (int i = 0; i < 2 * STEPS; i++) {
        uint64_t which = random_below(&random, 60000);
        struct sim_reference to = {.line = which + which % 8 * distance, .page = 0};
        double begin = now;
        now = sim_memory_access(system, &to, begin);
        sum += now - begin;
        if (stores)
            sim_memory_store(system, &to, now);
    }
    sim_memory_stop(system);
    free(system);
    return sum;
}

static void lines_far_apart_cost_what_near_ones_do(void **state)
{
    const char *small = MACHINE("64G"), *large = MACHINE("16T");

    (void)state;
    for (int stores = 0; stores < 2; stores++) {
        double near_ns = walk_lines(small, 1 << 20, stores);
        double here_ns = walk_lines(large, 1 << 20, stores);
        double far_ns = walk_lines(large, 1ull << 33, stores);
        assert_float_equal(here_ns, near_ns, 1e-6 * near_ns);
        assert_float_equal(far_ns, near_ns, 0.01 * near_ns);
    }
}

/* Lines of 1 TiB, and lines of a cache of 4 GiB, a few of each MiB: the second time around, the
 * cache has those that fit. */
static void little_of_the_host_is_used(void **state)
{
    static const char *const names[] = {"large-memory", "side-cache"};
    struct sim_memory_system *system = malloc(sizeof *system);
    struct rusage before, after;

    (void)state;
    assert_non_null(system);
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < 2; i++) {
        struct sim_file_error error;
        struct sim_config config;
        const struct sim_ledger *ledger;
        char path[100];
        double now = 1e5;
        uint64_t lines;
        snprintf(path, sizeof path, "tests/sim/machines/dram/%s.machine", names[i]);
        if (!sim_machine_load(&config, path, &error))
            fail_msg("%s", error.text);
        assert_string_equal(config.name, names[i]);
        sim_memory_start(system, &config);
        sim_memory_open(system, SIM_PAGE_2M, NULL, UINT32_MAX);
        lines = config.memory.bytes / 64;
        for (uint64_t k = 0; k < 2 * FEW; k++) {
            struct sim_reference to = {.line = k % FEW * (lines / FEW) + k % FEW % 64};
            to.page = (uint32_t)(to.line >> 15);
            now = sim_memory_access(system, &to, now);
        }
        ledger = sim_memory_ledger(system);
        assert_float_equal(ledger->served[SIM_SERVED_MEMORY], i == 0 ? 2 * FEW : FEW,
                           i == 0 ? 0 : FEW / 10);
        sim_memory_stop(system);
    }
    free(system);
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 64 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_caches_are_like_others),
        cmocka_unit_test(no_number_is_special),
        cmocka_unit_test(lines_far_apart_cost_what_near_ones_do),
        cmocka_unit_test(little_of_the_host_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
