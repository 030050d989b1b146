/* SPDX-License-Identifier: BSD-2-Clause */
/* The last screen: what it holds within 80x24, and what it gives up first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/report.h"
#include "tests/unit/support_records.h"
#include "tests/unit/support_text.h"

static struct report report;
static struct kept_text shown;
static const struct screen *last;
static const struct report_foot foot = {"results: \\barechase\\run-0007 on boot volume BARECHASE",
                                        "1 again   2 shut down   3 reboot"};

static int start(void **state)
{
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    report_start(&report, &sink);
    report_on_console(&report);
    return 0;
}

static void emit(struct record record)
{
    report_record(&report, &record);
}

static void lay_out(size_t rows)
{
    last = report_screen(&report, rows, &foot);
}

static const struct screen_line *line_with(const char *words)
{
    for (size_t i = 0; i < last->lines; i++)
        if (strstr(last->line[i].words, words) != NULL)
            return &last->line[i];
    return NULL;
}

static void expect(const char *words, enum screen_meaning meaning)
{
    const struct screen_line *line = line_with(words);

    if (line != NULL && line->meaning == meaning)
        return;
    for (size_t i = 0; i < last->lines; i++)
        printf("%u |%s\n", last->line[i].meaning, last->line[i].words);
    fail_msg("%s: %s", line == NULL ? "not shown" : "of another meaning", words);
}

static void expect_not(const char *words)
{
    const struct screen_line *line = line_with(words);

    if (line != NULL)
        fail_msg("shown: %s", line->words);
}

static void emit_module(uint64_t bytes, const char *locator)
{
    struct dimm_info dimm = {.maker = "Acme",
                             .part = "X-1",
                             .type = "DDR5",
                             .bytes = bytes,
                             .rated_mts = 4800,
                             .configured_mts = 4800,
                             .ranks = 2,
                             .data_bits = 64,
                             .total_bits = 80};
    struct record record = {.kind = RECORD_DIMM, .u.dimm = {&dimm}};

    snprintf(dimm.locator, sizeof dimm.locator, "%s", locator);
    emit(record);
}

static void emit_level(const char *name, const char *kind, double bytes, double ns, double spread)
{
    emit((struct record){.kind = RECORD_LEVEL,
                         .u.level = {.experiment = "curve",
                                     .name = name,
                                     .kind = kind,
                                     .bytes = bytes,
                                     .bytes_low = bytes * 0.99,
                                     .bytes_high = bytes * 1.01,
                                     .ns = ns,
                                     .ns_low = ns * (1 - spread),
                                     .ns_high = ns * (1 + spread),
                                     .cycles = ns * 2.9,
                                     .declared_bytes = RECORD_UNKNOWN}});
}

static void emit_warning(const char *what, const char *why)
{
    emit((struct record){.kind = RECORD_NOTE, .u.note = {SEVERITY_WARNING, what, why}});
}

static void emit_machine(void)
{
    emit(support_run());
    emit_module(64ull << 30, "A1");
    emit_module(0, "A2");
    emit_module(64ull << 30, "B1");
    emit_module(0, "B2");
}

static void emit_levels(unsigned count)
{
    char name[40];

    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "L%u + TLB 4k L%u", i, i);
        emit_level(name, "cache", 32768.0 * (i + 1), 1.5 * (i + 1), 0.01);
    }
    emit_level("memory", "memory", NAN, 90.5, 0.01);
}

/* The screen holds all required lines at once, and each figure once. */
static void it_holds_every_required_line(void **state)
{
    struct record dram = support_dram();

    (void)state;
    emit_machine();
    emit_levels(7);
    dram.u.dram.slope_ns = 90;
    emit(dram);
    emit_warning("DIMM", "slow");
    emit(support_end());
    lay_out(SCREEN_ROWS);
    assert_true(last->lines <= SCREEN_ROWS);
    expect("barechase 0.2.0 (abc) x86_64: ok after 61.2 s, errors 0, warnings 1", SCREEN_OK);
    expect("Board        ACME X1; BIOS ACME 1.07 2026-01-02", SCREEN_PLAIN);
    expect("DIMM         2 x 64G DDR5 ECC 2-rank, MT/s rated 4800 configured 4800, Acme",
           SCREEN_PLAIN);
    expect("X-1; 2 empty", SCREEN_PLAIN);
    expect("DRAM latency 91.23 ns (91.10 to 91.36), 264.6 core cycles", SCREEN_HEADLINE);
    expect("pattern cycle, pages 1g contiguous, map window, set 1G, core 2.900 GHz", SCREEN_PLAIN);
    expect("prefetchers off, not proven by behaviour", SCREEN_PLAIN);
    expect("L0 + TLB 4k L0", SCREEN_PLAIN);
    expect("memory ", SCREEN_PLAIN);
    expect("warning: DIMM: slow", SCREEN_MARK);
    assert_string_equal(last->line[last->lines - 2].words, foot.where);
    assert_string_equal(last->line[last->lines - 1].words, foot.menu);
    assert_null(strstr(shown.text, "91.23"));
}

