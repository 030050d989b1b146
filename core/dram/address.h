/* SPDX-License-Identifier: BSD-2-Clause */
/* XOR functions of physical addresses: the bits of a channel's, a rank's or a bank's number, each
 * the parity of some address bits. Functions that give the same banks are one span over GF(2); what
 * is learned of an unknown mapping is that span, not which function selects what. Pure.
 *
 * Loads of two lines in one bank but two rows conflict (Pessl and others, "DRAMA", USENIX Security
 * 2016), so the difference of their addresses has parity 0 in each function. */
#ifndef CORE_DRAM_ADDRESS_H
#define CORE_DRAM_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/random.h"

#define ADDRESS_FUNCTIONS_MAX 16

struct address_functions {
    unsigned count;
    uint64_t mask[ADDRESS_FUNCTIONS_MAX];
};

/* What a controller subtracts from addresses before the functions: memory displaced by the hole
 * below 4 GiB is moved down again, and memory below it is not moved (Linux, amd64_edac and the AMD
 * address translation library: addresses from 4 GiB on). */
struct address_offset {
    uint64_t bytes;
    uint64_t from; /* addresses below it stay as they are */
};

/* The mapping that agrees best with measured conflicts. */
struct address_mapping {
    struct address_functions functions; /* independent; as few bits each as the span has */
    uint64_t offset_bytes, offset_from; /* see address_offset */
    double agreement;                   /* fraction of the conflicts that fit it */
};

/* Two physical addresses whose lines conflict. */
struct address_pair {
    uint64_t a, b;
};

/* The address without its offset: what the functions are of. */
uint64_t address_moved(const struct address_mapping *mapping, uint64_t address);
/* The parity of each function, function 0 in bit 0. */
unsigned address_class(const struct address_functions *functions, uint64_t address);
/* Makes the functions independent and canonical: ascending by their lowest bits, each of which is
 * in no other function. Equal spans give equal masks. */
void address_reduce(struct address_functions *functions);
/* Replaces independent functions by those of the same span with the fewest bits, ascending by their
 * lowest bits. */
void address_simplify(struct address_functions *functions);
/* All functions of those address bits that have parity 0 for each difference (the null space), in
 * canonical form. False: there are more than ADDRESS_FUNCTIONS_MAX, and *functions is empty. */
bool address_constant(const uint64_t *difference, size_t count, uint64_t bits,
                      struct address_functions *functions);
/* Of those address bits, the ones that tell the functions of all these addresses apart: where the
 * addresses are of a range that is no power of two, some bits of all of them always differ
 * together, and the highest of such bits are left out. pair[count] are any addresses, of conflicts
 * or not. */
uint64_t address_free_bits(const struct address_pair *pair, size_t count, uint64_t bits,
                           struct address_offset offset);
/* The fraction of the pairs that have parity 0 in each function; 1 without functions. */
double address_agreement(const struct address_mapping *mapping, const struct address_pair *pair,
                         size_t count);
/* Finds the largest span of functions of those address bits that at least `enough` of the conflicts
 * fit, from random subsets of them, since single ones may be mistaken. The offset is taken as
 * known. mapping->functions.count is 0 if there is none. The result depends on *random alone. */
void address_solve(const struct address_pair *pair, size_t count, uint64_t bits,
                   struct address_offset offset, double enough, struct random *random,
                   struct address_mapping *mapping);

#endif
