/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains over a caller's list of lines: any lines of a window, in the order in which the list has
 * them, the last one linked to the first. A chain of such an order is built, walked, read back and
 * diagnosed like every other, on every machine (core/chase/chain.h); only the lines listed are
 * written. */
#ifndef CORE_CHASE_LISTED_H
#define CORE_CHASE_LISTED_H

#include "core/chase/order.h"
#include "core/lib/random.h"

/* The order that visits line[0 .. count - 1]: numbers of distinct lines (strides of the chain, from
 * the window's start), count at least 1. The list must outlive the order, and a changed list is
 * another order. */
void line_order_listed(struct line_order *order, const uint64_t line[], uint64_t count);

/* Draws one line at random from each of `count` equal parts of the lines [first, first + lines), in
 * ascending order: spread evenly, at no stride. count is at least 1, at most lines and below 2^32.
 */
void listed_spread(uint64_t line[], uint64_t count, uint64_t first, uint64_t lines,
                   struct random *random);
/* Puts a list into random order: every order, and so every cycle through its lines, is as likely.
 */
void listed_shuffle(uint64_t line[], uint64_t count, struct random *random);

#endif
