/* SPDX-License-Identifier: BSD-2-Clause */
/* core/clock/calendar.c against scripted clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "core/clock/calendar.h"

/* ---- dates */

static bool seconds_of(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute,
                       unsigned second, int64_t *seconds)
{
    struct calendar_time time = {year, month, day, hour, minute, second};

    return calendar_seconds(&time, seconds);
}

static void dates_as_the_c_library_has_them(void **state)
{
    (void)state;
    for (unsigned year = 1970; year < 2420; year++) {
        for (unsigned month = 1; month <= 12; month++) {
            unsigned day = 1 + (year * 7 + month * 5) % 28;
            struct tm tm = {.tm_year = (int)year - 1900,
                            .tm_mon = (int)month - 1,
                            .tm_mday = (int)day,
                            .tm_hour = 23,
                            .tm_min = 59,
                            .tm_sec = 58};
            int64_t seconds;

            assert_true(seconds_of(year, month, day, 23, 59, 58, &seconds));
            assert_int_equal(seconds, timegm(&tm));
        }
    }
}

static void days_follow_each_other(void **state)
{
    int64_t before, after;

    (void)state;
    assert_true(seconds_of(2023, 12, 31, 23, 59, 59, &before));
    assert_true(seconds_of(2024, 1, 1, 0, 0, 0, &after));
    assert_int_equal(after - before, 1);
    assert_true(seconds_of(2024, 2, 29, 0, 0, 0, &before));
    assert_true(seconds_of(2024, 3, 1, 0, 0, 0, &after));
    assert_int_equal(after - before, 86400);
    assert_true(seconds_of(2016, 12, 31, 23, 59, 60, &before));
    assert_true(seconds_of(2017, 1, 1, 0, 0, 0, &after));
    assert_int_equal(after, before);
    assert_true(seconds_of(1, 1, 1, 0, 0, 0, &before));
    assert_int_equal(before, -62135596800);
}

static void impossible_dates_are_refused(void **state)
{
    int64_t seconds;

    (void)state;
    assert_false(seconds_of(0, 1, 1, 0, 0, 0, &seconds));
    assert_false(seconds_of(10000, 1, 1, 0, 0, 0, &seconds));
    assert_false(seconds_of(2024, 0, 1, 0, 0, 0, &seconds));
    assert_false(seconds_of(2024, 13, 1, 0, 0, 0, &seconds));
    assert_false(seconds_of(2024, 4, 31, 0, 0, 0, &seconds));
    assert_false(seconds_of(2023, 2, 29, 0, 0, 0, &seconds));
    assert_false(seconds_of(1900, 2, 29, 0, 0, 0, &seconds));
    assert_true(seconds_of(2000, 2, 29, 0, 0, 0, &seconds));
    assert_false(seconds_of(2024, 1, 0, 0, 0, 0, &seconds));
    assert_false(seconds_of(2024, 1, 1, 24, 0, 0, &seconds));
    assert_false(seconds_of(2024, 1, 1, 0, 60, 0, &seconds));
    assert_false(seconds_of(2024, 1, 1, 0, 0, 61, &seconds));
}

/* ---- edges: two clocks over one true time */

#define READ_NS 50000ull /* what a reading of the calendar takes */

static struct scene {
    uint64_t now_ns;
    uint64_t tick_hz;     /* true */
    uint64_t second_ns;   /* true length of a calendar's second */
    uint64_t calendar_ns; /* the calendar's phase */
    uint64_t read_ns;
    unsigned fails_after, reads;
    int64_t jump;      /* added after 2000 readings */
    uint64_t stall_ns; /* how long the 1000th reading stops everything but the clocks */
    bool frozen;
} scene;

static uint64_t scene_ticks(void *context)
{
    (void)context;
    if (!scene.frozen)
        scene.now_ns += 20;
    return (uint64_t)((unsigned __int128)scene.now_ns * scene.tick_hz / 1000000000);
}

