/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyed bijection of [0, count) for any count: the successor of any line is known without a
 * second array. A mixed-radix Feistel network of three rounds of random tables (Luby, Rackoff
 * 1988), cycle-walked where the radices' product exceeds the count. */
#ifndef CORE_BIJECTION_H
#define CORE_BIJECTION_H

#include <stdint.h>

#define BIJECTION_TABLE_BITS 12
#define BIJECTION_TABLE      (1u << BIJECTION_TABLE_BITS)

/* A bijection of [0, count). */
struct bijection {
    uint64_t count, left_radix, right_radix; /* left_radix * right_radix >= count */
    uint64_t key;
    uint32_t low[3][BIJECTION_TABLE],
        high[3][BIJECTION_TABLE]; /* round tables, by low and high digits */
};

/* count 1 .. 2^48. Takes about 24 thousand table entries of work whatever the count. */
void bijection_start(struct bijection *b, uint64_t count, uint64_t key);
uint64_t bijection_at(const struct bijection *b, uint64_t position);

#endif
