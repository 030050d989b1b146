/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: which record goes to which part. */
#include "core/report/report.h"

#include "core/lib/memory.h"
#include "core/report/internal.h"

void report_start(struct report *report, const struct text_sink *sink)
{
    memory_fill(report, 0, sizeof(*report));
    report->sink = *sink;
}

void report_on_console(struct report *report)
{
    report->on_console = true;
}

static void report_note(struct report *report, const struct record_note *note)
{
    char buffer[700];
    struct text line;
    const char *kept;
    size_t what_bytes;

    line =
        text_open(buffer, sizeof(buffer),
                  "%s: ", note->severity == SEVERITY_INFO ? "note" : severity_name(note->severity));
    kept = buffer + line.used;
    text_add(&line, note->what);
    what_bytes = line.used - (size_t)(kept - buffer);
    if (note->why != NULL && note->why[0] != '\0')
        text_format(&line, ": %s", note->why);
    report_wrapped(report, buffer, 2);
    report_note_keep(report, note->severity, kept, what_bytes);
}

static void report_error(struct report *report, const struct record_error *error)
{
    bool memory = error->kind != NULL && text_equal(error->kind, "memory");
    char buffer[700];
    struct text line;

    if (error->cause != NULL && error->cause[0] != '\0') {
        report_bad_word(report, error);
        return;
    }
    line = text_open(buffer, sizeof(buffer), "%s", report_words(error->kind));
    if (error->physical_address.value != RECORD_UNKNOWN)
        text_format(&line, " error at physical 0x%lx", error->physical_address.value);
    if (memory || error->expected != RECORD_UNKNOWN)
        text_format(&line, ", expected 0x%lx", error->expected);
    if (memory || error->read != RECORD_UNKNOWN)
        text_format(&line, ", read 0x%lx", error->read);
    if (memory || error->reread != RECORD_UNKNOWN)
        text_format(&line, ", reread 0x%lx", error->reread);
    if (error->text != NULL && error->text[0] != '\0')
        text_format(&line, ": %s", error->text);
    report_line(report, "ERROR");
    report_wrapped(report, buffer, 2);
    report_note_keep(report, SEVERITY_ERROR, buffer, 0);
}

/* Records of the machine, before anything is measured. */
static bool report_machine(struct report *report, const struct record *record)
{
    switch (record->kind) {
    case RECORD_RUN:
        report_run(report, &record->u.run);
        return true;
    case RECORD_CPU:
        report_cpu(report, &record->u.cpu);
        return true;
    case RECORD_MEMORY:
        report_memory(report, &record->u.memory);
        return true;
    case RECORD_DIMM:
        report_dimm(report, record->u.dimm.dimm);
        return true;
    case RECORD_MODULES:
        report_modules(report, &record->u.modules);
        return true;
    case RECORD_EXPECTATION:
        report_expectation(report, &record->u.expectation);
        return true;
    case RECORD_CACHE: /* a note says what counts of them */
        return true;
    default:
        return false;
    }
}

/* Records of experiments on memory itself. */
static bool report_of_memory(struct report *report, const struct record *record)
{
    switch (record->kind) {
    case RECORD_PAIR:
        report_pair(report, &record->u.pair);
        return true;
    case RECORD_LOAD:
        report_load(report, &record->u.load);
        return true;
    case RECORD_MAPPING:
        report_memory_keep(report, record);
        report_mapping(report, &record->u.mapping);
        return true;
    case RECORD_DISTRIBUTION:
        report_distribution(report, &record->u.distribution);
        return true;
    case RECORD_REGIONS:
        report_memory_keep(report, record);
        report_regions(report, &record->u.regions);
        return true;
    case RECORD_BLOCK:
        report_block(report, &record->u.block);
        return true;
    case RECORD_RANGE:
        report_memory_keep(report, record);
        report_range(report, &record->u.range);
        return true;
    case RECORD_BANDWIDTH:
        report_memory_keep(report, record);
        report_bandwidth(report, &record->u.bandwidth);
        return true;
    case RECORD_CLASS:
        report_memory_keep(report, record);
        report_class(report, &record->u.class);
        return true;
    case RECORD_GAP:
        report_gap(report, &record->u.gap);
        return true;
    case RECORD_VERIFY:
        report_verify(report, &record->u.verify);
        return true;
    case RECORD_BAD_PART:
        report_bad_part(report, &record->u.bad_part);
        return true;
    case RECORD_BAD_MEMORY:
        report_bad_memory(report, &record->u.bad_memory);
        return true;
    case RECORD_HARDWARE_ERROR:
        report_hardware_error(report, &record->u.hardware_error);
        return true;
    case RECORD_HARDWARE_ERRORS:
        report_hardware_errors(report, &record->u.hardware_errors);
        return true;
    case RECORD_SPREAD:
        report_spread(report, &record->u.spread);
        return true;
    case RECORD_VERDICT:
        report_verdict(report, &record->u.verdict);
        return true;
    default:
        return false;
    }
}

