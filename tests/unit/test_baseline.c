/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a run kept as text, read back, and held against another run's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/crc32.h"
#include "core/verdict/baseline.h"

#define ROOM 20

static struct figures then, now;
static struct lines_room room;
static struct figures_one then_one[ROOM], now_one[ROOM];
static char written[8192];
static size_t used;

static void keep(void *context, const char *text, size_t bytes)
{
    (void)context;
    memcpy(written + used, text, bytes);
    used += bytes;
}

static int start(void **state)
{
    (void)state;
    figures_start(&then, then_one, ROOM);
    figures_start(&now, now_one, ROOM);
    used = 0;
    return 0;
}

static struct figures_one *add(struct figures *figures, const char *name, enum figures_kind kind,
                               double value, double half)
{
    struct figures_one *one = &figures->one[figures->count++];

    *one = (struct figures_one){
        .kind = kind, .value = value, .low = value - half, .high = value + half};
    snprintf(one->name, sizeof one->name, "%s", name);
    return one;
}

static void write_some(void)
{
    const struct baseline_of of = {"Board\tof a\nmaker", "plan=quick tests=dram"};
    const struct text_sink sink = {NULL, keep};

    add(&then, "dram 2m", FIGURES_LATENCY, 91.25, 0.1);
    add(&then, "odd\tname", FIGURES_RATE, 1e9 / 3, 1e6)->marked = true;
    snprintf(add(&then, "slot A1", FIGURES_WORDS, 0, 0)->words, 20, "16G DDR5");
    add(&then, "speed A1", FIGURES_SPEED, 4800, 0);
    snprintf(add(&then, "lines 17^21=1", FIGURES_DIFFERENCE, 7, 1)->slot, 20, "A2\trank 1");
    then.one[4].against_ns = 85;
    then.unseen = (struct figures_unseen){
        .range_ns = 2, .half_ns = 1.25, .part_ns = 1.5, .parts = 16, .against_ns = 80};
    baseline_write(&of, &then, &sink);
}

static void crc_is_that_of_zip(void **state)
{
    (void)state;
    assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
    assert_int_equal(crc32_add(0, "", 0), 0);
}

static void what_was_written_reads_back(void **state)
{
    struct baseline_of of;
    char why[BASELINE_WHY_BYTES] = "";

    (void)state;
    write_some();
    assert_true(baseline_read(written, used, &of, &now, why));
    assert_string_equal(of.board, "Board of a maker");
    assert_string_equal(of.plan, "plan=quick tests=dram");
    assert_int_equal(now.count, 5);
    assert_string_equal(now.one[4].slot, "A2 rank 1");
    assert_true(now.one[4].against_ns == 85);
    assert_true(now.unseen.range_ns == 2 && now.unseen.half_ns == 1.25);
    assert_true(now.unseen.part_ns == 1.5 && now.unseen.parts == 16);
    assert_true(now.unseen.against_ns == 80);
    assert_string_equal(now.one[1].slot, "");
    assert_string_equal(now.one[1].name, "odd name");
    assert_true(now.one[1].value == then.one[1].value && now.one[1].high == then.one[1].high);
    assert_true(now.one[1].marked && !now.one[0].marked);
    assert_string_equal(now.one[2].words, "16G DDR5");
    assert_true(now.one[3].kind == FIGURES_SPEED && now.one[3].value == 4800);
}

/* What a module is configured for, give or take how firmware rounds it. */
static void configured_speeds_are_held(void **state)
{
    static const struct {
        double mts;
        enum baseline_outcome outcome;
    } tried[] = {{2933, BASELINE_SAME},
                 {2934, BASELINE_SAME},
                 {2666, BASELINE_WORSE},
                 {3200, BASELINE_WORSE}};
    const struct baseline_limits limits = {.latency = 0.5, .rate = 0.5};
    struct baseline_result result;
    char words[200];
    struct text text;

    (void)state;
    add(&then, "speed A1", FIGURES_SPEED, 2933, 0);
    add(&now, "speed A1", FIGURES_SPEED, 0, 0);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        now_one[0].value = now_one[0].low = now_one[0].high = tried[i].mts;
        baseline_compare(&then, &now, &limits, &room, &result);
        assert_int_equal(result.counts[tried[i].outcome], 1);
    }
    text_start(&text, words, sizeof words);
    baseline_words(&result.told[0], &text);
    assert_string_equal(words, "speed A1: 3200.00 instead of 2933.00 MT/s");
    now.count = 0;
    baseline_compare(&then, &now, &limits, &room, &result);
    assert_int_equal(result.counts[BASELINE_MISSING], 1);
}

