/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments over all of memory share. */
#ifndef CORE_EXPERIMENTS_EVERYWHERE_H
#define CORE_EXPERIMENTS_EVERYWHERE_H

#include "core/plan/plan.h"

/* Pages of one size, so that TLB misses are no part of what differs. 1G pages leave up to a
 * gibibyte at each edge: they are for those who ask for nothing else. */
enum page_size everywhere_page(const struct plan *plan);
/* A plain point of such pages in memory of every node and kind, in the order of addresses where
 * these are to be known, of as many bytes as can be had and max= allows; a process leaves half of
 * that to others, unless max= asks for more. bytes 0: there are none. */
struct point everywhere_point(const struct plan *plan, uint32_t experiment, enum page_size page);
/* " in range=" if that limits it, else "". */
const char *everywhere_range_words(const struct plan *plan);

#endif
