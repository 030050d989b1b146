/* SPDX-License-Identifier: BSD-2-Clause */
/* Points that are not a curve, one line each: those of few sets, and those that only serve another
 * figure, under a title that says which. Chains for translation alone are only counted: their lines
 * are in a cache, and next to latencies of memory their figures would be mistaken for some. */
#include "core/report/internal.h"

#define PAGES_COLUMN   32
#define SET_COLUMN     52
#define NS_COLUMN      60
#define CYCLES_COLUMN  69
#define ERROR_COLUMN   76
#define PATTERN_INDENT 2

static const char *const titles[REPORT_TRANSLATION] = {
    [REPORT_FIGURE] = "ns/access, cycles/access",
    [REPORT_PROOF] = "chases of the prefetcher proof, ns/access, cycles/access",
};

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
    report_list_title(report, titles[like->purpose], like);
    report_line(report, heads);
    for (size_t i = 0; i < report->points; i++)
        if (same_list(&report->point[i], like) && report_curve_begins(report, i))
            print_curve(report, &report->point[i]);
}

static void count_translation(struct report *report)
{
    uint64_t count = 0;

    for (size_t i = 0; i < report->points; i++)
        count += report->point[i].purpose == REPORT_TRANSLATION;
    if (count == 0)
        return;
    report_line(report, "");
    report_print(report, "%s: and %lu %s of translation alone, no latencies: in the files only",
                 report->experiment, count, count == 1 ? "point" : "points");
}

void report_lists(struct report *report)
{
    for (unsigned purpose = 0; purpose < REPORT_TRANSLATION; purpose++)
        for (size_t i = 0; i < report->points; i++)
            if (report->point[i].listed && report->point[i].purpose == purpose &&
                !begun_before(report, i))
                print_list(report, &report->point[i]);
    count_translation(report);
}
