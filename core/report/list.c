/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of few sets, which are no curve, a line each. Those that are only a means to another
 * figure are counted: what they came to stands there, and beside latencies of memory theirs would
 * be taken for some. */
#include "core/report/internal.h"

#define PAGES_COLUMN   32
#define SET_COLUMN     52
#define NS_COLUMN      60
#define CYCLES_COLUMN  69
#define ERROR_COLUMN   76
#define PATTERN_INDENT 2

static const char heads[] =
    "pattern                         pages            set      ns   cycles error%";

static bool same_list(const struct report_point *a, const struct report_point *b)
{
    return a->listed && b->listed && a->prefetch == b->prefetch && a->purpose == b->purpose;
}

static bool begun_before(const struct report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_list(&report->point[i], &report->point[index]))
            return true;
    return false;
}

static void print_point(struct report *report, const struct report_point *point)
{
    char buffer[128];
    struct text line;

    /* What does not fit its column has a line to itself. */
    line = text_open(buffer, sizeof(buffer), "%s", point->pattern);
    if (line.used >= PAGES_COLUMN) {
        report_wrapped(report, buffer, PATTERN_INDENT);
        text_start(&line, buffer, sizeof(buffer));
    }
    text_column(&line, PAGES_COLUMN);
    report_add_frames(&line, point);
    text_right(&line, REPORT_SIZE(point->bytes), SET_COLUMN);
    text_right(&line, REPORT_NUMBER(point->ns, 2), NS_COLUMN);
    text_right(&line, REPORT_NUMBER(point->cycles, 1), CYCLES_COLUMN);
    text_right(&line, REPORT_NUMBER(point->rel_error * 100, 2), ERROR_COLUMN);
    report_add_marks(&line, point);
    report_line(report, buffer);
}

/* What was measured twice has two lines. */
static void print_curve(struct report *report, const struct report_point *like)
{
    for (uint64_t set = report_next_set(report, like, 0); set != 0;
         set = report_next_set(report, like, set))
        for (size_t i = 0; i < report->points; i++)
            if (report->point[i].bytes == set && report_same_curve(&report->point[i], like))
                print_point(report, &report->point[i]);
}

static void print_list(struct report *report, const struct report_point *like)
{
    report_list_title(report, "ns/access, cycles/access", like);
    report_line(report, heads);
    for (size_t i = 0; i < report->points; i++)
        if (same_list(&report->point[i], like) && report_curve_begins(report, i))
            print_curve(report, &report->point[i]);
}

static void count(struct report *report, enum report_purpose purpose, const char *what)
{
    uint64_t points = 0;

    for (size_t i = 0; i < report->points; i++)
        points += report->point[i].purpose == purpose;
    if (points == 0)
        return;
    report_line(report, "");
    report_print(report, "%s: and %lu %s: in the files only", report->experiment, points, what);
}

void report_lists(struct report *report)
{
    for (size_t i = 0; i < report->points; i++)
        if (report->point[i].listed && report->point[i].purpose == REPORT_FIGURE &&
            !begun_before(report, i))
            print_list(report, &report->point[i]);
    count(report, REPORT_PROOF, "chases for the line Prefetch below");
    count(report, REPORT_TRANSLATION, "of translation alone, no latencies");
    count(report, REPORT_WITNESS, "sets for the line IBS below");
}
