/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines by address bits, as two runs tell them, held against each other: the part that changed is
 * named, whatever groups either run tells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/verdict/baseline.h"

#define ROOM     20
#define ACCESS   100.0
#define UNSEEN   1.2
#define ERROR    0.05
#define CHANNELS 4

static struct figures then, now;
static struct figures_one then_one[ROOM], now_one[ROOM];
static struct lines_room room;
static struct baseline_result result;

static void begin(struct figures *figures, struct figures_one *one)
{
    figures_start(figures, one, ROOM);
    figures->unseen = (struct figures_unseen){
        .range_ns = 2, .half_ns = UNSEEN, .part_ns = 1.6, .parts = 4, .against_ns = ACCESS};
}

static int start(void **state)
{
    (void)state;
    begin(&then, then_one);
    begin(&now, now_one);
    return 0;
}

static struct figures_one *tell(struct figures *figures, const char *name, double ns, double error)
{
    struct figures_one *one = &figures->one[figures->count++];

    *one = (struct figures_one){.kind = FIGURES_DIFFERENCE,
                                .value = ns,
                                .low = ns - error,
                                .high = ns + error,
                                .against_ns = ACCESS};
    snprintf(one->name, sizeof one->name, "%s", name);
    return one;
}

/* Tells halves of four channels, of which bit 7 is the lower and bit 8^21 the higher function, as a
 * run does: what is less than it can see it does not tell. */
static void tell_halves(struct figures *figures, const double ns[CHANNELS])
{
    static const char *const of[] = {"7", "8^21", "7^8^21"};

    for (unsigned some = 1; some < CHANNELS; some++) {
        double effect = 0;
        char name[40];
        for (unsigned c = 0; c < CHANNELS; c++)
            effect += __builtin_parity(c & some) ? ns[c] / 2 : -ns[c] / 2;
        snprintf(name, sizeof name, "lines %s=%d", of[some - 1], effect > 0);
        if (fabs(effect) > UNSEEN)
            tell(figures, name, fabs(effect), ERROR);
    }
}

static void compare(bool alike)
{
    const struct baseline_limits limits = {.latency = 0.05, .rate = 0.1, .alike = alike};

    baseline_compare(&then, &now, &limits, &room, &result);
}

static const char *told_name(void)
{
    assert_true(result.told_count > 0);
    return result.told[0].now->name;
}

/* ---- one run */

static struct class_group group_of(const char *name)
{
    struct class_group group;

    assert_true(lines_read(name, &group));
    return group;
}

static struct lines_value value_of(const char *name)
{
    struct class_group group = group_of(name);

    lines_take(&room.then, &then);
    return lines_value(&room.then, &group);
}

