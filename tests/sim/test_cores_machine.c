/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine's CPUs, by hand: what each of them sees of the caches and of memory is what
 * the machine file says, and what a core has for itself no other core has. */
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

#define KIB     (1ull << 10)
#define MIB     (1ull << 20)
#define SAMPLES 4

/* L1 2 ns, L2 7 ns and L3 23 ns at 2 GHz; memory 100 ns from its own node, 160 ns across. */
#define CACHES                                    \
    "cache name=L1 bytes=32K ways=8 latency=4c\n" \
    "cache name=L2 bytes=256K ways=8 latency=14c\n"
#define L3     "cache name=L3 bytes=2M ways=16 latency=23ns"
#define MEMORY "memory bytes=64M base=86ns tcl=14ns far=32M far-adds=60ns\n"

/* CPU 1 is far on the chip, CPU 2 slow and of the other node, CPU 3 a thread of CPU 2's core, CPU 4
 * and CPU 5 cannot be had. */
#define CPUS                                     \
    "cpu id=16 far=12ns kind=performance\n"      \
    "cpu id=32 node=1 core=1G kind=efficiency\n" \
    "cpu id=33 thread-of=2\n"                    \
    "cpu present=no\n"                           \
    "cpu fails=yes\n"

static struct sim_config config;
static struct simulator *sim;
static struct window window;
static struct line_order order;
static struct chain chain = {.order = &order, .stride_bytes = 64, .line_bytes = 64};

static void start(const char *lines, uint32_t node)
{
    struct window_request request = {
        .bytes = 16 * MIB, .page = PAGE_2M, .order = FRAMES_CONTIGUOUS, .node = node};
    struct sim_file_error error;
    char text[1200];

    snprintf(text, sizeof text,
             "machine name=cores\nclock core=2G counter=1G\ncore kind=performance\n" CACHES
             "%s\nend\n",
             lines);
    if (!sim_machine_parse(&config, text, strlen(text), "cores", &error))
        fail_msg("%s", error.text);
    sim = malloc(sizeof *sim);
    assert_non_null(sim);
    simulator_start(sim, &config, false);
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
}

static void stop(void)
{
    sim->machine.window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void ask(uint32_t cpu)
{
    const char *why;

    assert_true(sim->machine.cpu_ready(sim, cpu, &why));
    assert_null(why);
}

/* A random cycle through the first `bytes`; so large a window leaves nothing of it in a cache. */
static void build(uint64_t bytes)
{
    struct fault_info fault;

    line_order_start(&order, ORDER_RANDOM, bytes / 64, 64, 3);
    assert_int_equal(sim->machine.work_run(sim, &window, 0, sim->machine.chain_build, &chain, 0,
                                           order.lines, &fault),
                     STATUS_OK);
}

/* ns of a hop: of whole laps after as many others. */
static double laps_of(uint32_t cpu, uint64_t warm_laps, enum chase_load load)
{
    static uint64_t ticks[SAMPLES];
    struct chase_result result;
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .cpu = cpu,
                              .chains = 1,
                              .load = load,
                              .line_bytes = 64,
                              .warm_hops = warm_laps * order.lines,
                              .hops = order.lines / SAMPLES,
                              .samples = SAMPLES,
                              .ticks = ticks,
                              .limit_ns = UINT64_MAX / 2};
    double sum = 0;

    plan.start.next[0] = chain_node(&chain, &window, 0);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_OK);
    assert_int_equal(result.samples, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++)
        sum += (double)ticks[i];
    return sum / config.counter_hz * 1e9 / (double)(SAMPLES * plan.hops);
}

static double lap_of(uint32_t cpu, uint64_t warm_laps)
{
    return laps_of(cpu, warm_laps, LOAD_PLAIN);
}

static double core_hz_of(uint32_t cpu)
{
    static uint64_t ticks[1];
    struct chase_result result;
    struct chase_plan plan = {.cpu = cpu, .chains = 1, .hops = 1, .samples = 1, .ticks = ticks};

    plan.start.next[0] = chain_node(&chain, &window, 0);
    assert_int_equal(sim->machine.chase_run(sim, &window, &plan, &result), STATUS_OK);
    assert_true(result.core_hz_before == result.core_hz_after);
    return result.core_hz_before;
}