static void nothing_cut_off_is_taken(void **state)
{
    struct baseline_of of;
    char why[BASELINE_WHY_BYTES];

    (void)state;
    write_some();
    for (size_t bytes = 0; bytes < used; bytes++) {
        now.count = 0;
        assert_false(baseline_read(written, bytes, &of, &now, why));
        assert_true(strlen(why) > 10);
    }
}

static void nothing_edited_is_taken(void **state)
{
    struct baseline_of of;
    char why[BASELINE_WHY_BYTES];

    (void)state;
    write_some();
    for (size_t i = 0; i < used; i++) {
        now.count = 0;
        written[i] ^= 1;
        assert_false(baseline_read(written, used, &of, &now, why));
        written[i] ^= 1;
    }
    now.count = 0;
    written[used] = '#';
    assert_false(baseline_read(written, used + 1, &of, &now, why));
    assert_non_null(strstr(why, "text follows"));
    now.count = 0;
    memcpy(strstr(written, "baseline 5") + 9, "4", 1);
    assert_false(baseline_read(written, used, &of, &now, why));
    assert_string_equal(why, "it is of version 4 instead of 5");
    memcpy(strstr(written, "baseline 4") + 9, "x", 1);
    assert_false(baseline_read(written, used, &of, &now, why));
    assert_non_null(strstr(why, "no baseline"));
    assert_false(baseline_read("{\"record\":\"run\"}\n", 17, &of, &now, why));
    assert_non_null(strstr(why, "no baseline"));
}

/* The same text with CR LF, as an editor of Windows saves it. */
static size_t with_crlf(char *to)
{
    size_t bytes = 0;

    for (size_t i = 0; i < used; i++) {
        if (written[i] == '\n')
            to[bytes++] = '\r';
        to[bytes++] = written[i];
    }
    return bytes;
}

static void what_an_editor_saves_anew_is_the_same(void **state)
{
    char text[sizeof written + 40] = "\xef\xbb\xbf", why[BASELINE_WHY_BYTES] = "";
    struct baseline_of of;
    size_t bytes;

    (void)state;
    write_some();
    bytes = with_crlf(text + 3);
    assert_true(baseline_read(text + 3, bytes, &of, &now, why));
    assert_string_equal(of.board, "Board of a maker");
    assert_string_equal(of.plan, "plan=quick tests=dram");
    assert_int_equal(now.count, 5);
    assert_true(now.one[1].marked);
    assert_string_equal(now.one[2].words, "16G DDR5");
    now.count = 0;
    assert_true(baseline_read(text, bytes + 3, &of, &now, why));
    memcpy(text + 3 + bytes, "\r\n \t\n", 5);
    now.count = 0;
    assert_true(baseline_read(text, bytes + 3 + 5, &of, &now, why));
    now.count = 0;
    assert_false(baseline_read(text + 3, bytes - 1, &of, &now, why));
    assert_non_null(strstr(why, "cut off"));
}

static void what_an_editor_changes_is_said(void **state)
{
    char text[sizeof written + 40], why[BASELINE_WHY_BYTES];
    struct baseline_of of;
    size_t bytes;

    (void)state;
    write_some();
    bytes = with_crlf(text);
    memcpy(strstr(text, "91.25"), "91.35", 5);
    assert_false(baseline_read(text, bytes, &of, &now, why));
    assert_non_null(strstr(why, "edited"));
    bytes = with_crlf(text);
    memcpy(text + bytes, "\r\n#", 3);
    now.count = 0;
    assert_false(baseline_read(text, bytes + 3, &of, &now, why));
    assert_non_null(strstr(why, "text follows"));
    now.count = 0;
    assert_false(baseline_read("\xff\xfe"
                               "b\0a\0",
                               6, &of, &now, why));
    assert_non_null(strstr(why, "UTF-16"));
    /* A CR within a line is no end of one. */
    bytes = with_crlf(text);
    memmove(text + 12, text + 11, bytes - 11);
    text[11] = '\r';
    now.count = 0;
    assert_false(baseline_read(text, bytes + 1, &of, &now, why));
}

