/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels found in an experiment's curves, below its tables. */
#include "core/report/internal.h"

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
    struct text line = text_open(buffer, sizeof(buffer), "%s", level->name);

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
    if (level->doubt != 0)
        report_wrapped(report, REPORT_DOUBT("  ? ", level->doubt), NAME_WIDTH);
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
        report_line(report, "  +: added cost of an access in larger sets");
    if (extrapolated)
        report_line(report, "  e: the sets end too soon behind it: the model's figure, not seen");
    report->levels = 0;
}
