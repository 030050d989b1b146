/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels found in an experiment's curves, below its tables. */
#include "core/names.h"
#include "core/report/internal.h"

#define NAME_WIDTH 15
#define HEADS      "level            bytes (95 % bounds)           ns (95 % bounds)   cycles"

/* Of a TLB, also of two that are merged, or of walks. */
static bool figure_adds(const struct record_level *level)
{
    return level->kind != NULL && (text_equal(level->kind, LEVEL_NAME_WALK) ||
                                   text_begins(report_words(level->name), "tlb "));
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
                                  .adds = figure_adds(level),
                                  .extrapolated = level->extrapolated,
                                  .doubt = level->doubt};
    text_print(kept->name, sizeof(kept->name), "%s", report_words(level->name));
    if (report->all_levels < REPORT_LEVELS_MAX)
        report->first_level[report->all_levels] = *kept;
    report->all_levels++;
}

/* Right-aligned, with at least one blank before it. */
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

/* Makes the number odd, so that it is printed with three digits: an estimate that happens to be a
 * multiple of 1/8 of a unit is no more exact than others. */
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

static void add_level(struct text *line, const struct report_level *level)
{
    add_sizes(line, level);
    add_times(line, level);
    add_right(line, REPORT_NUMBER(level->cycles, 1), 72);
}

static void print_level(struct report *report, const struct report_level *level)
{
    char buffer[400];
    struct text line = text_open(buffer, sizeof(buffer), "%s", level->name);

    if (line.used >= NAME_WIDTH) {
        report_line(report, buffer);
        text_start(&line, buffer, sizeof(buffer));
    }
    add_level(&line, level);
    add_right(&line, REPORT_SIZE(level->declared_bytes), 78);
    text_add(&line, level->extrapolated ? "e" : "");
    report_wrapped(report, buffer, NAME_WIDTH);
    if (level->doubt != 0)
        report_wrapped(report, REPORT_DOUBT("  ? ", level->doubt), NAME_WIDTH);
}

/* Whether levels were fitted to any of the points; clears the marks. */
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
    report_print(report, "%s: no levels are known", report->experiment);
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
    report_line(report, HEADS " decl.");
    for (size_t i = 0; i < report->levels; i++) {
        print_level(report, &report->level[i]);
        adds = adds || report->level[i].adds;
        extrapolated = extrapolated || report->level[i].extrapolated;
    }
    if (adds)
        report_line(report, "  +: added cost of an access in larger sets");
    if (extrapolated)
        report_line(report, "  e: the sets end too soon behind it: the model's figure, not seen");
    report->levels = 0;
}

/* ---- on the last screen */

static bool is_wide(const struct report_level *level)
{
    return report_is_wide(level->ns, level->ns_low, level->ns_high) ||
           (is_size(level->bytes) &&
            report_is_wide(level->bytes, level->bytes_low, level->bytes_high));
}

/* One line per level, or more if its name is long. */
static void level_line(struct screen *screen, const struct report_level *level, unsigned rank)
{
    bool wide = is_wide(level);
    char buffer[400];
    struct text line = text_open(buffer, sizeof(buffer), "%s", level->name);

    add_level(&line, level);
    text_add(&line, wide ? " wide" : "");
    screen_begin_of(screen, rank, SCREEN_LEVELS, 1);
    screen_add(screen, wide || level->doubt != 0 ? SCREEN_MARK : SCREEN_PLAIN, NAME_WIDTH, buffer);
}

static void legend(struct screen *screen, bool adds, bool doubt, bool wide)
{
    char buffer[160];
    struct text line = text_open(buffer, sizeof(buffer), "  ");

    text_add(&line, adds ? "+: added cost in larger sets" : "");
    text_format(&line, "%s%s", adds && doubt ? "; " : "", doubt ? "?: in doubt, see report" : "");
    text_format(&line, "%s%s", (adds || doubt) && wide ? "; " : "",
                wide ? "wide: bounds over 10 %" : "");
    if (adds || doubt || wide)
        screen_add(screen, doubt || wide ? SCREEN_MARK : SCREEN_PLAIN, 2, buffer);
}

void report_level_lines(struct screen *screen, const struct report *report, unsigned rank)
{
    size_t shown = report->all_levels < REPORT_LEVELS_MAX ? report->all_levels : REPORT_LEVELS_MAX;
    bool adds = false, doubt = false, wide = false;

    if (shown == 0)
        return;
    screen_begin(screen, rank);
    screen_add(screen, SCREEN_PLAIN, 0, HEADS);
    for (size_t i = 0; i < shown; i++) {
        const struct report_level *level = &report->first_level[i];
        adds = adds || level->adds;
        doubt = doubt || level->doubt != 0;
        wide = wide || is_wide(level);
    }
    legend(screen, adds, doubt, wide);
    for (size_t i = 0; i < shown; i++)
        level_line(screen, &report->first_level[i], rank);
    screen_rest(screen, SCREEN_LEVELS, report->all_levels - shown,
                "... and # more levels: in the report");
}
