/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of the report: what machine this is, as declared, and what could be switched. */
#include "core/report/parts.h"

#include "core/results/fields.h"

#define LABEL_INDENT 13

/* Printed whole; the summary repeats as much as fits on a line. An unknown does not take the place
 * of something known. */
static void header_line(struct report *report, const char *label, const char *words,
                        enum report_kept keep)
{
    bool unknown = words == NULL || words[0] == '\0';
    char buffer[300];
    struct text line, kept;

    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, label);
    report_words(&line, words);
    report_wrapped(report, buffer, LABEL_INDENT);
    if (unknown && report->kept[keep][0] != '\0')
        return;
    text_start(&kept, report->kept[keep], sizeof(report->kept[keep]));
    text_add(&kept, buffer);
}

static void header_clock(struct report *report, const struct record_run *run)
{
    char buffer[96];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    if (run->clock_hz == RECORD_UNKNOWN || run->clock_hz == 0) {
        text_char(&line, '-');
    } else {
        text_fixed(&line, (double)run->clock_hz / 1e6, 3);
        text_add(&line, " MHz by ");
        report_words(&line, run->clock_source);
        if (report_known(run->clock_ppm)) {
            text_add(&line, ", first check ");
            report_number(&line, run->clock_ppm, 1);
            text_add(&line, " ppm");
        } else {
            text_add(&line, ", not checked yet");
        }
    }
    header_line(report, "Clock", buffer, KEPT_CLOCK);
}

void report_run(struct report *report, const struct record_run *run)
{
    struct text line;

    text_start(&line, report->kept[KEPT_VERSION], sizeof(report->kept[KEPT_VERSION]));
    text_add(&line, "barechase ");
    report_words(&line, run->version);
    text_char(&line, ' ');
    report_words(&line, run->arch);
    report_rule(report, report->kept[KEPT_VERSION]);
    text_start(&line, report->kept[KEPT_MEMORY], sizeof(report->kept[KEPT_MEMORY]));
    report_label(&line, "Memory");
    text_char(&line, '-');
    header_line(report, "Board", run->board, KEPT_BOARD);
    header_line(report, "Firmware", run->firmware, KEPT_BIOS);
    header_line(report, "BIOS", run->bios, KEPT_BIOS);
    header_line(report, "CPU", run->cpu, KEPT_CPU);
    header_clock(report, run);
}

static void add_cache(struct text *line, const struct cache_level *cache)
{
    text_char(line, 'L');
    text_u64(line, cache->level);
    text_add(line, cache->unified ? " " : "d ");
    report_size(line, cache->bytes);
    if (cache->ways != 0 && cache->ways != UINT32_MAX) {
        text_char(line, ' ');
        text_u64(line, cache->ways);
        text_add(line, "-way");
    }
}

void report_cpu(struct report *report, const struct record_cpu *cpu)
{
    size_t most = sizeof(cpu->page_sizes) / sizeof(cpu->page_sizes[0]);
    char buffer[400];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Processors");
    report_count(&line, cpu->count);
    text_add(&line, " (");
    report_count(&line, cpu->enabled);
    text_add(&line, " enabled)");
    report_line(report, buffer);
    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Caches");
    for (size_t i = 0; i < cpu->cache_count; i++) {
        text_add(&line, i > 0 ? ", " : "");
        add_cache(&line, &cpu->caches[i]);
        if (i == 0)
            report->line_bytes = cpu->caches[i].line_bytes;
        if (cpu->caches[i].bytes > report->last_level_bytes)
            report->last_level_bytes = cpu->caches[i].bytes;
    }
    text_add(&line, cpu->cache_count == 0 ? "-" : ", as declared");
    report_wrapped(report, buffer, LABEL_INDENT);
    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Page sizes");
    for (size_t i = 0; i < most && cpu->page_sizes[i] != 0; i++) {
        text_add(&line, i > 0 ? ", " : "");
        report_words(&line, record_page_name(cpu->page_sizes[i]));
    }
    report_line(report, buffer);
}

void report_memory(struct report *report, const struct record_memory *memory)
{
    report->memory_pending = true;
    report->memory_bytes += memory->bytes;
    report->memory_usable_bytes += memory->usable ? memory->bytes : 0;
}