static bool scene_calendar(void *context, int64_t *seconds)
{
    (void)context;
    if (scene.fails_after && ++scene.reads > scene.fails_after)
        return false;
    if (!scene.frozen)
        scene.now_ns += scene.read_ns / 2;
    *seconds = (int64_t)((scene.now_ns + scene.calendar_ns) / scene.second_ns);
    if (++scene.reads > 2000)
        *seconds += scene.jump;
    if (scene.reads == 1000)
        scene.now_ns += scene.stall_ns;
    if (!scene.frozen)
        scene.now_ns += scene.read_ns / 2;
    return true;
}

static void scene_start(void)
{
    scene = (struct scene){.now_ns = 123456789012,
                           .tick_hz = 25000000,
                           .second_ns = 1000000000,
                           .calendar_ns = 310000000,
                           .read_ns = READ_NS};
}

static enum status edge_find(struct calendar_edge *edge)
{
    return calendar_edge_find(scene_calendar, NULL, scene_ticks, NULL, 2 * scene.tick_hz, edge);
}

static void an_edge_is_bracketed(void **state)
{
    struct calendar_edge edge;
    uint64_t true_tick;

    (void)state;
    scene_start();
    assert_int_equal(edge_find(&edge), STATUS_OK);
    true_tick = (uint64_t)(((double)edge.second * 1e9 - (double)scene.calendar_ns) * 0.025);
    assert_true(edge.before <= true_tick && true_tick <= edge.after);
    /* two readings' time, 25 ticks a microsecond */
    assert_true(edge.after - edge.before <= 2 * 25 * (READ_NS / 1000) + 25);
}

static void clocks_that_do_not_work(void **state)
{
    struct calendar_edge edge;

    (void)state;
    scene_start();
    scene.fails_after = 1;
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
    scene_start();
    scene.fails_after = 100;
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
    scene_start();
    scene.second_ns = 1ull << 60; /* stopped */
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
    assert_true(scene.now_ns < 123456789012 + 2100000000);
    scene_start();
    scene.jump = 3600;
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
    scene_start();
    scene.jump = -1;
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
    /* Nothing moves at all: it ends nevertheless. */
    scene_start();
    scene.frozen = true;
    assert_int_equal(edge_find(&edge), STATUS_UNSUPPORTED);
}

/* A stall of more than a second costs an edge, not the calendar. */
static void a_stall_is_skipped(void **state)
{
    struct calendar_edge edge;
    uint64_t true_tick;

    (void)state;
    for (uint64_t stall_ns = 500000000; stall_ns < 5000000000; stall_ns += 700000000) {
        scene_start();
        scene.stall_ns = stall_ns;
        assert_int_equal(edge_find(&edge), STATUS_OK);
        true_tick = (uint64_t)(((double)edge.second * 1e9 - (double)scene.calendar_ns) * 0.025);
        assert_true(edge.before <= true_tick && true_tick <= edge.after);
        assert_true(scene.now_ns < 123456789012 + stall_ns + 2000000000);
    }
}

/* A run of `seconds` in steps of 50 ms, believing believed_hz; returns what it knows at the end. */
static bool run_beside(bool alone, struct calendar_watch *watch, double believed_hz,
                       unsigned seconds, double *ppm, double *over_s)
{
    uint64_t end = scene.now_ns + seconds * 1000000000ull;
    struct calendar_edge edge;

    calendar_watch_start(watch, believed_hz, scene_ticks(NULL), alone);
    while (scene.now_ns < end) {
        scene.now_ns += 50000000;
        if (!calendar_watch_due(watch, scene_ticks(NULL)))
            continue;
        assert_int_equal(edge_find(&edge), STATUS_OK);
        calendar_watch_edge(watch, &edge);
    }
    return calendar_watch_result(watch, ppm, over_s);
}

static bool run(struct calendar_watch *watch, double believed_hz, unsigned seconds, double *ppm,
                double *over_s)
{
    return run_beside(true, watch, believed_hz, seconds, ppm, over_s);
}

/* A run of a minute is not held up; two minutes are compared. */
static void beside_another_clock_only_long_runs_are_compared(void **state)
{
    struct calendar_watch watch;
    double ppm, seconds;

    (void)state;
    scene_start();
    assert_false(run_beside(false, &watch, 25e6, 59, &ppm, &seconds));
    assert_int_equal(watch.edges, 0);
    scene_start();
    assert_true(run_beside(false, &watch, 25e6 * 1.0001, 125, &ppm, &seconds));
    assert_int_equal(watch.edges, 2);
    assert_true(seconds >= 59);
    assert_true(ppm > 96 && ppm < 104);
}

