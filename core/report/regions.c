/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory block by block: a heat row for each node, a character a block, which is printed as blocks
 * come in. */
#include "core/lib/real.h"
#include "core/report/internal.h"

#define SLOWEST    9
#define GAPS_SHOWN 64

/* '.' is within a step of the rest, digits count the steps that a block is slower by. */
static char heat_of(const struct report *report, const struct record_block *block)
{
    double steps = block->slower_ns / report->heat_step_ns;

    if (!report_known(steps))
        return '?';
    if (!block->compared)
        return block->flagged ? '!' : ',';
    if (steps <= -1)
        return '-';
    if (steps < 1)
        return '.';
    return (char)('0' + (steps < SLOWEST ? (int)steps : SLOWEST));
}

void report_heat_close(struct report *report)
{
    if (report->heat_count != 0)
        report_print(report, "  0x%lx %s", report->heat_first.value, report->heat);
    report->heat_count = 0;
}

static void compared_by(struct report *report, const struct record_regions *regions)
{
    if (regions->by == NULL)
        return;
    report_print_wrapped(report, 4,
                         "  by parity of address bits, which choose channel, rank and bank: %lu %s "
                         "compared; half of the lines slower by %s ns would have shown, one line "
                         "in %lu slower by %s ns",
                         regions->classes,
                         text_equal(regions->by, "functions")
                             ? "functions"
                             : "single bits and pairs (a function of more bits, or a division as "
                               "with three channels, would not show)",
                         REPORT_NUMBER(regions->class_limit_ns, 2), regions->class_part,
                         REPORT_NUMBER(regions->class_part_limit_ns, 2));
}

void report_regions(struct report *report, const struct record_regions *regions)
{
    uint64_t node = regions->node, block_bytes = regions->block_bytes;

    report->heat_step_ns = regions->step_ns;
    report_line(report, "");
    report_print_wrapped(
        report, 2, "regions: node %s, %lu blocks of %s, %s ns/access; %s of %s covered",
        REPORT_COUNT(node), regions->blocks, TEXT_SIZE(block_bytes), REPORT_NUMBER(regions->ns, 1),
        REPORT_SIZE(regions->covered_bytes), REPORT_SIZE(regions->memory_bytes));
    if (regions->wrong != 0)
        report_print_wrapped(report, 4,
                             "  memory of %lu more block%s reads wrong: errors and what is not "
                             "covered name it",
                             regions->wrong, text_plural(regions->wrong));
    if (regions->drift != 0)
        report_print_wrapped(report, 4,
                             "  the reference block drifted by %s %%, which is taken off",
                             REPORT_NUMBER(100 * regions->drift, 2));
    compared_by(report, regions);
    report_print_wrapped(report, 4,
                         "  a character a block: . within %s ns of it, 1 to 9 slower by as many "
                         "times that, - faster, a comma where a block is too small to compare",
                         REPORT_NUMBER(regions->step_ns, 2));
}

void report_block(struct report *report, const struct record_block *block)
{
    if (report->heat_count != 0 && block->physical_first.value != report->heat_last.value + 1)
        report_heat_close(report);
    if (report->heat_count == 0)
        report->heat_first = block->physical_first;
    report->heat_last = block->physical_last;
    report->heat[report->heat_count++] = heat_of(report, block);
    report->heat[report->heat_count] = '\0';
    if (report->heat_count == REPORT_HEAT_BLOCKS)
        report_heat_close(report);
}

void report_range(struct report *report, const struct record_range *range)
{
    report_print_wrapped(
        report, 4, "  0x%lx to 0x%lx, %s%s%s: %s ns%s %s than the %s ns of blocks beside it%s",
        range->physical_first.value, range->physical_last.value, REPORT_SIZE(range->bytes),
        range->slot != NULL ? " in " : "", range->slot != NULL ? range->slot : "",
        REPORT_NUMBER(real_abs(range->slower_ns), 2),
        range->slower_ns > 0 ? REPORT_BOUNDS(range->slower_low_ns, range->slower_high_ns, 2)
                             : REPORT_BOUNDS(-range->slower_high_ns, -range->slower_low_ns, 2),
        range->slower_ns > 0 ? "slower" : "faster", REPORT_NUMBER(range->against_ns, 1),
        range->edge_bytes > 1 << 20 ? "; its ends are known to a block" : "");
}

/* Lists of bits, each with the parity that is slower. */
static void add_masks(struct text *line, const struct record_class *class)
{
    for (size_t i = 0; i < class->masks; i++) {
        text_format(line, "%sbits", i > 0 ? " and " : "");
        report_add_bits(line, class->mask[i]);
        text_format(line, " %s", class->parities >> i & 1 ? "odd" : "even");
    }
}

void report_class(struct report *report, const struct record_class *class)
{
    char buffer[300];
    struct text line = text_open(buffer, sizeof buffer, "  lines whose address has ");

    add_masks(&line, class);
    text_format(&line, ", one line in %lu%s%s:", (uint64_t)1 << class->masks,
                class->slot != NULL ? ", in " : "", class->slot != NULL ? class->slot : "");
    report_wrapped(report, buffer, 4);
    report_print_wrapped(report, 6, "    %s ns%s slower than the %s ns of the others",
                         REPORT_NUMBER(class->slower_ns, 2),
                         REPORT_BOUNDS(class->slower_low_ns, class->slower_high_ns, 2),
                         REPORT_NUMBER(class->against_ns, 1));
}

void report_gaps_close(struct report *report)
{
    if (report->gaps > GAPS_SHOWN)
        report_print_wrapped(report, 4,
                             "  not covered: %u more ranges, %s together; records of kind gap "
                             "name them",
                             report->gaps - GAPS_SHOWN, TEXT_SIZE(report->gap_bytes));
    report->gaps = 0;
    report->gap_bytes = 0;
}

/* Another program's memory is in thousands of pieces. */
void report_gap(struct report *report, const struct record_gap *gap)
{
    if (report->gaps++ >= GAPS_SHOWN) {
        report->gap_bytes += gap->bytes;
        return;
    }
    report_print_wrapped(report, 4, "  not covered: 0x%lx to 0x%lx, %s: %s",
                         gap->physical_first.value, gap->physical_last.value,
                         REPORT_SIZE(gap->bytes), report_words(gap->why));
}
