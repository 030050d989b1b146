/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUs do that load memory: which lines their loops touch, how often and how, where they go
 * on, and what they tell; and rates made of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/chase/traffic.h"
#include "core/stats/rate.h"
#include "tests/unit/support_hooks.h"

#define LINES      1024u
#define LINE_BYTES 64u

static unsigned line_reads[LINES], line_writes[LINES], line_words[LINES];
static unsigned char *memory;
static uint64_t blocks_left, waited;
static struct traffic_done told;

static void count(unsigned counts[], uintptr_t address)
{
    uintptr_t line = (address - (uintptr_t)memory) / LINE_BYTES;

    assert_true(line < LINES);
    counts[line]++;
}

/* Hooks that count instead. */
#undef KERNEL_LOAD_FREE
#undef KERNEL_DIRTY
#undef KERNEL_STORE_PAIR
#undef KERNEL_WAIT
#define KERNEL_LOAD_FREE(address) count(line_reads, address)
#define KERNEL_DIRTY(chain, address, value) \
    ((void)(*(volatile uintptr_t *)(address) = (value)), count(line_writes, address))
#define KERNEL_STORE_PAIR(address, first, second) \
    (count(line_words, address), count(line_words, (address) + 8), (void)(first), (void)(second))
#define KERNEL_WAIT(cycles) ((void)(waited += (cycles)))

static unsigned parked; /* so often, by the word that is to wake it */

static bool publish(struct traffic_progress *shared, const struct traffic_done *done)
{
    bool goes_on = traffic_publish(shared, done);

    told = *done;
    return goes_on && blocks_left-- != 0;
}
#define KERNEL_PUBLISH(shared, done) publish(shared, done)
#define KERNEL_PARK(word)            ((void)(parked += *(word) == 0))

#include "core/chase/kernels.h"

#include "core/chase/kernels_traffic.h"

static int start(void **state)
{
    (void)state;
    (void)kernel_chase;
    (void)kernel_probe;
    (void)kernel_pairs;
    (void)kernel_singles;
    (void)kernel_reads;
    (void)kernel_build;
    (void)kernel_fill;
    (void)kernel_march;
    memory = aligned_alloc(4096, LINES * LINE_BYTES);
    memset(memory, 0, LINES * LINE_BYTES);
    memset(line_reads, 0, sizeof line_reads);
    memset(line_writes, 0, sizeof line_writes);
    memset(line_words, 0, sizeof line_words);
    waited = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static struct traffic_progress shared;

static void run(const struct traffic *traffic, uint64_t blocks)
{
    blocks_left = blocks;
    traffic_begin(&shared);
    kernel_traffic(traffic, &shared);
}

static struct traffic traffic_of(enum traffic_kind kind, bool random)
{
    return (struct traffic){
        .cpu = 3, .kind = kind, .base = (uintptr_t)memory, .lines = LINES, .random = random};
}

static void expect_all(const unsigned counts[], unsigned times)
{
    for (unsigned i = 0; i < LINES; i++)
        assert_int_equal(counts[i], times);
}

static unsigned sum(const unsigned counts[])
{
    unsigned all = 0;

    for (unsigned i = 0; i < LINES; i++)
        all += counts[i];
    return all;
}

/* Two periods, in turns of unequal length: each line twice, so that nothing is skipped where a turn
 * ends. */
static void every_line_comes_once_a_period(void **state)
{
    (void)state;
    for (unsigned random = 0; random < 2; random++) {
        struct traffic traffic = traffic_of(TRAFFIC_READ, random != 0);
        memset(line_reads, 0, sizeof line_reads);
        traffic_open(&shared, &traffic, LINE_BYTES);
        run(&traffic, 5);
        run(&traffic, LINES / TRAFFIC_BLOCK - 5);
        expect_all(line_reads, 1);
        run(&traffic, LINES / TRAFFIC_BLOCK);
        expect_all(line_reads, 2);
        assert_int_equal(sum(line_writes) + sum(line_words), 0);
    }
}

static void kinds_read_and_write_as_they_say(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_2_1, true);

    (void)state;
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, LINES / TRAFFIC_BLOCK);
    assert_int_equal(sum(line_reads), LINES / 2);
    assert_int_equal(sum(line_writes), LINES / 2);
    assert_int_equal(told.read_lines, LINES);
    assert_int_equal(told.written_lines, LINES / 2);

    memset(line_writes, 0, sizeof line_writes);
    memset(line_reads, 0, sizeof line_reads);
    traffic = traffic_of(TRAFFIC_1_1, false);
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, LINES / TRAFFIC_BLOCK);
    expect_all(line_writes, 1);
    assert_int_equal(sum(line_reads), 0);
    assert_int_equal(told.read_lines, LINES);
    assert_int_equal(told.written_lines, LINES);

    traffic = traffic_of(TRAFFIC_STORE_NT, true);
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, LINES / TRAFFIC_BLOCK);
    expect_all(line_words, LINE_BYTES / 8);
    assert_int_equal(told.read_lines, 0);
    assert_int_equal(told.written_lines, LINES);
}