static void memory_close(struct report *report)
{
    char buffer[80];
    struct text line;

    if (!report->memory_pending)
        return;
    report->memory_pending = false;
    text_start(&line, buffer, sizeof(buffer));
    text_size(&line, report->memory_usable_bytes);
    text_add(&line, " usable of ");
    text_size(&line, report->memory_bytes);
    text_add(&line, " in the memory map");
    header_line(report, "Memory", buffer, KEPT_MEMORY);
}

static bool dimm_alike(const struct dimm_info *a, const struct dimm_info *b)
{
    return a->bytes == b->bytes && a->rated_mts == b->rated_mts &&
           a->configured_mts == b->configured_mts && a->ranks == b->ranks &&
           a->data_bits == b->data_bits && a->total_bits == b->total_bits &&
           text_equal(a->type, b->type) && text_equal(a->maker, b->maker) &&
           text_equal(a->part, b->part);
}

static void add_speed(struct text *line, const char *label, uint32_t mts)
{
    text_add(line, label);
    if (mts == 0)
        text_char(line, '-');
    else
        text_u64(line, mts);
}

static void add_dimm(struct text *line, const struct report *report)
{
    const struct dimm_info *dimm = &report->dimm;

    report_size(line, dimm->bytes);
    text_char(line, ' ');
    report_words(line, dimm->type);
    if (dimm->total_bits > dimm->data_bits && dimm->data_bits != 0)
        text_add(line, " ECC");
    if (dimm->ranks != 0) {
        text_char(line, ' ');
        text_u64(line, dimm->ranks);
        text_add(line, "-rank");
    }
    add_speed(line, ", MT/s rated ", dimm->rated_mts);
    add_speed(line, " configured ", dimm->configured_mts);
    if (dimm->maker[0] != '\0' || dimm->part[0] != '\0') {
        text_add(line, ", ");
        text_add(line, dimm->maker);
        text_add(line, dimm->maker[0] != '\0' && dimm->part[0] != '\0' ? " " : "");
        text_add(line, dimm->part);
    }
}

static void dimm_close(struct report *report)
{
    const struct dimm_info *dimm = &report->dimm;
    bool slow =
        dimm->bytes != 0 && dimm->configured_mts != 0 && dimm->configured_mts < dimm->rated_mts;
    char buffer[300];
    struct text line;

    if (!report->dimm_pending)
        return;
    report->dimm_pending = false;
    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "DIMM");
    text_u64(&line, report->dimm_count);
    text_add(&line, " x ");
    if (dimm->bytes == 0)
        text_add(&line, "empty");
    else
        add_dimm(&line, report);
    text_add(&line, ", ");
    report_words(&line, dimm->locator);
    if (report->dimm_count > 1) {
        text_add(&line, " to ");
        report_words(&line, report->dimm_last);
    }
    text_add(&line, slow ? "; WARNING: below rated speed" : "");
    report_wrapped(report, buffer, LABEL_INDENT + 2);
    if (!slow)
        return;
    text_start(&line, buffer, sizeof(buffer));
    add_speed(&line, "DIMM runs below its rated speed: ", dimm->configured_mts);
    add_speed(&line, " of ", dimm->rated_mts);
    text_add(&line, " MT/s at ");
    report_words(&line, dimm->locator);
    report_note_keep(report, SEVERITY_WARNING, buffer, 0);
}

void report_dimm(struct report *report, const struct dimm_info *dimm)
{
    struct text last;

    if (report->dimm_pending && !dimm_alike(&report->dimm, dimm))
        dimm_close(report);
    if (!report->dimm_pending) {
        report->dimm_pending = true;
        report->dimm_count = 0;
        report->dimm = *dimm;
    }
    report->dimm_count++;
    text_start(&last, report->dimm_last, sizeof(report->dimm_last));
    text_add(&last, dimm->locator);
}

void report_header_close(struct report *report, enum record_kind next)
{
    if (next != RECORD_MEMORY)
        memory_close(report);
    if (next != RECORD_DIMM)
        dimm_close(report);
}

static void add_register(struct text *line, const char *label, uint64_t value)
{
    text_add(line, label);
    if (value == RECORD_UNKNOWN)
        text_char(line, '-');
    else
        text_hex(line, value);
}

static void add_footprint(struct text *line, const struct record_prefetch *prefetch)
{
    text_add(line, "footprint ");
    report_add_share(line, prefetch->footprint_share, prefetch->footprint_low,
                     prefetch->footprint_high);
    if (prefetch->footprint_share > 0) {
        text_add(line, ", ");
        report_add_distance(line, prefetch->footprint_distance, prefetch->footprint_touches);
    }
    text_add(line, ": ");
    report_words(line, prefetch->footprint_verdict);
}

