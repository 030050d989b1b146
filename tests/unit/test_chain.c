/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains built, walked and read back in ordinary memory by the one template of kernels: every
 * order, any number of lines, groups and chains, any word, nodes closer than lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support_hooks.h"

#include "core/chase/kernels.h"

#define LINE    64
#define MAX     1100
#define UNTOLD  0xee
#define STRIDES 256

static struct line_order order;
static uint64_t memory[MAX * STRIDES / 8];
static uint8_t visited[MAX];

static struct window window_here(void)
{
    return (struct window){.base = (uintptr_t)memory, .bytes = sizeof memory};
}

static struct chain chain_of(enum order_kind kind, uint64_t lines, uint64_t per_group,
                             uint64_t stride_bytes, uint32_t chains, uint32_t word)
{
    line_order_start(&order, kind, lines, per_group, lines * 31 + chains);
    return (struct chain){.order = &order,
                          .stride_bytes = stride_bytes,
                          .line_bytes = LINE,
                          .chains = chains,
                          .word = word};
}

/* In slices that cut chains and runs anywhere. */
static void build(struct chain *chain, const struct window *w)
{
    uint64_t end = chain_positions(chain), step = end / 3 + 1;

    memset(memory, UNTOLD, sizeof memory);
    for (uint64_t first = 0; first < end; first += step)
        kernel_build(chain, w, first, first + step < end ? first + step : end);
}

/* Each chain comes back to its start after exactly its length; no node is in two chains. */
static void expect_cycles(const struct chain *chain, const struct window *w)
{
    uint64_t length = chain_length(chain), lines = chain->order->lines, seen = 0;

    memset(visited, 0, lines);
    for (uint32_t k = 0; k < chain->chains; k++) {
        uintptr_t start = chain_after(chain, w, k, 0), pos = start;
        for (uint64_t hop = 0; hop < length; hop++) {
            uint64_t offset = pos - w->base - chain->word * 8;
            assert_int_equal(offset % chain->stride_bytes,
                             chain_lead(chain, offset / chain->stride_bytes));
            assert_true(offset / chain->stride_bytes < lines);
            assert_int_equal(visited[offset / chain->stride_bytes]++, 0);
            assert_int_equal(pos, chain_after(chain, w, k, hop));
            pos = *(uintptr_t *)pos;
            seen++;
        }
        assert_int_equal(pos, start);
    }
    assert_int_equal(seen, chain_positions(chain));
    assert_true(lines - seen < chain->chains);
}

static bool is_pointer(const struct chain *chain, size_t word)
{
    size_t node = word * 8 / chain->stride_bytes;

    return node < chain->order->lines && visited[node] != 0 &&
           word * 8 == node * chain->stride_bytes + chain_lead(chain, node) + chain->word * 8;
}

/* Lines that hold pointers are poisoned around them, and nothing was written outside nodes; those
 * that belong to no chain may hold anything. */
static void expect_poison(const struct chain *chain)
{
    uint64_t untold;

    memset(&untold, UNTOLD, sizeof untold);
    for (size_t i = 0; i < sizeof memory / 8; i++) {
        size_t node = i * 8 / chain->stride_bytes;
        bool chained = node < chain->order->lines && visited[node] != 0 &&
                       i * 8 - node * chain->stride_bytes - chain_lead(chain, node) < LINE;

        bool left_over = node < chain->order->lines && visited[node] == 0;

        if (is_pointer(chain, i) || left_over)
            continue;
        assert_int_equal(memory[i], chained && chain_has_lines(chain) ? CHAIN_POISON : untold);
    }
}

static unsigned flushed;

static void count_flush(const void *address)
{
    flushed += address != NULL;
}

/* Read back without a fault; then with one bit of one node wrong. */
static void expect_verified(const struct chain *chain, const struct window *w)
{
    static struct chain_check check;
    uint64_t end = chain_positions(chain), position = end * 5 / 7;
    uintptr_t node = chain_node(chain, w, position);

    check = (struct chain_check){.chain = chain, .flush = count_flush};
    chain_verify(&check, w, 0, end / 2);
    chain_verify(&check, w, end / 2, end);
    assert_int_equal(check.errors, 0);
    *(uintptr_t *)node ^= 1ull << 40;
    flushed = 0;
    chain_verify(&check, w, 0, end);
    assert_int_equal(check.errors, 1);
    assert_int_equal(flushed, 1);
    assert_int_equal(check.error[0].offset, node - w->base);
    assert_int_equal(check.error[0].expected ^ check.error[0].read, 1ull << 40);
    *(uintptr_t *)node ^= 1ull << 40;
}

static void expect_chain(struct chain chain)
{
    struct window w = window_here();

    build(&chain, &w);
    expect_cycles(&chain, &w);
    expect_poison(&chain);
    expect_verified(&chain, &w);
}

