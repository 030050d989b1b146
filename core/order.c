/* SPDX-License-Identifier: BSD-2-Clause */
/* The visiting order of a chain. */
#include "core/order.h"

#include "core/random.h"

void line_order_start(struct line_order *order, enum order_kind kind, uint64_t lines,
                      uint32_t lines_per_page, uint64_t seed)
{
    uint64_t count = lines;

    if (kind == ORDER_SEQUENTIAL_PAGES)
        count = lines / lines_per_page;
    else if (kind == ORDER_PAIRED_PAGES)
        count = lines / 2;
    order->kind = kind;
    order->lines = lines;
    order->lines_per_page = lines_per_page;
    bijection_start(&order->bijection, count, seed);
}

/* A permutation of [0, count), count a power of two, different for every page: multiplications by
 * odd numbers and a shift are invertible modulo a power of two. */
static uint64_t shuffle_in_page(uint64_t line, uint64_t count, uint64_t page, uint64_t key)
{
    uint64_t hash = random_mix(page ^ key);
    uint64_t mask = count - 1;

    line = (line * ((hash & 0xffff) | 1) + (hash >> 16)) & mask;
    line ^= line >> 3;
    line = (line * ((hash >> 32 & 0xffff) | 1) + (hash >> 48)) & mask;
    return line;
}

uint64_t line_order_at(const struct line_order *order, uint64_t position)
{
    const struct bijection *b = &order->bijection;
    uint64_t per_page = order->lines_per_page;
    uint64_t visit, page, line;

    switch (order->kind) {
    case ORDER_SEQUENTIAL_PAGES:
        return bijection_at(b, position / per_page) * per_page + position % per_page;
    case ORDER_PAIRED_PAGES:
        visit = bijection_at(b, position / 2);
        page = visit / (per_page / 2);
        line = visit % (per_page / 2) * 2 + position % 2;
        return page * per_page + shuffle_in_page(line, per_page, page, b->key);
    case ORDER_RANDOM:
        break;
    }
    return bijection_at(b, position);
}
