/* SPDX-License-Identifier: BSD-2-Clause */
/* Single accesses: a histogram in characters, and what it is made of. */
#include "core/report/internal.h"

#define BAR 50

static void bars(struct report *report, const struct record_distribution *d)
{
    uint64_t most = 0, rest = 0;
    char buffer[120];

    for (size_t i = 0; i < d->bins; i++)
        most = d->bin_count[i] > most ? d->bin_count[i] : most;
    for (size_t i = 0; i < d->bins; i++) {
        uint64_t length = d->bin_count[i] * BAR / most;
        struct text line;
        if (length == 0) {
            rest += d->bin_count[i];
            continue;
        }
        line = text_open(buffer, sizeof(buffer), "  from %s ns  ", REPORT_NUMBER(d->bin_ns[i], 0));
        while (line.used < 20)
            text_char(&line, ' ');
        for (; length > 0; length--)
            text_char(&line, '#');
        report_line(report, buffer);
    }
    if (rest != 0)
        report_print(report, "  and %s accesses in bins too small to show", REPORT_COUNT(rest));
}

static void percentiles(struct report *report, const struct record_distribution *d)
{
    report_print_wrapped(
        report, 2, "  median %s ns, 90 %% %s, 99 %% %s, 99.9 %% %s, 99.99 %% %s, longest %s%s",
        REPORT_NUMBER(d->ns_median, 1), REPORT_NUMBER(d->ns_p90, 1), REPORT_NUMBER(d->ns_p99, 1),
        REPORT_NUMBER(d->ns_p999, 1), REPORT_NUMBER(d->ns_p9999, 1), REPORT_NUMBER(d->ns_max, 0),
        REPORT_DOUBT("; ", d->doubt));
}

static void shares(struct report *report, const struct record_distribution *d)
{
    if (report_known(d->hit_share))
        report_print_wrapped(
            report, 2,
            "  of random accesses %s %% found their row open, %s %% another, %s %% none: %s ns%s",
            REPORT_NUMBER(d->hit_share * 100, 1), REPORT_NUMBER(d->conflict_share * 100, 1),
            REPORT_NUMBER(d->empty_share * 100, 1), REPORT_NUMBER(d->empty_ns.value, 1),
            REPORT_BOUNDS(d->empty_ns.low, d->empty_ns.high, 1));
}

static void rows(struct report *report, const struct record_distribution *d)
{
    if (text_equal(d->rows, "open"))
        report_print_wrapped(
            report, 2, "  rows stay open: %s ns in an open row%s, %s ns where another is open%s",
            REPORT_NUMBER(d->hit_ns.value, 1), REPORT_BOUNDS(d->hit_ns.low, d->hit_ns.high, 1),
            REPORT_NUMBER(d->conflict_ns.value, 1),
            REPORT_BOUNDS(d->conflict_ns.low, d->conflict_ns.high, 1));
    else if (text_equal(d->rows, "closed"))
        report_print_wrapped(report, 2, "  rows are closed after each access, which takes %s ns%s",
                             REPORT_NUMBER(d->empty_ns.value, 1),
                             REPORT_BOUNDS(d->empty_ns.low, d->empty_ns.high, 1));
    else
        report_print_wrapped(report, 2, "  rows: unsure: %s", d->rows_why);
}

static void refreshes(struct report *report, const struct record_distribution *d)
{
    if (!text_equal(d->refresh, "found")) {
        report_print_wrapped(report, 2, "  refresh: unsure: %s", d->refresh_why);
        return;
    }
    report_print_wrapped(
        report, 2, "  a refresh every %s us%s, which an access waits for %s ns at most%s%s",
        REPORT_NUMBER(d->period_ns.value / 1000, 4),
        REPORT_BOUNDS(d->period_ns.low / 1000, d->period_ns.high / 1000, 4),
        REPORT_NUMBER(d->stall_ns.value, 0), REPORT_BOUNDS(d->stall_ns.low, d->stall_ns.high, 0),
        text_equal(d->scope, "per-bank")   ? "; each bank by itself"
        : text_equal(d->scope, "together") ? "; several banks at once"
                                           : "; whether several banks at once is not known");
    report_print_wrapped(report, 2, "  (%s slow accesses, coherence %s)", REPORT_COUNT(d->slow),
                         REPORT_NUMBER(d->coherence, 3));
}

void report_distribution(struct report *report, const struct record_distribution *distribution)
{
    report_print_wrapped(report, 2, "%s single accesses to random lines of %s",
                         REPORT_COUNT(distribution->accesses), REPORT_SIZE(distribution->bytes));
    bars(report, distribution);
    percentiles(report, distribution);
    rows(report, distribution);
    shares(report, distribution);
    refreshes(report, distribution);
}
