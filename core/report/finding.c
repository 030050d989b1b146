/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: a derived figure, its bounds, what it applies to, and what limits it. */
#include "core/report/internal.h"

#include "core/results/fields.h"

/* How a unit is shown: its scale and number of decimals. */
struct unit {
    const char *name, *shown;
    double scale;
    unsigned decimals;
};
static const struct unit units[] = {
    {"ns", " ns", 1, 2},
    {"cycles", " core cycles", 1, 1},
    {"misses", " misses", 1, 1},
    {"entries", " entries", 1, 0},
    {"bytes_per_s", " GB/s", 1e-9, 2},
    {"s", " s", 1, 3},
    {"hz", " GHz", 1e-9, 3},
    {"ratio", "", 1, 2},
};

static struct unit unit_of(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof units / sizeof units[0]; i++)
        if (text_equal(name, units[i].name))
            return units[i];
    return (struct unit){.shown = "", .scale = 1, .decimals = 2};
}

static const char *bound_words(const char *bound)
{
    if (bound == NULL || text_equal(bound, "exact"))
        return "";
    return text_equal(bound, "at_least") ? "at least " : "at most ";
}

static void add_figure(struct text *line, const struct record_finding *finding)
{
    struct unit unit = unit_of(finding->unit);

    text_format(
        line, ": %s%s%s%s%s", bound_words(finding->bound),
        REPORT_NUMBER(finding->value * unit.scale, unit.decimals), unit.shown,
        finding->doubt != 0 ? "?" : "",
        REPORT_BOUNDS(finding->low * unit.scale, finding->high * unit.scale, unit.decimals));
}

static void add_part(struct text *line, const char *words)
{
    if (words == NULL || words[0] == '\0')
        return;
    text_format(line, "%s%s", line->used > 0 ? ", " : "", words);
}

/* What several findings have in common: pages, frames, set, prefetchers. */
static void add_subject(struct text *line, const struct report *report,
                        const struct record_finding *finding)
{
    add_part(line, page_bytes_name(finding->pages_bytes));
    if (finding->frames != NULL && finding->pages_bytes != 0)
        text_format(line, " %s", finding->frames);
    if (finding->bytes != RECORD_UNKNOWN && finding->bytes != 0)
        text_format(line, "%sset %s", line->used > 0 ? ", " : "", TEXT_SIZE(finding->bytes));
    text_add(line, line->used > 0 ? ", " : "");
    report_prefetch_words(line, report, finding->prefetch, NULL);
}

static void heading(struct report *report, const char *experiment)
{
    report_line(report, "");
    report_print(report, "%s: findings", report_words(experiment));
    text_print(report->found, sizeof(report->found), "%s", report_words(experiment));
    report->found_subject[0] = '\0';
}

/* Once for successive findings that have it in common. */
static void print_subject(struct report *report, const struct record_finding *finding)
{
    char subject[sizeof(report->found_subject)];
    struct text line;

    text_start(&line, subject, sizeof(subject));
    add_subject(&line, report, finding);
    if (text_equal(subject, report->found_subject))
        return;
    text_print(report->found_subject, sizeof(report->found_subject), "%s", subject);
    report_print(report, "  %s:", subject);
}

void report_finding(struct report *report, const struct record_finding *finding)
{
    bool limited = finding->limited_by != NULL && finding->limited_by[0] != '\0';
    char buffer[1200];
    struct text line;

    if (finding->experiment == NULL || !text_equal(report->found, finding->experiment))
        heading(report, finding->experiment);
    print_subject(report, finding);
    line = text_open(buffer, sizeof(buffer), "    %s", report_words(finding->name));
    add_part(&line, finding->detail);
    add_part(&line, finding->pattern);
    if (finding->chains != RECORD_UNKNOWN && finding->chains > 1)
        text_format(&line, ", chains %lu", finding->chains);
    add_figure(&line, finding);
    text_format(&line, "%s%s%s", limited ? "; limited by " : "", limited ? finding->limited_by : "",
                REPORT_DOUBT("; ", finding->doubt));
    report_wrapped(report, buffer, 6);
}
