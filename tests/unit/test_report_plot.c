/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves as pictures: every character of a small one, odd ranges, and what the report shows when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/plot.h"
#include "core/report/report.h"
#include "tests/unit/support_records.h"
#include "tests/unit/support_text.h"

static struct report_point points[REPORT_POINTS_MAX];
static size_t count;
static struct report_level levels[REPORT_LEVELS_MAX];
static size_t level_count;
/* Between bytes that must stay as they are. */
static struct {
    char before[64];
    struct plot plot;
    char after[64];
} drawn;

static int start(void **state)
{
    (void)state;
    count = 0;
    level_count = 0;
    return 0;
}

static void point(uint8_t page_log2, uint64_t bytes, double ns)
{
    points[count++] =
        (struct report_point){.bytes = bytes, .ns = ns, .page_log2 = page_log2, .pattern = "cycle"};
}

static void level(const char *name, double bytes, double ns)
{
    struct report_level *l = &levels[level_count++];

    *l = (struct report_level){.bytes = bytes, .ns = ns, .adds = strncmp(name, "TLB", 3) == 0};
    snprintf(l->name, sizeof(l->name), "%s", name);
}

/* Draws, and checks that the picture stays within its bounds. */
static bool draw(void)
{
    struct plot_request request = {points, count, points, levels, level_count};
    bool any;

    memset(&drawn, 0x5a, sizeof(drawn));
    any = plot_draw(&drawn.plot, &request);
    for (size_t i = 0; i < sizeof(drawn.before); i++)
        assert_true(drawn.before[i] == 0x5a && drawn.after[i] == 0x5a);
    assert_true(drawn.plot.lines <= PLOT_LINES);
    assert_int_equal(any, drawn.plot.lines > 0);
    for (size_t i = 0; i < drawn.plot.lines; i++) {
        size_t length = strnlen(drawn.plot.line[i], REPORT_WIDTH + 1);

        assert_in_range(length, 1, REPORT_WIDTH);
        assert_int_not_equal(drawn.plot.line[i][length - 1], ' ');
        for (size_t j = 0; j < length; j++)
            assert_in_range(drawn.plot.line[i][j], 0x20, 0x7e);
    }
    return any;
}

static void expect_picture(const char *const *lines, size_t expected)
{
    assert_true(draw());
    for (size_t i = 0; i < expected && i < drawn.plot.lines; i++)
        if (strcmp(lines[i], drawn.plot.line[i]) != 0)
            fail_msg("line %zu\n is '%s'\n not '%s'", i, drawn.plot.line[i], lines[i]);
    assert_int_equal(drawn.plot.lines, expected);
}

#define PICTURE(lines) expect_picture(lines, sizeof(lines) / sizeof((lines)[0]))

static size_t marks(char mark)
{
    size_t found = 0;

    for (size_t i = 1; i < drawn.plot.lines; i++) {
        const char *line = drawn.plot.line[i];

        if (strlen(line) < 8 || strchr("|+", line[7]) == NULL)
            continue;
        for (size_t j = 8; j < 62 && line[j] != '\0'; j++)
            found += line[j] == mark;
    }
    return found;
}

static bool shows(const char *words)
{
    for (size_t i = 0; i < drawn.plot.lines; i++)
        if (strstr(drawn.plot.line[i], words) != NULL)
            return true;
    return false;
}

static void a_small_curve(void **state)
{
    static const char *const lines[] = {
        "    ns  4: 4k   2: 2m   #: several",
        "                               L2",
        "                             TLB 4k L1",
        "   100 +                     : :                             4",
        "       |                     : :         4        4          2 - memory 80.00",
        "    50 +                     : :                  2",
        "       |                     : :",
        "       |                     : :         2",
        "    20 +                     : :",
        "       |                     : :",
        "    10 +                     :4:",
        "       |                     : :",
        "     5 +                     : :",
        "       |           #         :2:                               - L2 4.20",
        "       |                     : :",
        "     2 +                     : :",
        "       |                     : :                               - L1 1.20",
        "     1 +#                    : :",
        "       ++----------+---------+----------+---------+----------+",
        "       4K         16K       64K       256K       1M         4M   working set",
    };

    (void)state;
    level("L1", NAN, 1.2);
    level("TLB 4k L1", 65536, 3);
    level("L2", 80000, 4.2);
    level("memory", NAN, 80);
    for (int page = 0; page < 2; page++) {
        point(page == 0 ? 12 : 21, 4096, 1);
        point(page == 0 ? 12 : 21, 16384, 4);
        point(page == 0 ? 12 : 21, 70000, page == 0 ? 10 : 4);
        point(page == 0 ? 12 : 21, 300000, page == 0 ? 70 : 30);
        point(page == 0 ? 12 : 21, 1 << 20, page == 0 ? 75 : 55);
        point(page == 0 ? 12 : 21, 4 << 20, page == 0 ? 100 : 80);
    }
    PICTURE(lines);
}

