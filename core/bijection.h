/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyed bijection of [0, count) for any count: the line visited at any position, its inverse, and
 * the successor of any line, without a second array. A mixed-radix Feistel network of four rounds
 * of random functions (Luby, Rackoff 1988), cycle-walked where the radices' product exceeds the
 * count (Black, Rogaway 2002). After three rounds, hops that keep the right digit would all repeat
 * a few distances, too often for chance. No division per element: sums below twice a radix are
 * brought back by a conditional move, and the round functions are tables that a cache holds (2 *
 * sqrt(count) bytes each). */
#ifndef CORE_BIJECTION_H
#define CORE_BIJECTION_H

#include <stdbool.h>
#include <stdint.h>

#define BIJECTION_COUNT_MAX (1ull << 48)
/* Digits up to here have tables; beyond (more than about 2^32 elements) the round functions are
 * computed, which costs about four times as much. */
#define BIJECTION_TABLE  65536u
#define BIJECTION_ROUNDS 4
/* So many of the radices' product may be no elements, where successors shall be fast. */
#define BIJECTION_WASTE_MAX 64u

/* An element whose successor is not the network's own next. */
struct bijection_odd {
    uint64_t value, next;
};

/* A bijection of [0, count): elements are pairs of digits, left * right_radix + right. */
struct bijection {
    uint64_t count, key;
    uint64_t waste; /* left_radix * right_radix - count: numbers that are walked past */
    uint32_t left_radix, right_radix;
    uint64_t round_key[BIJECTION_ROUNDS];
    uint16_t round[BIJECTION_ROUNDS]
                  [BIJECTION_TABLE];   /* even ones by the right digit, odd by the left */
    uint16_t advance[BIJECTION_TABLE]; /* round[0] of the next right digit less that of this one */
    uint32_t odd_count;                /* those below, by value; unused if waste is too large */
    struct bijection_odd odd[2 * BIJECTION_WASTE_MAX + 1];
};

/* count 1 .. BIJECTION_COUNT_MAX. The work goes with the root of count: under a millisecond. */
void bijection_start(struct bijection *b, uint64_t count, uint64_t key);
/* The element at a position; position < count. */
uint64_t bijection_at(const struct bijection *b, uint64_t position);
/* The position of an element: bijection_at's inverse. */
uint64_t bijection_position(const struct bijection *b, uint64_t value);
/* The elements at the positions first .. first + count - 1, all below b->count. */
void bijection_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t values[]);
/* For the elements first .. first + count - 1, all below b->count, in their own order: the one at
 * the next position, after the last position the first. Following it from anywhere visits every
 * element once before it comes back. Fastest for runs of 16 to 64. */
void bijection_next_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t next[]);

#endif
