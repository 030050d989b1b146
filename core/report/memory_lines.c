/* SPDX-License-Identifier: BSD-2-Clause */
/* What the last screen says of memory beside its latency: banks, blocks that differ, lines that
 * differ by their address bits, channels. */
#include "core/lib/real.h"
#include "core/report/internal.h"

/* ---- keeping */

static void keep_range(struct report *report, const struct record_range *range)
{
    report->found_memory.ranges++;
    if (report->found_memory.ranges > 1 &&
        real_abs(range->slower_ns) <= real_abs(report->found_memory.range_slower_ns))
        return;
    report->found_memory.range_first = range->physical_first;
    report->found_memory.range_bytes = range->bytes;
    report->found_memory.range_slower_ns = range->slower_ns;
}

static void keep_class(struct report *report, const struct record_class *class)
{
    report->found_memory.classes++;
    if (report->found_memory.classes > 1 &&
        class->slower_ns <= report->found_memory.class_slower_ns)
        return;
    report->found_memory.class_part = (uint64_t)1 << class->masks;
    report->found_memory.class_slower_ns = class->slower_ns;
}

static void keep_regions(struct report *report, const struct record_regions *regions)
{
    report->found_memory.by_class =
        regions->by != NULL && (report->found_memory.by_class || !report->found_memory.blocks);
    report->found_memory.by_bits = report->found_memory.by_bits ||
                                   (regions->by != NULL && !text_equal(regions->by, "functions"));
    report->found_memory.blocks = true;
    report->found_memory.block_count += regions->blocks;
    report->found_memory.wrong += regions->wrong;
    report->found_memory.block_bytes = regions->block_bytes;
    report->found_memory.bytes = regions->covered_bytes;
}

void report_memory_keep(struct report *report, const struct record *record)
{
    if (record->kind == RECORD_MAPPING) {
        report->found_memory.banks = true;
        report->found_memory.rank = record->u.mapping.rank;
        text_print(report->found_memory.verdict, sizeof report->found_memory.verdict, "%s",
                   report_words(record->u.mapping.verdict));
    } else if (record->kind == RECORD_REGIONS) {
        keep_regions(report, &record->u.regions);
    } else if (record->kind == RECORD_RANGE) {
        keep_range(report, &record->u.range);
    } else if (record->kind == RECORD_CLASS) {
        keep_class(report, &record->u.class);
    } else if (record->u.bandwidth.physical_first.value != RECORD_UNKNOWN) {
        report->found_memory.slower_parts += text_equal(record->u.bandwidth.effect, "slower");
    } else if (record->u.bandwidth.parity == RECORD_UNKNOWN) {
        report->found_memory.rate = true;
        report->found_memory.bytes_per_s = record->u.bandwidth.bytes_per_s.value;
        report->found_memory.channels = record->u.bandwidth.channels;
    }
}

/* ---- lines */

static void banks_line(struct screen *screen, const struct report *report)
{
    char buffer[200];
    struct text line = text_open(buffer, sizeof buffer, "Banks        ");
    uint64_t channels = report->found_memory.channels;

    if (text_equal(report->found_memory.verdict, "linear"))
        text_format(&line, "%lu by %lu functions of address bits",
                    (uint64_t)1 << report->found_memory.rank, report->found_memory.rank);
    else
        text_format(&line, "%s: no functions of address bits are known",
                    report->found_memory.verdict);
    if (report->found_memory.rate && channels != RECORD_UNKNOWN)
        text_format(&line, "; %lu channel%s", channels, channels == 1 ? "" : "s");
    screen_add(screen, SCREEN_PLAIN, 13, buffer);
}

static void blocks_line(struct screen *screen, const struct report *report)
{
    uint64_t ranges = report->found_memory.ranges;
    double ns = report->found_memory.range_slower_ns;
    char buffer[200];
    struct text line = text_open(buffer, sizeof buffer, "Blocks       ");

    text_format(&line, "%s in %lu of %s: ", REPORT_SIZE(report->found_memory.bytes),
                report->found_memory.block_count, TEXT_SIZE(report->found_memory.block_bytes));
    if (report->found_memory.wrong != 0)
        text_format(&line, "%lu more read%s wrong; ", report->found_memory.wrong,
                    report->found_memory.wrong == 1 ? "s" : "");
    if (report->found_memory.block_count == 0)
        text_add(&line, "none was measured");
    else if (ranges == 0)
        text_add(&line, "none differs");
    else
        text_format(&line, "%lu range%s; %s from 0x%lx on %s ns %s", ranges,
                    ranges == 1 ? " differs" : "s differ",
                    REPORT_SIZE(report->found_memory.range_bytes),
                    report->found_memory.range_first.value, REPORT_NUMBER(real_abs(ns), 2),
                    ns > 0 ? "slower" : "faster");
    screen_add(screen, ranges == 0 && report->found_memory.wrong == 0 ? SCREEN_PLAIN : SCREEN_MARK,
               13, buffer);
}

static void classes_line(struct screen *screen, const struct report *report)
{
    uint64_t classes = report->found_memory.classes;

    if (!report->found_memory.by_class)
        screen_add(screen, SCREEN_MARK, 13, "Address bits not compared by all lines");
    else if (classes == 0)
        screen_print(screen, SCREEN_PLAIN, 13, "Address bits by none%s are lines slower",
                     report->found_memory.by_bits ? ", alone or in pairs (functions are not known),"
                                                  : "");
    else
        screen_print(screen, SCREEN_MARK, 13,
                     "Address bits one line in %lu is %s ns slower%s: those of a channel, rank or "
                     "bank group",
                     report->found_memory.class_part,
                     REPORT_NUMBER(report->found_memory.class_slower_ns, 2),
                     classes > 1 ? ", and others are" : "");
}

void report_memory_lines(struct screen *screen, const struct report *report, unsigned rank)
{
    if (report->found_memory.banks || report->found_memory.blocks)
        screen_begin(screen, rank);
    if (report->found_memory.banks)
        banks_line(screen, report);
    if (!report->found_memory.blocks)
        return;
    blocks_line(screen, report);
    classes_line(screen, report);
    if (report->found_memory.rate)
        screen_print(screen, report->found_memory.slower_parts == 0 ? SCREEN_PLAIN : SCREEN_MARK,
                     13, "Bandwidth    one CPU reads %s GB/s%s",
                     REPORT_NUMBER(report->found_memory.bytes_per_s / 1e9, 2),
                     report->found_memory.slower_parts == 0 ? "" : ", less in parts of memory");
}