static void one_point_stands_on_axes_of_its_own(void **state)
{
    (void)state;
    point(30, 48 << 10, 3);
    assert_true(draw());
    assert_int_equal(marks('1'), 1);
    assert_true(shows("    ns  1: 1g"));
    assert_true(shows("     2 +"));
    assert_true(shows("     5 +"));
    assert_true(shows("       32K "));
    assert_true(shows(" 64K  "));
}

static void equal_figures_are_a_level_line(void **state)
{
    (void)state;
    for (uint64_t set = 4096; set <= 1 << 20; set *= 2)
        point(12, set, 5);
    assert_true(draw());
    for (size_t i = 0; i < drawn.plot.lines; i++)
        if (strncmp(drawn.plot.line[i], "     5 +4      4     4 ", 21) == 0)
            return;
    fail_msg("the line of 5 ns is not at the lower end");
}

static void one_set_measured_often_is_a_column(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        point(12, 8192, 1 + i);
    assert_true(draw());
    for (size_t i = 1; i < drawn.plot.lines; i++)
        assert_null(strchr(drawn.plot.line[i] + 9, '4'));
    assert_false(shows("#"));
}

/* The label of a decade appears once, and only where that decade is. */
static void a_huge_range_is_labelled_in_decades(void **state)
{
    (void)state;
    point(12, 64, 1.1e-9);
    point(12, 1ull << 20, 1);
    point(21, UINT64_MAX, 9e14);
    level("L1", 1e300, 1e300);
    level("L2", DBL_MIN, DBL_MIN);
    assert_true(draw());
    assert_true(shows("  1e15 +"));
    assert_true(shows("  1e-9 +"));
    assert_false(shows("2e"));
    assert_false(shows("L1"));
    assert_false(shows("L2"));
    assert_true(shows("  16K    2M   256M "));
    assert_int_equal(marks('2'), 1);
    assert_int_equal(marks('4'), 2);
}

static void the_largest_sets_have_their_place(void **state)
{
    (void)state;
    point(12, 1ull << 60, 1);
    point(12, UINT64_MAX, 5);
    assert_true(draw());
    assert_true(shows("       1E "));
    assert_true(shows(" 8E "));
    assert_int_equal(marks('4'), 2);
}

static void what_is_not_known_is_left_out(void **state)
{
    const double wrong[] = {NAN, INFINITY, -INFINITY, 0, -1, DBL_MAX, DBL_MIN / 4};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        point(12, 4096, wrong[i]);
        level("nowhere", wrong[i], wrong[i]);
    }
    point(12, 0, 5);
    assert_false(draw());
    point(12, 8192, 5);
    point(12, 8192, 6);
    points[count - 1].prefetch = PREFETCH_ON;
    point(12, 16384, 7);
    strcpy(points[count - 1].pattern, "iid");
    assert_true(draw());
    assert_int_equal(marks('4'), 1);
    assert_false(shows("nowhere"));
    count = 0;
    assert_false(draw());
}

static void every_page_size_has_its_mark(void **state)
{
    static const uint8_t log2[] = {0, 12, 21, 30, 14};

    (void)state;
    for (size_t i = 0; i < sizeof(log2); i++)
        point(log2[i], 4096ull << i, 10);
    assert_true(draw());
    assert_true(shows("f: firmware's own   4: 4k   2: 2m   1: 1g   o: other pages"));
    assert_false(shows("#"));
    assert_int_equal(marks('f') + marks('o') + marks('4') + marks('2'), 4);
    point(12, 4096, 10);
    assert_true(draw());
    assert_true(shows("other pages   #: several"));
    assert_int_equal(marks('#'), 1);
    assert_int_equal(marks('f'), 0);
}

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 20;
}

static double random_double(void)
{
    union {
        uint64_t word;
        double real;
    } u = {.word = random_bits() << 40 ^ random_bits() << 20 ^ random_bits()};

    return random_bits() % 4 == 0 ? u.real : exp((double)(random_bits() % 80) - 25);
}

static void nothing_leaves_the_picture(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        start(NULL);
        random_state = (uint64_t)round;
        for (int i = 0; i < REPORT_POINTS_MAX; i++)
            point((uint8_t)random_bits(), random_bits() << random_bits() % 30, random_double());
        for (int i = 0; i < REPORT_LEVELS_MAX; i++) {
            level("", random_double(), random_double());
            memset(levels[i].name, 'a' + i, random_bits() % sizeof(levels[i].name));
        }
        draw();
        count = 1 + random_bits() % 3;
        draw();
    }
}

