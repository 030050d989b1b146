/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive replacement by ages of two bits, as in the last levels of Intel's cores since Ivy Bridge
 * ("QLRU", "RRIP": Jaleel and others, ISCA 2010). A hit gives its line age 0. What goes is the
 * first way of age 3; where there is none, all ages of the set grow until there is one. A new line
 * starts at age 2, or thinly: at age 3, and one in 32 at 2, so that a set too large for the cache
 * keeps a part of itself there. One set in 64 always does the former, one always the latter; a
 * counter of their misses says what all others do. Caches of less than 64 sets always do the
 * former. */
#ifndef TESTS_SIM_AGE_H
#define TESTS_SIM_AGE_H

#include "tests/sim/cache.h"

#define SIM_AGE_LEADERS  64   /* sets of which one leads each way */
#define SIM_AGE_DUEL_MAX 1023 /* of the counter */
#define SIM_AGE_THIN     32   /* one in so many thin lines starts as others do */

void sim_age_clear(struct sim_cache *cache);
void sim_age_hit(struct sim_cache *cache, uint32_t set, uint32_t way);
/* The way that goes, of a set without an empty one. */
uint32_t sim_age_victim(struct sim_cache *cache, uint32_t set);
/* The line in that way is new. */
void sim_age_insert(struct sim_cache *cache, uint32_t set, uint32_t way);

#endif
