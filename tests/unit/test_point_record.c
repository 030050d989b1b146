/* SPDX-License-Identifier: BSD-2-Clause */
/* What a point's record says of samples whose ticks are given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/measure/run.h"

#define HOPS 1000

struct seen {
    struct record_point point;
    unsigned points, notes;
    char note[200];
};

static void listen(void *context, const struct record *record)
{
    struct seen *seen = context;

    if (record->kind == RECORD_POINT) {
        seen->point = record->u.point;
        seen->points++;
    } else if (record->kind == RECORD_NOTE) {
        snprintf(seen->note, sizeof seen->note, "%s: %s", record->u.note.what, record->u.note.why);
        seen->notes++;
    }
}

/* Three samples of these many ticks of 1 ns, of draws whose arithmetic takes 8 ns. */
static struct seen emit(uint64_t first, uint64_t second, uint64_t third)
{
    const struct machine_description description = {.clock = {.hz = 1000000000}, .line_bytes = 64};
    const struct machine machine = {.description = &description};
    const struct options options = {.seed = 1, .decode = ""};
    struct plan *plan = calloc(1, sizeof *plan);
    struct measure *m = calloc(1, sizeof *m);
    struct point point = {.kernel = KERNEL_IID, .bytes = 4096, .stride_bytes = 64, .chains = 1};
    struct measurement run = {.m = m, .point = &point, .hops = HOPS, .samples = 3};
    struct chase_result section = {.samples = 3, .core_hz_before = 2e9, .core_hz_after = 2e9};
    struct journal journal;
    struct seen seen = {.points = 0};

    assert_non_null(plan);
    assert_non_null(m);
    journal_start(&journal, NULL);
    journal_watch(&journal, (struct journal_view){&seen, listen, NULL});
    plan->machine = &description;
    plan->options = &options;
    plan->journal = &journal;
    measure_start(m, &machine, plan);
    m->samples.ticks[0] = first;
    m->samples.ticks[1] = second;
    m->samples.ticks[2] = third;
    point_clock_add(&run, &section, 0);
    run.draw = (struct draw_cost){.known = true, .ns = 8};
    run.limited_by = "error";
    run.verified = "none";
    point_update_stats(&run);
    point_conclude(&run);
    point_emit(&run);
    free(m);
    free(plan);
    return seen;
}

static void a_draws_arithmetic_is_taken_off(void **state)
{
    struct seen seen = emit(10 * HOPS, 11 * HOPS, 12 * HOPS);

    (void)state;
    assert_int_equal(seen.points, 1);
    assert_int_equal(seen.notes, 0);
    assert_true(fabs(seen.point.ns_min - 2) < 1e-9 && fabs(seen.point.ns_median - 3) < 1e-9);
    assert_true(fabs(seen.point.cycles_median - 6) < 1e-9);
    assert_true(seen.point.rel_error > 0 && seen.point.arithmetic_ns == 8);
}

static void no_hop_takes_less_than_nothing(void **state)
{
    struct seen seen = emit(7 * HOPS, 9 * HOPS, 9 * HOPS);

    (void)state;
    assert_true(isnan(seen.point.ns_min));
    assert_true(fabs(seen.point.ns_median - 1) < 1e-9);
    assert_int_equal(seen.notes, 0);
    seen = emit(6 * HOPS, 7 * HOPS, 8 * HOPS);
    assert_true(isnan(seen.point.ns_min) && isnan(seen.point.ns_median));
    assert_true(isnan(seen.point.ns_mean) && isnan(seen.point.ns_p99));
    assert_true(isnan(seen.point.cycles_median) && isnan(seen.point.rel_error));
    assert_int_equal(seen.notes, 1);
    assert_non_null(strstr(seen.note, "a point without a figure"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draws_arithmetic_is_taken_off),
        cmocka_unit_test(no_hop_takes_less_than_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
