/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/footprint.h"

#include "core/lib/real.h"
#include "core/stats/binomial.h"
#include "core/stats/stats.h"

/* A difference this small does not count: the fastest of a thousand misses may be anything. */
#define AS_WELL 0.001
/* A share of the way from the threshold to the hits, because misses that were not seen may be a
 * little faster. */
#define MARGIN 0.05
/* Known hits found minus known misses found: below this every share is a guess. */
#define TELLS_MIN 0.5
/* Standard errors that chance exceeds once in a thousand. */
#define MOVED_ERRORS 3.1

const char *footprint_verdict_name(enum footprint_verdict verdict)
{
    static const char *const names[] = {"undecided", "off", "on"};

    return names[verdict];
}

/* The share of sorted values below limit. */
static double share_below(const uint64_t *sorted, size_t count, double limit)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((double)sorted[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low / (double)count;
}

static double told_apart(const uint64_t *hits, size_t hit_count, const uint64_t *misses,
                         size_t miss_count, double limit)
{
    return share_below(hits, hit_count, limit) - share_below(misses, miss_count, limit);
}

void footprint_calibrate(uint64_t *hits, size_t hit_count, uint64_t *misses, size_t miss_count,
                         struct footprint_threshold *threshold)
{
    double best = 0, limit, margin;

    stats_sort(hits, hit_count);
    stats_sort(misses, miss_count);
    for (size_t i = 0; i < miss_count; i++) {
        double apart = told_apart(hits, hit_count, misses, miss_count, (double)misses[i]);
        best = apart > best ? apart : best;
    }
    limit = (double)misses[0];
    for (size_t i = 0; i < miss_count; i++)
        if (told_apart(hits, hit_count, misses, miss_count, (double)misses[i]) >= best - AS_WELL)
            limit = (double)misses[i];
    *threshold = (struct footprint_threshold){.hit_ticks = (double)hits[hit_count / 2],
                                              .miss_ticks = (double)misses[miss_count / 2]};
    threshold->cached_ticks = (threshold->hit_ticks + threshold->miss_ticks) / 2;
    margin = MARGIN * (limit - threshold->hit_ticks);
    threshold->ticks = limit - (margin > 0 ? margin : 0);
    threshold->found = share_below(hits, hit_count, threshold->ticks);
    threshold->false_found = share_below(misses, miss_count, threshold->ticks);
    threshold->tells = threshold->found - threshold->false_found >= TELLS_MIN;
}

/* Values outside 0 to 1 are noise. */
static double clamped(double share)
{
    return share > 1 ? 1 : share > 0 ? share : 0;
}

static double part(uint32_t hits, uint32_t tries)
{
    return tries == 0 ? 0 : (double)hits / tries;
}

/* The difference of two shares, relative to a line that is always there. Each of its bounds
 * combines the distances of both shares' bounds (Newcombe, Statistics in Medicine 17, 1998). */
struct footprint_share footprint_share_of(const struct footprint_cell *cell,
                                          const struct footprint_threshold *threshold)
{
    double seen = part(cell->found, cell->tries);
    double wrong = part(cell->false_found, cell->controls);
    double seen_low = binomial_low(cell->found, cell->tries, FOOTPRINT_MISS);
    double seen_high = binomial_high(cell->found, cell->tries, FOOTPRINT_MISS);
    double wrong_low = binomial_low(cell->false_found, cell->controls, FOOTPRINT_MISS);
    double wrong_high = binomial_high(cell->false_found, cell->controls, FOOTPRINT_MISS);
    double whole = threshold->found - threshold->false_found;
    double low = seen - wrong - real_hypotenuse(seen - seen_low, wrong_high - wrong);
    double high = seen - wrong + real_hypotenuse(seen_high - seen, wrong - wrong_low);

    return (struct footprint_share){.share = clamped((seen - wrong) / whole),
                                    .low = clamped(low / whole),
                                    .high = cell->tries == 0 ? 1 : clamped(high / whole)};
}

uint32_t footprint_touches(uint32_t row)
{
    static const uint32_t touches[FOOTPRINT_ROWS] = {1, 2, 3, FOOTPRINT_TOUCHES_MAX};

    return touches[row];
}

static bool varies(const struct footprint_cell *cell)
{
    return cell->found > 0 && cell->found < cell->tries && cell->late_tries > 0 &&
           cell->late_tries < cell->tries;
}

/* Pearson's chi-squared between one line's early and late tries. */
static double halves_differ(const struct footprint_cell *cell)
{
    double late = cell->late_tries, early = cell->tries - late;
    double all = part(cell->found, cell->tries), by;

    by = cell->late_found / late - (cell->found - cell->late_found) / early;
    return by * by / (all * (1 - all) * (1 / late + 1 / early));
}

/* The sum over n lines has mean n and variance 2 n; with few lines the tail is longer. */
bool footprint_moved(const struct footprint_row *row)
{
    double sum = 0, lines = 0;

    for (uint32_t i = 0; i < row->lines; i++) {
        if (!varies(&row->cell[i]))
            continue;
        lines++;
        sum += halves_differ(&row->cell[i]);
    }
    return sum > lines + MOVED_ERRORS * real_sqrt(2 * lines) + MOVED_ERRORS * MOVED_ERRORS;
}

/* Whether the lower bound is above this share. */
static bool is_surely_above(uint32_t count, uint32_t tries, double share)
{
    return count > share * tries && binomial_low(count, tries, FOOTPRINT_MISS) > share;
}

bool footprint_seen(const struct footprint_row *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (uint32_t line = 0; line < row[i].lines; line++) {
            const struct footprint_cell *cell = &row[i].cell[line];
            if (is_surely_above(cell->found, cell->tries, FOOTPRINT_OFF_MAX))
                return true;
        }
    return false;
}

/* What some row touches may still be cached from there. */
static bool is_touched_by_any(const struct footprint_row *row, uint32_t line)
{
    return line >= row->touched && line < row->touched + FOOTPRINT_TOUCHES_MAX;
}

/* How often a line of the row is cached, whichever it is: by what was there before. */
static double cached_by_chance(const struct footprint_row *row)
{
    double cached = 0, tries = 0;

    for (uint32_t line = 0; line < row->lines; line++) {
        if (is_touched_by_any(row, line))
            continue;
        cached += row->cell[line].cached;
        tries += row->cell[line].tries;
    }
    return tries == 0 ? 0 : cached / tries;
}

/* Whether a line is certainly cached in more than half of the tries in which the lines of its row
 * are not by chance: it was brought into a cache that the threshold does not tell from the one that
 * keeps flushed lines. */
static bool is_any_cached(const struct footprint_row *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        double half = (1 + cached_by_chance(&row[i])) / 2;
        for (uint32_t line = 0; line < row[i].lines; line++) {
            const struct footprint_cell *cell = &row[i].cell[line];
            if (!is_touched_by_any(&row[i], line) &&
                is_surely_above(cell->cached, cell->tries, half))
                return true;
        }
    }
    return false;
}

