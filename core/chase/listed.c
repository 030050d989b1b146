/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/listed.h"

void line_order_listed(struct line_order *order, const uint64_t line[], uint64_t count)
{
    order->kind = ORDER_LISTED;
    order->lines = count;
    order->per_group = order->groups = order->rest = 0;
    order->listed = line;
}

/* Where part i of `count` begins: i * lines / count, without a product that 64 bits do not hold. */
static uint64_t part_first(uint64_t i, uint64_t count, uint64_t lines)
{
    return i * (lines / count) + i * (lines % count) / count;
}

void listed_spread(uint64_t line[], uint64_t count, uint64_t first, uint64_t lines,
                   struct random *random)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = part_first(i, count, lines);
        line[i] = first + from + random_below(random, part_first(i + 1, count, lines) - from);
    }
}

void listed_shuffle(uint64_t line[], uint64_t count, struct random *random)
{
    for (uint64_t i = count; i > 1; i--) {
        uint64_t k = random_below(random, i), kept = line[i - 1];
        line[i - 1] = line[k];
        line[k] = kept;
    }
}
