/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeded pseudo-random numbers: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The same on every
 * machine; not cryptographic. */
#ifndef CORE_LIB_RANDOM_H
#define CORE_LIB_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static inline void random_start(struct random *random, uint64_t seed)
{
    random->state = random_mix(seed + 0x9e3779b97f4a7c15ull);
}

static inline uint64_t random_next(struct random *random)
{
    random->state += 0x9e3779b97f4a7c15ull;
    return random_mix(random->state);
}

/* Uniform in [0, bound), with a bias below 2^-40 for bound < 2^24. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

#endif