static void add_ratio(struct text *line, const struct record_prefetch *prefetch)
{
    text_add(line, "sequential over random ");
    report_number(line, prefetch->sequential_over_random, 2);
    report_add_bounds(line, prefetch->ratio_low, prefetch->ratio_high, 2);
    text_add(line, ": ");
    report_words(line, prefetch->ratio_verdict);
}

/* In brackets; nothing where neither was heard. */
static void add_witnesses(struct text *line, const struct record_prefetch *prefetch)
{
    bool footprint = report_known(prefetch->footprint_share);
    bool ratio = report_known(prefetch->sequential_over_random);

    if (!footprint && !ratio)
        return;
    text_add(line, " (");
    if (footprint)
        add_footprint(line, prefetch);
    text_add(line, footprint && ratio ? "; " : "");
    if (ratio)
        add_ratio(line, prefetch);
    text_add(line, ")");
}

static void keep_verdict(struct report_verdict *verdict, const struct record_prefetch *prefetch)
{
    struct text kept;

    *verdict = (struct report_verdict){.known = true,
                                       .ratio = prefetch->sequential_over_random,
                                       .ratio_low = prefetch->ratio_low,
                                       .ratio_high = prefetch->ratio_high,
                                       .share = prefetch->footprint_share,
                                       .share_low = prefetch->footprint_low,
                                       .share_high = prefetch->footprint_high,
                                       .doubt = prefetch->doubt,
                                       .state = prefetch->state};
    text_start(&kept, verdict->word, sizeof(verdict->word));
    text_add(&kept, prefetch->verdict);
    text_start(&kept, verdict->control, sizeof(verdict->control));
    text_add(&kept, prefetch->control == NULL ? "" : prefetch->control);
}

static bool has_verdict(const struct record_prefetch *prefetch)
{
    return prefetch->verdict != NULL && prefetch->verdict[0] != '\0';
}

/* The same verdict comes once for each control; it is one, until the first of them comes again. */
static bool is_next_control(const struct report *report, const struct record_prefetch *prefetch)
{
    return report->verdict.known && has_verdict(prefetch) &&
           !text_equal(report->verdict.control, prefetch->control == NULL ? "" : prefetch->control);
}

void report_verdict_close(struct report *report, const struct record *next)
{
    char buffer[400];
    struct text line;

    if (report->verdict_line[0] == '\0' || (next != NULL && next->kind == RECORD_PREFETCH &&
                                            is_next_control(report, &next->u.prefetch)))
        return;
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, report->verdict_line);
    text_add(&line, "; by register: ");
    text_add(&line, prefetch_state_name(report->verdict.state));
    if (report->verdict.doubt != 0)
        text_add(&line, "; ");
    report_add_doubt(&line, report->verdict.doubt);
    report_wrapped(report, buffer, LABEL_INDENT);
    report->verdict_line[0] = '\0';
}

static void prefetch_verdict(struct report *report, const struct record_prefetch *prefetch)
{
    struct report_verdict *verdict = &report->verdict;
    struct text line;

    if (is_next_control(report, prefetch)) {
        if (prefetch->state > verdict->state)
            verdict->state = prefetch->state;
        return;
    }
    keep_verdict(verdict, prefetch);
    text_start(&line, report->verdict_line, sizeof(report->verdict_line));
    report_label(&line, "Prefetch");
    text_add(&line, "by behaviour: ");
    text_add(&line, verdict->word);
    add_witnesses(&line, prefetch);
}

void report_prefetch(struct report *report, const struct record_prefetch *prefetch)
{
    char buffer[300];
    struct text line;

    if (has_verdict(prefetch)) {
        report_behaviour(report, prefetch->state, prefetch->verdict);
        prefetch_verdict(report, prefetch);
        return;
    }
    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Prefetch");
    if (prefetch->control == NULL || prefetch->control[0] == '\0') {
        text_add(&line, "no control known");
    } else {
        text_add(&line, prefetch->control);
        add_register(&line, ": asked ", prefetch->requested);
        add_register(&line, ", reads ", prefetch->readback);
    }
    text_add(&line, prefetch->unofficial ? " (unofficial): " : ": ");
    text_add(&line, prefetch_state_name(prefetch->state));
    report_wrapped(report, buffer, LABEL_INDENT + 2);
}
