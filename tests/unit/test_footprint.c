/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of shares against exact values, and what a footprint's counts say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "core/measure/footprint.h"
#include "core/stats/binomial.h"

/* ---- bounds */

/* Term by term, as in the definition. */
static double at_most(uint32_t hits, uint32_t tries, double p)
{
    double sum = 0;

    for (uint32_t k = 0; k <= hits; k++)
        sum += exp(lgamma(tries + 1.0) - lgamma(k + 1.0) - lgamma(tries - k + 1.0) + k * log(p) +
                   (tries - k) * log1p(-p));
    return sum < 1 ? sum : 1;
}

static void tails_are_the_definition(void **state)
{
    static const uint32_t tries[] = {1, 2, 7, 15, 16, 17, 58, 348, 2000};
    static const double p[] = {0.001, 0.02, 0.3, 0.5, 0.77, 0.999};

    (void)state;
    for (size_t n = 0; n < sizeof tries / sizeof tries[0]; n++)
        for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
            for (uint32_t hits = 0; hits < tries[n]; hits += 1 + tries[n] / 60)
                assert_true(fabs(binomial_at_most(hits, tries[n], p[i]) -
                                 at_most(hits, tries[n], p[i])) < 1e-9);
    assert_true(binomial_at_most(0, 5, 0) == 1 && binomial_at_most(4, 5, 1) == 0);
    assert_true(binomial_at_most(5, 5, 1) == 1);
}

static void bounds_are_exact(void **state)
{
    (void)state;
    /* Nothing found, and everything found: closed forms. */
    for (uint32_t n = 1; n < 5000; n = n * 3 + 1) {
        assert_true(fabs(binomial_high(0, n, 0.001) - (1 - pow(0.001, 1.0 / n))) < 1e-7);
        assert_true(fabs(binomial_low(n, n, 0.001) - pow(0.001, 1.0 / n)) < 1e-7);
    }
    /* Clopper-Pearson intervals: 2 of 20 and 10 of 100, 95 % two-sided. */
    assert_true(fabs(binomial_low(2, 20, 0.025) - 0.0123485) < 1e-6);
    assert_true(fabs(binomial_high(2, 20, 0.025) - 0.3169827) < 1e-6);
    assert_true(fabs(binomial_low(10, 100, 0.025) - 0.0490047) < 1e-6);
    assert_true(fabs(binomial_high(10, 100, 0.025) - 0.1762226) < 1e-6);
    assert_true(binomial_low(0, 10, 0.001) == 0 && binomial_high(10, 10, 0.001) == 1);
    assert_true(binomial_low(0, 0, 0.001) == 0 && binomial_high(0, 0, 0.001) == 1);
}

/* ---- the threshold */

static uint64_t hits[512], misses[2048];

/* Ticks around two middles, with a step of the clock. */
static struct footprint_threshold calibrate(double hit, double miss, double spread, double step)
{
    struct footprint_threshold threshold;
    struct random random;

    random_start(&random, 5);
    for (size_t i = 0; i < 512 + 2048; i++) {
        double middle = i < 512 ? hit : miss;
        double noise = (double)random_below(&random, 1000) / 1000 - 0.5;
        double phase = (double)random_below(&random, 1000) / 1000;
        uint64_t ticks = (uint64_t)(((middle + spread * noise) / step) + phase);
        *(i < 512 ? &hits[i] : &misses[i - 512]) = ticks;
    }
    footprint_calibrate(hits, 512, misses, 2048, &threshold);
    return threshold;
}

static void the_threshold_lies_near_the_misses(void **state)
{
    struct footprint_threshold threshold = calibrate(50, 400, 60, 1);

    (void)state;
    assert_true(threshold.tells && threshold.found == 1 && threshold.false_found == 0);
    /* Misses from 370 on: a line in the farthest cache, at 345, is found. */
    assert_true(threshold.ticks > 345 && threshold.ticks < 371);
    assert_true(threshold.cached_ticks > 215 && threshold.cached_ticks < 235);
}

