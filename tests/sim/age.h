/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive replacement by two-bit ages, as in the last-level caches of Intel's cores since Ivy
 * Bridge ("QLRU", "RRIP": Jaleel and others, ISCA 2010). A hit sets its line's age to 0. The victim
 * is the first way of age 3; if there is none, all ages of the set grow until there is one. A new
 * line starts at age 2, or, inserted thinly, at age 3 except for one in 32 at age 2, so that a set
 * too large for the cache keeps part of itself there. One set in 64 always inserts the first way,
 * one always the second; a counter of their misses decides for all others. Caches of less than 64
 * sets always use the first. */
#ifndef TESTS_SIM_AGE_H
#define TESTS_SIM_AGE_H

#include "tests/sim/cache.h"

#define SIM_AGE_LEADERS  64   /* one set in this many leads each way */
#define SIM_AGE_DUEL_MAX 1023 /* maximum of the counter */
#define SIM_AGE_THIN     32   /* one in this many thin lines starts at age 2 */

void sim_age_clear(struct sim_cache *cache);
void sim_age_hit(struct sim_cache *cache, uint32_t set, uint32_t way);
/* The victim's way, in a set without an empty one. */
uint32_t sim_age_victim(struct sim_cache *cache, uint32_t set);
/* Sets the age of a new line in that way. */
void sim_age_insert(struct sim_cache *cache, uint32_t set, uint32_t way);

#endif
