/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel on the CPU that runs this test: each chain ends where a plain walk in C does, lines
 * hold what they should, and work takes the cycles that it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/arch.h"

#define LINE    64u
#define WORDS   (LINE / sizeof(uintptr_t))
#define NODES   512u
#define POISON  0x5a5a5a5a5a5a5a5aull
#define SAMPLES 3u
#define HZ      1000000000ull /* no limit is given, so any value will do */

static _Alignas(4096) uintptr_t set[NODES * WORDS];
static uint64_t state = 1;

static struct machine_description offered(void)
{
    struct machine_description description = {.loads = 0};
    struct machine machine;

    arch_kernels_offer(&machine, &description);
    return description;
}

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((state >> 32) * below >> 32);
}

static uintptr_t *node_at(uint32_t node, uint32_t word)
{
    return &set[node * WORDS + word];
}

/* The set as cycles of equal length through random nodes. */
struct cycles {
    uint32_t order[NODES], chains, length, word;
};

static void build(struct cycles *c, uint32_t chains, uint32_t word)
{
    c->chains = chains;
    c->length = NODES / chains;
    c->word = word;
    for (uint32_t i = 0; i < NODES; i++)
        c->order[i] = i;
    for (uint32_t i = NODES - 1; i > 0; i--) {
        uint32_t k = draw(i + 1), kept = c->order[i];
        c->order[i] = c->order[k];
        c->order[k] = kept;
    }
    for (uint32_t i = 0; i < NODES * WORDS; i++)
        set[i] = (uintptr_t)POISON;
    for (uint32_t chain = 0; chain < chains; chain++)
        for (uint32_t i = 0; i < c->length; i++) {
            const uint32_t *own = &c->order[chain * c->length];
            *node_at(own[i], word) = (uintptr_t)node_at(own[(i + 1) % c->length], word);
        }
}

static uintptr_t stands(const struct cycles *c, uint32_t chain, uint64_t hops)
{
    return (uintptr_t)node_at(c->order[chain * c->length + hops % c->length], c->word);
}

static struct chase_plan plan_of(const struct cycles *c, uint64_t *ticks)
{
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .chains = c->chains,
                              .line_bytes = LINE,
                              .samples = SAMPLES,
                              .ticks = ticks,
                              .base = (uintptr_t)set,
                              .lines = NODES,
                              .stride_bytes = LINE};

    for (uint32_t chain = 0; chain < CHAINS_MAX; chain++)
        plan.start.next[chain] = chain < c->chains ? stands(c, chain, 0) : (uintptr_t)set;
    return plan;
}

/* Some lengths are a multiple of the loops' unrolling and some are not. */
static void chase_all_lengths(struct cycles *c, struct chase_plan *plan)
{
    static const uint64_t warm[] = {0, 1, 77, 256}, hops[] = {1, 31, 128, 129, 1000};
    struct chase_result result;

    for (unsigned i = 0; i < sizeof hops / sizeof hops[0]; i++) {
        uint64_t went;
        memset(&result, 0, sizeof result);
        plan->warm_hops = warm[i % 4];
        plan->hops = hops[i];
        arch_chase(plan, HZ, &result);
        went = plan->warm_hops + SAMPLES * plan->hops;
        assert_int_equal(result.samples, SAMPLES);
        assert_int_equal(result.hops_done, went);
        for (uint32_t chain = 0; chain < c->chains; chain++)
            assert_int_equal(result.end.next[chain], stands(c, chain, went));
        for (uint32_t sample = 0; sample < SAMPLES; sample++)
            assert_true(plan->ticks[sample] > 0);
    }
}

/* Pointers are as they were; the word behind holds the pointer too where lines were written. */
static void check_lines(const struct cycles *c, bool dirty)
{
    for (uint32_t position = 0; position < c->chains * c->length; position++) {
        uint32_t chain = position / c->length, node = c->order[position];
        uintptr_t next = stands(c, chain, position % c->length + 1);
        for (uint32_t word = 0; word < WORDS; word++) {
            bool written = dirty && word == (c->word + 1) % WORDS;
            assert_int_equal(*node_at(node, word), word == c->word || written ? next : POISON);
        }
    }
}

static void plain_chains_arrive(void **unused)
{
    uint64_t ticks[SAMPLES];
    struct cycles c;

    (void)unused;
    for (uint32_t chains = 1; chains <= offered().chains_cycle_max; chains++) {
        struct chase_plan plan;
        build(&c, chains, chains % WORDS);
        plan = plan_of(&c, ticks);
        chase_all_lengths(&c, &plan);
        check_lines(&c, false);
    }
}

