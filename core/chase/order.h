/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a chain visits its lines: a bijection from position to line, so that the
 * successor of any line is known without a second array, for any number of lines, and a chain is
 * one cycle by construction. A line here is whatever stands one stride from the next. */
#ifndef CORE_CHASE_ORDER_H
#define CORE_CHASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/bijection.h"
#include "core/chase/shuffle.h"

enum order_kind {
    ORDER_RANDOM,           /* every line of the set once, at random */
    ORDER_SEQUENTIAL_PAGES, /* lines ascending inside a group, groups at random */
    ORDER_PAIRED_PAGES,     /* two random lines of a group, then another group: half the hops stay
                               in an open DRAM row, and no prefetcher can know which line is next */
    ORDER_HALVED_PAGES, /* a random line of a group's first half, the same one of its other half,
                           then another group: such lines share a channel wherever it is chosen
                           by low bits of the address, and so a row */
    ORDER_FORWARD,      /* ascending */
    ORDER_REVERSE,      /* descending */
    ORDER_SEQUENTIAL,   /* as ORDER_FORWARD; its nodes are one line apart */
    ORDER_PAGED,        /* groups at random, all lines of a group at random before the next */
    ORDER_GROUPED,      /* the same; its groups are as large as what a TLB reaches */
    ORDER_HOP_PAGE      /* a new group every hop; groups in the same random order in each pass,
                           each time at another line of theirs */
};

struct line_order {
    enum order_kind kind;
    uint64_t lines;
    /* of the kinds that go by groups (order_by_groups) */
    uint64_t per_group;         /* lines of a whole group, 1 .. SHUFFLE_MAX */
    uint64_t groups, rest;      /* whole groups, and lines of the smaller one that ends the set */
    struct bijection bijection; /* of lines, of whole groups, or of pairs */
    struct shuffle shuffle;
    struct shuffle_size whole, smaller;
};

/* "cycle", "shuffled-pages", "paired-pages", "forward", ... */
const char *order_name(enum order_kind kind);
bool order_by_groups(enum order_kind kind);
/* lines 1 .. 2^46. per_group is of no account for kinds that do not go by groups. Where the lines
 * are no whole groups, those of the last, smaller one come last (ORDER_HOP_PAGE: last in each of
 * the first passes). ORDER_PAIRED_PAGES and ORDER_HALVED_PAGES want whole groups of an even number
 * of lines. */
void line_order_start(struct line_order *order, enum order_kind kind, uint64_t lines,
                      uint64_t per_group, uint64_t seed);
/* The line visited at this position; position < lines. */
uint64_t line_order_at(const struct line_order *order, uint64_t position);
/* The lines visited at the positions first .. first + count - 1, all below order->lines. Faster
 * than asking for each. */
void line_order_run(const struct line_order *order, uint64_t first, uint32_t count,
                    uint64_t lines[]);

#endif