/* Beside an OK, and only there. */
static void an_ok_says_what_would_have_passed(void **state)
{
    struct record verdict = {
        .kind = RECORD_VERDICT,
        .u.verdict = {.verdict = "OK",
                      .conclusive = true,
                      .unseen = "one line in 16 slower by up to 1.78 ns, 1.41 % (run-0004)"}};

    (void)state;
    emit_machine();
    emit(verdict);
    emit(support_end());
    lay_out(SCREEN_ROWS);
    expect("Not seen     one line in 16 slower by up to 1.78 ns, 1.41 % (run-0004)", SCREEN_PLAIN);
    verdict.u.verdict.verdict = "INCOMPLETE";
    emit(verdict);
    lay_out(SCREEN_ROWS);
    expect_not("Not seen");
}

static size_t starts_with(const char *words)
{
    size_t count = 0;

    for (size_t i = 0; i < last->lines; i++)
        count += strncmp(last->line[i].words, words, strlen(words)) == 0;
    return count;
}

static size_t holding(const char *words)
{
    size_t count = 0;

    for (size_t i = 0; i < last->lines; i++)
        count += strstr(last->line[i].words, words) != NULL;
    return count;
}

/* 0: there is no such line. */
static unsigned number_in(const char *before)
{
    const struct screen_line *line = line_with(before);
    unsigned number = 0;

    if (line != NULL)
        sscanf(strstr(line->words, before) + strlen(before), "%u", &number);
    return number;
}

/* Each is whole or counted; errors and those of the headline go before others. */
static void long_warnings_are_whole_or_counted(void **state)
{
    static const char why[] = "every one of these figures may contain what prefetchers brought in "
                              "time, since no control of them is known that could be switched off "
                              "while they were measured, and behaviour shows that they WORK";
    char what[40];

    (void)state;
    for (size_t rows = SCREEN_ROWS; rows <= 60; rows += 12) {
        start(NULL);
        emit_machine();
        emit_levels(6);
        emit(support_dram());
        for (int i = 0; i < 9; i++) {
            snprintf(what, sizeof what, i < 5 ? "curve: of no use %d" : "dram: headline %d", i);
            emit_warning(what, why);
        }
        emit((struct record){.kind = RECORD_NOTE, .u.note = {SEVERITY_ERROR, "grave", "broke"}});
        emit(support_end());
        lay_out(rows);
        assert_true(last->lines <= rows);
        expect("error: grave: broke", SCREEN_ERROR);
        expect("warning: dram: headline 5", SCREEN_MARK);
        assert_int_equal(starts_with("warning: "), holding("WORK"));
        assert_true(line_with("warning: curve") == NULL || starts_with("warning: dram") == 4);
        assert_int_equal(starts_with("warning: ") + number_in("... and "), 9);
        assert_true(number_in("... and ") > 0 || rows > SCREEN_ROWS);
        expect("L0 + TLB 4k L0", SCREEN_PLAIN);
    }
}

/* Each line of a sentence but the first is indented. */
static void sentences_are_wrapped_with_an_indent(void **state)
{
    size_t first = 0;

    (void)state;
    emit(support_run());
    emit_warning("a long one", "each word of it stands on the screen and none of them is cut, and "
                               "what does not fit on the first line stands further to the right "
                               "on those below it, to the END");
    emit(support_end());
    lay_out(SCREEN_ROWS);
    while (first < last->lines && strstr(last->line[first].words, "warning: a long one") == NULL)
        first++;
    assert_true(first + 2 < last->lines);
    for (size_t i = first + 1; i == first + 1 || i == first + 2; i++) {
        assert_int_equal(strspn(last->line[i].words, " "), 2);
        assert_int_equal(last->line[i].meaning, SCREEN_MARK);
    }
    assert_non_null(strstr(last->line[first + 2].words, "END"));
}