static void assert_ns(double ns, double wanted)
{
    if (fabs(ns - wanted) > 0.02 * wanted)
        fail_msg("%.3f ns instead of %.3f", ns, wanted);
}

static double latency(uint32_t cpu, uint64_t bytes)
{
    build(bytes);
    return lap_of(cpu, 1);
}

static void each_cpu_sees_what_the_file_says(void **state)
{
    static const struct seen {
        double hz, l1_ns, l2_ns, l3_ns, memory_ns;
    } seen[] = {
        {2e9, 2, 7, 23, 100}, {2e9, 2, 7, 35, 112}, {1e9, 4, 14, 23, 160}, {1e9, 4, 14, 23, 160}};

    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    for (uint32_t cpu = 0; cpu < 4; cpu++) {
        ask(cpu);
        assert_ns(latency(cpu, 16 * KIB), seen[cpu].l1_ns);
        /* A cycle four times the L1, which LRU never finds there. */
        assert_ns(latency(cpu, 128 * KIB), seen[cpu].l2_ns);
        assert_ns(latency(cpu, 1 * MIB), seen[cpu].l3_ns);
        assert_ns(latency(cpu, 16 * MIB), seen[cpu].memory_ns);
        assert_true(core_hz_of(cpu) == seen[cpu].hz);
    }
    /* And the first one sees again what it saw. */
    assert_ns(latency(0, 1 * MIB), 23);
    assert_ns(latency(0, 16 * MIB), 100);
    assert_true(core_hz_of(0) == 2e9);
    stop();
}

static void the_other_nodes_memory_is_near_to_its_own_cpu(void **state)
{
    struct window_request request = {.page = PAGE_2M, .node = SIM_NODE_FAR};

    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_FAR);
    assert_true(sim->machine.window_phys(sim, &window, 0).value < SIM_MEMORY_BASE + 32 * MIB);
    assert_int_equal(sim->machine.window_limit(sim, &request), 32 * MIB);
    request.node = NODE_ANY;
    assert_int_equal(sim->machine.window_limit(sim, &request), 64 * MIB);
    ask(1);
    ask(2);
    assert_ns(latency(0, 16 * MIB), 160);
    assert_ns(latency(1, 16 * MIB), 172);
    assert_ns(latency(2, 16 * MIB), 100);
    stop();
}

/* What one core has read is in the last cache for all, and in its own caches for itself and its
 * threads alone. */
static void a_core_has_its_own_caches(void **state)
{
    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    for (uint32_t cpu = 1; cpu < 4; cpu++)
        ask(cpu);
    build(16 * KIB);
    assert_ns(lap_of(0, 0), 100);
    assert_ns(lap_of(1, 0), 35);
    assert_ns(lap_of(0, 0), 2);
    assert_ns(lap_of(1, 0), 2);
    assert_ns(lap_of(2, 0), 23);
    assert_ns(lap_of(3, 0), 4);
    stop();
}

static void an_inclusive_cache_takes_lines_from_all_cores(void **state)
{
    static const char *const holds[] = {" holds=neither\n", " holds=inclusive\n"};

    (void)state;
    for (unsigned inclusive = 0; inclusive < 2; inclusive++) {
        char lines[800];
        snprintf(lines, sizeof lines, "%s%s%s", L3, holds[inclusive], MEMORY CPUS);
        start(lines, SIM_NODE_NEAR);
        ask(1);
        build(16 * KIB);
        (void)lap_of(1, 0);
        /* CPU 0 evicts all of that from the last cache. What it reads is not built, which would
         * empty the caches. */
        for (uint64_t offset = 8 * MIB; offset < 16 * MIB; offset += 64) {
            struct sim_reference to = simulator_reference(sim, window.base + offset);
            assert_true(sim_cpu_run_on(sim, 0));
            sim->run->ready_ns[0] = sim_memory_access(sim->system, &to, sim->run->ready_ns[0]);
        }
        assert_ns(lap_of(1, 0), inclusive ? 112 : 2);
        stop();
    }
}

