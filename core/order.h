/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a chain visits its lines: a bijection from position to line, so that the
 * successor of any line is known without a second array, for any number of lines, and a chain is
 * one cycle by construction. */
#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include <stdint.h>

#include "core/bijection.h"

enum order_kind {
    ORDER_RANDOM,           /* every line of the set once, at random */
    ORDER_SEQUENTIAL_PAGES, /* lines ascending inside a page, pages at random */
    ORDER_PAIRED_PAGES      /* two random lines of a page, then another page: half the hops stay in
                               an open DRAM row, and no prefetcher can know which line is next */
};

struct line_order {
    enum order_kind kind;
    uint64_t lines;
    uint32_t lines_per_page; /* a power of two, at least 2, for the page kinds */
    struct bijection bijection;
};

/* For the page kinds lines is cut to whole pages of lines_per_page by the caller. */
void line_order_start(struct line_order *order, enum order_kind kind, uint64_t lines,
                      uint32_t lines_per_page, uint64_t seed);
/* The line visited at this position; position < lines. */
uint64_t line_order_at(const struct line_order *order, uint64_t position);

#endif