/* On a console that is far too small the least is shown all the same. */
static void what_is_always_shown_needs_no_room(void **state)
{
    (void)state;
    emit_machine();
    emit_levels(3);
    emit(support_dram());
    emit_warning("dram: of the headline", NULL);
    emit(support_end());
    lay_out(1);
    expect("ok after", SCREEN_OK);
    expect("Board        ACME X1", SCREEN_PLAIN);
    expect("DRAM latency 91.23", SCREEN_HEADLINE);
    expect_not("warning: dram");
    expect_not("L0 + TLB");
    assert_int_equal(number_in("... and "), 4); /* levels */
    expect("... and 1 more warnings", SCREEN_MARK);
}

static void many_levels_are_counted(void **state)
{
    (void)state;
    emit_machine();
    emit_levels(30);
    emit(support_dram());
    emit_warning("dram: of the headline", NULL);
    emit_warning("curve: of another", NULL);
    emit(support_end());
    lay_out(SCREEN_ROWS);
    assert_int_equal(last->lines, SCREEN_ROWS);
    expect("warning: dram: of the headline", SCREEN_MARK);
    expect("... and 1 more warnings", SCREEN_MARK);
    assert_int_equal(starts_with("L") + number_in("... and "), 31);
    expect("DRAM latency 91.23", SCREEN_HEADLINE);
    lay_out(SCREEN_LINES_MAX);
    assert_int_equal(starts_with("L"), REPORT_LEVELS_MAX);
    assert_int_equal(number_in("... and "), 31 - REPORT_LEVELS_MAX);
}

static void without_modules_it_says_so(void **state)
{
    (void)state;
    emit(support_run());
    lay_out(SCREEN_ROWS);
    expect("DIMM         - (the firmware names none)", SCREEN_PLAIN);
    emit_module(0, "A1");
    lay_out(SCREEN_ROWS);
    expect("DIMM         - (every slot is empty", SCREEN_PLAIN);
    for (uint64_t kind = 1; kind < 7; kind++)
        emit_module(kind << 30, "B1");
    lay_out(SCREEN_ROWS);
    expect("4 more of other kinds; 1 empty", SCREEN_PLAIN);
}

/* How it ended can be seen without colours. */
static void how_it_ended_stands_first(void **state)
{
    struct record end = support_end();

    (void)state;
    lay_out(SCREEN_ROWS);
    assert_int_equal(last->line[0].meaning, SCREEN_ERROR);
    assert_non_null(strstr(last->line[0].words, "not ended"));
    end.u.end.status = "aborted";
    emit(end);
    lay_out(SCREEN_ROWS);
    assert_int_equal(last->line[0].meaning, SCREEN_MARK);
    assert_non_null(strstr(last->line[0].words, "aborted after"));
    expect("DRAM latency - (not measured)", SCREEN_HEADLINE);
    end.u.end.status = "failed";
    emit(end);
    lay_out(SCREEN_ROWS);
    assert_int_equal(last->line[0].meaning, SCREEN_ERROR);
    assert_non_null(strstr(last->line[0].words, "failed after"));
}

static void wide_bounds_are_marked(void **state)
{
    struct record dram = support_dram();

    (void)state;
    dram.u.dram.ns = 100;
    dram.u.dram.ns_low = 95;
    dram.u.dram.ns_high = 105;
    emit(dram);
    emit_level("L1", "cache", 32768, 1, 0.04);
    lay_out(SCREEN_ROWS);
    expect("DRAM latency 100.00 ns (95", SCREEN_HEADLINE);
    expect_not("wide");
    start(NULL);
    dram.u.dram.ns_high = 105.5;
    dram.u.dram.doubt = doubt_of(DOUBT_BUDGET);
    emit(dram);
    emit_level("L1", "cache", 32768, 1, 0.04);
    emit_level("walk 4k", "walk", 1 << 20, 2, 0.06);
    lay_out(SCREEN_ROWS);
    expect("DRAM latency 100.00 ns? (95", SCREEN_HEADLINE);
    expect("  ? bounds 10.5 % wide; doubt: budget", SCREEN_MARK);
    start(NULL);
    dram.u.dram.doubt = 0;
    emit(dram);
    lay_out(SCREEN_ROWS);
    expect("DRAM latency 100.00 ns? (95", SCREEN_HEADLINE);
    expect("  ? bounds 10.5 % wide", SCREEN_MARK);
    start(NULL);
    dram.u.dram.doubt = doubt_of(DOUBT_BUDGET);
    emit(dram);
    emit_level("L1", "cache", 32768, 1, 0.04);
    emit_level("walk 4k", "walk", 1 << 20, 2, 0.06);
    lay_out(SCREEN_ROWS);
    assert_null(strstr(line_with("L1 ")->words, "wide"));
    expect("+2.00 (1.88 to 2.12)      5.8 wide", SCREEN_MARK);
    expect("  +: added cost in larger sets; wide: bounds over 10 %", SCREEN_MARK);
}

