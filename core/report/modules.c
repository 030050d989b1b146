/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory modules: on the console a line for those that are alike, in the report a table. */
#include "core/report/internal.h"

#define LABEL_INDENT 13

/* Columns of the table. */
#define SIZE_COLUMN    29
#define SIZE_END       34
#define TYPE_COLUMN    36
#define RANKS_END      49
#define RATED_END      60
#define CONFIGURED_END 66
#define VOLTS_END      71

static bool dimm_alike(const struct dimm_info *a, const struct dimm_info *b)
{
    return a->bytes == b->bytes && a->rated_mts == b->rated_mts &&
           a->configured_mts == b->configured_mts && a->ranks == b->ranks &&
           a->data_bits == b->data_bits && a->total_bits == b->total_bits &&
           text_equal(report_words(a->ecc), report_words(b->ecc)) &&
           text_equal(report_words(a->use), report_words(b->use)) && text_equal(a->type, b->type) &&
           text_equal(a->maker, b->maker) && text_equal(a->part, b->part);
}

static uint64_t known(uint32_t number)
{
    return number == 0 ? RECORD_UNKNOWN : number;
}

/* By the width where its array is not said to correct errors or not. */
static bool has_ecc(const struct dimm_info *dimm)
{
    if (dimm->ecc != NULL)
        return !text_equal(dimm->ecc, "none") && !text_equal(dimm->ecc, "parity");
    return dimm->total_bits > dimm->data_bits && dimm->data_bits != 0;
}

void report_add_module(struct text *line, const struct dimm_info *dimm)
{
    text_format(line, "%s %s", REPORT_SIZE(dimm->bytes), report_words(dimm->type));
    if (has_ecc(dimm))
        text_add(line, " ECC");
    if (dimm->ranks != 0)
        text_format(line, " %u-rank", dimm->ranks);
    text_format(line, ", MT/s rated %s configured %s", REPORT_COUNT(known(dimm->rated_mts)),
                REPORT_COUNT(known(dimm->configured_mts)));
    if (dimm->maker[0] != '\0' || dimm->part[0] != '\0')
        text_format(line, ", %s%s%s", dimm->maker,
                    dimm->maker[0] != '\0' && dimm->part[0] != '\0' ? " " : "", dimm->part);
}

static bool is_slow(const struct dimm_info *dimm)
{
    return dimm->configured_mts != 0 && dimm->configured_mts < dimm->rated_mts;
}

/* Equal ones that follow each other, in a line. */
static void print_group(struct report *report)
{
    const struct dimm_info *dimm = &report->dimm;
    char buffer[300];
    struct text line = text_open(buffer, sizeof(buffer), "DIMM         %u x ", report->dimm_count);

    report_add_module(&line, dimm);
    text_format(&line, ", %s%s%s%s", report_words(dimm->locator),
                report->dimm_count > 1 ? " to " : "",
                report->dimm_count > 1 ? report_words(report->dimm_last) : "",
                is_slow(dimm) ? "; WARNING: below rated speed" : "");
    report_wrapped(report, buffer, LABEL_INDENT + 2);
}

static void add_volts(struct text *line, uint16_t millivolts)
{
    char volts[16];

    text_print(volts, sizeof(volts), millivolts != 0 ? "%u.%02u" : "-", millivolts / 1000u,
               millivolts % 1000u / 10u);
    text_right(line, volts, VOLTS_END);
}

/* A line of the report's table, which has one for each slot. */
static void print_row(struct report *report, const struct dimm_info *dimm)
{
    char buffer[300], type[24];
    struct text line = text_open(buffer, sizeof(buffer), "  %s", report_words(dimm->locator));

    text_column(&line, SIZE_COLUMN);
    if (dimm->bytes == 0) {
        text_right(&line, "empty", SIZE_END);
        report_wrapped(report, buffer, TYPE_COLUMN);
        return;
    }
    text_right(&line, REPORT_SIZE(dimm->bytes), SIZE_END);
    text_column(&line, TYPE_COLUMN);
    text_print(type, sizeof(type), "%s%s", report_words(dimm->type), has_ecc(dimm) ? " ECC" : "");
    text_add(&line, type);
    text_right(&line, REPORT_COUNT(known(dimm->ranks)), RANKS_END);
    text_right(&line, REPORT_COUNT(known(dimm->rated_mts)), RATED_END);
    text_right(&line, REPORT_COUNT(known(dimm->configured_mts)), CONFIGURED_END);
    add_volts(&line, dimm->configured_mv);
    text_format(&line, "  %s %s%s", dimm->maker, dimm->part,
                is_slow(dimm) ? "; WARNING: below rated speed" : "");
    report_wrapped(report, buffer, TYPE_COLUMN);
}

