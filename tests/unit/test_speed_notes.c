/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run reports of frequencies that were requested and could not be set, and what its points
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/measure/controls.h"

static struct journal journal;
static struct controls controls;
static struct speed_report answer;
static unsigned requested, requested_max;
static uint32_t requested_cpu, refusing_cpu;
static size_t notes;
static char note[4][JOURNAL_WHY_MAX + 120];

static enum status speed_set(void *self, uint32_t cpu, enum speed_kind kind, bool max,
                             struct speed_report *report)
{
    (void)self;
    requested_cpu = cpu;
    if (cpu == refusing_cpu)
        return STATUS_UNSUPPORTED;
    requested |= 1u << kind;
    requested_max |= (unsigned)max << kind;
    if (max)
        *report = answer;
    return STATUS_OK;
}

static void hear(void *context, const struct record *record)
{
    (void)context;
    assert_true(record->kind == RECORD_NOTE && notes < 4);
    snprintf(note[notes++], sizeof note[0], "%s: %s: %s",
             record->u.note.severity == SEVERITY_WARNING ? "warning" : "info", record->u.note.what,
             record->u.note.why);
}

static enum status turbo_set(void *self, uint32_t cpu, enum turbo_choice choice,
                             struct turbo_report *report)
{
    (void)self;
    requested_cpu = cpu;
    *report = (struct turbo_report){.state = choice == TURBO_ON ? TURBO_STATE_ON : TURBO_STATE_OFF,
                                    .name = ""};
    return STATUS_OK;
}

static int begin(void **state)
{
    static const struct machine machine = {.speed_set = speed_set, .turbo_set = turbo_set};
    static const struct record_sink no_sink;

    (void)state;
    memset(&controls, 0, sizeof controls);
    journal_start(&journal, &no_sink);
    journal_watch(&journal, (struct journal_view){.record = hear});
    controls.machine = &machine;
    controls.journal = &journal;
    answer = (struct speed_report){.state = SPEED_AT_MAX,
                                   .name = "control",
                                   .source = "",
                                   .why = "",
                                   .requested = 0x4c00,
                                   .readback = 0x2000};
    notes = 0;
    requested = requested_max = 0;
    refusing_cpu = UINT32_MAX;
    return 0;
}

static void nothing_requested_nothing_reported(void **state)
{
    (void)state;
    controls_speed(&controls, SPEED_PSTATE, SPEED_AS_FOUND);
    controls_speed(&controls, SPEED_UNCORE, SPEED_AS_FOUND);
    assert_true(requested == 3 && requested_max == 0);
    assert_int_equal(notes, 0);
    assert_null(controls_speed_name(&controls, SPEED_PSTATE));
    assert_null(controls_speed_name(&controls, SPEED_UNCORE));
}

static void what_was_set_is_in_the_points(void **state)
{
    (void)state;
    controls_speed(&controls, SPEED_UNCORE, SPEED_MAX);
    assert_true(requested_max == 1u << SPEED_UNCORE);
    assert_int_equal(notes, 0);
    assert_null(controls_speed_name(&controls, SPEED_PSTATE));
    assert_string_equal(controls_speed_name(&controls, SPEED_UNCORE), "max");
    /* the next run requests nothing */
    controls_speed(&controls, SPEED_UNCORE, SPEED_AS_FOUND);
    assert_null(controls_speed_name(&controls, SPEED_UNCORE));
}

/* Each on the point's CPU, and asked there once. */
static void what_a_run_asks_for_goes_with_the_points(void **state)
{
    struct point point = {.cpu = 3};

    (void)state;
    controls.prefetch_known[0] = true;
    controls.cpu = 3;
    controls_speed(&controls, SPEED_PSTATE, SPEED_MAX);
    assert_int_equal(requested_cpu, 0);
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 3);
    assert_true(requested_max == 1u << SPEED_PSTATE && notes == 0);
    requested_cpu = 99;
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 99);
    refusing_cpu = point.cpu = controls.cpu = 4;
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 4);
    assert_int_equal(notes, 1);
    assert_non_null(strstr(note[0], "pstate=max was refused"));
    assert_string_equal(controls_speed_name(&controls, SPEED_PSTATE), "refused");
}

static void turbo_is_asked_for_on_the_points_cpu(void **state)
{
    struct point point = {.cpu = 3, .turbo = TURBO_OFF};

    (void)state;
    controls.prefetch_known[0] = true;
    controls.cpu = 3;
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 3);
    requested_cpu = 99;
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 99);
    point.cpu = controls.cpu = 5;
    controls_set(&controls, &point);
    assert_int_equal(requested_cpu, 5);
    assert_int_equal(notes, 0);
}

static void what_could_not_be_set_is_a_note(void **state)
{
    static const struct {
        enum speed_kind kind;
        enum speed_state state;
        const char *name, *note;
    } cases[] = {
        {SPEED_PSTATE, SPEED_UNSUPPORTED, "unsupported",
         "warning: pstate=max is not supported: the core's frequency is as found: SpeedStep is "
         "off"},
        {SPEED_UNCORE, SPEED_UNSUPPORTED, "unsupported",
         "warning: uncore=max is not supported: the uncore's frequency is as found: SpeedStep is "
         "off"},
        {SPEED_PSTATE, SPEED_REFUSED, "refused",
         "warning: pstate=max was refused: the core's frequency is as found: control: asked for "
         "0x4c00, reads 0x2000"},
        {SPEED_UNCORE, SPEED_NOT_HONOURED, "not-honoured",
         "warning: uncore=max was written and does not read back: control: asked for 0x4c00, "
         "reads 0x2000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(state);
        answer.state = cases[i].state;
        answer.why = "SpeedStep is off";
        controls_speed(&controls, cases[i].kind, SPEED_MAX);
        assert_int_equal(notes, 1);
        assert_string_equal(note[0], cases[i].note);
        assert_string_equal(controls_speed_name(&controls, cases[i].kind), cases[i].name);
    }
}

static void one_that_sticks(void **state)
{
    (void)state;
    answer.stuck = true;
    controls_speed(&controls, SPEED_PSTATE, SPEED_MAX);
    assert_int_equal(notes, 1);
    assert_string_equal(note[0],
                        "warning: the core's frequency control could not be restored: control");
}

static void a_machine_without_the_control(void **state)
{
    static const struct machine none;

    (void)state;
    controls.machine = &none;
    controls_speed(&controls, SPEED_PSTATE, SPEED_MAX);
    assert_int_equal(notes, 1);
    assert_string_equal(note[0], "warning: pstate=max is not supported: the core's frequency is as "
                                 "found: this machine has no control of frequencies");
    assert_string_equal(controls_speed_name(&controls, SPEED_PSTATE), "unsupported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_requested_nothing_reported, begin),
        cmocka_unit_test_setup(what_was_set_is_in_the_points, begin),
        cmocka_unit_test_setup(what_a_run_asks_for_goes_with_the_points, begin),
        cmocka_unit_test_setup(turbo_is_asked_for_on_the_points_cpu, begin),
        cmocka_unit_test_setup(what_could_not_be_set_is_a_note, begin),
        cmocka_unit_test_setup(one_that_sticks, begin),
        cmocka_unit_test_setup(a_machine_without_the_control, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
