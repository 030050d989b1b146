/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a chain visits its lines: a bijection from position to line. The successor of
 * any line is known without a second array, for any number of lines, and a chain is one cycle by
 * construction. A line here is one stride of the chain. */
#ifndef CORE_CHASE_ORDER_H
#define CORE_CHASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/bijection.h"
#include "core/chase/shuffle.h"

enum order_kind {
    ORDER_RANDOM,           /* every line of the set once, in random order */
    ORDER_SEQUENTIAL_PAGES, /* lines of a group ascending, groups in random order */
    ORDER_PAIRED_PAGES,     /* two random lines of a group, then another group: half the hops hit an
                               open DRAM row, and no prefetcher can predict the line */
    ORDER_HALVED_PAGES, /* a random line of a group's first half, the same line of its second half,
                           then another group: such a pair shares a channel, and so a DRAM row, even
                           if low address bits select the channel */
    ORDER_FORWARD,      /* ascending */
    ORDER_REVERSE,      /* descending */
    ORDER_SEQUENTIAL,   /* as ORDER_FORWARD, with a stride of one line */
    ORDER_PAGED, /* groups in random order, all lines of a group in random order before the next */
    ORDER_GROUPED,  /* the same, with groups as large as the reach of a TLB */
    ORDER_HOP_PAGE, /* another group at every hop: each pass visits the groups in the same random
                       order, and a different line of each */
    ORDER_LISTED    /* the lines of a caller's list (core/chase/listed.h) */
};

struct line_order {
    enum order_kind kind;
    uint64_t lines;
    /* only for kinds that use groups (order_by_groups) */
    uint64_t per_group;         /* lines of a full group, 1 .. SHUFFLE_MAX */
    uint64_t groups, rest;      /* full groups, and lines of the partial last group */
    struct bijection bijection; /* of lines, of full groups, or of pairs */
    struct shuffle shuffle;
    struct shuffle_size whole, smaller;
    const uint64_t *listed; /* of ORDER_LISTED: the caller's list[lines] */
};

/* Returns "cycle", "shuffled-pages", "paired-pages", "forward", ... */
const char *order_name(enum order_kind kind);
bool order_by_groups(enum order_kind kind);
/* Of every kind but ORDER_LISTED, which line_order_listed starts. lines: 1 .. 2^46. per_group:
 * lines per group, ignored by kinds that do not use groups. If lines is not a multiple of
 * per_group, the partial last group is visited last (ORDER_HOP_PAGE: last in each of the first
 * passes). ORDER_PAIRED_PAGES and ORDER_HALVED_PAGES require full groups with an even number of
 * lines. */
void line_order_start(struct line_order *order, enum order_kind kind, uint64_t lines,
                      uint64_t per_group, uint64_t seed);
/* Returns the line visited at this position; position < lines. */
uint64_t line_order_at(const struct line_order *order, uint64_t position);
/* Stores the lines visited at positions first .. first + count - 1, all below order->lines. Faster
 * than single calls. */
void line_order_run(const struct line_order *order, uint64_t first, uint32_t count,
                    uint64_t lines[]);

#endif