/* A line that one CPU stores to, or flushes, no other CPU's caches keep. */
static void stores_and_flushes_reach_all_cores(void **state)
{
    struct fault_info fault;
    const char *why;

    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    ask(1);
    build(16 * KIB);
    (void)lap_of(1, 0);
    assert_ns(lap_of(1, 0), 2);
    (void)laps_of(0, 0, LOAD_DIRTY);
    assert_ns(lap_of(1, 0), 35);
    (void)laps_of(0, 0, LOAD_FLUSH);
    /* Each load after its flush has filled the last cache and CPU 0's own. */
    assert_ns(lap_of(1, 0), 35);
    assert_ns(lap_of(1, 0), 2);
    /* Few stores past the caches drop line by line, in all of them. */
    assert_int_equal(sim->machine.work_run(sim, &window, 1, sim->machine.chain_build, &chain, 0,
                                           order.lines, &fault),
                     STATUS_OK);
    assert_ns(lap_of(1, 0), 112);
    assert_true(sim->machine.cpu_ready(sim, 1, &why));
    stop();
}

static bool chases(uint32_t cpu)
{
    static uint64_t ticks[1];
    struct chase_result result;
    struct chase_plan plan = {.cpu = cpu, .chains = 1, .hops = 1, .samples = 1, .ticks = ticks};
    enum status status;

    plan.start.next[0] = chain_node(&chain, &window, 0);
    status = sim->machine.chase_run(sim, &window, &plan, &result);
    assert_true(status == STATUS_OK || status == STATUS_UNSUPPORTED);
    return status == STATUS_OK;
}

static void a_cpu_is_had_where_it_was_asked_for(void **state)
{
    const char *why;

    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    build(16 * KIB);
    assert_true(chases(0));
    assert_false(chases(1));
    ask(1);
    assert_true(chases(1));
    assert_false(sim->machine.cpu_ready(sim, 4, &why));
    assert_string_equal(why, "the firmware has disabled it");
    assert_false(sim->machine.cpu_ready(sim, 5, &why));
    assert_string_equal(why, "it did not start");
    assert_false(sim->machine.cpu_ready(sim, 6, &why));
    assert_string_equal(why, "there is no such CPU");
    for (uint32_t cpu = 4; cpu < 8; cpu++)
        assert_false(chases(cpu));
    stop();
    start(L3 "\n" MEMORY, SIM_NODE_NEAR);
    assert_null(sim->machine.cpu_ready);
    assert_int_equal(sim->description.cpu_count, 1);
    assert_int_equal(sim->description.caches[2].shared_by, 1);
    assert_int_equal(sim->description.state.threads_per_core, 0);
    stop();
}

static void assert_info(uint32_t cpu, const struct cpu_info *wanted)
{
    const struct cpu_info *info = &sim->description.cpus[cpu];

    assert_int_equal(info->hardware_id, wanted->hardware_id);
    assert_int_equal(info->node, wanted->node);
    assert_int_equal(info->core, wanted->core);
    assert_int_equal(info->type, wanted->type);
    assert_int_equal(info->efficiency, wanted->efficiency);
    assert_int_equal(info->efficiency_known, wanted->type != 0);
    assert_int_equal(info->enabled, wanted->enabled);
}

