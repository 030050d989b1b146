/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/finding.h"

#include "core/lib/real.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

struct figure figure_of_point(const struct point *point)
{
    return figure_of(point->result.ns, point->result.rel_error);
}

struct figure figure_of_mean(const struct point *point)
{
    return figure_of(point->result.mean_ns, point->result.mean_rel_error);
}

struct record_finding finding_about(const struct point *point)
{
    return (struct record_finding){
        .experiment = experiment_list[point->experiment].name,
        .bound = "exact",
        .pattern = plan_pattern_name(point),
        .frames = frame_order_names[point->frames],
        .pages_bytes = plan_pages_bytes(point),
        .prefetch = point->prefetch,
        .bytes = point->bytes,
        .chains = point->chains,
        .doubt = point->result.doubt,
    };
}

void finding_emit(struct journal *journal, struct record_finding finding, const char *name,
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
    journal_emit(journal, &record);
}