static void other_lines_are_written_whole(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_STORE_NT, false);

    (void)state;
    traffic.lines = LINES / 2;
    traffic_open(&shared, &traffic, 2 * LINE_BYTES);
    run(&traffic, LINES / 2 / TRAFFIC_BLOCK);
    expect_all(line_words, LINE_BYTES / 8);
}

/* Neither ascending nor at a stride that comes twice in a row. */
static void a_random_order_has_no_strides(void **state)
{
    struct kernel_traffic_walk walk = {
        .base = 0, .pos = 0, .last = LINES - 1, .line_log2 = 0, .fold = 6};
    uintptr_t base = 0, line = 0;
    uint64_t pos = walk.pos, last = walk.last, before = 0, stride = 0;
    uint32_t log2 = walk.line_log2, fold = walk.fold;
    unsigned same = 0, near = 0;

    (void)state;
    for (unsigned i = 0; i < LINES; i++) {
        KERNEL_TRAFFIC_NEXT(true);
        same += line - before == stride;
        near += line - before == 1 || before - line == 1;
        stride = line - before;
        before = line;
    }
    assert_true(same < LINES / 64);
    assert_true(near < LINES / 64);
}

static void it_pauses_after_each_block(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_READ, false);

    (void)state;
    traffic.pause_cycles = 100;
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, 7);
    assert_int_equal(waited, 700);
}

/* A ring of three lines, in two chains. */
static void a_chase_goes_on_where_it_stopped(void **state)
{
    struct traffic traffic = {.kind = TRAFFIC_CHASE, .chains = 2};
    uintptr_t *ring = (uintptr_t *)memory;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        ring[i] = (uintptr_t)&ring[(i + 1) % 3];
    traffic.start.next[0] = (uintptr_t)&ring[0];
    traffic.start.next[1] = (uintptr_t)&ring[1];
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, 1);
    assert_int_equal(told.read_lines, 2 * KERNEL_TRAFFIC_HOPS);
    assert_int_equal(shared.cursor.next[0], (uintptr_t)&ring[KERNEL_TRAFFIC_HOPS % 3]);
    run(&traffic, 1);
    assert_int_equal(shared.cursor.next[1], (uintptr_t)&ring[(1 + 2 * KERNEL_TRAFFIC_HOPS) % 3]);
    assert_int_equal(told.read_lines, 2 * KERNEL_TRAFFIC_HOPS);
}

static void it_stops_when_told(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_READ, false);

    (void)state;
    traffic_open(&shared, &traffic, LINE_BYTES);
    traffic_begin(&shared);
    assert_false(traffic_runs(&shared));
    traffic_stop(&shared);
    blocks_left = 1000;
    kernel_traffic(&traffic, &shared);
    assert_int_equal(sum(line_reads), 0);
    run(&traffic, 3);
    assert_true(traffic_runs(&shared));
    assert_int_equal(sum(line_reads), 3 * TRAFFIC_BLOCK);
}

static void what_it_tells_is_what_it_did(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_1_1, true);
    struct traffic_done begun, done, between;

    (void)state;
    traffic_open(&shared, &traffic, LINE_BYTES);
    traffic_begin(&shared);
    begun = traffic_done_by(&shared);
    assert_int_equal(begun.ticks, 0);
    for (uint64_t i = 1; i < 40; i++) {
        done = (struct traffic_done){
            .read_lines = 10 * i, .written_lines = i, .wakes = 2 * i, .ticks = 100 + i};
        assert_true(traffic_publish(&shared, &done));
        done = traffic_done_by(&shared);
        assert_int_equal(done.read_lines, 10 * i);
        assert_int_equal(done.ticks, 100 + i);
        begun = i == 5 ? done : begun;
    }
    between = traffic_between(begun, done);
    assert_int_equal(between.read_lines, 340);
    assert_int_equal(between.written_lines, 34);
    assert_int_equal(between.wakes, 68);
    assert_int_equal(between.ticks, 34);
    between = traffic_between((struct traffic_done){.ticks = 0}, done);
    assert_int_equal(between.ticks, 0);
    assert_int_equal(between.read_lines, 0);
    assert_int_equal(traffic_between(done, done).ticks, 0);
}