static void all_cpus_are_described(void **state)
{
    static const struct cpu_info infos[] = {
        {.hardware_id = 0, .type = 0x40, .efficiency = 1, .enabled = true},
        {.hardware_id = 16, .core = 1, .type = 0x40, .efficiency = 1, .enabled = true},
        {.hardware_id = 32, .node = 1, .core = 2, .type = 0x20, .enabled = true},
        {.hardware_id = 33, .node = 1, .core = 2, .type = 0x20, .enabled = true},
        {.hardware_id = 4, .core = 3},
        {.hardware_id = 5, .core = 4, .enabled = true}};

    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    assert_int_equal(sim->description.cpu_count, 6);
    for (uint32_t cpu = 0; cpu < 6; cpu++)
        assert_info(cpu, &infos[cpu]);
    assert_int_equal(sim->description.caches[1].shared_by, 1);
    assert_int_equal(sim->description.caches[2].shared_by, 5);
    assert_int_equal(sim->description.state.threads_per_core, 1);
    /* CPU 5 does not say what it is. */
    assert_int_equal(sim->description.state.cpu_kinds, 0);
    stop();
    start(L3 "\n" MEMORY "cpu thread-of=0\ncpu kind=efficiency\n", SIM_NODE_NEAR);
    assert_int_equal(sim->description.caches[1].shared_by, 2);
    assert_int_equal(sim->description.caches[2].shared_by, 3);
    assert_int_equal(sim->description.state.threads_per_core, 2);
    assert_int_equal(sim->description.state.cpu_kinds, 2);
    stop();
}

/* Sixteen pages in a TLB of 16 entries, one more CPU that has not walked for them. */
static void a_core_has_its_own_tlbs(void **state)
{
    struct window_request request = {.bytes = 64 * KIB, .page = PAGE_4K};

    (void)state;
    start(L3 "\ntlb 4k=16\nwalk kind=constant cost=1000ns\n" MEMORY CPUS, SIM_NODE_NEAR);
    sim->machine.window_close(sim, &window);
    assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
    for (uint32_t cpu = 1; cpu < 4; cpu++)
        ask(cpu);
    build(64 * KIB);
    (void)lap_of(0, 0);
    assert_true(lap_of(0, 0) < 10);
    (void)lap_of(2, 0);
    /* 16 walks in 1024 hops. */
    assert_ns(lap_of(1, 0), 35 + 1000 / 64.0);
    assert_true(lap_of(3, 0) < 20);
    assert_true(lap_of(0, 0) < 10);
    stop();
}

static double adjacent(uint32_t cpu)
{
    uint64_t brought = 0;

    build(1 * MIB);
    (void)sim_cpu_run_on(sim, cpu);
    for (uint64_t offset = 0; offset < MIB; offset += 128) {
        struct sim_reference to = simulator_reference(sim, window.base + offset);
        sim->run->ready_ns[0] = sim_memory_access(sim->system, &to, sim->run->ready_ns[0]);
        to.line ^= 1;
        brought += sim_hierarchy_find(&sim->system->caches, to.line) < sim->system->caches.count;
    }
    return (double)brought / (MIB / 128.0);
}

/* The request holds on the CPU of the last call; on all others prefetchers are as the firmware left
 * them. */
static void prefetchers_are_off_on_one_cpu(void **state)
{
    struct prefetch_report report;

    (void)state;
    start(L3 "\nprefetch kind=adjacent-line control=controllable into=2\n" MEMORY CPUS,
          SIM_NODE_NEAR);
    for (uint32_t cpu = 1; cpu < 4; cpu++)
        ask(cpu);
    assert_int_equal(sim->machine.prefetch_set(sim, 0, true, &report), STATUS_OK);
    assert_true(adjacent(0) < 0.01 && adjacent(1) > 0.99 && adjacent(2) > 0.99);
    assert_true(adjacent(0) < 0.01);
    assert_int_equal(sim->machine.prefetch_set(sim, 2, true, &report), STATUS_OK);
    assert_int_equal(report.state, PREFETCH_OFF);
    assert_true(adjacent(2) < 0.01 && adjacent(3) > 0.99 && adjacent(0) > 0.99);
    assert_int_equal(sim->machine.prefetch_set(sim, 5, true, &report), STATUS_UNSUPPORTED);
    assert_true(adjacent(2) < 0.01);
    assert_int_equal(sim->machine.prefetch_set(sim, 2, false, &report), STATUS_OK);
    assert_true(adjacent(2) > 0.99);
    stop();
}

