/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline and the last screen of a run: its lines, and which of them come first where there is
 * no room for all. */
#include "core/report/internal.h"

#define TRANSLATION_SHOWN 0.01 /* of the headline: less is not worth a line */

/* Which lines get room first. One warning about the headline comes before all levels, the others
 * after them: several long ones would leave no room for levels. */
enum rank {
    RANK_ALWAYS,
    RANK_ERROR,
    RANK_FIRST_NOTE,
    RANK_LEVEL,
    RANK_SPACE, /* around the headline */
    RANK_HEADLINE_NOTE,
    RANK_NOTE,
    RANK_COMPANY,
    RANK_MACHINE,
    RANK_BLANK
};

static const char *keep_word(char *to, size_t capacity, const char *words)
{
    text_print(to, capacity, "%s", report_words(words));
    return to;
}

/* Prefetchers off is preferred to on, then larger pages to smaller ones. */
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
        text_format(line, "prefetchers %s%s", works ? "NOT off (registers say off)" : "off",
                    works ? "" : report_known_words(report, state));
    else
        text_format(line, "prefetchers NOT off (%s)", prefetch_state_name(state));
    if (verdict == NULL)
        return;
    text_format(line, ", %s%s", known ? "by behaviour " : "not proven by behaviour",
                known ? verdict->word : "");
    if (!known)
        return;
    if (report_known(verdict->share))
        text_format(line, "%s, footprint %s", verdict->by_ratio ? " (by the ratio)" : "",
                    REPORT_SHARE(verdict->share, verdict->share_low, verdict->share_high));
    if (report_known(verdict->ratio))
        text_format(line, ", ratio %s%s", REPORT_NUMBER(verdict->ratio, 2),
                    REPORT_BOUNDS(verdict->ratio_low, verdict->ratio_high, 2));
    text_add(line, REPORT_DOUBT(", ", verdict->doubt));
}

/* ---- the headline and the lines below it */

/* Tables show hops as measured, so a correction for TLB misses is shown unless it is small. */
static void translation_line(struct screen *screen, const struct record_dram *dram)
{
    if (!report_known(dram->translation_ns) || dram->translation_ns < TRANSLATION_SHOWN * dram->ns)
        return;
    screen_begin(screen, RANK_COMPANY);
    screen_print(screen, SCREEN_PLAIN, 4,
                 "  without %s ns of TLB misses in these pages, which the tables hold",
                 REPORT_NUMBER(dram->translation_ns, 2));
}

/* Why the figure may be wrong: its bounds and its doubts. */
static void reasons_line(struct screen *screen, const struct record_dram *dram)
{
    bool wide = report_is_wide(dram->ns, dram->ns_low, dram->ns_high);
    char buffer[REPORT_DOUBT_BYTES + 64];
    struct text line = text_open(buffer, sizeof(buffer), "  ? ");

    if (wide)
        text_format(&line, "bounds %s %% wide",
                    REPORT_NUMBER((dram->ns_high - dram->ns_low) / dram->ns * 100, 1));
    text_add(&line, REPORT_DOUBT(wide ? "; " : "", dram->doubt));
    if (wide || dram->doubt != 0)
        screen_add(screen, SCREEN_MARK, 4, buffer);
}

/* The headline with the conditions it was measured under. mark follows each figure in ns that an
 * unreliable clock makes doubtful. */
