/* SPDX-License-Identifier: BSD-2-Clause */
/* The live line: it shows that the run is alive, and its estimate is plausible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/live.h"

#define MS      1000000ull
#define STEP_NS (250 * MS)

static const char curve[] = "curve", dram[] = "dram";

static void a_line_says_what_how_far_and_how_long(void **state)
{
    struct progress now = {curve, 12, 57, 0.219, 83.4, NULL, 0};
    struct live_line live = {.shown = false};
    char words[LIVE_BYTES];

    (void)state;
    assert_true(live_words(&live, &now, 5 * MS, STEP_NS, words));
    assert_string_equal(words, "curve  12/57  21 %  1:23 left");
}

static void it_comes_when_something_has_changed(void **state)
{
    struct progress now = {curve, 1, 9, 0.10, 60, NULL, 0};
    struct live_line live = {.shown = false};
    char words[LIVE_BYTES];

    (void)state;
    assert_true(live_words(&live, &now, 0, STEP_NS, words));
    now.done_share = 0.2;
    assert_false(live_words(&live, &now, 249 * MS, STEP_NS, words));
    assert_true(live_words(&live, &now, 250 * MS, STEP_NS, words));
    assert_false(live_words(&live, &now, 1249 * MS, STEP_NS, words));
    assert_true(live_words(&live, &now, 1250 * MS, STEP_NS, words));
    now.experiment = dram;
    assert_true(live_words(&live, &now, 1251 * MS, STEP_NS, words));
}

/* Looking for levels comes when the run is nearly over: its line moves all the same, and the run's
 * goes on where it was. */
static void work_that_is_no_point_has_a_share_of_its_own(void **state)
{
    struct progress run = {curve, 8, 9, 0.99, 1, NULL, 0},
                    work = {"levels", 0, 0, 0.01, 30, NULL, 0};
    struct live_line live = {.shown = false};
    char words[LIVE_BYTES];

    (void)state;
    assert_true(live_words(&live, &run, 0, STEP_NS, words));
    assert_true(live_words(&live, &work, MS, STEP_NS, words));
    assert_string_equal(words, "levels  1 %");
    work.done_share = 0.4;
    assert_false(live_words(&live, &work, 250 * MS, STEP_NS, words));
    assert_true(live_words(&live, &work, 251 * MS, STEP_NS, words));
    assert_string_equal(words, "levels  40 %");
    assert_false(live_words(&live, &work, 1250 * MS, STEP_NS, words));
    assert_true(live_words(&live, &work, 1251 * MS, STEP_NS, words));
    run.left_s = 50;
    run.done_share = 0.5;
    assert_true(live_words(&live, &run, 1252 * MS, STEP_NS, words));
    assert_string_equal(words, "curve  8/9  99 %  0:01 left");
}

/* However the estimate jumps, from line to line it rises by a tenth at most, and the share never
 * falls. */
static void estimates_never_jump_back(void **state)
{
    static const double left_s[] = {30, 90, 10, 40, 0, -1, 0.2, 20, 100, 5000};
    struct live_line live = {.shown = false};
    double last_s = 0;
    unsigned last = 0;
    char words[LIVE_BYTES];

    (void)state;
    for (size_t i = 0; i < 400; i++) {
        double left = left_s[i / 40], share = 0.3 + 0.5 / (1 + left * left);
        struct progress now = {i % 3 ? curve : dram, 1, 9, share, left, NULL, 0};

        assert_true(live_words(&live, &now, i * 2000 * MS, STEP_NS, words));
        assert_true(live.left_s >= 1);
        assert_true(i == 0 || live.left_s <= 1.1000001 * last_s);
        assert_true(live.percent >= last);
        last_s = live.left_s;
        last = live.percent;
        if (i % 40 == 39 && left >= 1 && left < 101)
            assert_true(live.left_s == left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_what_how_far_and_how_long),
        cmocka_unit_test(it_comes_when_something_has_changed),
        cmocka_unit_test(estimates_never_jump_back),
        cmocka_unit_test(work_that_is_no_point_has_a_share_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