/* A clock that is off takes room from the machine's lines. */
static void the_core_stands_beside_its_base(void **state)
{
    struct record dram = support_dram();

    (void)state;
    emit_machine();
    dram.u.dram.core_over_base = 0.8125;
    dram.u.dram.pattern = "iid";
    emit(dram);
    emit(support_end());
    lay_out(SCREEN_ROWS);
    expect("core 2.900 GHz, 0.81 of", SCREEN_PLAIN);
}

static void a_clock_that_is_off_is_always_shown(void **state)
{
    struct record end = support_end();

    (void)state;
    emit_machine();
    emit_levels(20);
    emit(support_dram());
    end.u.end.clock_check_ppm = 2000;
    emit(end);
    lay_out(SCREEN_ROWS);
    assert_int_equal(last->lines, SCREEN_ROWS);
    expect("DRAM latency 91.23 ns (!) (91.10", SCREEN_HEADLINE);
    expect("Clock check  2000.0 ppm", SCREEN_MARK);
    expect("(!) the clock is off", SCREEN_MARK);
    expect_not("Memory");
}

static void emit_any(void *context, const struct record *record)
{
    (void)context;
    report_record(&report, record);
}

static void whatever_comes_it_fits(void **state)
{
    (void)state;
    support_every_record(emit_any, NULL);
    lay_out(SCREEN_ROWS);
    assert_true(last->lines <= SCREEN_ROWS);
    for (size_t i = 0; i < last->lines; i++) {
        const char *words = last->line[i].words;
        assert_true(strlen(words) <= SCREEN_WIDTH);
        for (; *words != '\0'; words++)
            assert_true(*words >= 0x20 && *words < 0x7f);
    }
}

/* The largest that is wide enough, and no change without need. */
static void the_text_mode_shows_most_rows(void **state)
{
    /* As OVMF offers at 1280x800, without and with a serial terminal beside it. */
    static const struct screen_mode all[] = {{80, 25}, {80, 50}, {100, 31}, {128, 40}, {160, 42}};
    static const struct screen_mode small[] = {{80, 25}, {0, 0}, {100, 31}};
    static const struct screen_mode equal[] = {{160, 42}, {100, 42}, {100, 42}};
    static const struct screen_mode none[] = {{40, 25}, {80, 24}, {79, 60}};

    (void)state;
    for (size_t now = 0; now < 5; now++)
        assert_int_equal(screen_mode_choose(all, 5, now), 1);
    assert_int_equal(screen_mode_choose(small, 3, 0), 2);
    assert_int_equal(screen_mode_choose(small, 2, 0), 0);
    assert_int_equal(screen_mode_choose(equal, 3, 0), 1);
    assert_int_equal(screen_mode_choose(equal, 3, 2), 2);
    for (size_t now = 0; now < 3; now++)
        assert_int_equal(screen_mode_choose(none, 3, now), now);
    assert_int_equal(screen_mode_choose(none, 0, 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_holds_every_required_line, start),
        cmocka_unit_test_setup(an_ok_says_what_would_have_passed, start),
        cmocka_unit_test_setup(the_core_stands_beside_its_base, start),
        cmocka_unit_test_setup(long_warnings_are_whole_or_counted, start),
        cmocka_unit_test_setup(sentences_are_wrapped_with_an_indent, start),
        cmocka_unit_test_setup(what_is_always_shown_needs_no_room, start),
        cmocka_unit_test_setup(many_levels_are_counted, start),
        cmocka_unit_test_setup(without_modules_it_says_so, start),
        cmocka_unit_test_setup(how_it_ended_stands_first, start),
        cmocka_unit_test_setup(wide_bounds_are_marked, start),
        cmocka_unit_test_setup(a_clock_that_is_off_is_always_shown, start),
        cmocka_unit_test_setup(whatever_comes_it_fits, start),
        cmocka_unit_test(the_text_mode_shows_most_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
