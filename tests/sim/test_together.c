/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs of the simulated machine at the same time: what lines take from one to another is what the
 * machine file's distances add up to, and memory gives no more than its channels have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/chase/chain.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MIB     (1ull << 20)
#define SAMPLES 8
#define HOPS    2000

#define HEAD                                            \
    "machine name=together\nclock core=2G counter=1G\n" \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"       \
    "cache name=L2 bytes=256K ways=8 latency=14c\n"     \
    "cache name=L3 bytes=2M ways=16 latency=23ns holds=neither\n"

/* CPU 1 is far on the chip, CPU 2 of the other node, CPU 3 of that too and far there, CPU 4 a
 * thread of CPU 3's core; CPU 5 cannot be had. */
#define NODES                                                     \
    "memory bytes=64M base=86ns tcl=14ns far=32M far-adds=60ns\n" \
    "cpu far=12ns\ncpu node=1\ncpu node=1 far=6ns\ncpu thread-of=3\ncpu fails=yes\n"

static struct sim_config config;
static struct simulator *sim;
static struct window window;

static void start(const char *lines, uint32_t node)
{
    struct window_request request = {
        .bytes = 16 * MIB, .page = PAGE_2M, .order = FRAMES_CONTIGUOUS, .node = node};
    struct sim_file_error error;
    char text[1600];

    snprintf(text, sizeof text, HEAD "%send\n", lines);
    if (!sim_machine_parse(&config, text, strlen(text), "together", &error))
        fail_msg("%s", error.text);
    sim = malloc(sizeof *sim);
    assert_non_null(sim);
    simulator_start(sim, &config, false);
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
    for (uint32_t cpu = 1; cpu <= config.cpu_count; cpu++) {
        const char *why;
        (void)sim->machine.cpu_ready(sim, cpu, &why);
    }
}

static void stop(void)
{
    sim->machine.window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void assert_near(double is, double wanted, double share)
{
    if (!(fabs(is - wanted) <= share * wanted))
        fail_msg("%.3f instead of %.3f", is, wanted);
}

/* ---- lines from one CPU to another */

#define LINES  8
#define ROUNDS 16
#define BATCH  4

/* ns of each of eight lines: a load, or a turn. */
static void hand_over(uint32_t cpu, uint32_t other, enum handoff_kind kind, double ns[LINES])
{
    static uintptr_t line[LINES];
    static uint64_t ticks[LINES][ROUNDS];
    double timing, timing_error;
    struct fault_info fault;
    struct handoff_plan plan = {.cpu = cpu,
                                .other = other,
                                .kind = kind,
                                .line = line,
                                .lines = LINES,
                                .control = window.base + MIB,
                                .warm_rounds = 2,
                                .rounds = ROUNDS,
                                .batch = BATCH,
                                .ticks = ticks[0],
                                .timing_ticks = &timing,
                                .timing_error_ticks = &timing_error,
                                .limit_ns = 1000000000};

    for (uint32_t i = 0; i < LINES; i++)
        line[i] = window.base + i * 128;
    assert_int_equal(sim->machine.handoff_run(sim, &window, &plan, &fault), STATUS_OK);
    assert_int_equal(plan.lines_done, LINES);
    for (uint32_t i = 0; i < LINES; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < ROUNDS; k++)
            sum += (double)ticks[i][k] - timing;
        ns[i] = sum / ROUNDS / (kind == HANDOFF_SWAP ? 2 * BATCH : 1);
    }
}

static uint32_t slice_of(uint32_t i)
{
    struct sim_reference to = simulator_reference(sim, window.base + i * 128);

    return sim_coherence_slice(&sim->coherence, to.line);
}

static void assert_all(uint32_t cpu, uint32_t other, enum handoff_kind kind, double wanted)
{
    double ns[LINES];

    hand_over(cpu, other, kind, ns);
    for (uint32_t i = 0; i < LINES; i++)
        assert_near(ns[i], wanted, 0.02);
}

