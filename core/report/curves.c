/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of an experiment's curves are shown as pictures (plot.c), below its tables. */
#include "core/report/internal.h"

#include "core/report/plot.h"

#define CURVE_SETS 5 /* fewer sets are not a curve */

static size_t curve_sets(const struct report *report, const struct report_point *like)
{
    uint64_t seen[CURVE_SETS];
    size_t sets = 0;

    for (size_t i = 0; i < report->points && sets < CURVE_SETS; i++) {
        size_t known = 0;

        if (!report_same_curve(&report->point[i], like))
            continue;
        while (known < sets && seen[known] != report->point[i].bytes)
            known++;
        if (known == sets)
            seen[sets++] = report->point[i].bytes;
    }
    return sets;
}

/* What follows a pattern's own name: "" or " stride=128". */
static const char *rest_of(const char *pattern)
{
    while (*pattern != '\0' && *pattern != ' ')
        pattern++;
    return pattern;
}

static bool is_pattern(const struct report_point *point, const char *name)
{
    return text_is(point->pattern, (size_t)(rest_of(point->pattern) - point->pattern), name);
}

/* The first point like this one, except for the pattern. */
static const struct report_point *of_pattern(const struct report *report,
                                             const struct report_point *point, const char *name)
{
    for (size_t i = 0; i < report->points; i++)
        if (report->point[i].prefetch == point->prefetch &&
            report->point[i].purpose == point->purpose && is_pattern(&report->point[i], name) &&
            text_equal(rest_of(report->point[i].pattern), rest_of(point->pattern)))
            return &report->point[i];
    return NULL;
}

/* The curve that shows the same of cycles; NULL: these are no draws, or there is none. */
static const struct report_point *cycles_of(const struct report *report,
                                            const struct report_point *point)
{
    return is_pattern(point, PATTERN_NAME_IID) ? of_pattern(report, point, PATTERN_NAME_CYCLE)
                                               : NULL;
}

bool report_is_second(const struct report *report, const struct report_point *point)
{
    const struct report_point *cycle = cycles_of(report, point);

    return cycle != NULL && !cycle->listed;
}

/* A curve is shown once, at its first point. Independent draws blur every knee: they are shown only
 * if nothing sharper was measured. */
static bool is_shown(const struct report *report, size_t index)
{
    const struct report_point *point = &report->point[index], *cycle = cycles_of(report, point);

    return point->purpose == REPORT_FIGURE && report_curve_begins(report, index) &&
           curve_sets(report, point) >= CURVE_SETS &&
           (cycle == NULL || curve_sets(report, cycle) < CURVE_SETS);
}

static void print_plot(struct report *report, const struct report_point *like)
{
    struct plot_request request = {
        .points = report->point, .count = report->points, .like = like, .levels = report->level};
    struct plot plot;

    /* Levels are found from draws, and are valid for the state of the prefetchers then. */
    if (of_pattern(report, like, PATTERN_NAME_IID) != NULL)
        request.level_count = report->levels;
    if (!plot_draw(&plot, &request))
        return;
    report_curve_title(report, "ns over working set", like);
    for (size_t i = 0; i < plot.lines; i++)
        report_line(report, plot.line[i]);
}

void report_plots(struct report *report)
{
    for (size_t i = 0; i < report->points; i++)
        if (is_shown(report, i))
            print_plot(report, &report->point[i]);
}