static void every_load_hint_and_work_arrives(void **unused)
{
    static const enum chase_load loads[] = {LOAD_PLAIN, LOAD_NT, LOAD_DIRTY};
    static const uint32_t works[] = {0, 1, 127, 128, 300}, words[] = {0, 1, 6, 7};
    uint64_t ticks[SAMPLES];
    struct cycles c;

    (void)unused;
    for (uint32_t chains = 1; chains <= CHAINS_ANY_HOP; chains++)
        for (unsigned i = 0; i < 3 * 5 * 5; i++) {
            struct chase_plan plan;
            build(&c, chains, words[(chains + i) % 4]);
            plan = plan_of(&c, ticks);
            plan.load = loads[i % 3];
            plan.hint = (enum chase_hint)(i / 3 % 5);
            plan.work = works[i / 15];
            if (!(offered().loads >> plan.load & 1))
                continue;
            chase_all_lengths(&c, &plan);
            check_lines(&c, plan.load == LOAD_DIRTY);
        }
}

static void flushed_hops_are_timed_singly(void **unused)
{
    uint64_t ticks[SAMPLES];
    struct chase_result result;
    struct chase_plan plan;
    struct cycles c;

    (void)unused;
    build(&c, 1, 3);
    plan = plan_of(&c, ticks);
    plan.load = LOAD_FLUSH;
    chase_all_lengths(&c, &plan);
    check_lines(&c, false);
    plan.hops = 1000;
    arch_chase(&plan, HZ, &result);
    printf("timing alone takes %.1f ticks, with a flushed line %.1f\n", result.single_ticks,
           (double)ticks[0] / 1000);
    assert_true(result.single_ticks > 0);
    for (uint32_t sample = 0; sample < SAMPLES; sample++)
        assert_true((double)ticks[sample] / 1000 > result.single_ticks);
}

static void streams_go_round(void **unused)
{
    static const uint64_t strides[] = {8, 64, 192, 4160}, hops[] = {1, 16, 100, 1000, 4099};
    uint64_t ticks[SAMPLES];
    struct chase_result result;

    (void)unused;
    for (unsigned i = 0; i < 4 * 5; i++) {
        uint64_t stride = strides[i % 4], lines = sizeof set / stride, begin = i % lines;
        struct chase_plan plan = {.kernel = KERNEL_STREAM,
                                  .chains = 1,
                                  .base = (uintptr_t)set,
                                  .lines = lines,
                                  .stride_bytes = stride,
                                  .samples = SAMPLES,
                                  .ticks = ticks,
                                  .warm_hops = i,
                                  .hops = hops[i / 4]};
        plan.start.next[0] = plan.base + begin * stride;
        arch_chase(&plan, HZ, &result);
        assert_int_equal(result.end.next[0],
                         plan.base + (begin + i + SAMPLES * plan.hops) % lines * stride);
    }
}

