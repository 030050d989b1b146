/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels from rates of reads by class. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/bandwidth.h"
#include "core/lib/random.h"
#include "core/lib/real.h"

#define CASES 4000

static struct random source;

static double uniform(double from, double to)
{
    return from + (to - from) * (double)(random_next(&source) >> 11) * 0x1p-53;
}

static double normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform(0, 1);
    return sum;
}

/* A machine: which functions choose its channel, what those and its core can do. */
struct memory {
    struct address_functions functions, channel;
    double channel_ns; /* a line of one channel */
    double core_ns;    /* a line, as fast as the core can ask */
    double latency_ns, misses, noise;
};

static unsigned rank_of(const struct address_functions *functions)
{
    struct address_functions reduced = *functions;

    address_reduce(&reduced);
    return reduced.count;
}

/* Independent functions; channels are XORs of some of them. */
static void draw_functions(struct memory *m, unsigned count, unsigned channels)
{
    do {
        m->functions.count = count;
        for (unsigned i = 0; i < count; i++)
            m->functions.mask[i] = random_next(&source) >> 40 << 6;
    } while (rank_of(&m->functions) != count);
    do {
        m->channel.count = channels;
        for (unsigned i = 0; i < channels; i++) {
            uint64_t which = random_below(&source, 1u << count);
            m->channel.mask[i] = 0;
            for (unsigned k = 0; k < count; k++)
                m->channel.mask[i] ^= which >> k & 1 ? m->functions.mask[k] : 0;
        }
    } while (rank_of(&m->channel) != channels);
    address_reduce(&m->channel);
}

static void draw_memory(struct memory *m)
{
    unsigned count = 1 + (unsigned)random_below(&source, 10);
    unsigned most = count < 4 ? count : 4;

    draw_functions(m, count, (unsigned)random_below(&source, most + 1));
    m->channel_ns = uniform(1.2, 12);
    m->latency_ns = uniform(50, 150);
    m->misses = 6 + (double)random_below(&source, 59);
    m->core_ns = m->latency_ns / m->misses;
    m->noise = uniform(0.001, 0.03);
}

static bool is_channel(const struct memory *m, uint64_t mask)
{
    struct address_functions with = m->channel;

    with.mask[with.count++] = mask;
    return rank_of(&with) == m->channel.count;
}

static double slower(double a, double b)
{
    return a > b ? a : b;
}

static double line_ns(const struct memory *m, uint64_t mask)
{
    double channels = (double)(1u << m->channel.count);

    if (mask != 0 && is_channel(m, mask))
        channels /= 2;
    return slower(m->channel_ns / channels, m->core_ns);
}

static struct figure measured(const struct memory *m, double ns)
{
    return (struct figure){ns * (1 + m->noise * normal()), ns * m->noise};
}

/* What reads in caches show is as many as the core can have, or fewer. */
static void measure(const struct memory *m, double cached_share, struct bandwidth *bandwidth)
{
    *bandwidth = (struct bandwidth){.count = 0};
    for (unsigned i = 0; i < BANDWIDTH_PARTS; i++)
        bandwidth->part[i].line_ns = figure_unknown();
    bandwidth_classes(&m->functions, bandwidth);
    bandwidth->line_ns = measured(m, line_ns(m, 0));
    bandwidth->in_turn_ns = measured(m, m->latency_ns);
    bandwidth->cached = measured(m, m->misses * cached_share);
    for (uint32_t i = 0; i < bandwidth->count; i++)
        for (unsigned p = 0; p < 2; p++)
            bandwidth->class[i].line_ns[p] = measured(m, line_ns(m, bandwidth->class[i].mask));
}

static bool same(const struct address_functions *a, const struct address_functions *b)
{
    return a->count == b->count && memcmp(a->mask, b->mask, a->count * sizeof a->mask[0]) == 0;
}

/* Never a wrong channel, never a wrong limit; and where the core asks for much more than memory
 * gives, the channels are told. */
