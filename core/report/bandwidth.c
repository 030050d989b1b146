/* SPDX-License-Identifier: BSD-2-Clause */
/* At what rate lines are read, and which functions of their addresses choose a channel. */
#include "core/report/internal.h"

#define GB 1e9

static const char *limit_words(const char *limited_by)
{
    if (text_equal(limited_by, "memory"))
        return "memory is the limit";
    return text_equal(limited_by, "core") ? "the core is the limit" : "the limit is not known";
}

static void limit(struct report *report, const struct record_bandwidth *b)
{
    if (report_known(b->cached.value))
        report_print_wrapped(
            report, 4, "  %s reads%s under way at a time; %s%s where a cache serves them: %s",
            REPORT_NUMBER(b->under_way.value, 1),
            REPORT_BOUNDS(b->under_way.low, b->under_way.high, 1),
            REPORT_NUMBER(b->cached.value, 1), REPORT_BOUNDS(b->cached.low, b->cached.high, 1),
            limit_words(b->limited_by));
    else
        report_print_wrapped(
            report, 4, "  %s reads%s under way at a time: %s", REPORT_NUMBER(b->under_way.value, 1),
            REPORT_BOUNDS(b->under_way.low, b->under_way.high, 1), limit_words(b->limited_by));
}

static void channels(struct report *report, const struct record_bandwidth *b)
{
    char buffer[300];
    struct text line;

    if (b->why != NULL) {
        report_print_wrapped(report, 4, "  channels are not told: %s; memory gives at least this",
                             b->why);
        return;
    }
    report_print_wrapped(report, 4, "  %lu channel%s%s", b->channels, b->channels == 1 ? "" : "s",
                         b->channels == 1 ? ", or what cannot be told from one"
                                          : ", chosen by bits");
    for (size_t i = 0; i < b->channel_functions; i++) {
        line = text_open(buffer, sizeof buffer, "   ");
        report_add_bits(&line, b->channel[i]);
        report_wrapped(report, buffer, 4);
    }
}

static void all_lines(struct report *report, const struct record_bandwidth *b)
{
    report_print_wrapped(report, 4, "bandwidth: one CPU reads %s GB/s%s",
                         REPORT_NUMBER(b->bytes_per_s.value / GB, 2),
                         REPORT_BOUNDS(b->bytes_per_s.low / GB, b->bytes_per_s.high / GB, 2));
    limit(report, b);
    channels(report, b);
    if (b->expectation != NULL)
        report_print(report, "  expected %s GB/s: %s",
                     REPORT_NUMBER(b->expected_bytes_per_s / GB, 2), b->expectation);
}

static void lines_of_class(struct report *report, const struct record_bandwidth *b)
{
    char buffer[400];
    struct text line = text_open(buffer, sizeof buffer, "  bits");

    if (text_equal(b->effect, "same"))
        return;
    report_add_bits(&line, b->function);
    text_format(&line, " %s: %s GB/s%s", b->parity == 0 ? "even" : "odd",
                REPORT_NUMBER(b->bytes_per_s.value / GB, 2),
                REPORT_BOUNDS(b->bytes_per_s.low / GB, b->bytes_per_s.high / GB, 2));
    text_format(&line, ", %s",
                text_equal(b->effect, "half") ? "half of the rate of all lines"
                                              : "neither as all lines nor at half of their rate");
    report_wrapped(report, buffer, 4);
}

static void part(struct report *report, const struct record_bandwidth *b)
{
    if (text_equal(b->effect, "slower"))
        report_print_wrapped(report, 4, "  0x%lx to 0x%lx: %s GB/s%s, less than in other parts",
                             b->physical_first.value, b->physical_last.value,
                             REPORT_NUMBER(b->bytes_per_s.value / GB, 2),
                             REPORT_BOUNDS(b->bytes_per_s.low / GB, b->bytes_per_s.high / GB, 2));
}

void report_bandwidth(struct report *report, const struct record_bandwidth *bandwidth)
{
    if (bandwidth->physical_first.value != RECORD_UNKNOWN)
        part(report, bandwidth);
    else if (bandwidth->parity == RECORD_UNKNOWN)
        all_lines(report, bandwidth);
    else
        lines_of_class(report, bandwidth);
}
