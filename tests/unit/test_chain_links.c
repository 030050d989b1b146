/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain's links, written in portions of any size, close every chain after exactly its own nodes,
 * whatever the order, the number of chains and the word; and reading back finds what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/chase/chain.h"
#include "core/lib/random.h"

#define LINES_MAX 1031u
#define LINE      64u

static uintptr_t memory[LINES_MAX * LINE / sizeof(uintptr_t)];
static struct line_order order;

static void no_flush(const void *address)
{
    (void)address;
}

/* Writes every link, in portions of random sizes. */
static void build(const struct chain *chain, const struct window *w, struct random *random)
{
    uint64_t positions = chain_positions(chain);

    memset(memory, 0, sizeof memory);
    for (uint64_t first = 0; first < positions;) {
        uint64_t end = first + 1 + random_below(random, 200);
        struct chain_links links;
        struct chain_link link[CHAIN_LINKS_RUN];
        uint32_t count;

        end = end < positions ? end : positions;
        chain_links_start(&links, chain, w, first, end);
        while ((count = chain_links_next(&links, link)) != 0)
            for (uint32_t i = 0; i < count; i++) {
                assert_int_equal(*(uintptr_t *)link[i].node, 0);
                *(uintptr_t *)link[i].node = link[i].next;
            }
        first = end;
    }
}

/* Each chain comes back to its start after its length and not before, as chain_after says. */
static void expect_closed(const struct chain *chain, const struct window *w)
{
    uint64_t length = chain_length(chain);

    for (uint32_t k = 0; k < (chain->chains == 0 ? 1 : chain->chains); k++) {
        uintptr_t start = chain_after(chain, w, k, 0), pos = start;
        for (uint64_t hop = 1; hop <= length; hop++) {
            pos = *(const uintptr_t *)pos;
            assert_int_equal(pos, chain_after(chain, w, k, hop));
            assert_int_equal(pos == start, hop == length);
        }
    }
}

static struct chain_check read_back(const struct chain *chain, const struct window *w)
{
    struct chain_check check = {.chain = chain, .flush = no_flush};
    uint64_t positions = chain_positions(chain);

    chain_verify(&check, w, 0, positions / 3);
    chain_verify(&check, w, positions / 3, positions);
    return check;
}

static void check_chain(const struct chain *chain, const struct window *w, struct random *random)
{
    uint32_t k = chain->chains == 0 ? 0 : (uint32_t)random_below(random, chain->chains);
    uintptr_t *bad;
    struct chain_check check;

    build(chain, w, random);
    expect_closed(chain, w);
    check = read_back(chain, w);
    assert_int_equal(check.errors, 0);
    bad = (uintptr_t *)chain_after(chain, w, k, random_below(random, chain_length(chain)));
    *bad ^= 0x40;
    check = read_back(chain, w);
    assert_int_equal(check.errors, 1);
    assert_int_equal(check.error[0].offset, (uintptr_t)bad - w->base);
    assert_int_equal(check.error[0].expected, *bad ^ 0x40);
    assert_int_equal(check.error[0].read, *bad);
}

static void every_order_closes_every_chain(void **state)
{
    static const enum order_kind kinds[] = {ORDER_RANDOM,    ORDER_FORWARD, ORDER_REVERSE,
                                            ORDER_PAGED,     ORDER_GROUPED, ORDER_HOP_PAGE,
                                            ORDER_SEQUENTIAL};
    struct window w = {.base = (uintptr_t)memory, .bytes = sizeof memory};
    struct random random;

    (void)state;
    random_start(&random, 3);
    for (unsigned round = 0; round < 400; round++) {
        uint32_t chains = (uint32_t)random_below(&random, CHAINS_MAX + 1);
        uint64_t lines = 24 + random_below(&random, LINES_MAX - 24 + 1);
        struct chain chain = {.order = &order,
                              .stride_bytes = LINE,
                              .line_bytes = LINE,
                              .chains = chains,
                              .word = (uint32_t)random_below(&random, LINE / sizeof(uintptr_t))};
        line_order_start(&order, kinds[round % 7], lines, 1 + random_below(&random, 70), round);
        check_chain(&chain, &w, &random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_closes_every_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
