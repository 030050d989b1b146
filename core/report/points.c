/* SPDX-License-Identifier: BSD-2-Clause */
/* What the report keeps of points, and how every part of it names them. */
#include "core/report/internal.h"

static char limit_mark(const char *limited_by)
{
    if (limited_by == NULL || text_equal(limited_by, "error") ||
        text_equal(limited_by, "samples") || text_equal(limited_by, "seconds"))
        return ' ';
    return text_equal(limited_by, "cap")      ? 'c'
           : text_equal(limited_by, "budget") ? 'b'
           : text_equal(limited_by, "abort")  ? 'a'
                                              : '?';
}

static uint8_t page_log2(uint64_t bytes)
{
    uint8_t log2 = 0;

    while (bytes > 1) {
        bytes >>= 1;
        log2++;
    }
    return log2;
}

static enum report_purpose purpose_of(const char *purpose)
{
    if (purpose == NULL)
        return REPORT_FIGURE;
    return text_equal(purpose, PURPOSE_NAME_PROOF)         ? REPORT_PROOF
           : text_equal(purpose, PURPOSE_NAME_TRANSLATION) ? REPORT_TRANSLATION
           : text_equal(purpose, PURPOSE_NAME_WITNESS)     ? REPORT_WITNESS
                                                           : REPORT_FIGURE;
}

void report_point_keep(struct report *report, const struct record_point *point)
{
    struct report_point *kept;
    struct text pattern;

    kept = &report->point[report->gathered++];
    *kept = (struct report_point){
        .bytes = point->bytes,
        .ns = point->ns_median,
        .cycles = point->cycles_median,
        .rel_error = point->rel_error,
        .page_log2 = page_log2(point->pages_bytes),
        .prefetch = (uint8_t)point->prefetch,
        .purpose = (uint8_t)purpose_of(point->purpose),
        .fitted = point->purpose != NULL && text_equal(point->purpose, PURPOSE_NAME_LEVELS),
        .contiguous = point->frames != NULL &&
                      text_equal(point->frames, frame_order_names[FRAMES_CONTIGUOUS]),
        .found = point->frames != NULL &&
                 text_equal(point->frames, frame_order_names[FRAMES_AS_ALLOCATED]),
        .identity = point->map != NULL && text_equal(point->map, map_names[MAP_IDENTITY]),
        .disturbed = point->disturbed != 0 && point->disturbed != RECORD_UNKNOWN,
        .moving = report_point_moved(point),
        .limit = limit_mark(point->limited_by)};
    text_print(kept->experiment, sizeof(kept->experiment), "%s", report_words(point->experiment));
    text_start(&pattern, kept->pattern, sizeof(kept->pattern));
    report_pattern_words(&pattern, report, point);
}

bool report_same_curve(const struct report_point *a, const struct report_point *b)
{
    return a->prefetch == b->prefetch && a->purpose == b->purpose &&
           text_equal(a->pattern, b->pattern);
}

bool report_curve_begins(const struct report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (report_same_curve(&report->point[i], &report->point[index]))
            return false;
    return true;
}

uint64_t report_next_set(const struct report *report, const struct report_point *like,
                         uint64_t above)
{
    uint64_t best = 0;

    for (size_t i = 0; i < report->points; i++) {
        const struct report_point *point = &report->point[i];

        if (report_same_curve(point, like) && point->bytes > above &&
            (best == 0 || point->bytes < best))
            best = point->bytes;
    }
    return best;
}

struct report_pages report_pages_of(const struct report_point *point)
{
    return (struct report_pages){point->page_log2, point->contiguous, point->found,
                                 point->identity};
}

void report_add_pages(struct text *line, const struct report_pages *pages)
{
    if (pages->page_log2 == 0) {
        text_add(line, "firmware's own");
        return;
    }
    text_add(line, report_words(page_name(pages->page_log2)));
    text_add(line, pages->identity     ? " identity"
                   : pages->found      ? " as allocated"
                   : pages->contiguous ? " contiguous"
                                       : " scattered");
}

void report_add_frames(struct text *line, const struct report_point *point)
{
    struct report_pages pages = report_pages_of(point);

    report_add_pages(line, &pages);
}

void report_add_marks(struct text *line, const struct report_point *point)
{
    text_format(line, "%c%c%c", point->limit, point->disturbed ? '!' : ' ',
                point->moving ? '~' : ' ');
}

static void print_title(struct report *report, const char *what, const char *pattern,
                        enum prefetch_state state)
{
    char buffer[240];
    struct text line =
        text_open(buffer, sizeof(buffer), "%s: %s%s%s, ", report->experiment, what,
                  pattern != NULL ? ", pattern " : "", pattern != NULL ? pattern : "");

    report_prefetch_words(&line, report, state, NULL);
    report_line(report, "");
    report_wrapped(report, buffer, 2);
}

void report_curve_title(struct report *report, const char *what, const struct report_point *like)
{
    print_title(report, what, like->pattern, (enum prefetch_state)like->prefetch);
}

void report_list_title(struct report *report, const char *what, const struct report_point *like)
{
    print_title(report, what, NULL, (enum prefetch_state)like->prefetch);
}