static void channels_are_told_or_nothing_is(void **state)
{
    unsigned told = 0, clear = 0, by_core = 0;

    (void)state;
    random_start(&source, 1);
    for (unsigned i = 0; i < CASES; i++) {
        struct bandwidth bandwidth;
        struct memory m;
        double all, half;
        draw_memory(&m);
        measure(&m, uniform(0.3, 1), &bandwidth);
        bandwidth_decide(&bandwidth);
        all = m.channel_ns / (1u << m.channel.count);
        half = 2 * all;
        assert_true(bandwidth.told == (bandwidth.why == NULL));
        if (bandwidth.told) {
            told++;
            assert_true(same(&bandwidth.channel, &m.channel));
            assert_int_equal(bandwidth.limit, BANDWIDTH_BY_MEMORY);
            assert_true(bandwidth.whole);
        } else {
            assert_int_equal(bandwidth.channel.count, 0);
        }
        for (uint32_t k = 0; k < bandwidth.count; k++)
            if (bandwidth.class[k].effect == BANDWIDTH_HALVED)
                assert_true(is_channel(&m, bandwidth.class[k].mask));
        by_core += bandwidth.limit == BANDWIDTH_BY_CORE;
        if (bandwidth.limit == BANDWIDTH_BY_MEMORY)
            assert_true(m.core_ns < 0.67 * half);
        if (bandwidth.whole && m.channel.count > 0 && m.noise < 0.015 && m.core_ns < all) {
            clear++;
            assert_true(bandwidth.told);
        }
    }
    printf("%u told of %u, %u clear; %u by the core\n", told, CASES, clear, by_core);
    assert_true(clear > CASES / 20 && by_core > CASES / 20 && told > clear);
}

static struct memory of(unsigned channels, double channel_ns, double misses)
{
    struct memory m = {.channel_ns = channel_ns, .latency_ns = 80, .misses = misses};

    random_start(&source, 3);
    draw_functions(&m, 5, channels);
    m.core_ns = m.latency_ns / m.misses;
    m.noise = 0.005;
    return m;
}

static struct bandwidth decided(const struct memory *m, double cached_share)
{
    struct bandwidth bandwidth;

    measure(m, cached_share, &bandwidth);
    bandwidth_decide(&bandwidth);
    return bandwidth;
}

/* Where one channel is all there is no class is halved; that memory is the limit is seen in more
 * reads under way where caches serve them. */
static void one_channel_is_told_where_memory_is_the_limit(void **state)
{
    struct memory m = of(0, 6, 32);
    struct bandwidth bandwidth = decided(&m, 1);

    (void)state;
    assert_true(bandwidth.told);
    assert_int_equal(bandwidth.channel.count, 0);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_MEMORY);
    assert_true(fabs(bandwidth.under_way.value - 80 / 6.0) < 1);
    /* As many in caches as in memory: the core may be the limit. Fewer: nothing is known. */
    bandwidth = decided(&m, 0.4);
    assert_false(bandwidth.told);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_CORE);
    bandwidth = decided(&m, 0.2);
    assert_false(bandwidth.told);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_UNKNOWN);
    bandwidth.cached = figure_unknown();
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_UNKNOWN);
    assert_non_null(strstr(bandwidth.why, "not known"));
}

/* Parts are compared with the one that is read fastest, and differ by more than a tenth or not. */
static void parts_are_slower_for_sure_or_not(void **state)
{
    static const double ns[BANDWIDTH_PARTS] = {2.0, 2.0, 2.1, 4.0, 4.1, 2.0, 2.35, 0};
    struct memory m = of(1, 6, 64);
    struct bandwidth bandwidth;

    (void)state;
    measure(&m, 1, &bandwidth);
    for (unsigned i = 0; i < BANDWIDTH_PARTS; i++)
        bandwidth.part[i].line_ns =
            ns[i] > 0 ? (struct figure){ns[i], 0.005 * ns[i]} : figure_unknown();
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.slower, 3);
    for (unsigned i = 0; i < BANDWIDTH_PARTS; i++)
        assert_int_equal(bandwidth.part[i].slower, ns[i] > 2.2);
    bandwidth.part[6].line_ns.error = 0.05; /* no longer for sure */
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.slower, 2);
}

