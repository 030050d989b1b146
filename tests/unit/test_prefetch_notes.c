/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run reports of prefetcher controls that refuse, stick or lie, and of what "off" leaves
 * out: a note each, and nothing else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/measure/controls.h"
#include "core/report/report.h"
#include "tests/unit/support_msr.h"
#include "tests/unit/support_text.h"

#define NOTES_ROOM 16

static const struct prefetch_field fields[] = {
    {.reg = 0x10, .mask = 0x1, .off = 0x1, .name = "first", .source = ""},
    {.reg = 0x11, .mask = 0x2, .off = 0x2, .name = "second", .source = ""},
    {.reg = 0x12, .mask = 0x4, .off = 0x4, .name = "third", .source = "", .disputed = true},
    {.reg = 0x13,
     .mask = 0x8,
     .off = 0x8,
     .name = "pages",
     .source = "",
     .aside = true,
     .aggregates = true}};

static struct msr_model model;
static struct prefetch_port port;
static struct prefetch_set set;
static struct journal journal;
static struct controls controls;
static struct report report;
static struct kept_text shown;
static size_t notes;
static char note[NOTES_ROOM][JOURNAL_WHY_MAX + 80];

static enum status prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *out)
{
    struct prefetch_request request = {.off = off, .write = off};

    (void)self;
    (void)cpu;
    prefetch_set_try(&set, &request, &port, out);
    return STATUS_OK;
}

static void hear(void *context, const struct record *record)
{
    (void)context;
    if (record->kind != RECORD_NOTE)
        return;
    assert_true(notes < NOTES_ROOM);
    snprintf(note[notes++], sizeof note[0], "%s: %s: %s",
             record->u.note.severity == SEVERITY_WARNING ? "warning" : "info", record->u.note.what,
             record->u.note.why);
}

static int begin(void **state)
{
    static const struct machine_description description;
    static const struct machine machine = {.description = &description,
                                           .prefetch_set = prefetch_set};
    static const struct prefetch_field *const list[] = {&fields[0], &fields[1], &fields[2],
                                                        &fields[3]};
    static const struct record_sink no_sink;
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    memset(&model, 0, sizeof model);
    memset(&controls, 0, sizeof controls);
    for (size_t i = 0; i < 4; i++)
        msr_model_at(&model, fields[i].reg)->value = 0x4000;
    msr_model_at(&model, 0x13)->value = 0x4008; /* the firmware stopped aggregation */
    port = msr_model_port(&model);
    prefetch_set_start(&set, list, 4);
    journal_start(&journal, &no_sink);
    journal_watch(&journal, (struct journal_view){.record = hear});
    report_start(&report, &sink);
    journal_watch(&journal, (struct journal_view){.context = &report, .record = report_record});
    controls.machine = &machine;
    controls.journal = &journal;
    notes = 0;
    return 0;
}

static void expect(size_t i, const char *words)
{
    assert_true(i < notes);
    assert_string_equal(note[i], words);
}

/* Every register except `but` is off inside a bracket and as before after it. */
static void check_others(uint32_t but)
{
    struct msr_model before = model;

    prefetch_set_enter(&set, &port);
    for (size_t i = 0; i < 3; i++)
        if (fields[i].reg != but)
            assert_int_equal(msr_model_at(&model, fields[i].reg)->value, 0x4000 | fields[i].off);
    prefetch_set_leave(&set, &port);
    for (size_t i = 0; i < model.count; i++)
        assert_int_equal(model.reg[i].value, before.reg[i].value);
}

static void nothing_to_say(void **state)
{
    (void)state;
    controls_prefetch(&controls, true);
    controls_prefetch(&controls, false);
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 0);
    assert_int_equal(controls.prefetch[1].state, PREFETCH_OFF);
    check_others(0);
}

static void one_that_refuses(void **state)
{
    (void)state;
    msr_model_at(&model, 0x11)->write_faults = true;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 2);
    expect(0, "info: a prefetcher control was refused: second: asked for 0x2, reads 0x0");
    expect(1, "warning: prefetchers are not off: every figure may contain their work: refused");
    assert_int_equal(controls.prefetch[1].control[0].state, PREFETCH_OFF);
    check_others(0x11);
    /* Said once. */
    controls_prefetch(&controls, false);
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 2);
}

static void one_that_lies(void **state)
{
    (void)state;
    msr_model_at(&model, 0x10)->locked = 0x1;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 2);
    expect(0, "info: a prefetcher control does not obey: first: asked for 0x1, reads 0x0");
    expect(1, "warning: prefetchers are not off: every figure may contain their work: "
              "not-honoured");
    check_others(0x10);
}