static const enum order_kind kinds[] = {
    ORDER_RANDOM, ORDER_SEQUENTIAL_PAGES, ORDER_FORWARD,  ORDER_REVERSE, ORDER_SEQUENTIAL,
    ORDER_PAGED,  ORDER_GROUPED,          ORDER_HOP_PAGE,
};
static const uint64_t groups[] = {1, 3, 8, 64};
static const uint32_t counts[] = {1, 2, 3, 7, 8, 24};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void every_chain_is_a_cycle_of_its_own(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t g = 0; g < (order_by_groups(kinds[k]) ? COUNT(groups) : 1); g++)
            for (size_t c = 0; c < COUNT(counts); c++)
                for (uint64_t lines = counts[c]; lines < MAX; lines += lines < 26 ? 1 : 211)
                    expect_chain(chain_of(kinds[k], lines, groups[g], LINE, counts[c], lines % 8));
}

static void any_number_of_chains(void **state)
{
    (void)state;
    for (uint32_t chains = 1; chains <= CHAINS_MAX; chains++) {
        expect_chain(chain_of(ORDER_RANDOM, 1021, 0, LINE, chains, 3));
        expect_chain(chain_of(ORDER_GROUPED, 1021, 100, 3 * LINE, chains, 7));
        expect_chain(chain_of(ORDER_HOP_PAGE, chains, 5, LINE, chains, 0));
    }
}

static void nodes_less_than_a_line_apart(void **state)
{
    static const uint64_t strides[] = {8, 16, 24, 40, 72, 96, 200};

    (void)state;
    for (size_t s = 0; s < COUNT(strides); s++)
        for (size_t c = 0; c < COUNT(counts); c++)
            for (uint64_t lines = counts[c]; lines < MAX; lines += 97) {
                expect_chain(chain_of(ORDER_FORWARD, lines, 0, strides[s], counts[c], 0));
                expect_chain(chain_of(ORDER_REVERSE, lines, 0, strides[s], counts[c], 0));
            }
}

/* With ORDER_GROUPED a node may be in any line of its stride, with every other order it is in the
 * first. */
static void groups_use_every_line_of_a_stride(void **state)
{
    struct chain chain = chain_of(ORDER_GROUPED, 1000, 100, 4 * LINE, 1, 0);
    unsigned uses[4] = {0};

    (void)state;
    for (uint64_t line = 0; line < 1000; line++) {
        uint64_t lead = chain_lead(&chain, line);
        assert_true(lead % LINE == 0 && lead < 4 * LINE);
        uses[lead / LINE]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_in_range(uses[i], 200, 300);
    chain = chain_of(ORDER_GROUPED, 1000, 100, LINE, 1, 0);
    assert_int_equal(chain_lead(&chain, 17), 0);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        chain = chain_of(kinds[k], 1000, 100, 3 * LINE, 1, 0);
        for (uint64_t line = 0; line < 1000 && kinds[k] != ORDER_GROUPED; line++)
            assert_int_equal(chain_lead(&chain, line), 0);
    }
}

/* Chased by the template's own kernels: every chain ends at the node that the order says. */
static void chases_end_where_the_order_says(void **state)
{
    struct window w = window_here();
    uint64_t ticks[3];

    (void)state;
    for (uint32_t chains = 1; chains <= CHAINS_MAX; chains++)
        for (uint64_t hops = 1; hops < 700; hops += 131) {
            struct chain chain = chain_of(ORDER_PAGED, 997, 7, LINE, chains, chains % 8);
            struct chase_plan plan = {.chains = chains,
                                      .line_bytes = LINE,
                                      .warm_hops = 77,
                                      .hops = hops,
                                      .samples = 3,
                                      .ticks = ticks};
            struct chase_result result = {.samples = 0};

            build(&chain, &w);
            for (uint32_t k = 0; k < chains; k++)
                plan.start.next[k] = chain_after(&chain, &w, k, 0);
            kernel_chase(&plan, 1000000000, &result);
            assert_int_equal(result.hops_done, 77 + 3 * hops);
            for (uint32_t k = 0; k < chains; k++)
                assert_int_equal(result.end.next[k], chain_after(&chain, &w, k, 77 + 3 * hops));
        }
}

/* Each probe touches its lines one after the other, and only loads of targets lie between two
 * readings of the clock. */
static void a_probe_times_its_targets_alone(void **state)
{
    uint64_t ticks[3 * PROBE_TARGETS_MAX + 1];
    struct probe probe[3];
    struct probe_plan plan = {.line_bytes = LINE, .probe = probe, .count = 3, .ticks = ticks};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uintptr_t page = (uintptr_t)memory + i * 4096;
        probe[i] = (struct probe){
            .touch = page, .again = page + 9 * LINE, .drop = page + 10 * LINE, .wait = 100};
        for (uint32_t t = 0; t < PROBE_TARGETS_MAX; t++)
            probe[i].target[t] = page + (11 + t) * LINE;
    }
    for (plan.targets = 1; plan.targets <= PROBE_TARGETS_MAX; plan.targets *= 4)
        for (plan.touches = 0; plan.touches <= 3; plan.touches++) {
            uint64_t before = hook_clock;
            memset(ticks, 0, sizeof ticks);
            kernel_probe(&plan);
            for (uint32_t i = 0; i < 3 * PROBE_TARGETS_MAX + 1; i++)
                assert_int_equal(ticks[i], i < 3 * plan.targets);
            assert_int_equal(hook_clock - before, 2 + 3 * (plan.touches + 1 + 2 * plan.targets));
        }
}