#define DIRECTORY "coherence kind=directory answer=20ns swap=10c clean=owner\n"

/* To the home, from there to the owner, and back: the L3's 23 ns and the answer's 20 ns, what both
 * CPUs are away, and 30 ns for each of the three ways that crosses from node to node. */
static void a_line_takes_the_ways_that_it_goes(void **state)
{
    static const struct pair {
        uint32_t cpu, other, home;
        double ns;
    } pairs[] = {{0, 1, 0, 23 + 20 + 12},      {1, 0, 0, 23 + 20 + 12},
                 {0, 1, 1, 23 + 20 + 12 + 60}, {0, 2, 0, 23 + 20 + 60},
                 {2, 0, 0, 23 + 20 + 60},      {0, 2, 1, 23 + 20 + 60},
                 {1, 3, 0, 23 + 20 + 18 + 60}, {2, 3, 0, 23 + 20 + 6 + 60},
                 {2, 3, 1, 23 + 20 + 6},       {3, 2, 1, 23 + 20 + 6}};

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        start(DIRECTORY NODES, pairs[i].home);
        assert_all(pairs[i].cpu, pairs[i].other, HANDOFF_MODIFIED, pairs[i].ns);
        assert_all(pairs[i].cpu, pairs[i].other, HANDOFF_CLEAN, pairs[i].ns);
        assert_all(pairs[i].cpu, pairs[i].other, HANDOFF_SWAP, pairs[i].ns + 5);
        stop();
    }
}

/* A line that was only read comes from the last cache, as if nobody had it. */
static void clean_lines_can_come_from_home(void **state)
{
    (void)state;
    start("coherence kind=directory answer=20ns\n" NODES, 0);
    assert_all(0, 1, HANDOFF_CLEAN, 23);
    assert_all(1, 0, HANDOFF_CLEAN, 23 + 12);
    assert_all(1, 0, HANDOFF_MODIFIED, 23 + 20 + 12);
    stop();
    /* And without a directory so does every line. */
    start(NODES, 0);
    assert_all(1, 0, HANDOFF_MODIFIED, 23 + 12);
    stop();
}

/* Threads of one core have the same caches. */
static void threads_of_a_core_have_its_lines(void **state)
{
    (void)state;
    start(DIRECTORY NODES, 1);
    assert_all(3, 4, HANDOFF_MODIFIED, 2);
    assert_all(3, 4, HANDOFF_SWAP, 0.5 + 5);
    stop();
}

