/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline, and the summary that is the last screen of a run. */
#include "core/report_parts.h"

#include "core/record_fields.h"

#define CLOCK_WARNING_PPM 1000.0 /* 0.1 %: beyond it figures are marked */
#define SUMMARY_FIXED     16     /* lines of the summary that are not notes */

static const char *keep_word(char *to, size_t capacity, const char *words)
{
    struct text text;

    text_start(&text, to, capacity);
    report_words(&text, words);
    return to;
}

/* A figure with prefetchers off comes before one with them on, larger pages before smaller. */
static bool better_headline(const struct report *report, const struct record_dram *dram)
{
    const struct record_dram *kept = &report->dram;

    if (!report->dram_known)
        return true;
    if (kept->prefetch != dram->prefetch)
        return dram->prefetch == PREFETCH_OFF || kept->prefetch == PREFETCH_ON;
    return dram->pages_bytes > kept->pages_bytes;
}

static void add_bounds(struct text *line, double low, double high, unsigned decimals)
{
    if (!report_known(low) || !report_known(high))
        return;
    text_add(line, " (");
    report_number(line, low, decimals);
    text_add(line, " to ");
    report_number(line, high, decimals);
    text_char(line, ')');
}

void report_prefetch_words(struct text *line, enum prefetch_state state,
                           const struct report_verdict *verdict)
{
    bool known = verdict != NULL && verdict->known;
    bool works = known && text_equal(verdict->word, "on");

    if (state == PREFETCH_ON) {
        text_add(line, "prefetchers on");
    } else if (state == PREFETCH_OFF) {
        text_add(line, works ? "prefetchers NOT off (registers say off)" : "prefetchers off");
    } else {
        text_add(line, "prefetchers NOT off (");
        text_add(line,
                 state == PREFETCH_NOT_HONOURED ? "not honoured" : prefetch_state_name(state));
        text_char(line, ')');
    }
    if (verdict == NULL)
        return;
    text_add(line, known ? ", by behaviour " : ", not proven by behaviour");
    if (!known)
        return;
    text_add(line, verdict->word);
    text_add(line, ", ratio ");
    report_number(line, verdict->ratio, 2);
}

/* The headline in three lines; mark stands behind figures in ns that the clock makes doubtful. */
static void headline_lines(struct report *report, const struct record_dram *dram,
                           const struct report_verdict *verdict, const char *mark)
{
    char buffer[160];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "DRAM latency ");
    report_number(&line, dram->ns, 2);
    text_add(&line, " ns");
    text_add(&line, mark);
    add_bounds(&line, dram->ns_low, dram->ns_high, 2);
    text_add(&line, ", ");
    report_number(&line, dram->cycles, 1);
    text_add(&line, " core cycles");
    report_line(report, buffer);
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "  pattern ");
    report_words(&line, dram->pattern);
    text_add(&line, ", pages ");
    report_words(&line, record_page_name(dram->pages_bytes));
    text_char(&line, ' ');
    report_words(&line, dram->frames);
    text_add(&line, ", map ");
    report_words(&line, dram->map);
    text_add(&line, ", set ");
    report_size(&line, dram->bytes);
    report_line(report, buffer);
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "  ");
    report_prefetch_words(&line, dram->prefetch, verdict);
    report_line(report, buffer);
}

static void cost_lines(struct report *report, const struct record_dram *dram, const char *mark)
{
    char buffer[160];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, dram->frames != NULL && text_equal(dram->frames, "as-found")
                        ? "  4k pages add "
                        : "  scattered 4k pages add ");
    report_number(&line, dram->tlb_cost_ns, 2);
    text_add(&line, " ns");
    text_add(&line, mark);
    text_add(&line, " of TLB misses");
    add_bounds(&line, dram->tlb_cost_low_ns, dram->tlb_cost_high_ns, 2);
    report_line(report, buffer);
    if (!report_known(dram->slope_ns))
        return;
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "  by the slope over working sets ");
    report_number(&line, dram->slope_ns, 2);
    text_add(&line, " ns");
    text_add(&line, mark);
    add_bounds(&line, dram->slope_low_ns, dram->slope_high_ns, 2);
    report_line(report, buffer);
}