/* Whether the record does not end what an experiment has gathered: notes, and controls set again
 * between points. */
static bool is_within(const struct record *record)
{
    const char *verdict = record->kind == RECORD_PREFETCH ? record->u.prefetch.verdict : NULL;

    return record->kind == RECORD_POINT || record->kind == RECORD_NOTE ||
           record->kind == RECORD_FOOTPRINT || record->kind == RECORD_MAPPING ||
           record->kind == RECORD_DISTRIBUTION || record->kind == RECORD_HARDWARE_ERROR ||
           (record->kind >= RECORD_REGIONS && record->kind <= RECORD_GAP) ||
           (record->kind == RECORD_PREFETCH && (verdict == NULL || verdict[0] == '\0'));
}

/* Whether more pairs of the same experiment may follow. */
static bool is_between_pairs(const struct record *record)
{
    return record->kind == RECORD_PAIR || record->kind == RECORD_NOTE ||
           record->kind == RECORD_HARDWARE_ERROR;
}

/* The experiment whose points a derived record is made of; NULL: no single one. */
static const char *experiment_of(const struct record *record)
{
    switch (record->kind) {
    case RECORD_LEVEL:
        return report_words(record->u.level.experiment);
    case RECORD_FINDING:
        return report_words(record->u.finding.experiment);
    case RECORD_DRAM:
    case RECORD_PREFETCH:
    case RECORD_WITNESS:
    case RECORD_IBS:
        return "dram";
    default:
        return NULL;
    }
}

/* Prints what was gathered before what was concluded from it. */
static void close_before(struct report *report, const struct record *record)
{
    const char *experiment = experiment_of(record);

    if (is_within(record))
        return;
    if (experiment == NULL) {
        report_close_all(report);
        return;
    }
    report_select(report, experiment);
    if (record->kind == RECORD_LEVEL)
        report_tables(report);
    else
        report_close(report);
}

void report_record(void *context, const struct record *record)
{
    struct report *report = context;

    report_verdict_close(report, record);
    report_header_close(report, record->kind);
    if (record->kind != RECORD_BLOCK)
        report_heat_close(report);
    if (record->kind != RECORD_GAP)
        report_gaps_close(report);
    if (record->kind != RECORD_LOAD)
        report_loads_close(report);
    if (record->kind != RECORD_PAIR)
        report_matrix_close(report);
    if (!is_between_pairs(record))
        report_grids_close(report);
    close_before(report, record);
    if (report_machine(report, record) || report_of_memory(report, record))
        return;
    switch (record->kind) {
    case RECORD_PREFETCH:
        report_prefetch(report, &record->u.prefetch);
        break;
    case RECORD_POINT:
        report_take_point(report, &record->u.point);
        report_mlc_keep(report, &record->u.point);
        break;
    case RECORD_LEVEL:
        report_level_keep(report, &record->u.level);
        break;
    case RECORD_DRAM:
        report_dram(report, &record->u.dram);
        break;
    case RECORD_FINDING:
        report_finding(report, &record->u.finding);
        break;
    case RECORD_WITNESS:
        report_witness(report, &record->u.witness);
        break;
    case RECORD_IBS:
        report_ibs(report, &record->u.ibs);
        break;
    case RECORD_FOOTPRINT:
        report_footprint(report, &record->u.footprint);
        break;
    case RECORD_ERROR:
        report_error(report, &record->u.error);
        break;
    case RECORD_NOTE:
        report_note(report, &record->u.note);
        break;
    case RECORD_END:
        report_summary(report, &record->u.end);
        break;
    default:
        break;
    }
}

void report_flush(void *context)
{
    struct report *report = context;

    report_verdict_close(report, NULL);
    report_grids_close(report);
    if (report->experiment[0] == '\0')
        report_close_all(report);
    else
        report_close(report);
    report->experiment[0] = '\0';
}
