/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyed bijection of [0, count) for any count: the line visited at any position, its inverse, and
 * the successor of any line, without a second array. A Feistel network of four rounds of random
 * functions (Luby, Rackoff 1988) over pairs of digits, the right one of a power of two; numbers
 * beyond the count, fewer than the right radix, are left out of the cycle. After three rounds, hops
 * that keep the right digit would repeat a few distances too often for chance. No division and no
 * branch for an element: left digits are brought back by a conditional move, and the round
 * functions are tables that a cache holds (about 8 * sqrt(count) bytes in all). */
#ifndef CORE_CHASE_BIJECTION_H
#define CORE_CHASE_BIJECTION_H

#include <stdbool.h>
#include <stdint.h>

#define BIJECTION_COUNT_MAX  (1ull << 46)
#define BIJECTION_RIGHT_BITS 14u
#define BIJECTION_RIGHT      (1u << BIJECTION_RIGHT_BITS)
/* Left digits up to here have tables; beyond (2^30 elements) their round functions are computed,
 * which costs about three times as much. */
#define BIJECTION_LEFT   65536u
#define BIJECTION_ROUNDS 4

/* A bijection of [0, count). A number is left * 2^right_bits + right. Round 0 and 2 change the left
 * digit by the right one, 1 and 3 the right one by the left. */
struct bijection {
    uint64_t count, key;
    uint64_t left_radix;
    uint32_t right_bits;
    uint64_t round_key[BIJECTION_ROUNDS];
    uint32_t by_right[2][BIJECTION_RIGHT]; /* rounds 0 and 2 */
    uint32_t advance[BIJECTION_RIGHT];     /* round 0 of the next right digit less that of this */
    uint16_t by_left[2][BIJECTION_LEFT];   /* rounds 1 and 3 */
    uint32_t skip_count;
    uint64_t skip[BIJECTION_RIGHT]; /* where the network visits numbers beyond the count, sorted */
};

/* count 1 .. BIJECTION_COUNT_MAX. The work goes with the root of count: milliseconds at most. */
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
