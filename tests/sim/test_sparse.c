/* SPDX-License-Identifier: BSD-2-Clause */
/* Large windows of which few lines are used: their contents are right, and take little of the
 * host's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/chase/chain.h"
#include "core/chase/listed.h"
#include "core/lib/random.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define LINE  64u
#define WORDS 5000

/* Against a plain array; addresses repeat, and lie as those of a stride do. */
static void words_are_kept(void **state)
{
    static uintptr_t reference[WORDS];
    struct sim_sparse sparse = {0};
    struct random random;
    uintptr_t value;
    uint64_t distinct = 0;

    (void)state;
    memset(reference, 0, sizeof reference);
    random_start(&random, 1);
    assert_false(sim_sparse_get(&sparse, 8, &value));
    for (int i = 0; i < 4 * WORDS; i++) {
        uint64_t which = random_below(&random, WORDS);
        uintptr_t address = 0x7f0000000000 + (uintptr_t)which * (256u << 10);
        assert_int_equal(sim_sparse_get(&sparse, address, &value), reference[which] != 0);
        if (reference[which] != 0)
            assert_int_equal(value, reference[which]);
        distinct += reference[which] == 0;
        reference[which] = (uintptr_t)i + 1;
        sim_sparse_put(&sparse, address, reference[which]);
        assert_int_equal(sparse.count, distinct);
    }
    sim_sparse_clear(&sparse);
    assert_false(sim_sparse_get(&sparse, 0x7f0000000000, &value));
}

static long host_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A lap over one list, nothing of which is in a cache: every hop is memory's. */
static void assert_cold(struct simulator *sim, const struct window *window, const uint64_t *list,
                        uint32_t count, double expected_ns)
{
    struct chase_result result;
    uint64_t ticks[1];
    struct chase_plan plan = {
        .chains = 1, .hops = count, .samples = 1, .ticks = ticks, .limit_ns = UINT64_MAX / 2};

    plan.start.next[0] = window->base + list[0] * LINE;
    assert_int_equal(sim->machine.chase_run(sim, window, &plan, &result), STATUS_OK);
    assert_int_equal(result.samples, 1);
    assert_float_equal((double)ticks[0] / sim->config->counter_hz * 1e9 / count, expected_ns, 1);
}

static uint64_t *lists; /* [blocks][count] */

/* Chains of all blocks are built before any is walked, and each is a cycle of its own. */
static void walk_blocks(const char *memory, uint64_t window_bytes, uint64_t block_bytes,
                        uint32_t count, uint64_t slow_from)
{
    struct simulator *sim = malloc(sizeof *sim);
    uint64_t blocks = window_bytes / block_bytes;
    struct sim_file_error error;
    struct sim_config config;
    struct window window;
    struct random random;
    char text[600];

    assert_non_null(sim);
    snprintf(text, sizeof text,
             "machine name=m pages=2m\nclock core=2G counter=2G\n"
             "cache name=L1 bytes=32K ways=8 latency=4c\n%s\nend\n",
             memory);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, &config, false);
    assert_int_equal(
        sim->machine.window_open(
            sim, &(struct window_request){.bytes = window_bytes, .page = PAGE_2M, .node = NODE_ANY},
            &window),
        STATUS_OK);
    lists = malloc(blocks * count * sizeof *lists);
    assert_non_null(lists);
    random_start(&random, 2);
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t *list = lists + block * count;
        struct line_order order;
        struct chain chain = {.order = &order, .stride_bytes = LINE, .line_bytes = LINE};
        struct fault_info fault;
        listed_spread(list, count, block * (block_bytes / LINE), block_bytes / LINE, &random);
        listed_shuffle(list, count, &random);
        line_order_listed(&order, list, count);
        assert_int_equal(sim->machine.work_run(sim, &window, 0, sim->machine.chain_build, &chain, 0,
                                               count, &fault),
                         STATUS_OK);
    }
    for (uint64_t block = 0; block < blocks; block++)
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t *list = lists + block * count;
            assert_int_equal(sim_path_word(sim, window.base + list[i] * LINE),
                             window.base + list[(i + 1) % count] * LINE);
        }
    assert_int_equal(sim_path_word(sim, window.base + lists[0] * LINE + 8), CHAIN_POISON);
    for (uint64_t block = 0; block < blocks; block += blocks / 16)
        assert_cold(sim, &window, lists + block * count, count,
                    block * block_bytes >= slow_from ? 95 : 80);
    /* What lies between nodes takes no room. */
    if (sim->path.few)
        assert_int_equal(sim->path.words.count, blocks * count);
    sim->machine.window_close(sim, &window);
    simulator_stop(sim);
    free(lists);
    free(sim);
}

/* A line in 64K: all of the window in the host's large pages, 128 MiB in small ones. */
static void lists_in_a_large_window_take_little(void **state)
{
    long before = host_kib();

    (void)state;
    walk_blocks("memory bytes=64G base=80ns", 2ull << 30, 64u << 20, 1024, UINT64_MAX);
    assert_in_range(host_kib() - before, 0, 64 << 10);
}

/* 16384 blocks, of which those of the last half cost more. */
static void a_terabyte_is_walked_block_by_block(void **state)
{
    long before = host_kib();

    (void)state;
    walk_blocks("memory bytes=1T base=80ns\nslow from=0x8100000000 bytes=512G adds=15ns",
                1ull << 40, 64u << 20, 64, 512ull << 30);
    assert_in_range(host_kib() - before, 0, 256 << 10);
}

static void lists_in_a_small_window_are_there_too(void **state)
{
    (void)state;
    walk_blocks("memory bytes=64M base=80ns", 64u << 20, 1u << 20, 64, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_kept),
        cmocka_unit_test(lists_in_a_large_window_take_little),
        cmocka_unit_test(a_terabyte_is_walked_block_by_block),
        cmocka_unit_test(lists_in_a_small_window_are_there_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
