/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of several experiments may be interleaved, yet each experiment has one table. The points
 * of the selected experiment are moved to the front. */
#include "core/report/internal.h"

#define TABLE_SETS 3 /* fewer are no table */

static bool is_few(const struct report *report, const struct report_point *like)
{
    uint64_t set = 0;

    for (size_t sets = 0; sets < TABLE_SETS; sets++)
        if ((set = report_next_set(report, like, set)) == 0)
            return true;
    return false;
}

static void print_marks(struct report *report)
{
    bool limit = false, disturbed = false, moving = false;

    for (size_t i = 0; i < report->points; i++) {
        if (report->point[i].purpose != REPORT_FIGURE)
            continue;
        limit = limit || report->point[i].limit != ' ';
        disturbed = disturbed || report->point[i].disturbed;
        moving = moving || report->point[i].moving;
    }
    if (limit)
        report_line(report, "  c, b, a: ended by the point's cap, the budget, a key press, before "
                            "error=");
    if (disturbed)
        report_line(report,
                    "  !: something interrupted some samples (SMI, NMI; on Linux the kernel)");
    if (moving)
        report_line(
            report,
            "  ~: moved while it was measured (caches not steady, or the core's frequency)");
}

void report_tables(struct report *report)
{
    if (report->points == 0 || report->tabled)
        return;
    report->tabled = true;
    for (size_t i = 0; i < report->points; i++)
        report->point[i].listed =
            report->point[i].purpose != REPORT_FIGURE || is_few(report, &report->point[i]);
    report_print_tables(report);
    report_lists(report);
    print_marks(report);
}

/* Moves the point at `from` to `to`; those between keep their order. */
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

void report_take_point(struct report *report, const struct record_point *point)
{
    if (report->tabled || report->gathered == REPORT_POINTS_MAX)
        report_close_all(report);
    report_point_keep(report, point);
}