/* Pieces of a slow rank and of a fast one, as many by chance in each list: no part is slower. Where
 * pieces of all parts are alike but in one, that is. */
static void parts_scatter_as_their_pieces_do(void **state)
{
    unsigned told = 0;

    (void)state;
    for (unsigned try = 0; try < 2000; try++) {
        struct bandwidth_part_lists lists[BANDWIDTH_PARTS];
        struct memory m = of(1, 6, 64);
        struct bandwidth bandwidth;
        bool mixed = try % 2 == 0;
        measure(&m, 1, &bandwidth);
        for (unsigned k = 0; k < BANDWIDTH_PARTS; k++) {
            unsigned slow = 0;
            for (unsigned i = 0; i < BANDWIDTH_PART_ROUNDS; i++)
                slow += mixed ? uniform(0, 1) < 0.5 : k == 3;
            lists[k].count = BANDWIDTH_PART_ROUNDS;
            for (unsigned i = 0; i < BANDWIDTH_PART_ROUNDS; i++)
                lists[k].line_ns[i] = (i + slow < BANDWIDTH_PART_ROUNDS ? 2 : 4) + 0.002 * i;
        }
        bandwidth_parts(lists, &bandwidth);
        bandwidth_decide(&bandwidth);
        told += mixed && bandwidth.slower != 0;
        if (!mixed)
            assert_true(bandwidth.slower == 1 && bandwidth.part[3].slower);
    }
    assert_true(told == 0);
}

static void what_the_core_limits_is_a_bound(void **state)
{
    struct memory m = of(2, 6, 10);
    struct bandwidth bandwidth = decided(&m, 1);

    (void)state;
    assert_false(bandwidth.told);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_CORE);
    assert_non_null(strstr(bandwidth.why, "the core is the limit"));
    /* Classes are slower, but not at half: the core limits what is read of all. */
    m = of(1, 6, 80 / 4.4);
    bandwidth = decided(&m, 1);
    assert_false(bandwidth.told);
    assert_int_equal(bandwidth.halved, 0);
}

static void what_is_not_measured_is_not_told(void **state)
{
    struct memory m = of(1, 6, 64);
    struct bandwidth bandwidth;
    uint32_t other = 0;

    (void)state;
    measure(&m, 1, &bandwidth);
    bandwidth.class[7].line_ns[1] = figure_unknown();
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.class[7].effect, BANDWIDTH_BETWEEN);
    assert_false(bandwidth.told);
    /* Two that are halved, and not their XOR. */
    measure(&m, 1, &bandwidth);
    while (is_channel(&m, bandwidth.class[other].mask))
        other++;
    bandwidth.class[other].line_ns[0] = bandwidth.class[other].line_ns[1] =
        (struct figure){6, 0.02};
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.halved, 2);
    assert_false(bandwidth.told);
    assert_non_null(strstr(bandwidth.why, "one set of functions"));
    /* What prefetchers read is of no class, and what limits them is not known. */
    measure(&m, 1, &bandwidth);
    bandwidth.prefetching = true;
    bandwidth_decide(&bandwidth);
    assert_int_equal(bandwidth.halved, 1);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_UNKNOWN);
    assert_false(bandwidth.told);
    assert_non_null(strstr(bandwidth.why, "prefetchers"));
    /* No functions at all. */
    m.functions.count = 0;
    m.channel.count = 0;
    bandwidth = decided(&m, 1);
    assert_int_equal(bandwidth.count, 0);
    assert_false(bandwidth.told);
    assert_int_equal(bandwidth.limit, BANDWIDTH_BY_MEMORY);
}