static void overlapping_hits_and_misses_say_little_or_nothing(void **state)
{
    /* Hits and misses 2.5 clock steps apart are always different ticks. One step apart they are
     * seldom the same, a third of a step apart they mostly are. */
    struct footprint_threshold fine = calibrate(20, 120, 5, 40);
    struct footprint_threshold coarse = calibrate(20, 55, 5, 40);
    struct footprint_threshold blind = calibrate(20, 33, 5, 40);
    struct footprint_threshold same = calibrate(20, 20, 5, 1);

    (void)state;
    assert_true(fine.tells && fine.found == 1 && fine.false_found == 0);
    assert_true(coarse.tells && coarse.found - coarse.false_found > 0.5);
    assert_false(blind.tells);
    assert_false(same.tells);
}

/* ---- shares and verdicts */

static const struct footprint_threshold clean = {100, 1, 0, 20, 120, 70, true};

static void nothing_found_is_off_from_342_tries_on(void **state)
{
    struct footprint_cell cell = {.tries = 341, .controls = 86};

    (void)state;
    assert_true(footprint_share_of(&cell, &clean).high > FOOTPRINT_OFF_MAX);
    cell.tries = 342;
    assert_true(footprint_share_of(&cell, &clean).high < FOOTPRINT_OFF_MAX);
    assert_true(footprint_share_of(&cell, &clean).share == 0);
    cell = (struct footprint_cell){.tries = 0};
    assert_true(footprint_share_of(&cell, &clean).high == 1);
}

/* A third of the misses look like hits, and nine of ten hits: a line that is there half the time is
 * said to be there half the time. */
static void what_is_found_by_mistake_is_taken_off(void **state)
{
    const struct footprint_threshold coarse = {2, 0.9, 0.3, 1, 2, 1.5, true};
    struct footprint_cell half = {
        .found = 600, .tries = 1000, .false_found = 300, .controls = 1000};
    struct footprint_cell none = {
        .found = 300, .tries = 1000, .false_found = 300, .controls = 1000};
    struct footprint_share share = footprint_share_of(&half, &coarse);

    (void)state;
    assert_true(fabs(share.share - 0.5) < 1e-9 && share.low > 0.35 && share.high < 0.65);
    share = footprint_share_of(&none, &coarse);
    assert_true(share.share == 0 && share.low == 0 && share.high > 0.02 && share.high < 0.15);
}

static struct footprint_row rows[FOOTPRINT_ROWS];

static void all_lines(uint32_t tries)
{
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++) {
        rows[i].touches = footprint_touches(i);
        rows[i].touched = 64 + footprint_touched(64);
        rows[i].lines = 192;
        for (uint32_t line = 0; line < 192; line++)
            rows[i].cell[line] = (struct footprint_cell){
                .tries = tries, .controls = tries / 4, .late_tries = tries / 2};
    }
}

static enum footprint_verdict verdict(struct footprint_summary *summary)
{
    footprint_summarise(rows, FOOTPRINT_ROWS, &clean, summary);
    return summary->verdict;
}

static void verdicts_are_by_bounds(void **state)
{
    struct footprint_summary summary;

    (void)state;
    all_lines(348);
    assert_int_equal(verdict(&summary), FOOTPRINT_OFF);
    assert_true(summary.high < 0.02 && summary.max.share == 0);
    /* One line in a hundred tries: neither. */
    rows[1].cell[90].found = 4;
    assert_int_equal(verdict(&summary), FOOTPRINT_UNDECIDED);
    /* 4 lines from the last touched one, which is 86. */
    assert_true(summary.touches == 2 && summary.distance == 4);
    rows[1].cell[90].found = 120;
    assert_int_equal(verdict(&summary), FOOTPRINT_ON);
    /* As many by mistake. */
    rows[1].cell[90].false_found = 30;
    assert_int_equal(verdict(&summary), FOOTPRINT_UNDECIDED);
    all_lines(58);
    assert_int_equal(verdict(&summary), FOOTPRINT_UNDECIDED);
    /* A touched line is found, of course. */
    all_lines(348);
    rows[2].cell[rows[2].touched + 2].found = 348;
    assert_int_equal(verdict(&summary), FOOTPRINT_OFF);
}

