/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency while several CPUs load memory: of CPUs that chase at once a list, of one among others
 * that load at stepped rates a list for each kind of load and one picture of all; and of one among
 * others that are awake. */
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "core/report/internal.h"

#define GB   1e9
#define NONE "none"
#define SPIN "spin"
#define PARK "park"

static bool text_same(const char *kept, const char *words)
{
    return text_equal(kept, words == NULL ? "" : words);
}

static bool begins(const struct report *report, const struct record_load *load)
{
    return report->load.bytes != load->bytes ||
           report_prefetch_differs(report->load.prefetch, load->prefetch) ||
           !text_same(report->load.experiment, load->experiment);
}

static void head(struct report *report, const struct record_load *load)
{
    report_loads_close(report);
    report->load.bytes = load->bytes;
    report->load.prefetch = load->prefetch;
    text_print(report->load.experiment, sizeof report->load.experiment, "%s",
               report_words(load->experiment));
    report_line(report, "");
    report_print_wrapped(report, 2,
                         "%s: ns/access of a set of %s beside other CPUs, prefetchers %s",
                         report_words(load->experiment), REPORT_SIZE(load->bytes),
                         prefetch_state_name(load->prefetch));
}

/* What the following lines have in common. */
static void part(struct report *report, const struct record_load *load)
{
    if (text_same(report->load.kind, load->kind) && text_same(report->load.pattern, load->pattern))
        return;
    text_print(report->load.kind, sizeof report->load.kind, "%s", report_words(load->kind));
    text_print(report->load.pattern, sizeof report->load.pattern, "%s",
               load->pattern == NULL ? "" : load->pattern);
    if (text_same(load->kind, NONE) || text_same(load->kind, "chase") ||
        text_same(load->kind, SPIN) || text_same(load->kind, PARK))
        return;
    report_print(report, "  %lu other CPU%s: %s, %s", load->processors - 1,
                 load->processors == 2 ? "" : "s", report_words(load->kind),
                 report_words(load->pattern));
}

static void who_is_awake(struct text *line, const struct record_load *load)
{
    text_format(line, "  %lu other CPU%s awake", load->processors - 1,
                load->processors == 2 ? "" : "s");
    if (load->siblings != 0 && load->siblings != RECORD_UNKNOWN)
        text_format(line, ", %lu of them of its core", load->siblings);
    if (load->parked != 0 && load->parked != RECORD_UNKNOWN)
        text_format(line, ", %lu of its core parked", load->parked);
}

static void who(struct text *line, const struct record_load *load)
{
    bool chases = load->kind != NULL && text_equal(load->kind, "chase");

    if (load->cpu != RECORD_UNKNOWN && chases)
        text_format(line, "    of them CPU %lu", load->cpu);
    else if (chases)
        text_format(line, "  %lu CPUs", load->processors);
    else if (text_same(PARK, load->kind))
        text_format(line, "  %lu other CPU%s parked", load->parked, text_plural(load->parked));
    else if (load->processors == 1)
        text_add(line, "  one CPU alone");
    else if (text_same(SPIN, load->kind))
        who_is_awake(line, load);
    else
        text_format(line, "    pause %s", REPORT_COUNT(load->pause_cycles));
}

void report_load(struct report *report, const struct record_load *load)
{
    char buffer[400];
    struct text line = text_open(buffer, sizeof buffer, "%s", "");

    if (begins(report, load))
        head(report, load);
    part(report, load);
    who(&line, load);
    if (load->why != NULL) {
        text_format(&line, ": none: %s", load->why);
        report_wrapped(report, buffer, 6);
        return;
    }
    text_format(&line, ": %s ns%s at %s GB/s%s", REPORT_NUMBER(load->ns, 2),
                REPORT_BOUNDS(load->ns_low, load->ns_high, 2),
                REPORT_NUMBER(load->bytes_per_s / GB, 2),
                REPORT_BOUNDS(load->bytes_per_s_low / GB, load->bytes_per_s_high / GB, 2));
    if ((load->processors > 1 || text_same(PARK, load->kind)) && real_is_finite(load->over))
        text_format(&line, ", %s times as long as alone%s", REPORT_NUMBER(load->over, 2),
                    REPORT_BOUNDS(load->over_low, load->over_high, 2));
    text_format(&line, "%s", REPORT_DOUBT("; ", load->doubt));
    report_wrapped(report, buffer, 6);
    report_load_keep(report, load);
}