static void headline_lines(struct screen *screen, const struct report *report,
                           const struct record_dram *dram, const struct report_verdict *verdict,
                           const char *mark)
{
    bool wide = report_is_wide(dram->ns, dram->ns_low, dram->ns_high);
    bool core = report_known(dram->cycles) && dram->ns > 0;
    bool base = core && dram->core_over_base > 0;
    char buffer[300];
    struct text line;

    screen_begin(screen, RANK_ALWAYS);
    screen_print(screen, SCREEN_HEADLINE, 4, "DRAM latency %s ns%s%s%s, %s core cycles",
                 REPORT_NUMBER(dram->ns, 2), dram->doubt != 0 || wide ? "?" : "", mark,
                 REPORT_BOUNDS(dram->ns_low, dram->ns_high, 2), REPORT_NUMBER(dram->cycles, 1));
    reasons_line(screen, dram);
    screen_print(screen, SCREEN_PLAIN, 4, "  pattern %s, pages %s %s, map %s, set %s%s%s%s%s%s%s",
                 report_words(dram->pattern), report_words(page_bytes_name(dram->pages_bytes)),
                 report_words(dram->frames), report_words(dram->map), REPORT_SIZE(dram->bytes),
                 core ? ", core " : "", core ? REPORT_NUMBER(dram->cycles / dram->ns, 3) : "",
                 core ? " GHz" : "", base ? ", " : "",
                 base ? REPORT_NUMBER(dram->core_over_base, 2) : "", base ? " of base" : "");
    line = text_open(buffer, sizeof(buffer), "  ");
    report_prefetch_words(&line, report, dram->prefetch, verdict);
    screen_add(screen, SCREEN_PLAIN, 4, buffer);
}

/* For the case that no set is large enough, because page walks keep getting longer. */
static void rise_line(struct screen *screen, const struct record_dram *dram, const char *mark)
{
    /* False for NAN. */
    if (!(dram->rise_ns > 0) || !(dram->doubt & doubt_of(DOUBT_TRANSLATION)))
        return;
    screen_begin(screen, RANK_COMPANY);
    screen_print(screen, SCREEN_MARK, 4, "  rises by %s ns?%s from half the set to all of it",
                 REPORT_NUMBER(dram->rise_ns, 2), mark);
}

static void cost_lines(struct screen *screen, const struct record_dram *dram, const char *mark)
{
    bool found =
        dram->frames != NULL && text_equal(dram->frames, frame_order_names[FRAMES_AS_ALLOCATED]);
    const char *pages = found ? "4k pages" : "scattered 4k pages";
    const char *doubt = dram->doubt != 0 ? "?" : "";

    screen_begin(screen, RANK_COMPANY);
    if (report_known(dram->tlb_cost_ns))
        screen_print(screen, SCREEN_PLAIN, 4, "  %s add %s ns%s%s of TLB misses%s", pages,
                     REPORT_NUMBER(dram->tlb_cost_ns, 2), doubt, mark,
                     REPORT_BOUNDS(dram->tlb_cost_low_ns, dram->tlb_cost_high_ns, 2));
    else
        screen_print(screen, SCREEN_PLAIN, 4, "  %s: not known what they add", pages);
    if (!report_known(dram->slope_ns))
        return;
    screen_begin(screen, RANK_COMPANY);
    screen_print(screen, SCREEN_PLAIN, 4, "  by the slope over working sets %s ns%s%s%s",
                 REPORT_NUMBER(dram->slope_ns, 2), doubt, mark,
                 REPORT_BOUNDS(dram->slope_low_ns, dram->slope_high_ns, 2));
}

static void dram_lines(struct screen *screen, const struct report *report,
                       const struct record_dram *dram, const struct report_verdict *verdict,
                       const char *mark)
{
    headline_lines(screen, report, dram, verdict, mark);
    translation_line(screen, dram);
    rise_line(screen, dram, mark);
    cost_lines(screen, dram, mark);
}

static void print_screen(struct report *report)
{
    for (size_t i = 0; i < report->screen.lines; i++)
        report_line(report, report->screen.line[i].words);
}

/* Prints the headline of an experiment that will not be on the last screen. */
static void print_other(struct report *report, const struct record_dram *dram,
                        const struct report_verdict *verdict)
{
    report_line(report, "");
    screen_start(&report->screen);
    dram_lines(&report->screen, report, dram, verdict, "");
    print_screen(report);
}

static void keep_headline(struct report *report, const struct record_dram *dram)
{
    report->dram_known = true;
    report->dram = *dram;
    report->dram.pattern =
        keep_word(report->dram_words[0], sizeof(report->dram_words[0]), dram->pattern);
    report->dram.frames =
        keep_word(report->dram_words[1], sizeof(report->dram_words[1]), dram->frames);
    report->dram.map = keep_word(report->dram_words[2], sizeof(report->dram_words[2]), dram->map);
    report->dram_verdict = report->verdict;
}