static void levels_find_room_for_their_names(void **state)
{
    (void)state;
    point(12, 4096, 1);
    point(12, 1 << 30, 100);
    level("L1", 32768, 1);
    level("unexplained", 36000, 1);
    level("L2 + TLB 4k L1", 1 << 28, 100.1);
    level("memory", NAN, 95);
    assert_true(draw());
    assert_true(shows(" - L1 1.00"));
    assert_true(shows("   unexplained"));
    assert_true(shows(" L1"));
    assert_true(shows(" unexplained"));
    assert_true(shows("TLB 4k L1"));
    assert_true(shows(" - L2 + TLB 4k L1"));
    assert_false(shows(":nexplained"));
    assert_false(shows("TLB:"));
}

/* Three columns apart: the line of the second would go through the blank of the first's name. */
static void no_line_goes_through_a_name(void **state)
{
    (void)state;
    point(12, 4096, 1);
    point(12, 1 << 30, 100);
    level("TLB 4k L1", 32768, 1);
    level("L9", 65536, 1);
    assert_true(draw());
    assert_true(shows(" TLB 4k L1"));
    assert_true(shows(" L9"));
}

/* ---- when the report shows one */

static struct report report;
static struct kept_text shown;

static int start_report(void **state)
{
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    report_start(&report, &sink);
    return 0;
}

static uint64_t stride_bytes = 64;

static void emit_curve(const char *pattern, enum prefetch_state state, int sets)
{
    for (int i = 0; i < sets; i++) {
        struct record r = support_point();

        r.u.point.bytes = 4096ull << i;
        r.u.point.ns_median = 1 + i;
        r.u.point.pattern = pattern;
        r.u.point.prefetch = state;
        r.u.point.stride_bytes = stride_bytes;
        report_record(&report, &r);
    }
}

static void emit_level(const char *name, const char *kind, double bytes, double ns)
{
    struct record r = {.kind = RECORD_LEVEL,
                       .u.level = {.experiment = "curve",
                                   .name = name,
                                   .kind = kind,
                                   .bytes = bytes,
                                   .bytes_low = bytes * 0.99,
                                   .bytes_high = bytes * 1.01,
                                   .ns = ns,
                                   .ns_low = ns * 0.99,
                                   .ns_high = ns * 1.01,
                                   .cycles = 3 * ns,
                                   .declared_bytes = RECORD_UNKNOWN}};

    report_record(&report, &r);
}

static size_t pictures(void)
{
    size_t found = 0;

    for (const char *pos = shown.text; (pos = strstr(pos, ": ns over working set")) != NULL; pos++)
        found++;
    return found;
}

static void the_sharper_curve_is_the_picture(void **state)
{
    (void)state;
    emit_curve("cycle", PREFETCH_OFF, 6);
    emit_curve("iid", PREFETCH_OFF, 6);
    report_flush(&report);
    assert_non_null(
        strstr(shown.text, "\ncurve: ns over working set, pattern cycle, prefetchers off\n"));
    assert_int_equal(pictures(), 1);
    start_report(NULL);
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_curve("cycle", PREFETCH_OFF, 4);
    report_flush(&report);
    assert_non_null(
        strstr(shown.text, "\ncurve: ns over working set, pattern iid, prefetchers off\n"));
    assert_int_equal(pictures(), 1);
    start_report(NULL);
    emit_curve("cycle", PREFETCH_OFF, 4);
    report_flush(&report);
    assert_int_equal(pictures(), 0);
}

/* Also for lines whose length is not declared; and not for another stride. */
static void levels_stand_in_the_picture_of_their_stride(void **state)
{
    (void)state;
    stride_bytes = 128;
    emit_curve("cycle", PREFETCH_OFF, 6);
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_level("L1", "cache", 16384, 2);
    report_flush(&report);
    assert_int_equal(pictures(), 1);
    assert_non_null(strstr(shown.text, "pattern cycle stride=128, prefetchers off\n    ns"));
    assert_non_null(strstr(shown.text, "- L1 2.00"));
    start_report(NULL);
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_level("L1", "cache", 16384, 2);
    stride_bytes = 64;
    emit_curve("cycle", PREFETCH_OFF, 6);
    report_flush(&report);
    assert_int_equal(pictures(), 2);
}

