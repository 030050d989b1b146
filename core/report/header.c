/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of the report: the machine as declared, and the prefetcher controls. */
#include "core/report/internal.h"

#include "core/results/fields.h"

#define LABEL_INDENT 13

/* The words are printed in full; the copy kept for the last screen may be truncated. */
static void header_line(struct report *report, const char *label, const char *words,
                        enum report_kept keep)
{
    report_print_wrapped(report, LABEL_INDENT, "%-12s %s", label, report_words(words));
    text_print(report->kept[keep], sizeof(report->kept[keep]), "%s", words == NULL ? "" : words);
}

static void header_clock(struct report *report, const struct record_run *run)
{
    char buffer[96];

    if (run->clock_hz == RECORD_UNKNOWN || run->clock_hz == 0) {
        header_line(report, "Clock", "-", KEPT_CLOCK);
        return;
    }
    if (report_known(run->clock_ppm))
        text_print(buffer, sizeof(buffer), "%.3f MHz by %s, first check %s ppm",
                   (double)run->clock_hz / 1e6, report_words(run->clock_source),
                   REPORT_NUMBER(run->clock_ppm, 1));
    else
        text_print(buffer, sizeof(buffer), "%.3f MHz by %s, not checked yet",
                   (double)run->clock_hz / 1e6, report_words(run->clock_source));
    header_line(report, "Clock", buffer, KEPT_CLOCK);
}

/* A CPU and a size are no name. */
static void header_board(struct report *report, const struct record_run *run)
{
    char buffer[240];

    if (run->board_source == NULL || !text_equal(run->board_source, "cpu-and-memory")) {
        header_line(report, "Board", run->board, KEPT_BOARD);
        return;
    }
    text_print(buffer, sizeof buffer, "without a name: %s", report_words(run->board));
    header_line(report, "Board", buffer, KEPT_BOARD);
}

void report_run(struct report *report, const struct record_run *run)
{
    text_print(report->kept[KEPT_VERSION], sizeof(report->kept[KEPT_VERSION]), "barechase %s %s",
               report_words(run->version), report_words(run->arch));
    report_rule(report, report->kept[KEPT_VERSION]);
    header_board(report, run);
    header_line(report, "Firmware", run->firmware, KEPT_FIRMWARE);
    header_line(report, "BIOS", run->bios, KEPT_BIOS);
    header_line(report, "CPU", run->cpu, KEPT_CPU);
    header_clock(report, run);
}

static void add_cache(struct text *line, const struct cache_level *cache)
{
    text_format(line, "L%u%s %s", cache->level, cache->unified ? "" : "d",
                REPORT_SIZE(cache->bytes));
    if (cache->ways != 0 && cache->ways != UINT32_MAX)
        text_format(line, " %u-way", cache->ways);
}

void report_cpu(struct report *report, const struct record_cpu *cpu)
{
    size_t max = sizeof(cpu->page_sizes) / sizeof(cpu->page_sizes[0]);
    char buffer[400];
    struct text line;

    report_print(report, "Processors   %s (%s enabled)", REPORT_COUNT(cpu->count),
                 REPORT_COUNT(cpu->enabled));
    line = text_open(buffer, sizeof(buffer), "Caches       ");
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
    line = text_open(buffer, sizeof(buffer), "Page sizes   ");
    for (size_t i = 0; i < max && cpu->page_sizes[i] != 0; i++)
        text_format(&line, i > 0 ? ", %s" : "%s",
                    report_words(page_bytes_name(cpu->page_sizes[i])));
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

    if (!report->memory_pending)
        return;
    report->memory_pending = false;
    text_print(buffer, sizeof(buffer), "%s usable of %s in the memory map",
               TEXT_SIZE(report->memory_usable_bytes), TEXT_SIZE(report->memory_bytes));
    header_line(report, "Memory", buffer, KEPT_MEMORY);
}

void report_header_close(struct report *report, enum record_kind next)
{
    if (next != RECORD_MEMORY)
        memory_close(report);
    if (next != RECORD_DIMM)
        report_modules_close(report);
}

static void add_register(struct text *line, const char *label, uint64_t value)
{
    if (value == RECORD_UNKNOWN)
        text_format(line, "%s -", label);
    else
        text_format(line, "%s 0x%lx", label, value);
}

static void add_footprint(struct text *line, const struct record_prefetch *prefetch)
{
    bool any = prefetch->footprint_share > 0;

    text_format(
        line, "footprint %s%s%s: %s",
        REPORT_SHARE(prefetch->footprint_share, prefetch->footprint_low, prefetch->footprint_high),
        any ? ", " : "",
        any ? REPORT_DISTANCE(prefetch->footprint_distance, prefetch->footprint_touches) : "",
        report_words(prefetch->footprint_verdict));
}

static void add_ratio(struct text *line, const struct record_prefetch *prefetch)
{
    text_format(line, "sequential over random %s%s: %s",
                REPORT_NUMBER(prefetch->sequential_over_random, 2),
                REPORT_BOUNDS(prefetch->ratio_low, prefetch->ratio_high, 2),
                report_words(prefetch->ratio_verdict));
}