static void slices_of_a_node_are_homes(void **state)
{
    static const double away[] = {0, 5, 11};
    bool seen[3] = {false};
    double ns[LINES];

    (void)state;
    start("coherence kind=directory answer=20ns swap=10c slices=0ns,5ns,11ns\n" NODES, 0);
    hand_over(0, 1, HANDOFF_MODIFIED, ns);
    for (uint32_t i = 0; i < LINES; i++) {
        assert_near(ns[i], 23 + 20 + 12 + away[slice_of(i)], 0.02);
        seen[slice_of(i)] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    hand_over(0, 1, HANDOFF_SWAP, ns);
    for (uint32_t i = 0; i < LINES; i++)
        assert_near(ns[i], 23 + 20 + 12 + away[slice_of(i)] + 5, 0.02);
    stop();
}

static void a_cpu_that_does_not_start_hands_over_nothing(void **state)
{
    struct handoff_plan plan = {.cpu = 0, .other = 5, .lines_done = 1};
    struct fault_info fault;

    (void)state;
    start(DIRECTORY NODES, 0);
    assert_int_equal(sim->machine.handoff_run(sim, &window, &plan, &fault), STATUS_UNSUPPORTED);
    plan.other = 0;
    assert_int_equal(sim->machine.handoff_run(sim, &window, &plan, &fault), STATUS_UNSUPPORTED);
    assert_int_equal(plan.lines_done, 0);
    stop();
    start("memory bytes=64M base=86ns tcl=14ns\n", NODE_ANY);
    assert_null(sim->machine.handoff_run);
    assert_null(sim->machine.load_start);
    stop();
}

/* A CPU that does not answer in time ends the whole, and what was complete is told. */
static void a_limit_ends_it(void **state)
{
    uintptr_t line;
    uint64_t ticks[ROUNDS];
    double timing, timing_error;
    struct fault_info fault;
    struct handoff_plan plan = {.cpu = 0,
                                .other = 1,
                                .kind = HANDOFF_MODIFIED,
                                .line = &line,
                                .lines = 1,
                                .rounds = ROUNDS,
                                .batch = 1,
                                .ticks = ticks,
                                .timing_ticks = &timing,
                                .timing_error_ticks = &timing_error};

    (void)state;
    start("coherence kind=directory answer=1000us\n" NODES, 0);
    line = window.base;
    plan.control = window.base + MIB;
    plan.limit_ns = 2000000;
    assert_int_equal(sim->machine.handoff_run(sim, &window, &plan, &fault), STATUS_ABORTED);
    assert_int_equal(plan.lines_done, 0);
    plan.limit_ns = 1000000000;
    assert_int_equal(sim->machine.handoff_run(sim, &window, &plan, &fault), STATUS_OK);
    assert_int_equal(plan.lines_done, 1);
    stop();
}

/* ---- a chase beside CPUs that load memory */

#define READERS 4

/* Eight banks each for the lines of four channels: the transfers are the limit. */
#define CHANNELS                                                                            \
    "memory bytes=64M base=76ns tcl=14ns trcd=10ns trp=10ns channels=2 banks=64 rows=open " \
    "misses=16 "                                                                            \
    "bandwidth=8G\ncpu\ncpu\ncpu\ncpu\ncpu fails=yes\n"
#define PEAK 16e9

struct loaded {
    double ns, read_bytes_per_s, written_bytes_per_s;
    uint64_t ticks[SAMPLES];
};

static struct line_order order;
static struct chain chain = {.order = &order, .stride_bytes = 64, .line_bytes = 64};

/* A chase through 4M of the window, twice what all caches hold, which LRU never finds there, while
 * others load the other 12M. */
static struct loaded chase_beside(const struct traffic *traffic, uint32_t count)
{
    struct loaded loaded = {.ns = 0};
    struct traffic_done done[READERS];
    struct chase_result result;
    struct fault_info fault;
    const char *why;
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .chains = 1,
                              .line_bytes = 64,
                              .warm_hops = HOPS,
                              .hops = HOPS,
                              .samples = SAMPLES,
                              .ticks = loaded.ticks,
                              .done = done};

    line_order_start(&order, ORDER_RANDOM, 4 * MIB / 64, 64, 3);
    assert_int_equal(sim->machine.work_run(sim, &window, 0, sim->machine.chain_build, &chain, 0,
                                           order.lines, &fault),
                     STATUS_OK);
    plan.start.next[0] = chain_node(&chain, &window, 0);
    assert_int_equal(sim->machine.load_start(sim, &window, 0, traffic, count, &why), STATUS_OK);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_OK);
    assert_int_equal(result.samples, SAMPLES);
    sim->machine.load_stop(sim);
    for (uint32_t i = 0; i < SAMPLES; i++)
        loaded.ns += (double)loaded.ticks[i] / (SAMPLES * (double)HOPS);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(done[i].ticks > 0);
        loaded.read_bytes_per_s += (double)done[i].read_lines * 64e9 / (double)done[i].ticks;
        loaded.written_bytes_per_s += (double)done[i].written_lines * 64e9 / (double)done[i].ticks;
    }
    return loaded;
}

static struct loaded load(uint32_t cpus, enum traffic_kind kind, bool random, uint32_t pause)
{
    struct traffic traffic[READERS];