uint32_t footprint_touched(uint32_t page_lines)
{
    return page_lines / 3 | 1;
}

bool footprint_is_touched(const struct footprint_row *row, uint32_t line)
{
    return line >= row->touched && line < row->touched + row->touches;
}

static bool is_more(const struct footprint_share *a, const struct footprint_share *b)
{
    return a->low > b->low || (a->low == b->low && a->share > b->share);
}

static void add_row(const struct footprint_row *row, const struct footprint_threshold *threshold,
                    struct footprint_summary *summary)
{
    for (uint32_t line = 0; line < row->lines; line++) {
        struct footprint_share share;
        if (footprint_is_touched(row, line))
            continue;
        share = footprint_share_of(&row->cell[line], threshold);
        summary->tries += row->cell[line].tries;
        summary->high = share.high > summary->high ? share.high : summary->high;
        if (row->touches == 1 && share.low > 0)
            summary->brought += share.share;
        if (summary->touches != 0 && !is_more(&share, &summary->max))
            continue;
        summary->max = share;
        summary->touches = row->touches;
        summary->distance = (int32_t)line - (int32_t)(row->touched + row->touches - 1);
    }
}

void footprint_summarise(const struct footprint_row *row, size_t rows,
                         const struct footprint_threshold *threshold,
                         struct footprint_summary *summary)
{
    *summary = (struct footprint_summary){.known = true};
    for (size_t i = 0; i < rows; i++)
        add_row(&row[i], threshold, summary);
    if (!threshold->tells)
        summary->verdict = FOOTPRINT_UNDECIDED;
    else if (summary->max.low > FOOTPRINT_ON_MIN)
        summary->verdict = FOOTPRINT_ON;
    else if (summary->high < FOOTPRINT_OFF_MAX && is_any_cached(row, rows))
        summary->doubt = doubt_of(DOUBT_CONTRADICTED);
    else if (summary->high < FOOTPRINT_OFF_MAX)
        summary->verdict = FOOTPRINT_OFF;
}