static void what_is_cached_though_not_found_is_not_off(void **state)
{
    struct footprint_summary summary;

    (void)state;
    all_lines(348);
    /* A cache that keeps flushed lines has some by chance. */
    rows[0].cell[84].cached = 180;
    assert_int_equal(verdict(&summary), FOOTPRINT_OFF);
    rows[0].cell[84].cached = 348;
    assert_int_equal(verdict(&summary), FOOTPRINT_UNDECIDED);
    assert_true(summary.high < 0.02);
    assert_int_equal(summary.doubt, doubt_of(DOUBT_CONTRADICTED));
    /* Left there by a row that touches it. */
    rows[0].cell[84].cached = 0;
    rows[0].cell[rows[0].touched + 7].cached = 348;
    assert_int_equal(verdict(&summary), FOOTPRINT_OFF);
    /* One that holds the whole set, as far as it has been filled by then. */
    for (uint32_t line = 0; line < 192; line++)
        rows[1].cell[line].cached = 300;
    rows[1].cell[50].cached = 325;
    assert_int_equal(verdict(&summary), FOOTPRINT_OFF);
    rows[1].cell[50].cached = 346;
    assert_int_equal(verdict(&summary), FOOTPRINT_UNDECIDED);
    rows[3].cell[20].found = 120;
    assert_int_equal(verdict(&summary), FOOTPRINT_ON);
}

static void nothing_is_said_without_a_threshold(void **state)
{
    struct footprint_threshold blind = clean;
    struct footprint_summary summary;

    (void)state;
    blind.tells = false;
    all_lines(348);
    footprint_summarise(rows, FOOTPRINT_ROWS, &blind, &summary);
    assert_int_equal(summary.verdict, FOOTPRINT_UNDECIDED);
}

/* So many of 16 tries found after the shorter delay, and after the longer one. */
static bool moved(uint32_t lines, uint32_t early, uint32_t late)
{
    all_lines(32);
    for (uint32_t i = 0; i < lines; i++) {
        rows[0].cell[i].found = early + late;
        rows[0].cell[i].late_found = late;
    }
    return footprint_moved(&rows[0]);
}

static void lines_that_came_late_have_moved(void **state)
{
    struct random random;

    (void)state;
    assert_false(moved(60, 0, 0) || moved(60, 16, 16) || moved(60, 8, 8) || moved(1, 6, 10));
    assert_true(moved(60, 4, 14) && moved(60, 14, 4) && moved(1, 0, 16));
    /* Coin tosses are no drift. */
    random_start(&random, 3);
    for (int trial = 0; trial < 500; trial++) {
        all_lines(32);
        for (uint32_t i = 0; i < 60; i++)
            for (int try = 0; try < 32; try++) {
                bool found = random_below(&random, 100) < 20 + i;
                rows[0].cell[i].found += found;
                rows[0].cell[i].late_found += found && try >= 16;
            }
        assert_false(footprint_moved(&rows[0]));
    }
}

static void what_is_seen_is_surely_over_two_in_a_hundred(void **state)
{
    static const struct {
        uint32_t found, tries;
        bool seen;
    } cases[] = {{0, 0, false},   {0, 58, false},     {5, 58, false},
                 {8, 58, true},   {1, 1, false},      {12, 348, false},
                 {24, 348, true}, {4096, 4096, true}, {82, 4096, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        all_lines(348);
        rows[3].cell[7].found = cases[i].found;
        rows[3].cell[7].tries = cases[i].tries;
        assert_int_equal(footprint_seen(rows, FOOTPRINT_ROWS), cases[i].seen);
    }
}

/* Whatever prefetches: its range has fewer or more lines before the touch than behind it. */
static void the_touched_line_lies_unevenly_everywhere(void **state)
{
    (void)state;
    for (uint32_t lines = 16; lines <= 64; lines *= 2) {
        uint32_t touched = footprint_touched(lines);
        assert_true(touched % 2 == 1 && touched < lines / 2);
        assert_true(touched + FOOTPRINT_TOUCHES_MAX < lines);
    }
    assert_int_equal(footprint_touched(64), 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_the_definition),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(the_threshold_lies_near_the_misses),
        cmocka_unit_test(overlapping_hits_and_misses_say_little_or_nothing),
        cmocka_unit_test(nothing_found_is_off_from_342_tries_on),
        cmocka_unit_test(what_is_found_by_mistake_is_taken_off),
        cmocka_unit_test(verdicts_are_by_bounds),
        cmocka_unit_test(what_is_cached_though_not_found_is_not_off),
        cmocka_unit_test(nothing_is_said_without_a_threshold),
        cmocka_unit_test(lines_that_came_late_have_moved),
        cmocka_unit_test(what_is_seen_is_surely_over_two_in_a_hundred),
        cmocka_unit_test(the_touched_line_lies_unevenly_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