/* In a machine of one cache that is the core's own; one in front of memory is shared. */
static void the_last_cache_is_shared(void **state)
{
    static const char one[] = "machine name=m\nclock core=2G counter=1G\n"
                              "cache name=L1 bytes=32K ways=8 latency=4c\n";
    static const char side[] = "cache name=S bytes=8M ways=16 latency=40ns memory-side=yes\n";
    struct sim_file_error error;
    char text[1000];

    (void)state;
    snprintf(text, sizeof text, "%s" MEMORY "end\n", one);
    assert_true(sim_machine_parse(&config, text, strlen(text), "m", &error));
    assert_int_equal(sim_config_private(&config), 1);
    snprintf(text, sizeof text, "%s%s" MEMORY "end\n", one, side);
    assert_true(sim_machine_parse(&config, text, strlen(text), "m", &error));
    assert_int_equal(sim_config_private(&config), 1);
    start(L3 "\ncache name=S bytes=8M ways=16 latency=40ns memory-side=yes\n" MEMORY CPUS,
          SIM_NODE_NEAR);
    assert_int_equal(sim_config_private(&config), 2);
    ask(1);
    assert_ns(latency(1, 1 * MIB), 35);
    assert_ns(latency(1, 6 * MIB), 52);
    stop();
}

/* ns that building the whole window takes, on that CPU or on every one. */
static double building_ns(uint32_t cpu)
{
    struct fault_info fault;
    double begun_ns = simulator_now_ns(sim);

    line_order_start(&order, ORDER_RANDOM, 16 * MIB / 64, 64, 3);
    assert_int_equal(sim->machine.work_run(sim, &window, cpu, sim->machine.chain_build, &chain, 0,
                                           order.lines, &fault),
                     STATUS_OK);
    return simulator_now_ns(sim) - begun_ns;
}

/* Of the five others CPU 1 to 3 start. A line takes one CPU 8 ns to store; a channel of 4 GB/s
 * takes 16 ns for it, so that three are the limit at 16/3 ns, and eight are none. */
static void all_cpus_build_up_to_the_bandwidth(void **state)
{
    (void)state;
    start(L3 "\n" MEMORY CPUS, SIM_NODE_NEAR);
    assert_float_equal(building_ns(0) / building_ns(CPU_EVERY), 4, 0.01);
    stop();
    start(L3 "\nmemory bytes=64M base=86ns tcl=14ns channels=8 bandwidth=4G\n" CPUS, SIM_NODE_NEAR);
    assert_float_equal(building_ns(0) / building_ns(CPU_EVERY), 4, 0.01);
    stop();
    start(L3 "\nmemory bytes=64M base=86ns tcl=14ns channels=3 bandwidth=4G\n" CPUS, SIM_NODE_NEAR);
    assert_float_equal(building_ns(0) / building_ns(CPU_EVERY), 1.5, 0.01);
    stop();
    /* One CPU is not slower than the machine file says. */
    start(L3 "\nmemory bytes=64M base=86ns tcl=14ns channels=1 bandwidth=4G\n" CPUS, SIM_NODE_NEAR);
    assert_float_equal(building_ns(0) / building_ns(CPU_EVERY), 1, 0.01);
    assert_ns(lap_of(0, 1), 100);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cpu_sees_what_the_file_says),
        cmocka_unit_test(the_other_nodes_memory_is_near_to_its_own_cpu),
        cmocka_unit_test(a_core_has_its_own_caches),
        cmocka_unit_test(an_inclusive_cache_takes_lines_from_all_cores),
        cmocka_unit_test(stores_and_flushes_reach_all_cores),
        cmocka_unit_test(a_cpu_is_had_where_it_was_asked_for),
        cmocka_unit_test(all_cpus_are_described),
        cmocka_unit_test(a_core_has_its_own_tlbs),
        cmocka_unit_test(prefetchers_are_off_on_one_cpu),
        cmocka_unit_test(the_last_cache_is_shared),
        cmocka_unit_test(all_cpus_build_up_to_the_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
