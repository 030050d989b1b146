/* SPDX-License-Identifier: BSD-2-Clause */
/* What translation costs in a set's own pages: an instrument that any experiment may use for a set
 * of memory. */
#ifndef CORE_EXPERIMENTS_TRANSLATION_H
#define CORE_EXPERIMENTS_TRANSLATION_H

#include "core/experiments/points.h"
#include "core/experiments/tags.h"

/* Tags of its points: one line of each piece of the set, and as many lines that lie together. */
enum { TRANSLATION_APART = TAGS_TRANSLATION, TRANSLATION_TOGETHER };

/* The standard error that what probes say of translation has beside its own, over it: while a walk
 * lasts refreshes go on, and its entries may be in a farther cache beside a large set than beside a
 * few lines. */
#define TRANSLATION_SHARE 0.03

/* Whether it can be told: pages are large, and their probes few enough to stay in the caches. */
bool translation_told(const struct plan *plan, const struct point *point);
/* Plans the chases that tell it for a set like this one, where it can be. */
void translation_plan(struct plan *plan, const struct point *point);
/* The same of what tells whether pages are what they are called. */
void translation_plan_pieces(struct plan *plan, const struct point *point);
/* What is left of a cost of walks where prefetchers keep memory busy for so long after each miss:
 * as much of it as that is longer than a hop may be hidden. The half of that is taken off, and is
 * a standard error: all or nothing of it is what memory does most often. Pure. */
struct figure translation_hidden(struct figure cost, double busy_ns, double hop_ns);
/* ns that a random hop over the set of this point spends on TLB misses, as its probes say alone.
 * Unknown where pages are too many for them to stay in the caches. */
struct figure translation_seen(const struct plan *plan, const struct point *point);
/* How many pages those probes touch. */
double translation_probes(const struct plan *plan, const struct point *point);
/* The same, with what prefetchers may hide of it. */
struct figure translation_busy(const struct plan *plan, const struct point *point);
/* ns per access that walks may cost more at most where the set's own lines drive lines of its
 * tables out of the caches, which they do not in the probes: an inclusive last level gives up a
 * line that only nearer caches hit, once in as many hops as it has lines; other caches may keep
 * them all. So a share of hops of up to table lines over cache lines waits for memory once more. 0
 * where no cost is seen, or a TLB holds all pages. */
double translation_evicted_max_ns(const struct plan *plan, const struct point *point);
/* The middle of that, with what it may be off by in its error. Pure. */
struct figure translation_evicted(struct figure cost, double max_ns);
/* All of it, by this set alone. */
struct figure translation_cost(const struct plan *plan, const struct point *point);
/* Whether the TLBs hold smaller pieces than those, so that a hop over this set misses them more
 * often than translation_cost knows. Of prefetched lines only few are asked: what was brought
 * beside more of them may drive others out of the caches. */
bool translation_in_pieces(const struct plan *plan, const struct point *point, bool prefetched);
/* Whether lines in many small pieces cost more than as many large pages as they lie in, beside hops
 * that take so long: the TLBs then hold the small pieces. Pure. */
bool translation_differ(struct figure small, struct figure large, double hop_ns);
/* What is said against the chases that tell it. */
doubt_set translation_doubt(const struct plan *plan, const struct point *point);

#endif
