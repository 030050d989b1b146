/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/age.h"

#include <string.h>

static void give_age(struct sim_cache *cache, uint32_t set, uint32_t way, uint32_t age)
{
    for (unsigned bit = 0; bit < 2; bit++) {
        uint64_t *word = &cache->age[set][bit];
        *word = (*word & ~(1ull << way)) | (uint64_t)(age >> bit & 1) << way;
    }
}

void sim_age_clear(struct sim_cache *cache)
{
    memset(cache->age, 0, cache->sets * sizeof *cache->age);
}

void sim_age_hit(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    give_age(cache, set, way, 0);
}

uint32_t sim_age_victim(struct sim_cache *cache, uint32_t set)
{
    uint64_t *age = cache->age[set], all = UINT64_MAX >> (SIM_WAYS_MAX - cache->ways);

    while ((age[0] & age[1]) == 0) {
        /* None is 3, so an odd age is 1. */
        age[1] |= age[0];
        age[0] = ~age[0] & all;
    }
    return (uint32_t)__builtin_ctzll(age[0] & age[1]);
}

/* Whether a new line of that set is inserted thinly. A fill is a miss, and those of the leading
 * sets are counted. */
static bool is_thin(struct sim_cache *cache, uint32_t set)
{
    uint32_t role = set % SIM_AGE_LEADERS;

    if (cache->sets < SIM_AGE_LEADERS)
        return false;
    if (role == 0) {
        cache->duel += cache->duel < SIM_AGE_DUEL_MAX;
        return false;
    }
    if (role == SIM_AGE_LEADERS / 2) {
        cache->duel -= cache->duel > 0;
        return true;
    }
    return cache->duel > SIM_AGE_DUEL_MAX / 2;
}

void sim_age_insert(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    uint32_t age = 2;

    if (is_thin(cache, set) && cache->thin++ % SIM_AGE_THIN != SIM_AGE_THIN - 1)
        age = 3;
    give_age(cache, set, way, age);
}
