/* SPDX-License-Identifier: BSD-2-Clause */
/* Names what a point was: its pattern and everything unusual, so that a figure always names it; and
 * finds the figure that compares with Intel MLC's. */
#include "core/report/internal.h"

#include "core/results/fields.h"

#define LINE_USUAL         64
#define PAGE_USUAL         (4ull << 10)
#define PAGED_USUAL        (4ull << 10)
#define GROUPED_USUAL      (256ull << 10)
#define BEYOND_LAST_LEVELS 4
#define CACHED_SHARE       0.9 /* of the headline, at least, takes a hop that finds memory */

static bool is_known(uint64_t count)
{
    return count != RECORD_UNKNOWN;
}

static void add_count(struct text *line, const char *key, uint64_t count, uint64_t usual)
{
    if (is_known(count) && count != usual)
        text_format(line, " %s=%lu", key, count);
}

static void add_bytes(struct text *line, const char *key, uint64_t bytes, uint64_t usual)
{
    if (!is_known(bytes) || bytes == usual)
        return;
    /* As an option is written, never rounded. */
    if (bytes % 1024 == 0)
        text_format(line, " %s=%s", key, TEXT_SIZE(bytes));
    else
        text_format(line, " %s=%lu", key, bytes);
}

static void add_word(struct text *line, const char *key, const char *word, const char *usual)
{
    if (word != NULL && !text_equal(word, usual))
        text_format(line, " %s=%s", key, word);
}

void report_pattern_words(struct text *line, const struct report *report,
                          const struct record_point *point)
{
    uint64_t usual_stride = report->line_bytes != 0 ? report->line_bytes : LINE_USUAL;
    bool grouped = point->pattern != NULL && text_equal(point->pattern, PATTERN_NAME_GROUPED);

    text_add(line, report_words(point->pattern));
    add_bytes(line, "stride", point->stride_bytes, usual_stride);
    add_bytes(line, "group", point->group_bytes, grouped ? GROUPED_USUAL : PAGED_USUAL);
    add_count(line, "chains", point->chains, 1);
    add_word(line, "load", point->load, load_names[LOAD_PLAIN]);
    add_count(line, "word", point->word, 0);
    add_word(line, "hint", point->hint, hint_names[HINT_NONE]);
    add_count(line, "work", point->work_cycles, 0);
    if (point->warm_hops == 0)
        text_add(line, " cold");
    if (point->prefetch_only_off != NULL && point->prefetch_only_off[0] != '\0')
        text_format(line, " only off: %s", point->prefetch_only_off);
    if (point->turbo != NULL && point->turbo[0] != '\0')
        text_format(line, " turbo %s", point->turbo);
}

/* ---- Intel MLC's idle latency: one dependent load after the other, prefetchers off, all lines of
 * a page before the next page, so that rows are open and translations at hand. */

static bool is_plain(const struct report *report, const struct record_point *point)
{
    return point->chains == 1 && point->warm_hops != 0 && point->work_cycles == 0 &&
           point->prefetch == PREFETCH_OFF && point->prefetch_only_off == NULL &&
           point->turbo == NULL && point->load != NULL &&
           text_equal(point->load, load_names[LOAD_PLAIN]) && point->hint != NULL &&
           text_equal(point->hint, hint_names[HINT_NONE]) && is_known(point->bytes) &&
           report->last_level_bytes != 0 &&
           point->bytes >= BEYOND_LAST_LEVELS * report->last_level_bytes;
}

bool report_point_moved(const struct record_point *point)
{
    return point->settled == ANSWER_NO || point->hz_step < 0 || point->hz_step > 0;
}

static void keep_lines(struct report *report, const struct record_point *point, bool paged)
{
    if (point->group_bytes != PAGED_USUAL)
        return;
    /* Random lines inside the page are closer to what MLC does than lines in order. */
    if (report->mlc.known && !paged && text_equal(report->mlc.pattern, PATTERN_NAME_PAGED))
        return;
    report->mlc.known = true;
    report->mlc.ns = point->ns_median;
    report->mlc.bytes = point->bytes;
    report->mlc.pages_bytes = point->pages_bytes;
    report->mlc.moving = report_point_moved(point);
    text_print(report->mlc.pattern, sizeof report->mlc.pattern, "%s", point->pattern);
}

void report_mlc_keep(struct report *report, const struct record_point *point)
{
    if (point->pattern == NULL || !report_known(point->ns_median) || !is_plain(report, point))
        return;
    if (text_equal(point->pattern, PATTERN_NAME_PAGED))
        keep_lines(report, point, true);
    if (text_equal(point->pattern, PATTERN_NAME_SHUFFLED_PAGES))
        keep_lines(report, point, false);
    if (text_equal(point->pattern, "cycle") && point->purpose != NULL &&
        text_equal(point->purpose, PURPOSE_NAME_PROOF)) {
        report->mlc.random_ns = point->ns_median;
        report->mlc.random_bytes = point->bytes;
        report->mlc.random_pages_bytes = point->pages_bytes;
    }
}

/* Whether an undeclared cache holds the set: random hops through it cost less than the
 * headline. */
static bool lies_in_cache(const struct report *report)
{
    return !report->dram_verdict.followed && report->mlc.random_bytes == report->mlc.bytes &&
           report->mlc.random_ns < CACHED_SHARE * report->dram.ns;
}

/* Whether the headline is not what a chase through memory costs: it is that of draws, or a cache
 * is declared to hold its set. */
static bool is_no_chase(const struct report *report)
{
    return report->dram_verdict.followed || report->dram.bytes <= report->last_level_bytes;
}

static void compare_with(struct screen *screen, const char *options, double ns, const char *mark,
                         const char *pattern, uint64_t pages_bytes)
{
    screen_print(screen, SCREEN_PLAIN, 4,
                 "  Intel MLC's idle latency%s compares with %s ns%s (%s, %s)", options,
                 REPORT_NUMBER(ns, 2), mark, pattern, report_words(page_bytes_name(pages_bytes)));
}

/* Its set is smaller than the headline's: it has the headline's doubts too. */
void report_mlc_line(struct screen *screen, const struct report *report, unsigned rank,
                     const char *mark)
{
    bool doubt = report->dram.doubt != 0 || report->mlc.moving;
    bool works = report->dram_verdict.known && text_equal(report->dram_verdict.word, "on");
    bool random = !report->mlc.known || works || lies_in_cache(report);
    bool chased = report->dram_verdict.followed && report->mlc.random_ns > 0;
    uint64_t pages = !random  ? report->mlc.pages_bytes
                     : chased ? report->mlc.random_pages_bytes
                              : report->dram.pages_bytes;
    char marks[32], options[32];

    if (random && !chased && is_no_chase(report))
        return;
    text_print(marks, sizeof marks, "%s%s", doubt ? "?" : "", mark);
    text_print(options, sizeof options, "%s%s", pages > PAGE_USUAL ? " -L" : "",
               random ? " -r (random)" : "");
    screen_begin(screen, rank);
    if (!random)
        compare_with(screen, options, report->mlc.ns, marks, report->mlc.pattern, pages);
    else if (chased)
        compare_with(screen, options, report->mlc.random_ns, marks, "cycle", pages);
    else
        screen_print(screen, SCREEN_PLAIN, 4,
                     "  Intel MLC's idle latency%s compares with the headline", options);
}
