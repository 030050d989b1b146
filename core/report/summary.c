/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline, and the summary that is the last screen of a run. */
#include "core/report/internal.h"

#include "core/results/fields.h"

#define TRANSLATION_SHOWN 0.01 /* of the headline: less is not worth a line */

static const char *keep_word(char *to, size_t capacity, const char *words)
{
    text_print(to, capacity, "%s", report_words(words));
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

void report_prefetch_words(struct text *line, const struct report *report,
                           enum prefetch_state state, const struct report_verdict *verdict)
{
    bool known = verdict != NULL && verdict->known;
    bool works = known ? text_equal(verdict->word, "on") : report->registers_lie;

    if (state == PREFETCH_ON)
        text_add(line, "prefetchers on");
    else if (state == PREFETCH_OFF)
        text_add(line, works ? "prefetchers NOT off (registers say off)" : "prefetchers off");
    else
        text_format(line, "prefetchers NOT off (%s)",
                    state == PREFETCH_NOT_HONOURED ? "not honoured" : prefetch_state_name(state));
    if (verdict == NULL)
        return;
    text_format(line, ", %s%s", known ? "by behaviour " : "not proven by behaviour",
                known ? verdict->word : "");
    if (!known)
        return;
    if (report_known(verdict->share))
        text_format(line, ", footprint %s",
                    REPORT_SHARE(verdict->share, verdict->share_low, verdict->share_high));
    if (report_known(verdict->ratio))
        text_format(line, ", ratio %s%s", REPORT_NUMBER(verdict->ratio, 2),
                    REPORT_BOUNDS(verdict->ratio_low, verdict->ratio_high, 2));
    text_add(line, REPORT_DOUBT(", ", verdict->doubt));
}

/* Tables show hops as they were: what was taken off them is said where it is more than little. */
static void translation_line(struct report *report, const struct record_dram *dram)
{
    if (report_known(dram->translation_ns) && dram->translation_ns >= TRANSLATION_SHOWN * dram->ns)
        report_print(report, "  without %s ns of TLB misses in these pages, which the tables hold",
                     REPORT_NUMBER(dram->translation_ns, 2));
}

/* The headline in three lines, and one of what it is in doubt for; mark stands behind figures in ns
 * that the clock makes doubtful. */
static void headline_lines(struct report *report, const struct record_dram *dram,
                           const struct report_verdict *verdict, const char *mark)
{
    char buffer[300];
    struct text line;

    report_print(report, "DRAM latency %s ns%s%s%s, %s core cycles", REPORT_NUMBER(dram->ns, 2),
                 dram->doubt != 0 ? "?" : "", mark, REPORT_BOUNDS(dram->ns_low, dram->ns_high, 2),
                 REPORT_NUMBER(dram->cycles, 1));
    if (dram->doubt != 0)
        report_wrapped(report, REPORT_DOUBT("  ? ", dram->doubt), 4);
    report_print(report, "  pattern %s, pages %s %s, map %s, set %s", report_words(dram->pattern),
                 report_words(page_bytes_name(dram->pages_bytes)), report_words(dram->frames),
                 report_words(dram->map), REPORT_SIZE(dram->bytes));
    translation_line(report, dram);
    line = text_open(buffer, sizeof(buffer), "  ");
    report_prefetch_words(&line, report, dram->prefetch, verdict);
    report_wrapped(report, buffer, 4);
}

/* Where no set is large enough, since page walks go on growing. */
static void rise_line(struct report *report, const struct record_dram *dram, const char *mark)
{
    if (report_known(dram->rise_ns) && (dram->doubt & doubt_of(DOUBT_TRANSLATION)))
        report_print(report, "  rises by %s ns?%s from half the set to all of it",
                     REPORT_NUMBER(dram->rise_ns, 2), mark);
}

static void cost_lines(struct report *report, const struct record_dram *dram, const char *mark)
{
    bool found =
        dram->frames != NULL && text_equal(dram->frames, frame_order_names[FRAMES_AS_ALLOCATED]);
    const char *pages = found ? "4k pages" : "scattered 4k pages";
    const char *doubt = dram->doubt != 0 ? "?" : "";

    if (report_known(dram->tlb_cost_ns))
        report_print(report, "  %s add %s ns%s%s of TLB misses%s", pages,
                     REPORT_NUMBER(dram->tlb_cost_ns, 2), doubt, mark,
                     REPORT_BOUNDS(dram->tlb_cost_low_ns, dram->tlb_cost_high_ns, 2));
    else
        report_print(report, "  %s: not known what they add", pages);
    if (report_known(dram->slope_ns))
        report_print(report, "  by the slope over working sets %s ns%s%s%s",
                     REPORT_NUMBER(dram->slope_ns, 2), doubt, mark,
                     REPORT_BOUNDS(dram->slope_low_ns, dram->slope_high_ns, 2));
}

void report_dram(struct report *report, const struct record_dram *dram)
{
    report_line(report, "");
    headline_lines(report, dram, &report->verdict, "");
    rise_line(report, dram, "");
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

static void summary_status(struct report *report, const struct record_end *end)
{
    report_print(report, "Status       %s after %s s; errors %lu, warnings %lu",
                 report_words(end->status), REPORT_NUMBER(end->seconds, 1), report->errors,
                 report->warnings);
}

static void summary_check(struct report *report, double ppm, bool marked)
{
    report_line(report, report->kept[KEPT_CLOCK]);
    if (report_known(ppm))
        report_print(report, "Clock check  %s ppm against the second clock over the whole run%s",
                     REPORT_NUMBER(ppm, 1), marked ? " (!)" : "");
    else
        report_line(report, "Clock check  - (no second clock, or too short a run for it)");
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
    report_notes(report);
    if (report->dram_known) {
        headline_lines(report, &report->dram, &report->dram_verdict, marked ? " (!)" : "");
        rise_line(report, &report->dram, marked ? " (!)" : "");
        cost_lines(report, &report->dram, marked ? " (!)" : "");
        report_mlc_line(report, marked ? " (!)" : "");
    } else {
        report_line(report, "DRAM latency - (not measured)");
    }
    if (marked)
        report_line(report,
                    "(!) the clock is off by more than 1000 ppm: every figure in ns is too");
    summary_status(report, end);
}