static void one_that_cannot_be_read_back(void **state)
{
    (void)state;
    /* It can be read before the write, but not after it. */
    msr_model_at(&model, 0x10)->reads_stop = 1;
    controls_prefetch(&controls, true);
    /* Nor can it be verified that the old value is back. */
    expect(0, "warning: a prefetcher control could not be restored: first");
    expect(1, "info: a prefetcher control was written and cannot be read: first");
    assert_int_equal(controls.prefetch[1].control[1].state, PREFETCH_OFF);
    assert_int_equal(msr_model_at(&model, 0x10)->value, 0x4000);
}

static void one_that_sticks(void **state)
{
    (void)state;
    msr_model_at(&model, 0x11)->sticky = 0x2;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 1);
    expect(0, "warning: a prefetcher control could not be restored: second");
    assert_int_equal(controls.prefetch[1].state, PREFETCH_OFF);
    check_others(0x11);
}

static void a_disputed_one_that_is_absent(void **state)
{
    (void)state;
    msr_model_at(&model, 0x12)->locked = 0x4;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 1);
    expect(0,
           "info: a disputed prefetcher control is absent or locked: third: asked for 0x4, reads "
           "0x0");
    assert_int_equal(controls.prefetch[1].state, PREFETCH_OFF);
    assert_true(controls.prefetch[1].control[2].ignored);
    check_others(0x12);
    /* The same when the write faults. */
    begin(state);
    msr_model_at(&model, 0x12)->reserved = 0x4;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 1);
    expect(0,
           "info: a disputed prefetcher control is absent or locked: third: asked for 0x4, reads "
           "0x0");
    assert_int_equal(controls.prefetch[1].state, PREFETCH_OFF);
    check_others(0x12);
}

static void aggregation_that_our_off_stops(void **state)
{
    (void)state;
    msr_model_at(&model, 0x13)->value = 0x4000;
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 1);
    expect(0, "info: prefetch=off also stops page aggregation: 4k figures with prefetchers off and "
              "on differ by both");
    check_others(0);
    assert_int_equal(msr_model_at(&model, 0x13)->value, 0x4000);
}

/* Whatever is requested first, it is reported, and only once. */
static void speculation_is_said_once(void **state)
{
    static const char *const words =
        "info: memory-controller speculation as the BIOS left it: reads may start in DRAM before "
        "the last cache has answered, for random misses too; prefetch= does not change that";

    for (int off = 0; off < 2; off++) {
        begin(state);
        set.speculates = true;
        controls_prefetch(&controls, off);
        controls_prefetch(&controls, !off);
        assert_int_equal(notes, 1);
        expect(0, words);
    }
    /* Also where no control is known. */
    begin(state);
    prefetch_set_start(&set, NULL, 0);
    set.speculates = true;
    controls_prefetch(&controls, false);
    expect(0, words);
}

/* The qualification is there wherever the report says "off". */
static void off_of_known_controls(void **state)
{
    static const struct prefetch_field unlisted = {.reg = 0x12,
                                                   .mask = 0x4,
                                                   .off = 0x4,
                                                   .name = "third",
                                                   .source = "",
                                                   .disputed = true,
                                                   .inherited = true};
    static const struct prefetch_field *const list[] = {&fields[0], &unlisted};
    struct record finding = {.kind = RECORD_FINDING,
                             .u.finding = {.experiment = "tlb",
                                           .name = "entries",
                                           .value = 64,
                                           .unit = "entries",
                                           .bound = "exact",
                                           .prefetch = PREFETCH_OFF,
                                           .bytes = RECORD_UNKNOWN,
                                           .chains = RECORD_UNKNOWN}};

    (void)state;
    prefetch_set_start(&set, list, 2);
    controls_prefetch(&controls, true);
    assert_int_equal(notes, 1);
    expect(0, "info: prefetchers off by known controls only: no source lists this core's controls; "
              "those of its predecessors were tried");
    journal_emit(&journal, &finding);
    assert_non_null(strstr(shown.text, "prefetchers off, known controls:"));
    finding.u.finding.prefetch = PREFETCH_ON;
    journal_emit(&journal, &finding);
    assert_non_null(strstr(shown.text, "prefetchers on:"));
    check_others(0x11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_to_say, begin),
        cmocka_unit_test_setup(one_that_refuses, begin),
        cmocka_unit_test_setup(one_that_lies, begin),
        cmocka_unit_test_setup(one_that_cannot_be_read_back, begin),
        cmocka_unit_test_setup(one_that_sticks, begin),
        cmocka_unit_test_setup(a_disputed_one_that_is_absent, begin),
        cmocka_unit_test_setup(aggregation_that_our_off_stops, begin),
        cmocka_unit_test_setup(speculation_is_said_once, begin),
        cmocka_unit_test_setup(off_of_known_controls, begin),
    };

    return cmocka_run_group_tests_name("notes of prefetchers", tests, NULL, NULL);
}