void report_dram(struct report *report, const struct record_dram *dram)
{
    report_line(report, "");
    headline_lines(report, dram, &report->verdict, "");
    cost_lines(report, dram, "");
    if (better_headline(report, dram)) {
        report->dram_known = true;
        report->dram = *dram;
        report->dram.pattern =
            keep_word(report->dram_words[0], sizeof(report->dram_words[0]), dram->pattern);
        report->dram.frames =
            keep_word(report->dram_words[1], sizeof(report->dram_words[1]), dram->frames);
        report->dram.map =
            keep_word(report->dram_words[2], sizeof(report->dram_words[2]), dram->map);
        report->dram_verdict = report->verdict;
    }
    report->verdict.known = false;
}

void report_note_keep(struct report *report, enum severity severity, const char *words)
{
    size_t at = report->notes;
    struct text text;

    if (severity == SEVERITY_INFO)
        return;
    report->errors += severity == SEVERITY_ERROR;
    report->warnings += severity == SEVERITY_WARNING;
    if (at == REPORT_NOTES_MAX) {
        /* No room: an error takes the place of the last warning. */
        while (at > 0 && report->note[at - 1].severity == SEVERITY_ERROR)
            at--;
        if (severity == SEVERITY_WARNING || at == 0)
            return;
        at--;
    } else {
        report->notes++;
    }
    report->note[at].severity = severity;
    text_start(&text, report->note[at].text, sizeof(report->note[at].text));
    text_add(&text, severity_name(severity));
    text_add(&text, ": ");
    text_add(&text, words);
}

static size_t note_lines(struct report *report, enum severity severity, size_t room)
{
    size_t printed = 0;

    for (size_t i = 0; i < report->notes && printed < room; i++)
        if (report->note[i].severity == severity) {
            report_line(report, report->note[i].text);
            printed++;
        }
    return printed;
}

static void summary_notes(struct report *report)
{
    uint64_t all = report->errors + report->warnings;
    size_t room = REPORT_SUMMARY - SUMMARY_FIXED, printed;
    char buffer[80];
    struct text line;

    if (all > room)
        room--;
    printed = note_lines(report, SEVERITY_ERROR, room);
    printed += note_lines(report, SEVERITY_WARNING, room - printed);
    if (all == printed)
        return;
    text_start(&line, buffer, sizeof(buffer));
    text_add(&line, "... and ");
    text_u64(&line, all - printed);
    text_add(&line, " more, see above and results.jsonl");
    report_line(report, buffer);
}

static void summary_status(struct report *report, const struct record_end *end)
{
    char buffer[160];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Status");
    report_words(&line, end->status);
    text_add(&line, " after ");
    report_number(&line, end->seconds, 1);
    text_add(&line, " s; errors ");
    text_u64(&line, report->errors);
    text_add(&line, ", warnings ");
    text_u64(&line, report->warnings);
    report_line(report, buffer);
}

static void summary_check(struct report *report, double ppm, bool marked)
{
    char buffer[160];
    struct text line;

    report_line(report, report->kept[KEPT_CLOCK]);
    text_start(&line, buffer, sizeof(buffer));
    report_label(&line, "Clock check");
    report_number(&line, ppm, 1);
    text_add(&line, report_known(ppm) ? " ppm against the second clock over the whole run"
                                      : " (no second clock, or too short a run for it)");
    text_add(&line, marked ? " (!)" : "");
    report_line(report, buffer);
}

void report_summary(struct report *report, const struct record_end *end)
{
    double ppm = end->clock_check_ppm;
    bool marked = report_known(ppm) && (ppm > CLOCK_WARNING_PPM || ppm < -CLOCK_WARNING_PPM);

    report_line(report, "");
    report_rule(report, report->kept[KEPT_VERSION]);
    report_line(report, report->kept[KEPT_BOARD]);
    report_line(report, report->kept[KEPT_BIOS]);
    report_line(report, report->kept[KEPT_CPU]);
    report_line(report, report->kept[KEPT_MEMORY]);
    summary_check(report, ppm, marked);
    if (report->dram_known) {
        headline_lines(report, &report->dram, &report->dram_verdict, marked ? " (!)" : "");
        cost_lines(report, &report->dram, marked ? " (!)" : "");
        report_mlc_line(report, marked ? " (!)" : "");
    } else {
        report_line(report, "DRAM latency - (not measured)");
    }
    if (marked)
        report_line(report,
                    "(!) the clock is off by more than 1000 ppm: every figure in ns is too");
    summary_notes(report);
    summary_status(report, end);
}