static void cpus_begin_apart(void **state)
{
    struct traffic one = traffic_of(TRAFFIC_READ, true), other = one;
    struct traffic_progress others;

    (void)state;
    one.cpu = 1;
    other.cpu = 2;
    traffic_open(&shared, &one, LINE_BYTES);
    traffic_open(&others, &other, LINE_BYTES);
    assert_int_not_equal(shared.pos, others.pos);
    assert_int_equal(shared.pos % TRAFFIC_BLOCK, 0);
    assert_true(shared.pos < LINES && others.pos < LINES);
}

/* ---- rates */

static void a_rate_weighs_stretches_by_their_time(void **state)
{
    struct rate_account account = {.stretches = 0};

    (void)state;
    assert_true(isnan(rate_figure(&account).value));
    rate_add(&account, 5, 0);
    assert_int_equal(account.stretches, 0);
    rate_add(&account, 30, 10);
    assert_true(rate_figure(&account).value == 3.0);
    assert_true(isnan(rate_figure(&account).error));
    rate_add(&account, 10, 10);
    assert_true(rate_figure(&account).value == 2.0);
    /* Two rates, of 3 and 1: a standard deviation of sqrt(2), over sqrt(2). */
    assert_true(fabs(rate_figure(&account).error - 1) < 1e-12);
    rate_add(&account, 2e5, 1e5);
    assert_true(fabs(rate_figure(&account).value - 2) < 1e-9);
    assert_true(rate_figure(&account).error < 0.001);
}

static void equal_rates_have_no_error(void **state)
{
    struct rate_account account = {.stretches = 0};

    (void)state;
    for (unsigned i = 1; i < 50; i++)
        rate_add(&account, 1.0 / 3 * i, 0.1 * i);
    assert_true(fabs(rate_figure(&account).value - 10.0 / 3) < 1e-12);
    assert_true(rate_figure(&account).error < 1e-6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

/* It tells that it ran, and touches none of the lines. */
static void a_spin_touches_no_line(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_SPIN, false);

    (void)state;
    memset(line_reads, 0, sizeof line_reads);
    memset(line_writes, 0, sizeof line_writes);
    memset(line_words, 0, sizeof line_words);
    waited = 0;
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, 5);
    assert_int_equal(sum(line_reads) + sum(line_writes) + sum(line_words), 0);
    assert_int_equal(told.read_lines + told.written_lines, 0);
    assert_int_equal(waited, 5 * KERNEL_TRAFFIC_SPIN);
}

/* It halts once for each time that it is woken. */
static void a_parked_cpu_halts_and_touches_no_line(void **state)
{
    struct traffic traffic = traffic_of(TRAFFIC_PARK, false);

    (void)state;
    memset(line_reads, 0, sizeof line_reads);
    memset(line_writes, 0, sizeof line_writes);
    memset(line_words, 0, sizeof line_words);
    waited = parked = 0;
    traffic_open(&shared, &traffic, LINE_BYTES);
    run(&traffic, 5);
    assert_int_equal(sum(line_reads) + sum(line_writes) + sum(line_words), 0);
    assert_int_equal(parked, 5);
    assert_int_equal(told.wakes, 5);
    assert_int_equal(waited, 0);
    assert_true(traffic_runs(&shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_line_comes_once_a_period),
        TEST(kinds_read_and_write_as_they_say),
        TEST(other_lines_are_written_whole),
        TEST(a_random_order_has_no_strides),
        TEST(it_pauses_after_each_block),
        TEST(a_chase_goes_on_where_it_stopped),
        TEST(it_stops_when_told),
        TEST(what_it_tells_is_what_it_did),
        TEST(cpus_begin_apart),
        TEST(a_rate_weighs_stretches_by_their_time),
        TEST(equal_rates_have_no_error),
        TEST(a_spin_touches_no_line),
        TEST(a_parked_cpu_halts_and_touches_no_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