static void a_run_is_compared(void **state)
{
    static const double off_ppm[] = {0, 20, -50, 1000, -3000, 1000000};
    struct calendar_watch watch;
    double ppm, seconds;

    (void)state;
    for (size_t i = 0; i < sizeof(off_ppm) / sizeof(off_ppm[0]); i++) {
        scene_start();
        assert_true(run(&watch, 25e6 * (1 + off_ppm[i] * 1e-6), 70, &ppm, &seconds));
        assert_true(ppm > off_ppm[i] * (1 - 1e-4) - 4 && ppm < off_ppm[i] * (1 + 1e-4) + 4);
        assert_true(seconds >= 10);
    }
}

/* At least half of the run is compared, at the cost of a few edges. */
static void edges_are_few(void **state)
{
    struct calendar_watch watch;
    double ppm, seconds;

    (void)state;
    scene_start();
    assert_true(run(&watch, 25e6, 70, &ppm, &seconds));
    assert_int_equal(watch.edges, 4);
    assert_true(seconds >= 32);
    scene_start();
    assert_true(run(&watch, 25e6, 1000, &ppm, &seconds));
    assert_int_equal(watch.edges, 7);
    assert_true(seconds >= 495);
}

static void too_short_or_too_imprecise(void **state)
{
    struct calendar_watch watch;
    double ppm, seconds;

    (void)state;
    scene_start();
    assert_false(run(&watch, 25e6, 2, &ppm, &seconds));
    assert_int_equal(watch.edges, 0);
    assert_false(run(&watch, 25e6, 12, &ppm, &seconds));
    assert_int_equal(watch.edges, 1);
    /* 100 ms for a reading: several thousand ppm over 20 s. */
    scene_start();
    scene.read_ns = 100000000;
    assert_false(run(&watch, 25e6, 25, &ppm, &seconds));
    assert_true(watch.edges >= 2);
    calendar_watch_start(&watch, 0, 0, true);
    assert_false(calendar_watch_due(&watch, UINT64_MAX));
    assert_false(calendar_watch_result(&watch, &ppm, &seconds));
}

/* The firmware's calendar runs on our own clock: every second begins at a multiple of its
 * frequency. */
static void the_same_clock_is_no_second_one(void **state)
{
    struct calendar_watch watch;
    double ppm, seconds;

    (void)state;
    scene_start();
    scene.calendar_ns = 0;
    assert_false(run(&watch, 25e6, 70, &ppm, &seconds));
    assert_true(calendar_watch_is_same_clock(&watch));
    scene_start();
    scene.calendar_ns = 400000000;
    assert_true(run(&watch, 25e6, 70, &ppm, &seconds));
    assert_false(calendar_watch_is_same_clock(&watch));
    calendar_watch_start(&watch, 25e6, 0, true);
    assert_false(calendar_watch_is_same_clock(&watch));
}

static void frequency_of_two_edges(void **state)
{
    static const struct calendar_edge a = {1000, 1010, 5}, b = {51000, 51010, 7};

    (void)state;
    assert_float_equal(calendar_hz(&a, &b), 25000, 0);
    assert_float_equal(calendar_hz(&b, &a), 0, 0);
    assert_float_equal(calendar_hz(&a, &a), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_as_the_c_library_has_them),
        cmocka_unit_test(days_follow_each_other),
        cmocka_unit_test(impossible_dates_are_refused),
        cmocka_unit_test(an_edge_is_bracketed),
        cmocka_unit_test(clocks_that_do_not_work),
        cmocka_unit_test(a_stall_is_skipped),
        cmocka_unit_test(a_run_is_compared),
        cmocka_unit_test(beside_another_clock_only_long_runs_are_compared),
        cmocka_unit_test(edges_are_few),
        cmocka_unit_test(too_short_or_too_imprecise),
        cmocka_unit_test(the_same_clock_is_no_second_one),
        cmocka_unit_test(frequency_of_two_edges),
    };
    return cmocka_run_group_tests_name("calendar", tests, NULL, NULL);
}
