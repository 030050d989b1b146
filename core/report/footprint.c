/* SPDX-License-Identifier: BSD-2-Clause */
/* The report's picture of a footprint: one character per line of three pages. */
#include "core/report/internal.h"

#define PAGES 3

/* "." under 2 %, "+" under 10 %, then tenths, "#" from 95 % on. */
static char mark(double share)
{
    if (!report_known(share))
        return '?';
    if (share < 0.02)
        return '.';
    if (share < 0.1)
        return '+';
    return share < 0.95 ? (char)('0' + (int)(share * 10)) : '#';
}

static void page_line(struct report *report, const struct record_footprint *footprint, size_t page)
{
    static const char *const names[PAGES] = {"    before  ", "    page    ", "    after   "};
    size_t lines = footprint->share_count / PAGES;
    char buffer[120];
    struct text line = text_open(buffer, sizeof(buffer), "%s", names[page]);

    for (size_t i = page * lines; i < (page + 1) * lines; i++) {
        uint64_t after = i - footprint->touched;
        text_char(&line, after < footprint->touches ? '*' : mark(footprint->share[i]));
    }
    report_line(report, buffer);
}

void report_behaviour(struct report *report, enum prefetch_state state, const char *verdict)
{
    if (state == PREFETCH_OFF && verdict != NULL && text_equal(verdict, "on"))
        report->registers_lie = true;
}

static void add_found(struct text *line, const struct record_footprint *footprint)
{
    if (footprint->tries == 0)
        return;
    if (footprint->max_share > 0)
        text_format(line, ", a line is found in %s, %s",
                    REPORT_SHARE(footprint->max_share, footprint->max_low, footprint->high),
                    REPORT_DISTANCE(footprint->max_distance, footprint->touches));
    else
        text_format(line, ", no line found (<%s %%)", REPORT_NUMBER(footprint->high * 100, 1));
}

static void heading(struct report *report, const struct record_footprint *footprint)
{
    bool alone = footprint->prefetch_only_off != NULL && footprint->prefetch_only_off[0] != '\0';
    char buffer[400];
    struct text line = text_open(
        buffer, sizeof(buffer), "footprint after %lu %s, prefetchers %s%s%s%s: verdict %s",
        footprint->touches, footprint->touches == 1 ? "touch" : "touches",
        prefetch_state_name(footprint->prefetch), report_known_words(report, footprint->prefetch),
        alone ? ", without " : "", alone ? footprint->prefetch_only_off : "", footprint->verdict);

    add_found(&line, footprint);
    text_add(&line, REPORT_DOUBT("; ", footprint->doubt));
    report_wrapped(report, buffer, 4);
}

/* What the characters mean, above the first picture. */
static void legend(struct report *report)
{
    if (report->footprint_explained)
        return;
    report->footprint_explained = true;
    report_wrapped(report,
                   "    a character a line: * touched; in a cache in . under 2 % of tries, + under "
                   "10 %, 1 to 9 so many tenths, # 95 % and more",
                   4);
}

void report_footprint(struct report *report, const struct record_footprint *footprint)
{
    if (footprint->prefetch_only_off == NULL)
        report_behaviour(report, footprint->prefetch, footprint->verdict);
    heading(report, footprint);
    if (footprint->max_share > 0)
        legend(report);
    for (size_t page = 0; page < PAGES && footprint->max_share > 0; page++)
        page_line(report, footprint, page);
}
