/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of several experiments may come in turns; each experiment has one table all the same.
 * Those of the one that is selected stand in front of all others. */
#include "core/report/parts.h"

/* The point at `from` comes to stand at `to`, and those between follow it in their order. */
static void bring_forward(struct report *report, size_t from, size_t to)
{
    struct report_point point = report->point[from];

    for (size_t i = from; i > to; i--)
        report->point[i] = report->point[i - 1];
    report->point[to] = point;
}

void report_select(struct report *report, const char *experiment)
{
    if (report->tabled && !text_equal(report->experiment, experiment))
        report_close(report);
    text_print(report->experiment, sizeof(report->experiment), "%s", experiment);
    for (size_t i = report->points; i < report->gathered; i++)
        if (text_equal(report->point[i].experiment, report->experiment))
            bring_forward(report, i, report->points++);
}

void report_close(struct report *report)
{
    report_tables(report);
    report_plots(report);
    report_levels(report);
    report->gathered -= report->points;
    for (size_t i = 0; i < report->gathered; i++)
        report->point[i] = report->point[i + report->points];
    report->points = 0;
    report->tabled = false;
}

void report_close_all(struct report *report)
{
    char experiment[sizeof(report->experiment)];

    report_close(report);
    while (report->gathered > 0) {
        text_print(experiment, sizeof(experiment), "%s", report->point[0].experiment);
        report_select(report, experiment);
        report_close(report);
    }
    report->experiment[0] = '\0';
}