/* One parity alone, slower by half or by four times, or by a little: no channel, and no sure other
 * thing. */
static void what_is_neither_half_nor_the_same_is_not_sure(void **state)
{
    static const double factors[][2] = {{2, 1}, {4, 4}, {1.4, 1.4}, {1, 1.4}};
    struct memory m = of(1, 6, 64);
    struct bandwidth bandwidth;
    uint32_t other = 0;

    (void)state;
    measure(&m, 1, &bandwidth);
    while (is_channel(&m, bandwidth.class[other].mask))
        other++;
    for (size_t i = 0; i < 4; i++) {
        for (unsigned p = 0; p < 2; p++)
            bandwidth.class[other].line_ns[p] = figure_scaled(bandwidth.line_ns, factors[i][p]);
        bandwidth_decide(&bandwidth);
        assert_int_equal(bandwidth.class[other].effect, BANDWIDTH_BETWEEN);
        assert_false(bandwidth.told);
        assert_non_null(strstr(bandwidth.why, "not sure"));
    }
}

static void classes_are_all_xors_or_pairs(void **state)
{
    struct address_functions functions;
    struct bandwidth bandwidth;

    (void)state;
    for (unsigned count = 0; count <= ADDRESS_FUNCTIONS_MAX; count++) {
        functions.count = count;
        for (unsigned i = 0; i < count; i++)
            functions.mask[i] = 1ull << (i + 6);
        bandwidth_classes(&functions, &bandwidth);
        assert_int_equal(bandwidth.whole, count <= 8);
        assert_int_equal(bandwidth.count, count <= 8 ? (1u << count) - 1 : count * (count + 1) / 2);
        for (uint32_t i = 0; i < bandwidth.count; i++) {
            assert_true(bandwidth.class[i].mask != 0);
            assert_false(figure_is_known(bandwidth.class[i].line_ns[0]));
            for (uint32_t k = 0; k < i; k++)
                assert_true(bandwidth.class[i].mask != bandwidth.class[k].mask);
        }
    }
}

static void what_was_expected_is_met_or_not(void **state)
{
    struct bandwidth bandwidth = {.line_ns = {2, 0.01}, .limit = BANDWIDTH_BY_MEMORY};

    (void)state;
    assert_int_equal(bandwidth_meets(&bandwidth, 64, 31e9), BANDWIDTH_MET);
    assert_int_equal(bandwidth_meets(&bandwidth, 64, 32.5e9), BANDWIDTH_MET);
    assert_int_equal(bandwidth_meets(&bandwidth, 64, 33e9), BANDWIDTH_UNMET);
    bandwidth.limit = BANDWIDTH_BY_CORE;
    assert_int_equal(bandwidth_meets(&bandwidth, 64, 33e9), BANDWIDTH_NOT_SHOWN);
    assert_int_equal(bandwidth_meets(&bandwidth, 64, 31e9), BANDWIDTH_MET);
    assert_string_equal(bandwidth_met_name(BANDWIDTH_MET), "met");
    assert_string_equal(bandwidth_met_name(BANDWIDTH_UNMET), "unmet");
    assert_string_equal(bandwidth_met_name(BANDWIDTH_NOT_SHOWN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_told_or_nothing_is),
        cmocka_unit_test(one_channel_is_told_where_memory_is_the_limit),
        cmocka_unit_test(parts_are_slower_for_sure_or_not),
        cmocka_unit_test(parts_scatter_as_their_pieces_do),
        cmocka_unit_test(what_the_core_limits_is_a_bound),
        cmocka_unit_test(what_is_not_measured_is_not_told),
        cmocka_unit_test(what_is_neither_half_nor_the_same_is_not_sure),
        cmocka_unit_test(classes_are_all_xors_or_pairs),
        cmocka_unit_test(what_was_expected_is_met_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
