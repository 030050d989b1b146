/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person reads of a test of memory's contents: how far it came, and counts of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/report.h"
#include "tests/unit/support_text.h"

static struct report report;
static struct kept_text shown;
static struct record verify;

static int start(void **state)
{
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    report_start(&report, &sink);
    verify = (struct record){.kind = RECORD_VERIFY,
                             .u.verify = {.experiment = "verify",
                                          .bytes = 64 << 20,
                                          .memory_bytes = RECORD_UNKNOWN,
                                          .steps = 10,
                                          .cut_by = "budget"}};
    return 0;
}

/* The report and the last screen, as one line, of the record and another one. */
static void show(const struct record *more)
{
    struct record end = {.kind = RECORD_END, .u.end = {.status = "ok"}};

    report_record(&report, &verify);
    if (more != NULL)
        report_record(&report, more);
    report_record(&report, &end);
    report_flush(&report);
    for (char *at; (at = strstr(shown.text, "\n  ")) != NULL;) {
        size_t blanks = 1 + strspn(at + 1, " ");
        memmove(at + 1, at + blanks, strlen(at + blanks) + 1);
        *at = ' ';
    }
}

static void expect(const char *words)
{
    kept_text_expect(&shown, words);
}

static void expect_not(const char *words)
{
    kept_text_expect_not(&shown, words);
}

static void nothing_read_back_is_no_word_read_right(void **state)
{
    (void)state;
    verify.u.verify.written_bytes = 48 << 20;
    show(NULL);
    expect("NOT TESTED TO THE END: of 64M 48M written, 0 read back\n");
    expect("nothing was read back before it ended");
    expect_not("no word");
}

static void part_read_back_is_told_as_that(void **state)
{
    (void)state;
    verify.u.verify.steps_done = 1;
    verify.u.verify.written_bytes = 64 << 20;
    verify.u.verify.read_bytes = 16 << 20;
    show(NULL);
    expect("NOT TESTED TO THE END: of 64M 64M written, 16M read back, no word wrong\n");
    expect("every word that was read was as it was written");
}

static void several_cpus_are_told(void **state)
{
    (void)state;
    verify.u.verify.processors = 1;
    verify.u.verify.bytes_per_s = 6.4e9;
    report_record(&report, &verify);
    verify.u.verify.processors = 16;
    show(NULL);
    expect("reading back, at 6.40 GB/s nothing was read back");
    expect("reading back, at 6.40 GB/s, 16 CPUs nothing was read back");
}

static void nouns_agree_with_their_counts(void **state)
{
    static uint64_t lanes[64] = {[3] = 1, [7] = 2};
    struct record part = {.kind = RECORD_BAD_PART,
                          .u.bad_part = {.by = "slot", .name = "A1", .words = 1, .events = 1}};

    (void)state;
    verify.u.verify.cut_by = NULL;
    verify.u.verify.read_bytes = 64 << 20;
    verify.u.verify.words = verify.u.verify.events = 1;
    verify.u.verify.lane_events = lanes;
    show(&part);
    expect("64M tested: 1 word READ WRONG\n");
    expect("1 word read wrong:");
    expect("; 1 time in all");
    expect(" 7 (2 times), 3 (1 time)");
    expect("slot A1: 1 word read wrong, 1 time\n");
    expect_not("1 words");
    expect_not("1 times");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_read_back_is_no_word_read_right, start),
        cmocka_unit_test_setup(part_read_back_is_told_as_that, start),
        cmocka_unit_test_setup(several_cpus_are_told, start),
        cmocka_unit_test_setup(nouns_agree_with_their_counts, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
