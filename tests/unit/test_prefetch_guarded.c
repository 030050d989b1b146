/* SPDX-License-Identifier: BSD-2-Clause */
/* core/cpu/prefetch_guarded.c: what remains if our own code faults during a trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/cpu/prefetch.h"
#include "tests/unit/support_msr.h"

#define FOUND 0x4000ull

static const struct prefetch_field fields[] = {
    {.reg = 0x10, .mask = 0x1, .off = 0x1, .name = "first", .source = ""},
    {.reg = 0x11, .mask = 0x1, .off = 0x1, .name = "second", .source = ""}};
static const struct prefetch_request request = {.off = true, .write = true};

static struct prefetch_set set;
static struct msr_model model;
static struct prefetch_port inner, port;
static struct prefetch_report report;
static jmp_buf way_out;
static unsigned guards, reads, fault_at_read;

/* A fault of our own code, not one that the port recovers from. */
static bool faulting_read(void *context, uint32_t reg, uint64_t *value)
{
    if (++reads == fault_at_read)
        longjmp(way_out, 1);
    return inner.read(context, reg, value);
}

static bool guard(void (*body)(void *arg), void *arg)
{
    guards++;
    if (setjmp(way_out) != 0)
        return false;
    body(arg);
    return true;
}

static void begin(size_t field_count)
{
    const struct prefetch_field *list[] = {&fields[0], &fields[1]};

    memset(&model, 0, sizeof model);
    for (size_t i = 0; i < 2; i++)
        msr_model_at(&model, fields[i].reg)->value = FOUND;
    inner = msr_model_port(&model);
    port = inner;
    port.read = faulting_read;
    guards = reads = fault_at_read = 0;
    memset(&report, 0xff, sizeof report);
    prefetch_set_start(&set, list, field_count);
}

static void check_as_found(void)
{
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(msr_model_at(&model, fields[i].reg)->value, FOUND);
}

static void the_trial_runs_once_within_the_guard(void **state)
{
    (void)state;
    begin(2);
    prefetch_guarded_try(&set, &request, &port, guard, &report);
    assert_int_equal(guards, 1);
    assert_int_equal(report.count, 2);
    assert_int_equal(report.state, PREFETCH_OFF);
    check_as_found();
    assert_true(prefetch_guarded_alone(&set, &port, guard, 1, &report));
    assert_string_equal(report.control[0].name, "second");
    assert_int_equal(guards, 2);
    assert_false(prefetch_guarded_alone(&set, &port, guard, 2, &report));
    assert_int_equal(guards, 3);
    check_as_found();
}

static void nothing_to_try_enters_no_guard(void **state)
{
    (void)state;
    begin(0);
    prefetch_guarded_try(&set, &request, &port, guard, &report);
    assert_int_equal(guards, 0);
    assert_int_equal(report.count, 0);
    assert_int_equal(report.state, PREFETCH_UNSUPPORTED);
}

/* Wherever it faults, both registers are restored, and neither is used any more. */
static void a_fault_in_the_trial_restores_and_refuses(void **state)
{
    unsigned faulted = 0, written = 0;

    (void)state;
    for (unsigned n = 1;; n++) {
        begin(2);
        fault_at_read = n;
        prefetch_guarded_try(&set, &request, &port, guard, &report);
        if (guards == 1)
            break;
        faulted++;
        written += model.logged != 0;
        assert_int_equal(guards, 2);
        assert_int_equal(report.count, 0);
        assert_int_equal(report.state, PREFETCH_REFUSED);
        assert_int_equal(set.count, 0);
        check_as_found();
    }
    assert_true(faulted >= 4 && written >= 2);
}

static void a_fault_of_one_alone_restores(void **state)
{
    unsigned written = 0;

    (void)state;
    for (unsigned n = 1;; n++) {
        begin(2);
        prefetch_guarded_try(&set, &request, &port, guard, &report);
        fault_at_read = reads + n;
        model.logged = 0;
        if (prefetch_guarded_alone(&set, &port, guard, 0, &report))
            break;
        written += model.logged != 0;
        assert_int_equal(guards, 3);
        assert_int_equal(set.count, 2);
        check_as_found();
    }
    assert_true(written >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trial_runs_once_within_the_guard),
        cmocka_unit_test(nothing_to_try_enters_no_guard),
        cmocka_unit_test(a_fault_in_the_trial_restores_and_refuses),
        cmocka_unit_test(a_fault_of_one_alone_restores),
    };
    return cmocka_run_group_tests_name("guarded prefetch trials", tests, NULL, NULL);
}
