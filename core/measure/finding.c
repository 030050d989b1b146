/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/finding.h"

#include "core/engine_state.h"
#include "core/lib/real.h"

/* What is unknown stays so. */
static double hypotenuse(double a, double b)
{
    double squares = a * a + b * b;

    return real_is_finite(squares) ? real_sqrt(squares) : real_nan();
}

struct figure figure_of(double value, double rel_error)
{
    return (struct figure){value, rel_error < 1 ? value * rel_error : real_nan()};
}

struct figure figure_of_point(const struct point *point)
{
    return figure_of(point->result.ns, point->result.rel_error);
}

struct figure figure_of_mean(const struct point *point)
{
    return figure_of(point->result.mean_ns, point->result.mean_rel_error);
}

struct figure figure_difference(struct figure a, struct figure b)
{
    return (struct figure){a.value - b.value, hypotenuse(a.error, b.error)};
}

struct figure figure_sum(struct figure a, struct figure b)
{
    return (struct figure){a.value + b.value, hypotenuse(a.error, b.error)};
}

struct figure figure_ratio(struct figure a, struct figure b)
{
    double ratio = a.value / b.value;

    return (struct figure){ratio, hypotenuse(a.error / b.value, ratio * b.error / b.value)};
}

struct figure figure_scaled(struct figure a, double by)
{
    return (struct figure){a.value * by, real_abs(a.error * by)};
}

struct record_finding finding_about(const struct point *point)
{
    return (struct record_finding){
        .experiment = experiment_table[point->experiment].name,
        .bound = "exact",
        .pattern = plan_pattern_name(point),
        .frames = plan_frames_name(point),
        .pages_bytes = plan_pages_bytes(point),
        .prefetch = point->prefetch,
        .bytes = point->bytes,
        .chains = point->chains,
        .doubt = point->result.doubt,
    };
}

void finding_emit(struct engine *engine, struct record_finding finding, const char *name,
                  const char *unit, struct figure figure)
{
    struct record record = {.kind = RECORD_FINDING};

    if (!real_is_finite(figure.value))
        return;
    finding.name = name;
    finding.unit = unit;
    finding.value = figure.value;
    finding.low = figure.value - 2 * figure.error;
    finding.high = figure.value + 2 * figure.error;
    record.u.finding = finding;
    journal_emit(engine->journal, &record);
}
