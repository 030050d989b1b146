/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains over a caller's list: any lines, one cycle, nothing else written; lines drawn evenly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support_hooks.h"

#include "core/chase/kernels.h"
#include "core/chase/listed.h"

#define LINE   64
#define LINES  4096
#define UNTOLD 0xee
#define COUNT  333

static struct line_order order;
static uint64_t memory[LINES * LINE / 8], line[COUNT];
static const struct window window = {.base = (uintptr_t)memory, .bytes = sizeof memory};

static struct chain listed_chain(uint64_t count, uint32_t word)
{
    line_order_listed(&order, line, count);
    return (struct chain){
        .order = &order, .stride_bytes = LINE, .line_bytes = LINE, .chains = 1, .word = word};
}

static void draw(uint64_t count, uint64_t first, uint64_t lines, uint64_t seed)
{
    struct random random;

    random_start(&random, seed);
    listed_spread(line, count, first, lines, &random);
    listed_shuffle(line, count, &random);
}

static void build(const struct chain *chain)
{
    uint64_t end = chain_positions(chain);

    memset(memory, UNTOLD, sizeof memory);
    kernel_build((void *)chain, &window, 0, end / 3);
    kernel_build((void *)chain, &window, end / 3, end);
}

static bool is_listed(uint64_t number, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (line[i] == number)
            return true;
    return false;
}

/* Every line of the list once, in its order, and back to the first. */
static void expect_cycle(const struct chain *chain)
{
    uint64_t count = chain_positions(chain);
    uintptr_t node = chain_node(chain, &window, 0);

    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(node, (uintptr_t)memory + line[i] * LINE + chain->word * 8);
        assert_int_equal(node, chain_after(chain, &window, 0, i));
        node = *(uintptr_t *)node;
    }
    assert_int_equal(node, chain_node(chain, &window, 0));
}

static void expect_the_rest_untouched(uint64_t count)
{
    uint64_t untold;

    memset(&untold, UNTOLD, sizeof untold);
    for (uint64_t i = 0; i < LINES; i++)
        for (uint64_t k = 0; k < LINE / 8 && !is_listed(i, count); k++)
            assert_int_equal(memory[i * LINE / 8 + k], untold);
}

static void no_flush(const void *address)
{
    (void)address;
}

static void any_lines_make_one_cycle(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 31, 32, 33, 64, COUNT};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        static struct chain_check check;
        struct chain chain = listed_chain(counts[c], (uint32_t)(c % 8));

        draw(counts[c], 100 * c, LINES - 700, c);
        build(&chain);
        expect_cycle(&chain);
        expect_the_rest_untouched(counts[c]);
        check = (struct chain_check){.chain = &chain, .flush = no_flush};
        chain_verify(&check, &window, 0, counts[c]);
        assert_int_equal(check.errors, 0);
        *(uintptr_t *)chain_node(&chain, &window, counts[c] / 2) ^= 1ull << 33;
        chain_verify(&check, &window, 0, counts[c]);
        assert_int_equal(check.errors, 1);
        assert_int_equal(check.error[0].offset, line[counts[c] / 2] * LINE + chain.word * 8);
    }
}

/* A chase ends where the list says, over laps too. */
static void a_chase_follows_the_list(void **state)
{
    uint64_t ticks[4];
    struct chain chain = listed_chain(COUNT, 0);
    struct chase_plan plan = {
        .chains = 1, .line_bytes = LINE, .hops = 250, .samples = 4, .ticks = ticks};
    struct chase_result result = {.samples = 0};

    (void)state;
    draw(COUNT, 0, LINES, 5);
    build(&chain);
    plan.start.next[0] = chain_after(&chain, &window, 0, 0);
    kernel_chase(&plan, 1000000000, &result);
    assert_int_equal(result.end.next[0], (uintptr_t)memory + line[1000 % COUNT] * LINE);
}

/* Addresses of lines that 32 bits do not number. */
static void lines_are_64_bits_wide(void **state)
{
    struct window far = {.base = 1ull << 46, .bytes = 1ull << 45};
    struct chain chain = listed_chain(2, 0);

    (void)state;
    line[0] = 1ull << 38;
    line[1] = (1ull << 38) + 5;
    assert_true(chain_node(&chain, &far, 1) == far.base + (line[0] + 5) * LINE);
    draw(COUNT, 1ull << 38, 1ull << 37, 3);
    for (unsigned i = 0; i < COUNT; i++)
        assert_true(line[i] >> 37 == 2);
}

/* One line of each part, so that each value of the high bits occurs as often as the others; and low
 * bits, which choose channels and banks, are as likely set as not. */
static void lines_are_spread_evenly(void **state)
{
    enum { PARTS = 256, LOW = 12, ROUNDS = 64 };
    unsigned set[LOW] = {0};

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct random random;
        random_start(&random, round);
        listed_spread(line, PARTS, 0, PARTS << LOW, &random);
        for (unsigned i = 0; i < PARTS; i++) {
            assert_int_equal(line[i] >> LOW, i);
            for (unsigned bit = 0; bit < LOW; bit++)
                set[bit] += line[i] >> bit & 1;
        }
    }
    for (unsigned bit = 0; bit < LOW; bit++)
        assert_in_range(set[bit], PARTS * ROUNDS / 2 - 320, PARTS * ROUNDS / 2 + 320); /* 5 sigma */
}

/* Parts that are not equally long lose no line and share none. */
static void any_number_of_parts(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= COUNT; count += 7) {
        struct random random;
        random_start(&random, count);
        listed_spread(line, count, 10, COUNT, &random);
        for (uint64_t i = 0; i < count; i++) {
            assert_in_range(line[i], 10, 10 + COUNT - 1);
            assert_true(i == 0 || line[i] > line[i - 1]);
        }
        assert_true(line[count - 1] + COUNT / count + 1 >= 10 + COUNT);
    }
}

/* Each line as often in each place. */
static void every_order_is_as_likely(void **state)
{
    enum { LENGTH = 6, ROUNDS = 6000 };
    unsigned seen[LENGTH][LENGTH] = {{0}};
    struct random random;

    (void)state;
    random_start(&random, 17);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < LENGTH; i++)
            line[i] = i;
        listed_shuffle(line, LENGTH, &random);
        for (unsigned i = 0; i < LENGTH; i++)
            seen[i][line[i]]++;
    }
    for (unsigned i = 0; i < LENGTH; i++)
        for (unsigned k = 0; k < LENGTH; k++)
            assert_in_range(seen[i][k], 850, 1150); /* 1000, 5 sigma */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_lines_make_one_cycle), cmocka_unit_test(a_chase_follows_the_list),
        cmocka_unit_test(lines_are_64_bits_wide),   cmocka_unit_test(lines_are_spread_evenly),
        cmocka_unit_test(any_number_of_parts),      cmocka_unit_test(every_order_is_as_likely),
    };

    /* The template's other kernels have no part in this. */
    (void)kernel_probe;
    (void)kernel_pairs;
    (void)kernel_singles;
    (void)kernel_reads;
    (void)kernel_fill;
    (void)kernel_march;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