    for (uint32_t i = 0; i < cpus; i++)
        traffic[i] = (struct traffic){.cpu = i + 1,
                                      .kind = kind,
                                      .base = window.base + (4 + 2 * i) * MIB,
                                      .lines = 2 * MIB / 64,
                                      .random = random,
                                      .pause_cycles = pause};
    return chase_beside(traffic, cpus);
}

static double all_bytes(const struct loaded *loaded)
{
    /* The chase reads too. */
    return loaded->read_bytes_per_s + loaded->written_bytes_per_s + 64e9 / loaded->ns;
}

/* Of what all CPUs move together, no more than that, and within 3 % of it. */
static void readers_reach_the_peak(void **state)
{
    (void)state;
    start(CHANNELS, NODE_ANY);
    for (unsigned random = 0; random < 2; random++) {
        struct loaded loaded = load(READERS, TRAFFIC_READ, random != 0, 0);
        double bytes = all_bytes(&loaded);
        if (!(bytes <= PEAK * 1.001 && bytes >= PEAK * 0.97))
            fail_msg("%.3f GB/s", bytes * 1e-9);
        /* 65 reads are under way, and each waits for 32 of its channel, 8 ns each. */
        assert_near(loaded.ns, 65 * 64e9 / bytes, 0.05);
    }
    stop();
}

/* What is read in order to be written comes first, and goes back later. */
static void writers_reach_the_peak(void **state)
{
    static const struct kind {
        enum traffic_kind kind;
        double written; /* of what is moved */
    } kinds[] = {{TRAFFIC_2_1, 1 / 3.0}, {TRAFFIC_1_1, 0.5}, {TRAFFIC_STORE_NT, 1}};

    (void)state;
    start(CHANNELS, NODE_ANY);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct loaded loaded = load(READERS, kinds[i].kind, false, 0);
        double bytes = all_bytes(&loaded),
               moved = loaded.read_bytes_per_s + loaded.written_bytes_per_s;
        if (!(bytes <= PEAK * 1.001 && bytes >= PEAK * 0.9))
            fail_msg("%.3f GB/s of kind %zu", bytes * 1e-9, i);
        assert_near(loaded.written_bytes_per_s / moved, kinds[i].written, 0.001);
    }
    stop();
}

/* The less they wait between their blocks, the more they move and the longer a load takes; nobody
 * knows a formula, the channels' queues alone. */
static void latency_rises_with_the_load(void **state)
{
    static const uint32_t pauses[] = {1000000, 20000, 4000, 2000, 1000, 500, 0};
    double before_ns = 0, before = 0;

    (void)state;
    start(CHANNELS, NODE_ANY);
    for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
        struct loaded loaded = load(READERS, TRAFFIC_READ, true, pauses[i]);
        double bytes = loaded.read_bytes_per_s;
        assert_true(loaded.ns > before_ns * 0.999 && bytes > before);
        before_ns = loaded.ns;
        before = bytes;
    }
    stop();
}

static void next_to_no_load_is_none(void **state)
{
    struct loaded alone, beside;

    (void)state;
    start(CHANNELS, NODE_ANY);
    alone = chase_beside(NULL, 0);
    beside = load(READERS, TRAFFIC_READ, false, 1000000);
    assert_near(beside.ns, alone.ns, 0.01);
    /* 128 open rows of 8K are a quarter of the 4M: 90 ns, and 20 of rows for three lines of four.
     */
    assert_near(alone.ns, 105, 0.01);
    stop();
}

/* One CPU's chase, by the same kernel, at the same time as another one's. */
static void chasers_do_not_feel_each_other(void **state)
{
    struct traffic traffic = {.cpu = 1, .kind = TRAFFIC_CHASE, .chains = 1};
    struct loaded alone, beside;

    (void)state;
    start(CHANNELS, NODE_ANY);
    alone = chase_beside(NULL, 0);
    line_order_start(&order, ORDER_RANDOM, 4 * MIB / 64, 64, 3);
    traffic.start.next[0] = chain_node(&chain, &window, order.lines / 2);
    beside = chase_beside(&traffic, 1);
    assert_near(beside.ns, alone.ns, 0.02);
    assert_near(beside.read_bytes_per_s, 64e9 / alone.ns, 0.02);
    stop();
}

