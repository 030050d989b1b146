/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands below an experiment's tables: its curves as pictures, and the levels found in them.
 */
#include "core/report/parts.h"

#include "core/report/plot.h"

#define CURVE_SETS 5 /* fewer are no curve */
#define NAME_WIDTH 15

static bool figure_adds(const char *kind)
{
    return kind != NULL && (text_equal(kind, "tlb") || text_equal(kind, "walk"));
}

void report_level_keep(struct report *report, const struct record_level *level)
{
    struct report_level *kept;

    if (report->levels == REPORT_LEVELS_MAX)
        report_levels(report);
    kept = &report->level[report->levels++];
    *kept = (struct report_level){.bytes = level->bytes,
                                  .bytes_low = level->bytes_low,
                                  .bytes_high = level->bytes_high,
                                  .ns = level->ns,
                                  .ns_low = level->ns_low,
                                  .ns_high = level->ns_high,
                                  .cycles = level->cycles,
                                  .declared_bytes = level->declared_bytes,
                                  .adds = figure_adds(level->kind),
                                  .extrapolated = level->extrapolated,
                                  .doubt = level->doubt};
    text_print(kept->name, sizeof(kept->name), "%s", report_words(level->name));
}

/* Right-aligned, and never glued to what stands before. */
static void add_right(struct text *line, const char *words, size_t column)
{
    if (line->used + text_length(words) >= column)
        text_char(line, ' ');
    text_right(line, words, column);
}

static bool is_size(double bytes)
{
    return report_known(bytes) && bytes >= 0 && bytes < 1.8e19;
}

/* An odd number is rounded to three digits: an estimate that happens to be a multiple of 1/8 of a
 * unit is no more exact than others. */
static uint64_t rounded(double bytes)
{
    return is_size(bytes) ? (uint64_t)bytes | (bytes >= 1024) : RECORD_UNKNOWN;
}

static void add_sizes(struct text *line, const struct report_level *level)
{
    uint64_t low_bytes = rounded(level->bytes_low), high_bytes = rounded(level->bytes_high);
    uint64_t bytes = rounded(level->bytes);

    add_right(line, REPORT_SIZE(bytes), 22);
    if (is_size(level->bytes_low) && is_size(level->bytes_high))
        text_format(line, " (%s to %s)", REPORT_SIZE(low_bytes), REPORT_SIZE(high_bytes));
}

static void add_times(struct text *line, const struct report_level *level)
{
    unsigned decimals = level->ns_high >= 100 ? 1 : 2;
    char buffer[48];

    text_print(buffer, sizeof(buffer), "%s%s", level->adds && report_known(level->ns) ? "+" : "",
               REPORT_NUMBER(level->ns, 2));
    add_right(line, buffer, 48);
    text_format(line, "%s%s", level->doubt != 0 ? "?" : "",
                REPORT_BOUNDS(level->ns_low, level->ns_high, decimals));
}

static void print_level(struct report *report, const struct report_level *level)
{
    char buffer[400];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, level->name);
    if (line.used >= NAME_WIDTH) {
        report_line(report, buffer);
        text_start(&line, buffer, sizeof(buffer));
    }
    add_sizes(&line, level);
    add_times(&line, level);
    add_right(&line, REPORT_NUMBER(level->cycles, 1), 72);
    add_right(&line, REPORT_SIZE(level->declared_bytes), 78);
    text_add(&line, level->extrapolated ? "e" : "");
    report_wrapped(report, buffer, NAME_WIDTH);
    if (level->doubt == 0)
        return;
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "  ? ");
    report_add_doubt(&line, level->doubt);
    report_wrapped(report, buffer, NAME_WIDTH);
}

/* Where levels could stand. */
static bool take_fitted(struct report *report)
{
    bool any = false;

    for (size_t i = 0; i < report->points; i++) {
        any = any || report->point[i].fitted;
        report->point[i].fitted = false;
    }
    return any;
}

static void say_none(struct report *report)
{
    report_line(report, "");
    report_print(report, "%s: no level was found from these points", report->experiment);
}

void report_levels(struct report *report)
{
    bool adds = false, extrapolated = false, fitted = take_fitted(report);

    if (report->levels == 0) {
        if (fitted)
            say_none(report);
        return;
    }
    report_line(report, "");
    report_line(report, "level            bytes (95 % bounds)           ns (95 % bo"
                        "unds)   cycles decl.");
    for (size_t i = 0; i < report->levels; i++) {
        print_level(report, &report->level[i]);
        adds = adds || report->level[i].adds;
        extrapolated = extrapolated || report->level[i].extrapolated;
    }
    if (adds)
        report_line(report, "  +: what a hop costs more in larger sets");
    if (extrapolated)
        report_line(report, "  e: the sets end too soon behind it: the model's figure, not seen");
    report->levels = 0;
}

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

/* What stands behind a pattern's own name: "" or " stride=128". */
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

/* The first point like this one, but of that pattern. */
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

/* A curve is shown once, where its first point is. Independent draws blur every knee: they are the
 * picture only where nothing sharper was measured. */
static bool is_shown(const struct report *report, size_t index)
{
    const struct report_point *point = &report->point[index], *cycle;

    if (point->purpose != REPORT_FIGURE || !report_curve_begins(report, index) ||
        curve_sets(report, point) < CURVE_SETS)
        return false;
    cycle = is_pattern(point, "iid") ? of_pattern(report, point, "cycle") : NULL;
    return cycle == NULL || curve_sets(report, cycle) < CURVE_SETS;
}

static void print_plot(struct report *report, const struct report_point *like)
{
    struct plot_request request = {
        .points = report->point, .count = report->points, .like = like, .levels = report->level};
    struct plot plot;

    /* Levels are found from draws, and hold for the state of the prefetchers then. */
    if (of_pattern(report, like, "iid") != NULL)
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
