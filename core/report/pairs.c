/* SPDX-License-Identifier: BSD-2-Clause */
/* What an access costs from each CPU, or a line of another CPU: a line for each pair. Pairs of CPUs
 * are too many for that: the first ones, of which there is one of each distance, stand for all,
 * which grids.c shows. Of nodes matrix.c shows all. */
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "core/report/internal.h"

#define LINES_MAX 12 /* of pairs of CPUs */

/* ---- lines handed from CPU to CPU */

static void hand_over(struct report *report, const struct record_pair *pair)
{
    char buffer[300];
    struct text line = text_open(buffer, sizeof buffer, "  CPU %lu from CPU %lu, %s", pair->from,
                                 pair->to_cpu, report_words(pair->kind));

    if (pair->why != NULL)
        text_format(&line, ": none: %s", pair->why);
    else
        text_format(&line, ": %s ns%s, lines %s to %s%s", REPORT_NUMBER(pair->ns, 1),
                    REPORT_BOUNDS(pair->ns_low, pair->ns_high, 1), REPORT_NUMBER(pair->ns_min, 1),
                    REPORT_NUMBER(pair->ns_max, 1), REPORT_DOUBT("; ", pair->doubt));
    report_wrapped(report, buffer, 4);
}

/* ---- places, from each CPU */

static bool begins(const struct report *report, const struct record_pair *pair)
{
    return report->pair.bytes != pair->bytes ||
           (pair->to_cpu != RECORD_UNKNOWN && report->pair.home_node != pair->home_node) ||
           report_prefetch_differs(report->pair.prefetch, pair->prefetch) ||
           !text_equal(report->pair.experiment, report_words(pair->experiment));
}

static void head(struct report *report, const struct record_pair *pair)
{
    report->pair.lines = 0;
    report->pair.bytes = pair->bytes;
    report->pair.prefetch = pair->prefetch;
    report->pair.home_node = pair->home_node;
    text_print(report->pair.experiment, sizeof report->pair.experiment, "%s",
               report_words(pair->experiment));
    report_line(report, "");
    if (pair->to_cpu != RECORD_UNKNOWN) {
        report_print_wrapped(report, 2, "%s: a line of one CPU to another; prefetchers %s",
                             report_words(pair->experiment), prefetch_state_name(pair->prefetch));
        if (pair->home_node != RECORD_UNKNOWN)
            report_print_wrapped(report, 2, "  lines of node %lu's memory", pair->home_node);
        return;
    }
    report_print_wrapped(report, 2, "%s: to %s, %s, prefetchers %s, from each CPU",
                         report_words(pair->experiment), report_words(pair->to),
                         REPORT_SIZE(pair->bytes), prefetch_state_name(pair->prefetch));
}

static bool is_of_nodes(const struct record_pair *pair)
{
    return text_equal(report_words(pair->experiment), "nodes");
}

static void add_claims(struct text *line, const struct record_pair *pair)
{
    if (pair->claimed_by == NULL)
        return;
    text_format(line, "; %s claims", pair->claimed_by);
    if (real_is_finite(pair->claimed_ns))
        text_format(line, " %s ns", REPORT_NUMBER(pair->claimed_ns, 2));
    if (real_is_finite(pair->claimed_bytes_per_s))
        text_format(line, " %s GB/s", REPORT_NUMBER(pair->claimed_bytes_per_s * 1e-9, 2));
    if (pair->claimed_distance != RECORD_UNKNOWN)
        text_format(line, " distance %lu", pair->claimed_distance);
}

void report_pair(struct report *report, const struct record_pair *pair)
{
    char buffer[300];
    struct text line = text_open(buffer, sizeof buffer, "  CPU %lu", pair->from);
    bool is_listed;

    if (!text_equal(report->grids_of, report_words(pair->experiment)) ||
        report_grids_end_before(report, pair))
        report_grids_close(report);
    if (begins(report, pair))
        head(report, pair);
    is_listed = pair->to_cpu == RECORD_UNKNOWN || report->pair.lines++ < LINES_MAX;
    if (!is_of_nodes(pair))
        report_grids_keep(report, pair, is_listed);
    if (pair->to_cpu != RECORD_UNKNOWN) {
        if (is_listed)
            hand_over(report, pair);
        return;
    }
    if (pair->from_node != RECORD_UNKNOWN)
        text_format(&line, " (node %lu)", pair->from_node);
    if (is_of_nodes(pair)) {
        text_format(&line, " to node %s", REPORT_COUNT(pair->home_node));
        report_matrix_keep(report, pair);
    }
    if (pair->why != NULL) {
        text_format(&line, ": none: %s", pair->why);
        report_wrapped(report, buffer, 4);
        return;
    }
    text_format(&line, ": %s ns%s", REPORT_NUMBER(pair->ns, 2),
                REPORT_BOUNDS(pair->ns_low, pair->ns_high, 2));
    if (pair->slower_low_ns > 0 || pair->slower_high_ns < 0)
        text_format(&line, ", %s ns %s than the middle",
                    REPORT_NUMBER(real_abs(pair->slower_ns), 2),
                    pair->slower_ns > 0 ? "slower" : "faster");
    if (real_is_finite(pair->bytes_per_s))
        text_format(&line, ", reads %s GB/s", REPORT_NUMBER(pair->bytes_per_s * 1e-9, 2));
    add_claims(&line, pair);
    if (real_is_finite(pair->cpu_hz))
        text_format(&line, ", at %s GHz", REPORT_NUMBER(pair->cpu_hz * 1e-9, 2));
    text_format(&line, "%s", REPORT_DOUBT("; ", pair->doubt));
    report_wrapped(report, buffer, 4);
}