static void print_table_head(struct report *report)
{
    char buffer[100];
    struct text line = text_open(buffer, sizeof(buffer), "DIMM         slot");

    text_right(&line, "size", SIZE_END);
    text_column(&line, TYPE_COLUMN);
    text_add(&line, "type");
    text_right(&line, "ranks", RANKS_END);
    text_right(&line, "MT/s rated", RATED_END);
    text_right(&line, "set", CONFIGURED_END);
    text_right(&line, "V", VOLTS_END);
    text_add(&line, "  part");
    report_line(report, buffer);
}

void report_modules_close(struct report *report)
{
    const struct dimm_info *dimm = &report->dimm;
    char buffer[160];

    if (!report->dimm_pending)
        return;
    report->dimm_pending = false;
    if (report->on_console)
        print_group(report);
    if (!is_slow(dimm))
        return;
    if (report->dimm_count == 1)
        text_print(buffer, sizeof(buffer), "DIMM runs below its rated speed: %u of %u MT/s at %s",
                   dimm->configured_mts, dimm->rated_mts, report_words(dimm->locator));
    else
        text_print(buffer, sizeof(buffer),
                   "%u DIMMs run below their rated speed: %u of %u MT/s from %s to %s",
                   report->dimm_count, dimm->configured_mts, dimm->rated_mts,
                   report_words(dimm->locator), report_words(report->dimm_last));
    report_note_keep(report, SEVERITY_WARNING, buffer, 0);
}

static void keep_module(struct report *report, const struct dimm_info *dimm)
{
    size_t kind = 0;

    if (dimm->bytes == 0) {
        report->empty++;
        return;
    }
    while (kind < report->modules && !dimm_alike(&report->module[kind].dimm, dimm))
        kind++;
    if (kind == REPORT_MODULES) {
        report->other_modules++;
        return;
    }
    if (kind == report->modules)
        report->module[report->modules++].dimm = *dimm;
    report->module[kind].count++;
}

void report_dimm(struct report *report, const struct dimm_info *dimm)
{
    if (!report->on_console) {
        if (report->modules == 0 && report->empty == 0)
            print_table_head(report);
        print_row(report, dimm);
    }
    keep_module(report, dimm);
    if (dimm->bytes == 0) /* those around it may be alike, and all slots are counted elsewhere */
        return;
    if (report->dimm_pending && !dimm_alike(&report->dimm, dimm))
        report_modules_close(report);
    if (!report->dimm_pending) {
        report->dimm_pending = true;
        report->dimm_count = 0;
        report->dimm = *dimm;
    }
    report->dimm_count++;
    text_print(report->dimm_last, sizeof(report->dimm_last), "%s", dimm->locator);
}

/* "4 of 8 slots, 64G in 2 channels, ECC on; mapped 63.5G" */
void report_modules(struct report *report, const struct record_modules *modules)
{
    char buffer[200];
    struct text line = text_open(buffer, sizeof(buffer), "Modules      %s of %s slots, %s",
                                 REPORT_COUNT(modules->fitted), REPORT_COUNT(modules->slots),
                                 REPORT_SIZE(modules->bytes));

    if (modules->of_unknown_size != 0 && modules->of_unknown_size != RECORD_UNKNOWN)
        text_format(&line, " and %lu of unknown size", modules->of_unknown_size);
    if (modules->channels != RECORD_UNKNOWN)
        text_format(&line, " in %lu channel%s", modules->channels,
                    modules->channels == 1 ? "" : "s");
    if (modules->ecc != NULL)
        text_format(&line, ", ECC %s", modules->ecc);
    if (modules->map_bytes != RECORD_UNKNOWN)
        text_format(&line, "; memory map %s%s", TEXT_SIZE(modules->map_bytes),
                    modules->map_agrees == ANSWER_NO ? ": they differ" : "");
    report_wrapped(report, buffer, LABEL_INDENT);
}

/* What is met: of the others a warning follows. */
void report_expectation(struct report *report, const struct record_expectation *expectation)
{
    if (expectation->met == ANSWER_YES)
        report_print(report, "Expected     %s=%s: %s", report_words(expectation->name),
                     report_words(expectation->expected), report_words(expectation->found));
}
