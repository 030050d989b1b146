/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated core and its memory with many things outstanding, against what can be computed
 * without them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "tests/sim/core.h"
#include "tests/sim/machine_file.h"

#define L1 "cache name=L1 bytes=4K ways=4 latency=4c\n"
#define L2 "cache name=L2 bytes=64K ways=8 latency=14c\n"

/* One core on its memory, no window and no engine. */
struct bench {
    struct sim_config config;
    struct sim_memory_system system;
    struct sim_core core;
    double ready_ns[CHAINS_MAX];
    struct random random;
    double now;
};

static void no_value(void *context, uintptr_t value, double done_ns)
{
    (void)context;
    (void)value;
    (void)done_ns;
}

static struct bench *start(uint32_t chains, const char *lines)
{
    struct bench *b = calloc(1, sizeof *b);
    char text[2048];
    struct sim_file_error error;

    snprintf(text, sizeof text, "machine name=test\nclock core=1G counter=1G\n%s\nend", lines);
    if (!sim_machine_parse(&b->config, text, strlen(text), "test", &error))
        fail_msg("%s", error.text);
    sim_memory_start(&b->system, &b->config);
    sim_memory_open(&b->system, SIM_PAGE_2M, NULL, 512);
    random_start(&b->random, 9);
    b->core.system = &b->system;
    b->core.ready_ns = b->ready_ns;
    b->core.value = no_value;
    sim_core_open(&b->core, chains, 0);
    return b;
}

static void stop(struct bench *b)
{
    sim_memory_stop(&b->system);
    free(b);
}

static struct sim_reference at_line(uint32_t line)
{
    return (struct sim_reference){.line = line, .page = line >> 15};
}

/* Lines, none of which occurs twice in a test. */
static struct sim_reference far_line(struct bench *b)
{
    return at_line((uint32_t)random_below(&b->random, 1 << 24));
}

static bool near_to(double figure, double truth, double off)
{
    if (fabs(figure - truth) <= off)
        return true;
    printf("%.4f is not %.4f within %.4f\n", figure, truth, off);
    return false;
}

/* ns a round of hops, one of each chain, to lines that only memory has. */
static double round_ns(const char *machine, uint32_t chains)
{
    struct bench *b = start(chains, machine);
    double ns;

    for (int round = 0; round < 4000; round++)
        for (uint32_t chain = 0; chain < chains; chain++) {
            struct sim_reference to = far_line(b);
            sim_core_load(&b->core, chain, &to, 0, false);
        }
    ns = sim_core_settle(&b->core) / 4000;
    stop(b);
    return ns;
}

static void chains_overlap_until_the_misses_run_out(void **state)
{
    (void)state;
    for (uint32_t chains = 1; chains <= CHAINS_MAX; chains++) {
        double expected = chains <= 10 ? 100 : 100 * chains / 10.0;
        assert_true(near_to(round_ns(L1 "memory base=100ns misses=10", chains), expected, 0.5));
    }
}

/* Of loads that could all begin now the oldest does: otherwise one chain stays behind until the
 * window holds the others, and runs alone at the end. */
static void no_chain_runs_ahead(void **state)
{
    struct bench *b = start(21, L1 "memory base=80ns trcd=10ns trp=10ns channels=16 banks=256 "
                                   "misses=11\ncore loads=4");

    (void)state;
    for (int round = 0; round < 384; round++)
        for (uint32_t chain = 0; chain < 21; chain++) {
            struct sim_reference to = far_line(b);
            sim_core_load(&b->core, chain, &to, 0, false);
        }
    assert_true(near_to(sim_core_settle(&b->core) / 384, 90 * 21 / 11.0, 1));
    stop(b);
}

/* 64 bytes at 6.4 GB/s are 10 ns. */
static void chains_share_the_channel(void **state)
{
    const char *machine = L1 "memory base=100ns misses=64 bandwidth=6.4G";

    (void)state;
    assert_true(near_to(round_ns(machine, 4), 100, 0.5));
    assert_true(near_to(round_ns(machine, 20), 200, 2));
}