static void draws_are_as_computed(void **unused)
{
    static const uint64_t strides[] = {64, 192};
    uint64_t ticks[SAMPLES];
    struct chase_result result;

    (void)unused;
    for (unsigned i = 0; i < 2 * 3; i++) {
        uint64_t stride = strides[i % 2], lines = sizeof set / stride, draws = 5;
        struct chase_plan plan = {.kernel = KERNEL_IID,
                                  .chains = 1,
                                  .work = i / 2 * 130,
                                  .base = (uintptr_t)set,
                                  .lines = lines,
                                  .stride_bytes = stride,
                                  .samples = SAMPLES,
                                  .ticks = ticks,
                                  .warm_hops = 13,
                                  .hops = 101 + i};
        uintptr_t p = plan.base;
        for (uint32_t word = 0; word < NODES * WORDS; word++)
            set[word] = (uintptr_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
        plan.start.next[0] = p;
        plan.start.draw[0] = draws;
        arch_chase(&plan, HZ, &result);
        for (uint64_t hop = 0; hop < 13 + SAMPLES * plan.hops; hop++) {
            draws = draws * 6364136223846793005ull + 1442695040888963407ull;
            p = plan.base +
                (uintptr_t)((unsigned __int128)(*(uintptr_t *)p + draws) * lines >> 64) * stride;
        }
        assert_int_equal(result.end.next[0], p);
        assert_int_equal(result.end.draw[0], draws);
    }
}

#define PROBES 64

/* The fastest of many, since others use this CPU too. */
static uint64_t quickest_probe(uint32_t touches, bool hit)
{
    uint64_t ticks[PROBES + 1], min = UINT64_MAX;
    struct probe probe[PROBES];
    struct probe_plan plan = {.line_bytes = LINE,
                              .touches = touches,
                              .targets = 1,
                              .probe = probe,
                              .count = PROBES,
                              .ticks = ticks};

    for (uint32_t i = 0; i < PROBES; i++) {
        uintptr_t target = (uintptr_t)node_at(8 + draw(NODES - 8), 0);
        probe[i] = (struct probe){.touch = (uintptr_t)node_at(draw(4), 0),
                                  .target = {target},
                                  .again = hit ? target : (uintptr_t)node_at(7, 0),
                                  .drop = hit ? (uintptr_t)node_at(7, 0) : target,
                                  .wait = draw(3000)};
        ticks[i] = UINT64_MAX;
    }
    ticks[PROBES] = 17;
    arch_probe(&plan);
    assert_int_equal(ticks[PROBES], 17);
    for (uint32_t i = 0; i < PROBES; i++) {
        assert_true(ticks[i] != UINT64_MAX);
        min = ticks[i] < min ? ticks[i] : min;
    }
    return min;
}

/* A line loaded just before comes sooner than a flushed one, and nothing is written. */
static void probes_tell_a_cache_from_memory(void **unused)
{
    static uintptr_t before[NODES * WORDS];

    (void)unused;
    memcpy(before, set, sizeof set);
    for (uint32_t touches = 0; touches <= 3; touches++)
        assert_true(quickest_probe(touches, true) < quickest_probe(touches, false));
    assert_memory_equal(before, set, sizeof set);
}

/*
 * The least of many rounds of a list of lines in random order. Each line is in a page of its
 * own: where a miss makes a processor fetch the rest of the page, the others would be there.
 */
static uint64_t quickest_reads(bool in_turn, bool flush)
{
    static _Alignas(4096) unsigned char page[NODES][4096];
    uint64_t ticks[32 + 1], min = UINT64_MAX;
    uintptr_t line[NODES];
    struct reads_plan plan = {.line = line,
                              .lines = NODES,
                              .in_turn = in_turn,
                              .flush = flush,
                              .rounds = 32,
                              .ticks = ticks};

    for (uint32_t i = 0; i < NODES; i++)
        line[i] = (uintptr_t)&page[i * 205 % NODES][i % 64 * 64];
    memset(page, 1, sizeof page);
    ticks[32] = 17;
    arch_reads(&plan);
    assert_int_equal(ticks[32], 17);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(*(unsigned char *)line[i], 1);
    for (uint32_t i = 0; i < 32; i++)
        min = ticks[i] < min ? ticks[i] : min;
    return min;
}

/* Flushed lines take longer than those in a cache; many at a time take less than one by one. */
static void reads_are_under_way_together(void **unused)
{
    uint64_t together, in_turn, cached;

    (void)unused;
    together = quickest_reads(false, true);
    in_turn = quickest_reads(true, true);
    cached = quickest_reads(true, false);
    printf("%u lines: %lu ticks together, %lu in turn, %lu in a cache in turn\n", NODES,
           (unsigned long)together, (unsigned long)in_turn, (unsigned long)cached);
    assert_true(2 * together < in_turn && cached < in_turn);
}

/* The fastest of many samples, since others use this CPU too. */
static double quickest(struct chase_plan *plan, uint32_t work)
{
    uint64_t ticks[64], min = UINT64_MAX;
    struct chase_result result;

    plan->work = work;
    plan->ticks = ticks;
    plan->samples = 64;
    arch_chase(plan, HZ, &result);
    for (uint32_t sample = 0; sample < result.samples; sample++)
        min = ticks[sample] < min ? ticks[sample] : min;
    return (double)min / (double)plan->hops;
}

/* A hop in the nearest cache is short against the work, which then is all that it takes. */
static void work_takes_its_cycles(void **unused)
{
    const char *source;
    struct cycles c;
    struct chase_plan plan;

    (void)unused;
    build(&c, 1, 0);
    plan = plan_of(&c, NULL);
    plan.warm_hops = 2000;
    for (unsigned attempt = 0; attempt < 10; attempt++) {
        double cycle_ticks, more[3];
        plan.hops = 500;
        cycle_ticks = 1e9 / arch_core_hz(1000000000, &source);
        for (unsigned i = 0; i < 3; i++)
            more[i] = quickest(&plan, 100u << i) / cycle_ticks / (100u << i);
        printf("work of 100, 200, 400 cycles takes %.3f, %.3f, %.3f times that\n", more[0], more[1],
               more[2]);
        if (more[0] > 0.97 && more[0] < 1.05 && more[1] > 0.97 && more[1] < 1.04 &&
            more[2] > 0.97 && more[2] < 1.04)
            return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_chains_arrive),
        cmocka_unit_test(every_load_hint_and_work_arrives),
        cmocka_unit_test(flushed_hops_are_timed_singly),
        cmocka_unit_test(streams_go_round),
        cmocka_unit_test(draws_are_as_computed),
        cmocka_unit_test(probes_tell_a_cache_from_memory),
        cmocka_unit_test(reads_are_under_way_together),
        cmocka_unit_test(work_takes_its_cycles),
    };

    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