static void names_are_read_as_they_are_written(void **state)
{
    static const char *const good[] = {"lines 7=1", "lines 8^21=0 7=1",
                                       "lines 6=0 7=0 8=0 9=1 10^47=1"};
    static const char *const bad[] = {"lines",
                                      "lines 7",
                                      "lines 7=2",
                                      "lines 48=1",
                                      "lines 7=1 ",
                                      "lines ^7=1",
                                      "lines 7=1 7=1",
                                      "lines 7=1 x",
                                      "lines 7=1 8=1 7^8=0",
                                      "lines 6=0 7=0 8=0 9=1 10=1 11=1"};
    struct class_group group;
    char name[FIGURES_NAME_BYTES];
    struct text text;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        group = group_of(good[i]);
        text_start(&text, name, sizeof name);
        figures_name_lines(&text, group.functions.mask, group.functions.count, group.parities);
        assert_string_equal(name, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(lines_read(bad[i], &group));
}

static void halves_say_what_their_quarters_are(void **state)
{
    struct lines_value value;

    (void)state;
    tell_halves(&then, (const double[]){0, 4, 6, 14});
    value = value_of("lines 7=1 8^21=1");
    assert_true(fabs(value.ns - (14 - 10.0 / 3)) < 1e-9);
    assert_true(value.whole && value.unseen_ns == 0);
    assert_true(value.error_ns > 1.68 * ERROR && value.error_ns < 2 * ERROR * 1.68);
    value = value_of("lines 7=0 8^21=0");
    assert_true(fabs(value.ns + 24.0 / 3) < 1e-9);
    /* Of other functions nothing is known. */
    value = value_of("lines 16=1");
    assert_true(value.ns == 0 && !value.told && value.unseen_ns == UNSEEN);
}

static void a_quarter_says_little_of_its_halves(void **state)
{
    struct lines_value value;

    (void)state;
    tell(&then, "lines 7=1 8^21=1", 9, ERROR);
    value = value_of("lines 7=1");
    assert_true(fabs(value.ns - 4.5) < 1e-9);
    assert_true(!value.told && value.unseen_ns > UNSEEN / 2);
    /* What the halves tell more exactly is not told once more by the quarter. */
    tell_halves(&then, (const double[]){0, 0, 0, 9});
    then.one[0].low -= 4;
    then.one[0].high += 4;
    value = value_of("lines 7=1 8^21=1");
    assert_true(value.whole && value.error_ns < 0.2);
}

/* ---- two runs */

static double above_others(const double ns[CHANNELS], unsigned channel)
{
    double sum = 0;

    for (unsigned c = 0; c < CHANNELS; c++)
        sum += c != channel ? ns[c] / (CHANNELS - 1) : 0;
    return ns[channel] - sum;
}

/* Each channel of boards whose channels are at all kinds of distances. */
static void the_channel_that_changed_is_named(void **state)
{
    static const double distance[][CHANNELS] = {{0, 0, 0, 0},       {0, 3.6, 5.4, 5.9},
                                                {0, 0.4, 3.4, 3.7}, {5, 0, 2, 3},
                                                {0, 2.8, 3.3, 3.5}, {0, 5.7, 2.2, 2.9}};
    static const char *const name[] = {"lines 7=0 8^21=0", "lines 7=1 8^21=0", "lines 7=0 8^21=1",
                                       "lines 7=1 8^21=1"};

    for (size_t board = 0; board < sizeof distance / sizeof distance[0]; board++)
        for (unsigned c = 0; c < CHANNELS; c++)
            for (double ns = 3.5; ns < 15; ns += 0.5) {
                double changed[CHANNELS];
                memcpy(changed, distance[board], sizeof changed);
                changed[c] += ns;
                start(state);
                tell_halves(&then, distance[board]);
                tell_halves(&now, changed);
                compare(true);
                assert_int_equal(result.told_count, 1);
                assert_string_equal(told_name(), name[c]);
                /* Of that board all was told then, and is kept. */
                if (board == 1)
                    assert_true(
                        fabs(result.told[0].then->value - above_others(distance[board], c)) < 1e-9);
            }
}

/* As a run tells one that stands out: not by its halves, and as exactly as the others are alike. */
static void a_run_that_tells_the_quarter_itself_is_held_as_well(void **state)
{
    (void)state;
    tell_halves(&then, (const double[]){0, 3.6, 5.4, 5.9});
    tell(&now, "lines 7=0 8^21=1", 11.1, 0.3);
    compare(true);
    assert_string_equal(told_name(), "lines 7=0 8^21=1");
    assert_int_equal(result.counts[BASELINE_WORSE], 1);
    assert_true(fabs(result.told[0].then->value - (5.4 - 9.5 / 3)) < 0.01);
}

static void halves_stay_halves(void **state)
{
    (void)state;
    tell_halves(&then, (const double[]){0, 3.6, 5.4, 5.9});
    tell_halves(&now, (const double[]){0, 3.6, 10.4, 10.9});
    compare(true);
    assert_int_equal(result.told_count, 1);
    assert_string_equal(told_name(), "lines 8^21=1");
}

/* Two parts that changed are two. */
static void all_that_changed_is_named(void **state)
{
    (void)state;
    tell_halves(&now, (const double[]){0, 0, 0, 9});
    tell(&now, "lines 16=1", 7, ERROR);
    compare(false);
    assert_int_equal(result.told_count, 2);
    assert_int_equal(result.counts[BASELINE_WORSE], 2);
    assert_string_equal(result.told[0].now->name, "lines 7=1 8^21=1");
    assert_string_equal(result.told[1].now->name, "lines 16=1");
}

/* The same memory told in another way has not changed. */
static void what_is_told_otherwise_is_the_same(void **state)
{
    (void)state;
    tell(&then, "lines 7=1 8^21=1", 9, ERROR);
    tell_halves(&now, (const double[]){0, 0, 0, 9});
    compare(true);
    assert_int_equal(result.told_count, 0);
}

static void a_part_that_is_faster_is_no_worse(void **state)
{
    (void)state;
    tell_halves(&then, (const double[]){0, 0, 0, 9});
    tell_halves(&now, (const double[]){0, 0, 0, 2});
    compare(true);
    assert_int_equal(result.counts[BASELINE_DOUBTED], 1);
    assert_int_equal(result.counts[BASELINE_WORSE], 0);
    assert_string_equal(told_name(), "lines 7=1 8^21=1");
    compare(false);
    assert_int_equal(result.told_count, 0);
}

/* The nearest of four that is no longer nearest: how much slower than the others it is now is
 * within what is allowed, and no board is SUSPECT for a part that is as the others. */
static void a_part_that_was_faster_is_left_open(void **state)
{
    (void)state;
    tell_halves(&then, (const double[]){0, 8, 8, 8});
    tell_halves(&now, (const double[]){9, 8, 8, 8});
    compare(true);
    assert_int_equal(result.counts[BASELINE_DOUBTED], 1);
    assert_int_equal(result.counts[BASELINE_WORSE], 0);
    assert_string_equal(told_name(), "lines 7=0 8^21=0");
    start(state);
    tell_halves(&then, (const double[]){0, 8, 8, 8});
    tell_halves(&now, (const double[]){19, 8, 8, 8});
    compare(true);
    assert_int_equal(result.counts[BASELINE_WORSE], 1);
}

static void its_slot_is_found_by_decode(void **state)
{
    static const char words[] = "0x80/0x200100:A1,A2,B1,B2";
    struct baseline_limits limits = {.latency = 0.05, .alike = true};
    struct decode decode;
    const char *why;

    (void)state;
    assert_true(decode_read(words, sizeof words - 1, &decode, &why));
    limits.decode = &decode;
    tell_halves(&then, (const double[]){0, 3.6, 5.4, 5.9});
    tell_halves(&now, (const double[]){0, 3.6, 10.4, 5.9});
    baseline_compare(&then, &now, &limits, &room, &result);
    assert_string_equal(told_name(), "lines 7=0 8^21=1");
    assert_string_equal(result.told[0].now->slot, "B1");
}

/* More than there is room for, or names that were cut, is left open. */
static void what_cannot_be_held_is_left_open(void **state)
{
    (void)state;
    compare(true);
    assert_int_equal(baseline_left_open(&result), 0);
    tell(&now, "lines 7^", 3, ERROR);
    compare(true);
    assert_int_equal(baseline_left_open(&result), 1);
}

/* ---- what would not have shown */

static void what_would_not_have_shown_is_said(void **state)
{
    (void)state;
    compare(true);
    assert_true(result.unseen.compared && !result.too_little);
    assert_true(result.unseen.lines_ns == 1.6);
    assert_true(fabs(result.unseen.lines_share - 0.016) < 1e-9);
    assert_string_equal(result.unseen.lines, "one line in 4");
    /* Of lines that are apart from boot to boot more. */
    tell(&then, "lines 7=1", 3, ERROR)->scatter = 2;
    tell(&now, "lines 7=1", 3, ERROR);
    compare(true);
    assert_string_equal(result.unseen.lines, "lines 7=1");
    assert_true(result.unseen.lines_ns > 2 && result.unseen.lines_ns < 2.4);
    assert_int_equal(baseline_left_open(&result), 0);
}

static void more_than_is_allowed_is_left_open(void **state)
{
    (void)state;
    now.unseen.part_ns = 5.1;
    compare(true);
    assert_true(result.too_little);
    assert_int_equal(baseline_left_open(&result), 1);
    now.unseen.part_ns = 4.9;
    compare(true);
    assert_int_equal(baseline_left_open(&result), 0);
    /* Not compared at all: any. */
    now.unseen.part_ns = 0;
    compare(true);
    assert_false(result.unseen.compared);
    assert_int_equal(baseline_left_open(&result), 1);
    /* Not asked for. */
    now.unseen = then.unseen = (struct figures_unseen){.half_ns = 0};
    compare(true);
    assert_false(result.unseen.compared);
    assert_int_equal(baseline_left_open(&result), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_are_read_as_they_are_written, start),
        cmocka_unit_test_setup(halves_say_what_their_quarters_are, start),
        cmocka_unit_test_setup(a_quarter_says_little_of_its_halves, start),
        cmocka_unit_test_setup(the_channel_that_changed_is_named, start),
        cmocka_unit_test_setup(a_run_that_tells_the_quarter_itself_is_held_as_well, start),
        cmocka_unit_test_setup(halves_stay_halves, start),
        cmocka_unit_test_setup(all_that_changed_is_named, start),
        cmocka_unit_test_setup(what_is_told_otherwise_is_the_same, start),
        cmocka_unit_test_setup(a_part_that_is_faster_is_no_worse, start),
        cmocka_unit_test_setup(a_part_that_was_faster_is_left_open, start),
        cmocka_unit_test_setup(its_slot_is_found_by_decode, start),
        cmocka_unit_test_setup(what_cannot_be_held_is_left_open, start),
        cmocka_unit_test_setup(what_would_not_have_shown_is_said, start),
        cmocka_unit_test_setup(more_than_is_allowed_is_left_open, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