/* The same figures to the last tick: nothing but the machine file decides. */
static void runs_are_the_same_again(void **state)
{
    struct loaded loaded[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        start(CHANNELS "noise jitter=1%\n", NODE_ANY);
        loaded[i] = load(READERS, TRAFFIC_1_1, true, 100);
        stop();
    }
    assert_memory_equal(loaded[0].ticks, loaded[1].ticks, sizeof loaded[0].ticks);
    assert_true(loaded[0].read_bytes_per_s == loaded[1].read_bytes_per_s);
    assert_true(loaded[0].ticks[0] != loaded[0].ticks[1]);
}

static void what_cannot_load_is_told(void **state)
{
    struct traffic traffic[2] = {{.cpu = 1, .lines = 64}, {.cpu = 5, .lines = 64}};
    struct chase_plan plan = {.cpu = 1, .chains = 1, .hops = 1, .samples = 1};
    struct chase_result result;
    const char *why = NULL;

    (void)state;
    start(CHANNELS, NODE_ANY);
    assert_int_equal(sim->machine.load_start(sim, &window, 0, traffic, 2, &why),
                     STATUS_UNSUPPORTED);
    assert_string_equal(why, "it did not start");
    traffic[1].cpu = 1;
    assert_int_equal(sim->machine.load_start(sim, &window, 0, traffic, 2, &why),
                     STATUS_UNSUPPORTED);
    assert_string_equal(why, "one of these CPUs is the one that chases, or is named twice");
    traffic[1].cpu = 2;
    assert_int_equal(sim->machine.load_start(sim, &window, 2, traffic, 2, &why),
                     STATUS_UNSUPPORTED);
    assert_int_equal(sim->machine.load_start(sim, &window, 0, traffic, 2, &why), STATUS_OK);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_UNSUPPORTED);
    sim->machine.load_stop(sim);
    stop();
}

/* A load outside the window on a CPU that only loads memory ends that chase, and nothing else. */
static void faults_of_others_end_the_chase(void **state)
{
    struct traffic traffic = {.cpu = 1, .kind = TRAFFIC_READ, .lines = 1 << 20};
    static uint64_t ticks[1];
    struct chase_plan plan = {.chains = 1, .hops = 100000, .samples = 1, .ticks = ticks};
    struct chase_result result;
    const char *why;

    (void)state;
    start(CHANNELS, NODE_ANY);
    (void)chase_beside(NULL, 0);
    plan.start.next[0] = chain_node(&chain, &window, 0);
    traffic.base = window.base + window.bytes - 64 * 64;
    assert_int_equal(sim->machine.load_start(sim, &window, 0, &traffic, 1, &why), STATUS_OK);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_FAULT);
    assert_string_equal(result.fault.text, "simulated fault: address outside the window");
    sim->machine.load_stop(sim);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_OK);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_takes_the_ways_that_it_goes),
        cmocka_unit_test(clean_lines_can_come_from_home),
        cmocka_unit_test(threads_of_a_core_have_its_lines),
        cmocka_unit_test(slices_of_a_node_are_homes),
        cmocka_unit_test(a_cpu_that_does_not_start_hands_over_nothing),
        cmocka_unit_test(a_limit_ends_it),
        cmocka_unit_test(readers_reach_the_peak),
        cmocka_unit_test(writers_reach_the_peak),
        cmocka_unit_test(latency_rises_with_the_load),
        cmocka_unit_test(next_to_no_load_is_none),
        cmocka_unit_test(chasers_do_not_feel_each_other),
        cmocka_unit_test(runs_are_the_same_again),
        cmocka_unit_test(what_cannot_load_is_told),
        cmocka_unit_test(faults_of_others_end_the_chase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