static void each_prefetch_state_has_its_picture_and_levels_belong_to_one(void **state)
{
    struct record control = {.kind = RECORD_PREFETCH,
                             .u.prefetch = {.control = "MSR 0x1a4",
                                            .source = "SDM",
                                            .state = PREFETCH_ON,
                                            .sequential_over_random = NAN}};
    const char *first, *second, *table;

    (void)state;
    emit_curve("cycle", PREFETCH_OFF, 3);
    report_record(&report, &control);
    emit_curve("cycle", PREFETCH_ON, 6);
    report_record(&report, &control);
    emit_curve("cycle", PREFETCH_OFF, 6);
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_level("L9", "cache", 40000, 2.5);
    report_flush(&report);
    assert_int_equal(pictures(), 2);
    first = strstr(shown.text, "working set, pattern cycle, prefetchers off\n");
    second = strstr(shown.text, "working set, pattern cycle, prefetchers on\n");
    table = strstr(shown.text, "\nlevel  ");
    assert_true(first != NULL && second > first && table > second);
    assert_true(strstr(shown.text, "- L9 2.50") > first &&
                strstr(shown.text, "- L9 2.50") < second);
    assert_null(strstr(second, "- L9"));
}

static void levels_stand_below_with_their_bounds(void **state)
{
    (void)state;
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_level("L1", "cache", 32768, 1.5);
    emit_level("TLB 4k L1", "tlb", 262144, 2);
    emit_level("TLB 2m L1 + TLB 2m L2", "merged", 67108864, 3);
    emit_level("L2 + TLB 4k L2", "merged", 1048576, 5);
    emit_level("a name that is longer than most", "walk", 1e9, 1234.56);
    emit_level("memory", "memory", NAN, NAN);
    assert_null(strstr(shown.text, "\nlevel  "));
    report_flush(&report);
    assert_non_null(strstr(shown.text,
                           "\nlevel            bytes (95 % bounds)           ns (95 % bounds)   "
                           "cycles decl.\n"
                           "L1               32.0K (31.7K to 32.3K)     1.50 (1.48 to 1.52)"
                           "      4.5     -\n"
                           "TLB 4k L1         256K (253K to 259K)      +2.00 (1.98 to 2.02)"
                           "      6.0     -\n"
                           "TLB 2m L1 + TLB 2m L2\n"
                           "                 64.0M (63.4M to 64.6M)    +3.00 (2.97 to 3.03)"
                           "      9.0     -\n"
                           "L2 + TLB 4k L2   1.00M (1014K to 1.01M)     5.00 (4.95 to 5.05)"
                           "     15.0     -\n"
                           "a name that is longer than most\n"
                           "                  954M (944M to 963M)   +1234.56 (1222.2 to 1246.9)"
                           " 3703.7   -\n"
                           "memory               -                         -"
                           "                       -     -\n"
                           "  +: added cost of an access in larger sets\n"));
    shown.bytes = 0;
    report_flush(&report);
    assert_int_equal(shown.bytes, 0);
}

static void no_level_is_lost(void **state)
{
    char name[32];

    (void)state;
    for (int i = 0; i < REPORT_LEVELS_MAX + 3; i++) {
        snprintf(name, sizeof(name), "level-%d-", i);
        emit_level(name, "cache", 4096, 3);
    }
    report_flush(&report);
    for (int i = 0; i < REPORT_LEVELS_MAX + 3; i++) {
        snprintf(name, sizeof(name), "level-%d-", i);
        assert_non_null(strstr(shown.text, name));
    }
}

static void points_after_levels_begin_anew(void **state)
{
    (void)state;
    emit_curve("iid", PREFETCH_OFF, 6);
    emit_level("L1", "cache", 32768, 1.5);
    emit_curve("iid", PREFETCH_OFF, 7);
    report_flush(&report);
    assert_int_equal(pictures(), 2);
    assert_null(strstr(strstr(shown.text, "decl."), "- L1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_small_curve, start),
        cmocka_unit_test_setup(one_point_stands_on_axes_of_its_own, start),
        cmocka_unit_test_setup(equal_figures_are_a_level_line, start),
        cmocka_unit_test_setup(one_set_measured_often_is_a_column, start),
        cmocka_unit_test_setup(a_huge_range_is_labelled_in_decades, start),
        cmocka_unit_test_setup(the_largest_sets_have_their_place, start),
        cmocka_unit_test_setup(what_is_not_known_is_left_out, start),
        cmocka_unit_test_setup(every_page_size_has_its_mark, start),
        cmocka_unit_test_setup(nothing_leaves_the_picture, start),
        cmocka_unit_test_setup(levels_find_room_for_their_names, start),
        cmocka_unit_test_setup(no_line_goes_through_a_name, start),
        cmocka_unit_test_setup(the_sharper_curve_is_the_picture, start_report),
        cmocka_unit_test_setup(levels_stand_in_the_picture_of_their_stride, start_report),
        cmocka_unit_test_setup(each_prefetch_state_has_its_picture_and_levels_belong_to_one,
                               start_report),
        cmocka_unit_test_setup(levels_stand_below_with_their_bounds, start_report),
        cmocka_unit_test_setup(no_level_is_lost, start_report),
        cmocka_unit_test_setup(points_after_levels_begin_anew, start_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