static void more_than_fits_is_said(void **state)
{
    struct baseline_of of;
    char why[BASELINE_WHY_BYTES];

    (void)state;
    write_some();
    figures_start(&now, now_one, 2);
    assert_false(baseline_read(written, used, &of, &now, why));
}

static struct baseline_result compare(void)
{
    const struct baseline_limits limits = {.latency = 0.05, .rate = 0.1};
    struct baseline_result result;

    baseline_compare(&then, &now, &limits, &room, &result);
    return result;
}

/* What of one figure, once 100 and now `value`, each with such bounds. */
static enum baseline_outcome outcome(enum figures_kind kind, double value, double half)
{
    struct baseline_result result;

    start(NULL);
    add(&then, "x", kind, 100, half);
    add(&now, "x", kind, value, half);
    result = compare();
    for (unsigned i = 1; i < BASELINE_OUTCOMES; i++)
        if (result.counts[i] != 0)
            return (enum baseline_outcome)i;
    return BASELINE_SAME;
}

static void limits_and_errors_are_both_allowed(void **state)
{
    (void)state;
    assert_int_equal(outcome(FIGURES_LATENCY, 104.9, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_LATENCY, 105.1, 0), BASELINE_WORSE);
    assert_int_equal(outcome(FIGURES_LATENCY, 101, 1), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_LATENCY, 103, 1), BASELINE_DOUBTED);
    assert_int_equal(outcome(FIGURES_LATENCY, 107, 1), BASELINE_DOUBTED);
    assert_int_equal(outcome(FIGURES_RATE, 93, 3), BASELINE_DOUBTED);
    assert_int_equal(outcome(FIGURES_DIFFERENCE, 102, 1), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_DIFFERENCE, 90, 1), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_SIZE, 99.5, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_SIZE, 98, 0), BASELINE_WORSE);
    assert_int_equal(outcome(FIGURES_SIZE, 110, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_LATENCY, 108, 1), BASELINE_WORSE);
    assert_int_equal(outcome(FIGURES_LATENCY, 50, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_RATE, 90.1, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_RATE, 89.9, 0), BASELINE_WORSE);
    assert_int_equal(outcome(FIGURES_RATE, 200, 0), BASELINE_SAME);
    assert_int_equal(outcome(FIGURES_TIME, 94, 0), BASELINE_WORSE);
    assert_int_equal(outcome(FIGURES_TIME, 106, 0), BASELINE_WORSE);
}

static void doubted_missing_and_new_are_told_apart(void **state)
{
    struct baseline_result result;

    (void)state;
    add(&then, "a", FIGURES_LATENCY, 100, 1);
    add(&then, "b", FIGURES_LATENCY, 100, 1);
    add(&then, "lines 17=1", FIGURES_DIFFERENCE, 7, 1);
    snprintf(add(&then, "slot", FIGURES_WORDS, 0, 0)->words, 20, "16G");
    snprintf(add(&now, "slot", FIGURES_WORDS, 0, 0)->words, 20, "empty");
    add(&now, "lines 18=1", FIGURES_DIFFERENCE, 9, 1);
    add(&now, "range", FIGURES_DIFFERENCE, -9, 1);
    add(&now, "a", FIGURES_LATENCY, 150, 1)->marked = true;
    result = compare();
    assert_int_equal(result.counts[BASELINE_DOUBTED], 1);
    assert_int_equal(result.counts[BASELINE_MISSING], 1);
    assert_int_equal(result.counts[BASELINE_WORSE], 2); /* the slot, and lines that are new */
    assert_int_equal(result.told_count, 4);
    assert_int_equal(result.told[0].outcome, BASELINE_WORSE);
    assert_int_equal(result.told[3].outcome, BASELINE_MISSING);
}