/* Two readings of the clock for each round, and a round that does not count before them. */
static void rounds_of_a_pair_are_timed_singly(void **state)
{
    struct line_pair pair[3];
    struct pair_plan plan = {.pair = pair, .count = 3};

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        pair[i] = (struct line_pair){.a = (uintptr_t)memory + i * 4096,
                                     .b = (uintptr_t)memory + i * 4096 + 5 * LINE};
    for (plan.rounds = 1; plan.rounds <= 9; plan.rounds += 4) {
        uint64_t ticks[3 * 9 + 1] = {0}, before = hook_clock;
        plan.ticks = ticks;
        kernel_pairs(&plan);
        for (uint32_t i = 0; i < 3 * 9 + 1; i++)
            assert_int_equal(ticks[i], i < 3 * plan.rounds);
        assert_int_equal(hook_clock - before, 2 + 3 * (plan.rounds + 1) * 2);
    }
}

/* Each access is one load between two readings of the clock, the first of which is its start; what
 * readings cost is measured in the same loop, and leaves memory as it was. */
static void a_single_access_tells_when_it_began(void **state)
{
    const uintptr_t line[] = {(uintptr_t)memory, (uintptr_t)memory + 7 * LINE,
                              (uintptr_t)memory + 64 * LINE};
    uint64_t start[8], ticks[8], words[3];
    double timing_ticks = 0;
    struct single_plan plan = {
        .line = line, .lines = 3, .wait_cycles = 512, .count = 7, .start = start, .ticks = ticks};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        words[i] = *(uint64_t *)line[i] = 1000 + i;
    start[7] = ticks[7] = 99;
    for (int timing = 0; timing < 2; timing++) {
        uint64_t before = hook_clock;
        plan.timing_ticks = timing ? &timing_ticks : NULL;
        kernel_singles(&plan);
        assert_true(timing || hook_clock - before == 7 * 3 + 1);
        for (size_t i = 0; i < 7; i++) {
            assert_int_equal(ticks[i], 1);
            assert_true(i == 0 || start[i] == start[i - 1] + 3);
        }
        assert_true(start[7] == 99 && ticks[7] == 99);
    }
    /* A clock that counts its readings tells one hop and many apart by nothing. */
    assert_true(timing_ticks == 1);
    for (size_t i = 0; i < 3; i++)
        assert_true(*(const uint64_t *)line[i] == words[i]);
}

/* Two readings of the clock for each round, whatever else is done around it; lists of any length,
 * and nothing is written. */
static void rounds_of_a_list_are_timed_singly(void **state)
{
    static uint64_t before[MAX * STRIDES / 8];
    uintptr_t line[21];

    (void)state;
    for (size_t i = 0; i < 21; i++)
        line[i] = (uintptr_t)memory + (i * 37 % 21) * 3 * LINE;
    memcpy(before, memory, sizeof memory);
    for (uint32_t i = 0; i < 4 * 21; i++) {
        uint64_t ticks[4] = {0}, clock = hook_clock;
        struct reads_plan plan = {.line = line,
                                  .lines = i / 4 + 1,
                                  .in_turn = i & 1,
                                  .flush = i & 2,
                                  .rounds = i % 3 + 1,
                                  .ticks = ticks};
        kernel_reads(&plan);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(ticks[k], k < plan.rounds);
        assert_int_equal(hook_clock - clock, 2 + 2 * plan.rounds);
    }
    assert_memory_equal(before, memory, sizeof memory);
}

static void draws_are_filled_and_read_back(void **state)
{
    struct window w = window_here();
    struct chain chain = chain_of(ORDER_RANDOM, 500, 0, 128, 1, 0);
    struct chain_check check = {.chain = &chain, .flush = count_flush};

    (void)state;
    kernel_fill(&chain, &w, 0, 500);
    draw_verify(&check, &w, 0, 500);
    assert_int_equal(check.errors, 0);
    memory[499 * 16] ^= 1;
    draw_verify(&check, &w, 0, 500);
    assert_int_equal(check.errors, 1);
    assert_int_equal(check.error[0].offset, 499 * 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chain_is_a_cycle_of_its_own),
        cmocka_unit_test(any_number_of_chains),
        cmocka_unit_test(nodes_less_than_a_line_apart),
        cmocka_unit_test(groups_use_every_line_of_a_stride),
        cmocka_unit_test(chases_end_where_the_order_says),
        cmocka_unit_test(a_probe_times_its_targets_alone),
        cmocka_unit_test(rounds_of_a_pair_are_timed_singly),
        cmocka_unit_test(a_single_access_tells_when_it_began),
        cmocka_unit_test(rounds_of_a_list_are_timed_singly),
        cmocka_unit_test(draws_are_filled_and_read_back),
    };
    (void)kernel_march;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