/* All lines are in one bank, which takes 30 ns for each. */
static void chains_meet_in_a_bank(void **state)
{
    const char *machine = L1 "memory base=100ns trcd=15ns trp=15ns banks=1 misses=64 rows=closed";

    (void)state;
    assert_true(near_to(round_ns(machine, 1), 115, 0.5));
    assert_true(near_to(round_ns(machine, 8), 240, 1));
}

/* A refresh of one rank does not delay accesses to the other. */
static void a_refresh_delays_its_own_rank_only(void **state)
{
    struct sim_config config;
    struct sim_file_error error;
    struct sim_dram dram;
    struct sim_dram_cost cost;
    double waits = 0;
    static const char text[] = "machine name=m\nclock core=1G counter=1G\n" L1
                               "memory base=50ns trefi=1us trfc=500ns ranks=2 bandwidth=6.4G\nend";

    (void)state;
    assert_true(sim_machine_parse(&config, text, strlen(text), "m", &error));
    sim_dram_start(&dram, &config.memory, NULL, 64);
    for (int i = 0; i < 20000; i++) {
        /* Two at a time, one for each rank (which follows the columns' 7 bits). */
        double one = sim_dram_access(&dram, 0, i * 5000.0 + i % 1000, &cost);
        double other = sim_dram_access(&dram, 128, i * 5000.0 + i % 1000, &cost);
        waits += one > i * 5000.0 + i % 1000 + 60 && other > i * 5000.0 + i % 1000 + 60;
    }
    /* Their turns are half an interval apart, and refreshes half an interval long: both wait only
     * where one begins late. */
    assert_true(dram.refresh_waits > 15000 && waits < 2000);
    sim_dram_stop(&dram);
}

/* ns a load of independent ones, to memory or within `lines` lines. */
static double free_ns(const char *machine, uint32_t lines)
{
    struct bench *b = start(1, machine);
    double begun, ns;

    for (uint32_t i = 0; i < lines; i++) {
        struct sim_reference to = at_line(i);
        sim_core_load_free(&b->core, &to);
    }
    begun = sim_core_settle(&b->core);
    for (uint32_t i = 0; i < 20000; i++) {
        struct sim_reference to = lines == 0 ? far_line(b) : at_line(i % lines);
        sim_core_load_free(&b->core, &to);
    }
    ns = (sim_core_settle(&b->core) - begun) / 20000;
    stop(b);
    return ns;
}

static void free_loads_overlap_as_far_as_the_core_can(void **state)
{
    (void)state;
    assert_true(near_to(free_ns(L1 "memory base=100ns misses=10", 0), 10, 0.1));
    assert_true(near_to(free_ns(L1 "memory base=100ns misses=64\ncore window=20", 0), 5, 0.1));
    assert_true(near_to(free_ns(L1 "memory base=100ns\ncore loads=2", 32), 0.5, 0.01));
    assert_true(near_to(free_ns(L1 "memory base=100ns\ncore loads=3", 32), 1 / 3.0, 0.01));
    assert_true(near_to(free_ns(L1 L2 "memory base=100ns misses=16\ncore loads=4 window=200", 512),
                        14 / 16.0, 0.02));
}

/* ns per access with that many cycles of work after each. */
static double work_ns(const char *machine, uint32_t cycles, int into)
{
    struct bench *b = start(1, machine);
    struct sim_reference to = far_line(b);
    double ns;

    for (int hop = 0; hop < 2000; hop++) {
        sim_core_load(&b->core, 0, &to, 0, false);
        to = far_line(b);
        if (into >= 0)
            sim_core_hint(&b->core, 0, &to, (size_t)into, false);
        sim_core_work(&b->core, cycles);
    }
    ns = sim_core_settle(&b->core) / 2000;
    stop(b);
    return ns;
}

/* Cycles are ns here. The window of 160 instructions holds the next load while there are fewer of
 * work; then it reaches that load before the one before has come as long as the rest of the work
 * fits too. Beyond that, what does not fit adds to the time. */
