/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyed bijection of [0, count) for any count. It gives the line visited at any position, the
 * inverse, and the successor of any line, without a second array.
 *
 * It is a Feistel network of four rounds of random functions (Luby, Rackoff 1988) on pairs of
 * digits; the radix of the right digit is a power of two. The network permutes slightly more
 * numbers than count (by less than the right radix); the surplus numbers are skipped. Three rounds
 * are not enough: steps that keep the right digit would repeat a few distances more often than
 * chance.
 *
 * The inner loops have no division and no branch per element: left digits are reduced by a
 * conditional move, and the round functions are tables that fit in a cache (about 8 * sqrt(count)
 * bytes in total). */
#ifndef CORE_CHASE_BIJECTION_H
#define CORE_CHASE_BIJECTION_H

#include <stdbool.h>
#include <stdint.h>

#define BIJECTION_COUNT_MAX  (1ull << 46)
#define BIJECTION_RIGHT_BITS 14u
#define BIJECTION_RIGHT      (1u << BIJECTION_RIGHT_BITS)
/* Left digits below this have tables. Larger counts (more than 2^30 elements) compute those round
 * functions instead, which costs about three times as much. */
#define BIJECTION_LEFT   65536u
#define BIJECTION_ROUNDS 4

/* A bijection of [0, count). A number is left * 2^right_bits + right. Rounds 0 and 2 change the
 * left digit as a function of the right one, rounds 1 and 3 the right digit as a function of the
 * left. */
struct bijection {
    uint64_t count, key;
    uint64_t left_radix;
    uint32_t right_bits;
    uint64_t round_key[BIJECTION_ROUNDS];
    uint32_t by_right[2][BIJECTION_RIGHT]; /* rounds 0 and 2 */
    uint32_t advance[BIJECTION_RIGHT];     /* round 0 of right + 1 minus round 0 of right */
    uint16_t by_left[2][BIJECTION_LEFT];   /* rounds 1 and 3 */
    uint32_t skip_count;
    uint64_t skip[BIJECTION_RIGHT]; /* positions of the network whose number is >= count, sorted */
};

/* count: 1 .. BIJECTION_COUNT_MAX. Takes O(sqrt(count)): a few milliseconds at most. */
void bijection_start(struct bijection *b, uint64_t count, uint64_t key);
/* Returns the element at a position; position < count. */
uint64_t bijection_at(const struct bijection *b, uint64_t position);
/* Returns the position of an element: the inverse of bijection_at. */
uint64_t bijection_position(const struct bijection *b, uint64_t value);
/* Stores the elements at positions first .. first + count - 1; all positions are below b->count. */
void bijection_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t values[]);
/* Stores the successor of each of the elements first .. first + count - 1, all below b->count: the
 * element at the next position; the last position is followed by the first. Following successors
 * from any element visits every element once before returning. Fastest for count 16 to 64. */
void bijection_next_run(const struct bijection *b, uint64_t first, uint32_t count, uint64_t next[]);

#endif
