/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures what translation costs in a set's own pages: an instrument for any experiment that uses
 * a set of memory. */
#ifndef CORE_EXPERIMENTS_TRANSLATION_H
#define CORE_EXPERIMENTS_TRANSLATION_H

#include "core/experiments/points.h"
#include "core/experiments/tags.h"

/* Tags of its points (probes): one line in each piece of the set, and as many lines close together;
 * lines of one large page, and of one of 4K. */
enum {
    TRANSLATION_APART = TAGS_TRANSLATION,
    TRANSLATION_TOGETHER,
    TRANSLATION_ONE_PAGE,
    TRANSLATION_ONE_SMALL_PAGE
};

/* A relative standard error that probed costs have in addition to their own: refreshes go on during
 * a walk, and with a large set table entries may be in a farther cache than with a few lines. */
#define TRANSLATION_SHARE 0.03

/* Whether the cost can be measured: pages are large, and the probes few enough to stay in the
 * caches. */
bool translation_measurable(const struct plan *plan, const struct point *point);
/* Plans the probes for a set like this one, if translation_measurable. */
void translation_plan(struct plan *plan, const struct point *point);
/* The same for the probes that show whether the pages are really that large. */
void translation_plan_pieces(struct plan *plan, const struct point *point);
/* The same for the probes of a single page. */
void translation_plan_one_page(struct plan *plan, const struct point *point);
/* What each access to pages like this point's costs in ns that one to a 4K page does not, also if
 * there is only one page: a first-level TLB may have no entries for large pages. 0 if that is
 * within error or half a percent of the point's hop, or was not measured. Part of
 * translation_seen. */
struct figure translation_one_page(const struct plan *plan, const struct point *point);
/* Notes that each access to such pages costs ns more than one to a 4K page. name: of the
 * experiment. */
void translation_note_offset(const struct plan *plan, const char *name, enum page_size page,
                             double ns);
/* Reduces a cost of walks where prefetches keep memory busy for busy_ns after each miss: as much of
 * it as exceeds the hop may be hidden. Half of that is subtracted and is a standard error, since
 * memory mostly hides all or nothing. Pure. */
struct figure translation_hidden(struct figure cost, double busy_ns, double hop_ns);
/* The cost in ns of TLB misses per random hop over this point's set, by its probes alone. Unknown
 * if it has too many pages for the probes to stay in the caches. */
struct figure translation_seen(const struct plan *plan, const struct point *point);
/* How many pages the probes touch. */
double translation_probes(const struct plan *plan, const struct point *point);
/* translation_seen, reduced by what prefetches may hide. */
struct figure translation_busy(const struct plan *plan, const struct point *point);
/* The most in ns that walks may cost more per access because the set's own lines evict lines of its
 * tables from the caches, which they do not during the probes. An inclusive last level evicts a
 * line that only nearer caches hit once in as many hops as it has lines; other caches may keep them
 * all. So at most a share of hops, table lines over cache lines, waits for memory once more. 0 if
 * no cost is seen, or a TLB holds all pages. */
double translation_evicted_max_ns(const struct plan *plan, const struct point *point);
/* Adds half of max_ns to cost, and to its error. Pure. */
struct figure translation_evicted(struct figure cost, double max_ns);
/* The whole cost of translation, from this set's probes alone. */
struct figure translation_cost(const struct plan *plan, const struct point *point);
/* Whether the TLBs hold smaller pieces than these pages, so that a hop over this set misses them
 * more often than translation_cost assumes: lines in many pieces cost more, as the miss of a TLB
 * does (levels_offset_ns), than lines in as many pages as those pieces cover. prefetched:
 * prefetchers may be on; then only few lines are used, because lines brought beside more of them
 * may evict others. */
bool translation_in_pieces(const struct plan *plan, const struct point *point, bool prefetched);
/* The doubts of the probes. */
doubt_set translation_doubt(const struct plan *plan, const struct point *point);

#endif