static void work_hides_behind_loads_as_far_as_the_window_reaches(void **state)
{
    const char *machine = L1 "memory base=400ns\ncore window=160";

    (void)state;
    assert_true(near_to(work_ns(machine, 0, -1), 400, 0.5));
    assert_true(near_to(work_ns(machine, 100, -1), 400, 0.5));
    assert_true(near_to(work_ns(machine, 144, -1), 400, 0.5));
    assert_true(near_to(work_ns(machine, 304, -1), 400, 0.5));
    /* 160 are done under the load and 160 more before the next one's is in the window. */
    assert_true(near_to(work_ns(machine, 800, -1), 400 + 800 - 320, 16.5));
    /* The work alone, where it takes longer than the load. */
    assert_true(near_to(work_ns(L1 "memory base=100ns\ncore window=160", 130, -1), 130, 0.5));
}

static void a_hint_hides_up_to_the_work(void **state)
{
    const char *machine = L1 L2 "memory base=400ns\ncore window=160";

    (void)state;
    /* Nothing to hide behind: the load itself is as soon as the hint. */
    assert_true(near_to(work_ns(machine, 0, 0), 400, 0.5));
    /* Work beyond the window, under which the hint fetches the line. */
    assert_true(near_to(work_ns(machine, 800, 0), 800 + 4, 17));
    assert_true(near_to(work_ns(machine, 800, 1), 800 + 14, 17));
    assert_true(work_ns(machine, 800, -1) > 870);
}

/* Every line written to goes back when it is evicted: 10 ns of a channel, 20 ns until it is used
 * again. */
static double dirty_ns(const char *machine, bool dirty, struct sim_ledger *ledger)
{
    struct bench *b = start(1, machine);
    double ns, warm = 0;

    for (int hop = 0; hop < 30000; hop++) {
        struct sim_reference to = far_line(b);
        if (hop == 10000)
            warm = sim_core_settle(&b->core);
        sim_core_load(&b->core, 0, &to, 0, false);
        if (dirty)
            sim_core_store(&b->core, 0, &to);
    }
    ns = (sim_core_settle(&b->core) - warm) / 20000;
    *ledger = *sim_memory_ledger(&b->system);
    stop(b);
    return ns;
}

static void dirty_lines_pay_their_way_back(void **state)
{
    static const char *const holds[] = {"neither", "inclusive", "exclusive"};
    struct sim_ledger ledger;
    char text[400];

    (void)state;
    for (int i = 0; i < 3; i++) {
        double clean, dirty;
        snprintf(text, sizeof text,
                 L1 "cache name=L2 bytes=64K ways=8 latency=14c holds=%s\n"
                    "memory base=90ns bandwidth=6.4G twtr=20ns banks=256",
                 holds[i]);
        clean = dirty_ns(text, false, &ledger);
        assert_true(ledger.writes == 0 && ledger.cause_ns[SIM_BY_WRITE] == 0);
        dirty = dirty_ns(text, true, &ledger);
        assert_true(near_to(clean, 90, 0.1) && near_to(dirty, 120, 0.5));
        /* All that are not in a cache at the end. */
        assert_true(near_to(ledger.writes, 30000, 64 + 1024 + 64));
        assert_true(near_to(ledger.cause_ns[SIM_BY_WRITE] / 30000, 30, 1.5));
    }
    /* On two channels every other write delays no read. */
    assert_true(
        near_to(dirty_ns(L1 "memory base=90ns bandwidth=6.4G twtr=20ns banks=256 channels=2", true,
                         &ledger),
                105, 0.5));
}

/* A set of L2's size after a lap of non-temporal loads: which cache has its lines. */
static void non_temporal_loads_fill_what_they_must(void **state)
{
    static const struct {
        const char *words;
        size_t server;
    } cases[] = {{"latency=14c holds=neither\nmemory base=90ns", 2},
                 {"latency=14c holds=inclusive\nmemory base=90ns", 1},
                 {"latency=14c\ncore non-temporal=all\nmemory base=90ns", 1}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[300];
        struct bench *b;
        snprintf(text, sizeof text, L1 "cache name=L2 bytes=64K ways=8 %s", cases[i].words);
        b = start(1, text);
        for (uint32_t line = 0; line < 512; line++) {
            struct sim_reference to = at_line(line);
            sim_core_load(&b->core, 0, &to, 0, true);
        }
        sim_core_settle(&b->core);
        assert_int_equal(sim_hierarchy_find(&b->system.caches, 0), cases[i].server);
        assert_int_equal(sim_hierarchy_find(&b->system.caches, 511), 0);
        stop(b);
    }
}