static void the_worst_are_told_first(void **state)
{
    struct baseline_result result;
    char words[200], name[8];
    struct text text;

    (void)state;
    for (unsigned i = 0; i < ROOM; i++) {
        snprintf(name, sizeof name, "b%u", i);
        add(&then, name, FIGURES_LATENCY, 100, 0);
        add(&now, name, FIGURES_LATENCY, 110 + (i * 7) % ROOM, 0);
    }
    result = compare();
    assert_int_equal(result.counts[BASELINE_WORSE], ROOM);
    assert_int_equal(result.told_count, BASELINE_TOLD_MAX);
    for (unsigned i = 0; i < BASELINE_TOLD_MAX; i++)
        assert_true(result.told[i].now->value == 110 + ROOM - 1 - i);
    text_start(&text, words, sizeof words);
    baseline_words(&result.told[0], &text);
    assert_non_null(strstr(words, "129.00 instead of 100.00 ns"));
}

static void what_is_doubted_may_be_the_same(void **state)
{
    struct baseline_result result;
    char words[240];
    struct text text;

    (void)state;
    add(&then, "b", FIGURES_LATENCY, 100, 8);
    add(&now, "b", FIGURES_LATENCY, 100, 8);
    result = compare();
    assert_int_equal(result.told_count, 1);
    text_start(&text, words, sizeof words);
    baseline_words(&result.told[0], &text);
    assert_string_equal(words, "b: 100.00 ns in both, doubted: what is allowed is within the "
                               "errors");
}

/* As much as is not told may have been there then; up to what a latency may be it is left open. */
static void lines_are_new_beyond_what_is_not_told(void **state)
{
    static const struct {
        double ns;
        enum baseline_outcome outcome;
    } cases[] = {{2.3, BASELINE_SAME},
                 {2.7, BASELINE_DOUBTED},
                 {6.5, BASELINE_DOUBTED},
                 {6.8, BASELINE_WORSE}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct figures_one *one;
        struct baseline_result result;
        start(state);
        one = add(&now, "lines 6=1", FIGURES_DIFFERENCE, cases[i].ns, 1);
        then.unseen.half_ns = now.unseen.half_ns = 2;
        one->against_ns = 100;
        result = compare();
        for (unsigned k = BASELINE_WORSE; k <= BASELINE_DOUBTED; k++)
            assert_int_equal(result.counts[k], k == cases[i].outcome);
    }
}

/* A slot is a label: the same figure without it is the same. */
static void the_slot_is_told_where_one_is_known(void **state)
{
    struct baseline_result result;
    char words[200];
    struct text text;

    (void)state;
    add(&then, "lines 6=1", FIGURES_DIFFERENCE, 2, 0.1);
    snprintf(add(&now, "lines 6=1", FIGURES_DIFFERENCE, 6, 0.1)->slot, 8, "B1");
    result = compare();
    assert_int_equal(result.counts[BASELINE_WORSE], 1);
    text_start(&text, words, sizeof words);
    baseline_words(&result.told[0], &text);
    assert_string_equal(words, "lines 6=1 (B1): 6.00 instead of 2.00 ns slower than others");
}

static void options_that_decide_are_the_plan(void **state)
{
    const struct record_run run = {.board = "b",
                                   .options = "plan=full tests=dram seed=7 max=1G out=/tmp/x "
                                              "prefetch=off testsx=1 budget=9 block=64M"};
    struct baseline_of of;

    (void)state;
    baseline_of_run(&run, &of);
    assert_string_equal(of.plan, "plan=full tests=dram max=1G prefetch=off block=64M");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(crc_is_that_of_zip, start),
        cmocka_unit_test_setup(what_was_written_reads_back, start),
        cmocka_unit_test_setup(nothing_cut_off_is_taken, start),
        cmocka_unit_test_setup(configured_speeds_are_held, start),
        cmocka_unit_test_setup(nothing_edited_is_taken, start),
        cmocka_unit_test_setup(what_an_editor_saves_anew_is_the_same, start),
        cmocka_unit_test_setup(what_an_editor_changes_is_said, start),
        cmocka_unit_test_setup(more_than_fits_is_said, start),
        cmocka_unit_test_setup(limits_and_errors_are_both_allowed, start),
        cmocka_unit_test_setup(doubted_missing_and_new_are_told_apart, start),
        cmocka_unit_test_setup(the_worst_are_told_first, start),
        cmocka_unit_test_setup(what_is_doubted_may_be_the_same, start),
        cmocka_unit_test_setup(lines_are_new_beyond_what_is_not_told, start),
        cmocka_unit_test_setup(the_slot_is_told_where_one_is_known, start),
        cmocka_unit_test_setup(options_that_decide_are_the_plan, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