/* The measured figures behind a verdict, in brackets; nothing where neither is known. */
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

/* Keeps the worst state among the controls that count. */
static void keep_state(struct report_verdict *verdict, const struct record_prefetch *prefetch)
{
    if (prefetch->counts && (!verdict->counted || prefetch->state > verdict->state))
        verdict->state = prefetch->state;
    verdict->counted |= prefetch->counts;
}

/* Two things contradict "off": a ratio of chases that says "on", and a chase of the headline that
 * is followed. What is not the first is the second. */
static bool is_followed(const struct record_prefetch *prefetch)
{
    bool ratio = prefetch->ratio_verdict != NULL && text_equal(prefetch->ratio_verdict, "on");

    return prefetch->verdict != NULL && text_equal(prefetch->verdict, "off") && !ratio &&
           (prefetch->doubt & doubt_of(DOUBT_CONTRADICTED)) != 0;
}

static void keep_verdict(struct report_verdict *verdict, const struct record_prefetch *prefetch)
{
    *verdict = (struct report_verdict){.known = true,
                                       .ratio = prefetch->sequential_over_random,
                                       .ratio_low = prefetch->ratio_low,
                                       .ratio_high = prefetch->ratio_high,
                                       .share = prefetch->footprint_share,
                                       .share_low = prefetch->footprint_low,
                                       .share_high = prefetch->footprint_high,
                                       .doubt = prefetch->doubt,
                                       .by_ratio = report_known(prefetch->footprint_share) &&
                                                   prefetch->witness != NULL &&
                                                   text_equal(prefetch->witness, "ratio"),
                                       .followed = is_followed(prefetch),
                                       .state = PREFETCH_UNSUPPORTED};
    keep_state(verdict, prefetch);
    text_print(verdict->word, sizeof(verdict->word), "%s", prefetch->verdict);
    text_print(verdict->control, sizeof(verdict->control), "%s",
               prefetch->control == NULL ? "" : prefetch->control);
}

static bool has_verdict(const struct record_prefetch *prefetch)
{
    return prefetch->verdict != NULL && prefetch->verdict[0] != '\0';
}

/* A verdict is repeated in the record of each control. It is one verdict until the first control
 * comes again. */
static bool is_next_control(const struct report *report, const struct record_prefetch *prefetch)
{
    return report->verdict.known && has_verdict(prefetch) &&
           !text_equal(report->verdict.control, prefetch->control == NULL ? "" : prefetch->control);
}

void report_verdict_close(struct report *report, const struct record *next)
{
    if (report->verdict_line[0] == '\0' || (next != NULL && next->kind == RECORD_PREFETCH &&
                                            is_next_control(report, &next->u.prefetch)))
        return;
    report_print_wrapped(report, LABEL_INDENT, "%s; by register: %s%s%s", report->verdict_line,
                         prefetch_state_name(report->verdict.state),
                         report_known_words(report, report->verdict.state),
                         REPORT_DOUBT("; ", report->verdict.doubt));
    report->verdict_line[0] = '\0';
}

static void prefetch_verdict(struct report *report, const struct record_prefetch *prefetch)
{
    struct report_verdict *verdict = &report->verdict;
    struct text line;

    if (is_next_control(report, prefetch)) {
        keep_state(verdict, prefetch);
        return;
    }
    keep_verdict(verdict, prefetch);
    line = text_open(report->verdict_line, sizeof(report->verdict_line),
                     "Prefetch     by behaviour: %s", verdict->word);
    add_witnesses(&line, prefetch);
}

/* Only a value that was tried is shown: a prefetcher that is on was only read, and a register that
 * could not be read was not tried. A refusal may have come before the write, so it shows the value
 * as requested. */
static void add_values(struct text *line, const struct record_prefetch *prefetch)
{
    bool tried = prefetch->state != PREFETCH_ON &&
                 !(prefetch->state == PREFETCH_UNSUPPORTED && prefetch->readback == RECORD_UNKNOWN);

    if (tried)
        add_register(line, prefetch->state == PREFETCH_REFUSED ? ": asked for" : ": wrote",
                     prefetch->requested);
    add_register(line, tried ? ", read" : ": read", prefetch->readback);
}

void report_prefetch(struct report *report, const struct record_prefetch *prefetch)
{
    bool controlled = prefetch->control != NULL && prefetch->control[0] != '\0';
    char buffer[300];
    struct text line;

    report->known_only |= prefetch->known_only;
    if (has_verdict(prefetch)) {
        report_behaviour(report, prefetch->state, prefetch->verdict);
        prefetch_verdict(report, prefetch);
        return;
    }
    line = text_open(buffer, sizeof(buffer), "Prefetch     %s",
                     controlled ? prefetch->control : "no control known");
    if (controlled)
        add_values(&line, prefetch);
    text_format(&line, prefetch->unofficial ? " (unofficial): %s" : ": %s",
                prefetch->state == PREFETCH_OFF ? "disabled"
                                                : prefetch_state_name(prefetch->state));
    report_wrapped(report, buffer, LABEL_INDENT + 2);
}
