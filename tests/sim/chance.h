/* SPDX-License-Identifier: BSD-2-Clause */
/* What machines are drawn with. */
#ifndef TESTS_SIM_CHANCE_H
#define TESTS_SIM_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/random.h"

static inline double chance_between(struct random *random, double low, double high)
{
    return low + (high - low) * (double)(random_next(random) >> 11) * 0x1p-53;
}

static inline bool chance(struct random *random, double share)
{
    return chance_between(random, 0, 1) < share;
}

static inline uint32_t chance_one_of(struct random *random, const uint32_t *values, size_t count)
{
    return values[random_below(random, count)];
}
#define ONE_OF(random, ...)                                  \
    chance_one_of((random), (const uint32_t[]){__VA_ARGS__}, \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

#endif