void report_dram(struct report *report, const struct record_dram *dram)
{
    if (!better_headline(report, dram)) {
        print_other(report, dram, &report->verdict);
    } else {
        if (report->dram_known)
            print_other(report, &report->dram, &report->dram_verdict);
        else
            report_line(report, "dram: its latency is the headline, at the end");
        keep_headline(report, dram);
    }
    report->verdict.known = false;
}

/* ---- the last screen */

static enum screen_meaning meaning_of(const char *status)
{
    return text_equal(status, "ok")        ? SCREEN_OK
           : text_equal(status, "aborted") ? SCREEN_MARK
                                           : SCREEN_ERROR;
}

static void status_line(struct screen *screen, const struct report *report)
{
    const char *version = report_words(report->kept[KEPT_VERSION]);

    screen_begin(screen, RANK_ALWAYS);
    if (report->end.known)
        screen_print(screen, meaning_of(report->end.status), 4,
                     "%s: %s after %s s, errors %lu, warnings %lu", version, report->end.status,
                     REPORT_NUMBER(report->end.seconds, 1), report->errors, report->warnings);
    else
        screen_print(screen, SCREEN_ERROR, 4, "%s: not ended, errors %lu, warnings %lu", version,
                     report->errors, report->warnings);
}

/* "12 x 64G DDR5 ECC 2-rank, ..."; a warning about them is among the notes. */
static void module_lines(struct screen *screen, const struct report *report)
{
    const char *label = "DIMM";
    char buffer[300];
    struct text line;

    for (size_t i = 0; i < report->modules; i++) {
        line = text_open(buffer, sizeof(buffer), "%-12s %u x ", label, report->module[i].count);
        report_add_module(&line, &report->module[i].dimm);
        if (report->module[i].count == 1)
            text_format(&line, ", %s", report_words(report->module[i].dimm.locator));
        if (i + 1 == report->modules && report->other_modules > 0)
            text_format(&line, "; %u more of other kinds", report->other_modules);
        if (i + 1 == report->modules && report->empty > 0)
            text_format(&line, "; %u empty", report->empty);
        screen_begin(screen, RANK_ALWAYS);
        screen_add(screen, SCREEN_PLAIN, 13, buffer);
        label = "";
    }
    screen_begin(screen, RANK_ALWAYS);
    if (report->modules == 0)
        screen_print(screen, SCREEN_PLAIN, 13, "DIMM         - (%s)",
                     report->empty > 0 ? "every slot is empty, the firmware says"
                                       : "the firmware names none");
}

static void machine_lines(struct screen *screen, const struct report *report)
{
    bool bios = report->kept[KEPT_BIOS][0] != '\0';

    screen_begin(screen, RANK_ALWAYS);
    screen_print(screen, SCREEN_PLAIN, 13, "Board        %s; %s %s",
                 report_words(report->kept[KEPT_BOARD]), bios ? "BIOS" : "firmware",
                 report_words(report->kept[bios ? KEPT_BIOS : KEPT_FIRMWARE]));
    screen_print(screen, SCREEN_PLAIN, 13, "CPU          %s", report_words(report->kept[KEPT_CPU]));
    module_lines(screen, report);
    screen_begin(screen, RANK_MACHINE);
    screen_print(screen, SCREEN_PLAIN, 13, "Memory       %s",
                 report_words(report->kept[KEPT_MEMORY]));
}

static void clock_lines(struct screen *screen, const struct report *report, bool marked)
{
    double ppm = report->end.clock_check_ppm;

    screen_begin(screen, RANK_MACHINE);
    screen_print(screen, SCREEN_PLAIN, 13, "Clock        %s",
                 report_words(report->kept[KEPT_CLOCK]));
    screen_begin(screen, marked ? RANK_ALWAYS : RANK_MACHINE);
    if (report->end.known && report_known(ppm))
        screen_print(screen, marked ? SCREEN_MARK : SCREEN_PLAIN, 13,
                     "Clock check  %s ppm against the second clock over the whole run%s",
                     REPORT_NUMBER(ppm, 1), marked ? " (!)" : "");
    else
        screen_add(screen, SCREEN_PLAIN, 13,
                   "Clock check  - (no second clock, or too short a run for it)");
    if (marked)
        screen_add(screen, SCREEN_MARK, 4,
                   "(!) the clock is off by more than 1000 ppm: every figure in ns is too");
}