static void a_flushed_line_is_nowhere_and_its_page_is_known(void **state)
{
    struct bench *b = start(1, L1 L2 "tlb 2m=4\nwalk kind=constant cost=30c\nmemory base=90ns\n"
                                     "core flush=50ns");
    struct sim_reference to = at_line(7);
    double now;

    (void)state;
    sim_core_load(&b->core, 0, &to, 0, false);
    sim_core_store(&b->core, 0, &to);
    now = sim_core_settle(&b->core);
    assert_true(now == 120);
    assert_true(sim_memory_flush(&b->system, &to, now) == now + 50);
    assert_int_equal(sim_hierarchy_find(&b->system.caches, 7), 2);
    assert_true(b->system.ledger.writes == 1 && b->system.ledger.walks == 1);
    /* Of another page: the flush itself walks, the load after it does not. */
    to = at_line(5 << 15);
    now = sim_memory_flush(&b->system, &to, 1000);
    assert_true(now == 1080 && b->system.ledger.walks == 1);
    sim_core_open(&b->core, 1, now);
    sim_core_load(&b->core, 0, &to, 0, false);
    assert_true(sim_core_settle(&b->core) == now + 90);
    stop(b);
    /* Behind the point of coherency it stays. */
    b = start(1, L1 L2 "cache name=S bytes=1M ways=16 latency=30ns memory-side=yes\ntlb 2m=4\n"
                       "walk kind=constant cost=30c\nmemory base=90ns\ncore flush=50ns");
    to = at_line(7);
    sim_core_load(&b->core, 0, &to, 0, false);
    now = sim_memory_flush(&b->system, &to, sim_core_settle(&b->core));
    assert_int_equal(sim_hierarchy_find(&b->system.caches, 7), 2);
    sim_core_open(&b->core, 1, now);
    sim_core_load(&b->core, 0, &to, 0, false);
    assert_true(sim_core_settle(&b->core) == now + 30);
    stop(b);
}

/* Chains' time is all in the ledger, whatever they wait for. */
static void the_ledger_balances_for_chains(void **state)
{
    struct bench *b = start(12, L1 L2 "tlb 2m=32\nwalk kind=loads\n"
                                      "memory base=80ns tcl=10ns trcd=10ns trp=10ns trefi=7.8us "
                                      "trfc=350ns banks=4 rows=open bandwidth=10G twtr=8ns "
                                      "misses=8\ncore window=32 loads=1");
    double sum = 0, end;

    (void)state;
    for (int round = 0; round < 3000; round++)
        for (uint32_t chain = 0; chain < 12; chain++) {
            struct sim_reference to = far_line(b);
            sim_core_load(&b->core, chain, &to, 0, false);
            sim_core_store(&b->core, chain, &to);
        }
    end = sim_core_settle(&b->core);
    for (unsigned cause = 0; cause < SIM_CAUSES; cause++)
        sum += sim_memory_ledger(&b->system)->cause_ns[cause];
    /* At the end each chain waits for the last. */
    assert_true(near_to(sum / (12 * end), 1, 0.005));
    assert_true(b->system.ledger.cause_ns[SIM_BY_WRITE] > 0);
    assert_true(b->system.ledger.cause_ns[SIM_BY_QUEUE] > 0);
    assert_true(b->system.ledger.cause_ns[SIM_BY_CORE] > 0);
    stop(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_overlap_until_the_misses_run_out),
        cmocka_unit_test(no_chain_runs_ahead),
        cmocka_unit_test(chains_share_the_channel),
        cmocka_unit_test(chains_meet_in_a_bank),
        cmocka_unit_test(a_refresh_delays_its_own_rank_only),
        cmocka_unit_test(free_loads_overlap_as_far_as_the_core_can),
        cmocka_unit_test(work_hides_behind_loads_as_far_as_the_window_reaches),
        cmocka_unit_test(a_hint_hides_up_to_the_work),
        cmocka_unit_test(dirty_lines_pay_their_way_back),
        cmocka_unit_test(non_temporal_loads_fill_what_they_must),
        cmocka_unit_test(a_flushed_line_is_nowhere_and_its_page_is_known),
        cmocka_unit_test(the_ledger_balances_for_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
