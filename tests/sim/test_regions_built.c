/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of blocks, built by one CPU and by several. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/path.h"
#include "tests/sim/simulator.h"

#define MIB        (1ull << 20)
#define MEMORY     (256 * MIB)
#define BLOCK      (2 * MIB)
#define BLOCKS     (unsigned)(MEMORY / BLOCK)
#define CHASES_MAX (BLOCKS + 4) /* two trials, and two readings of the reference */
#define CPU        "cpu kind=performance\n"

/* What stands between the engine and the simulator. */
struct spy {
    struct simulator *sim;
    struct machine inner;
    double built_s, dropped_s; /* by all CPUs there are */
    uint64_t built, dropped;   /* lines */
    unsigned batches, chases;
    volatile sig_atomic_t stop;
    uint64_t chain[CHASES_MAX]; /* of each chase a hash of where its pointers lead */
    unsigned blocks;
    uint64_t first[BLOCKS], hops[BLOCKS];
    double ns[BLOCKS];
};

static struct spy spy;

static enum status spy_work(void *self, const struct window *w, uint32_t cpu, window_work *work,
                            void *arg, uint64_t first, uint64_t end, struct fault_info *fault)
{
    double begun = simulator_seconds(spy.sim);
    enum status status = spy.inner.work_run(self, w, cpu, work, arg, first, end, fault);
    bool builds = work == spy.inner.chain_build;

    if (cpu != CPU_EVERY)
        return status;
    *(builds ? &spy.built_s : &spy.dropped_s) += simulator_seconds(spy.sim) - begun;
    *(builds ? &spy.built : &spy.dropped) += end - first;
    spy.batches += builds;
    return status;
}

static enum status spy_chase(void *self, const struct window *w, const struct chase_plan *plan,
                             struct chase_result *result)
{
    uintptr_t at = plan->start.next[0];
    uint64_t hash = 0;

    for (uint64_t hop = 0; hop < plan->warm_hops + plan->hops * plan->samples; hop++) {
        hash = random_mix(hash ^ (at - w->base));
        at = sim_path_word(spy.sim, at);
    }
    if (spy.chases < CHASES_MAX)
        spy.chain[spy.chases++] = hash;
    /* All blocks: what comes after them builds chain by chain. */
    spy.stop = spy.chases == CHASES_MAX;
    return spy.inner.chase_run(self, w, plan, result);
}

static void listen(void *context, const struct record *record)
{
    (void)context;
    if (record->kind != RECORD_BLOCK || spy.blocks == BLOCKS)
        return;
    spy.first[spy.blocks] = record->u.block.physical_first.value;
    spy.hops[spy.blocks] = record->u.block.hops;
    spy.ns[spy.blocks++] = record->u.block.ns;
}

static void run(const char *memory, const char *cpus, bool bypasses, const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error file_error;
    struct option_error error;
    char text[1600];

    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m seed=5\nclock core=1G counter=1G\n"
             "cache name=L1 bytes=32K ways=2 latency=4c\ncache name=L2 bytes=1M ways=16 "
             "latency=20c\ntlb 2m=512 4k=128\nwalk kind=constant cost=40c\n"
             "memory bytes=%lluM base=100ns %s\n%send\n",
             MEMORY / MIB, memory, cpus);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &file_error))
        fail_msg("%s", file_error.text);
    memset(&spy, 0, sizeof spy);
    simulator_start(sim, &config, false);
    spy.sim = sim;
    sim->description.build_bypasses = bypasses;
    spy.inner = sim->machine;
    sim->machine.work_run = spy_work;
    sim->machine.chase_run = spy_chase;
    sim->stop = &spy.stop;
    assert_int_equal(words_run(&sim->machine, words, listen, NULL, &error), STATUS_ABORTED);
    simulator_stop(sim);
    free(sim);
    assert_int_equal(spy.blocks, BLOCKS);
}

#define REGIONS "tests=regions block=2M"

static void expect_same(const struct spy *one)
{
    assert_int_equal(spy.built, one->built);
    assert_int_equal(one->chases, CHASES_MAX);
    for (unsigned i = 0; i < BLOCKS; i++) {
        assert_int_equal(spy.first[i], one->first[i]);
        assert_int_equal(spy.hops[i], one->hops[i]);
        assert_true(spy.ns[i] > 0.999 * one->ns[i] && spy.ns[i] < 1.001 * one->ns[i]);
    }
    for (unsigned i = 0; i < CHASES_MAX; i++)
        if (spy.chain[i] != one->chain[i])
            fail_msg("chase %u", i);
}

/* And so many CPUs are so much faster, until channels can take no more. */
static void any_number_of_cpus_builds_the_same(void **state)
{
    static const char *const cpus[] = {CPU, CPU CPU CPU};
    static struct spy one;

    (void)state;
    run("", "", false, REGIONS);
    one = spy;
    assert_int_equal(one.built, BLOCKS * one.hops[0]);
    assert_int_equal(one.dropped, one.built);
    assert_true(one.batches < BLOCKS / 2);
    for (unsigned i = 0; i < 2; i++) {
        run("", cpus[i], false, REGIONS);
        expect_same(&one);
        assert_true(one.built_s / spy.built_s > (i == 0 ? 1.9 : 3.9));
        assert_true(one.dropped_s / spy.dropped_s > (i == 0 ? 1.9 : 3.9));
    }
    run("channels=1 bandwidth=16G", CPU CPU CPU, false, REGIONS);
    assert_true(one.built_s / spy.built_s > 1.9 && one.built_s / spy.built_s < 2.1);
}

/* Nothing is dropped where nothing is in a cache. */
static void what_bypasses_the_caches_is_not_dropped(void **state)
{
    (void)state;
    run("", CPU, true, REGIONS);
    assert_true(spy.built > 0);
    assert_int_equal(spy.dropped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_cpus_builds_the_same),
        cmocka_unit_test(what_bypasses_the_caches_is_not_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