static void blank_line(struct screen *screen, enum rank rank)
{
    screen_begin(screen, rank);
    screen_add(screen, SCREEN_PLAIN, 0, "");
}

/* The screen that notes go to, and whether it has a note about the headline yet. */
struct note_lines {
    struct screen *screen;
    bool any;
};

/* A warning that names another experiment does not concern the headline; every other one does. */
static unsigned rank_of(struct note_lines *lines, const struct report_told *told)
{
    bool any = lines->any;

    if (told->severity == SEVERITY_ERROR)
        return RANK_ERROR;
    if (told->about[0] != '\0' && !text_equal(told->about, "dram"))
        return RANK_NOTE;
    lines->any = true;
    return any ? RANK_HEADLINE_NOTE : RANK_FIRST_NOTE;
}

static void add_note(void *context, const struct report_told *told)
{
    struct note_lines *lines = context;

    screen_begin_of(lines->screen, rank_of(lines, told), SCREEN_NOTES, told->times);
    screen_add(lines->screen, told->severity == SEVERITY_ERROR ? SCREEN_ERROR : SCREEN_MARK, 2,
               told->words);
}

static void note_lines(struct screen *screen, struct report *report)
{
    struct note_lines lines = {.screen = screen};
    uint64_t untold = report_notes_tell(report, &lines, add_note);

    screen_rest(screen, SCREEN_NOTES, untold,
                "... and # more warnings and errors: in the report and results.jsonl");
}

static void foot_lines(struct screen *screen, const struct report_foot *foot)
{
    if (foot == NULL)
        return;
    blank_line(screen, RANK_BLANK);
    screen_begin(screen, RANK_ALWAYS);
    if (foot->where != NULL)
        screen_add(screen, SCREEN_PLAIN, 9, foot->where);
    if (foot->menu != NULL)
        screen_add(screen, SCREEN_PLAIN, 2, foot->menu);
}

static void headline_or_none(struct screen *screen, const struct report *report, const char *mark)
{
    if (report->dram_known) {
        dram_lines(screen, report, &report->dram, &report->dram_verdict, mark);
        report_mlc_line(screen, report, RANK_COMPANY, mark);
        return;
    }
    if (report->found_memory.banks || report->found_memory.blocks || report->contents.known)
        return;
    screen_begin(screen, RANK_ALWAYS);
    screen_add(screen, SCREEN_HEADLINE, 4, "DRAM latency - (not measured)");
}

const struct screen *report_screen(struct report *report, size_t rows,
                                   const struct report_foot *foot)
{
    double ppm = report->end.known ? report->end.clock_check_ppm : 0;
    bool marked = report_known(ppm) && (ppm > CLOCK_WARNING_PPM || ppm < -CLOCK_WARNING_PPM);
    struct screen *screen = &report->screen;

    screen_start(screen);
    status_line(screen, report);
    machine_lines(screen, report);
    clock_lines(screen, report, marked);
    blank_line(screen, RANK_SPACE);
    headline_or_none(screen, report, marked ? " (!)" : "");
    report_memory_lines(screen, report, RANK_FIRST_NOTE);
    report_contents_line(screen, report, RANK_ERROR);
    report_verdict_line(screen, report, RANK_ERROR);
    if (report->all_levels + report->notes > 0)
        blank_line(screen, RANK_SPACE);
    report_level_lines(screen, report, RANK_LEVEL);
    if (report->all_levels > 0 && report->notes > 0)
        blank_line(screen, RANK_BLANK);
    note_lines(screen, report);
    foot_lines(screen, foot);
    screen_fit(screen, rows);
    return screen;
}

void report_summary(struct report *report, const struct record_end *end)
{
    report->end.known = true;
    report->end.seconds = end->seconds;
    report->end.clock_check_ppm = end->clock_check_ppm;
    text_print(report->end.status, sizeof(report->end.status), "%s", report_words(end->status));
    if (report->on_console)
        return;
    report_line(report, "");
    (void)report_screen(report, SCREEN_LINES_MAX, NULL);
    print_screen(report);
}
