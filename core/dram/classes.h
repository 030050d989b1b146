/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether lines of memory take longer by the parity of some of their address bits. Interleaving
 * spreads a slow rank or channel over every range, where none shows it; but its lines are those of
 * one parity of a function of address bits (core/dram/address.h). Pure; core/measure/
 * regions_classes.c measures.
 *
 * Samples of lines that share their parities are compared for all functions at once, which finds
 * the few that are worth measuring by themselves: nothing is said of a class from here. */
#ifndef CORE_DRAM_CLASSES_H
#define CORE_DRAM_CLASSES_H

#include "core/dram/address.h"
#include "core/dram/regions.h"

#define CLASSES_BITS_MAX  44 /* bits 6 to 49 */
#define CLASSES_MASKS_MAX (CLASSES_BITS_MAX * (CLASSES_BITS_MAX + 1) / 2)
#define CLASSES_KEPT      16
#define CLASSES_TOLD_MAX  (2 * CLASSES_KEPT)

/* Lines whose address, less the offset of the mapping, has that parity in each function. */
struct class_group {
    struct address_functions functions; /* independent */
    unsigned parities;                  /* bit n: of function n */
};

/* ---- lines of a class */

/* How to reach a class: bits of an address that change one function each, and nothing else of
 * the others. */
struct class_steps {
    struct address_functions functions;
    unsigned count;
    uint64_t bit[ADDRESS_FUNCTIONS_MAX];
    unsigned of[ADDRESS_FUNCTIONS_MAX]; /* bit n: function n is part of what bit[] changes */
};

/* functions: independent, of bits below 48. */
void class_steps_of(const struct address_functions *functions, struct class_steps *steps);
/* The address that differs from this one in as few bits as steps do, and whose parities are those.
 */
uint64_t class_steps_to(const struct class_steps *steps, uint64_t address, unsigned parities);

/* ---- all functions at once */

struct class_screen {
    /* Samples are of one class of these functions, and what is compared is every XOR of them; none:
     * single bits, and XORs of two bits, of `bits`. */
    struct address_functions functions;
    uint64_t bits;
    uint64_t inner;                   /* a function is compared if it has one of these bits */
    uint32_t masks;                   /* that are compared */
    uint64_t mask[CLASSES_MASKS_MAX]; /* without functions */
    double count[2 * CLASSES_MASKS_MAX];
    double sum[1u << ADDRESS_FUNCTIONS_MAX]; /* of a class; without functions as count[] */
    double samples, squares;
};

/* even_bytes: every piece of memory of that size, a power of two, is compared whole or not at all.
 * Functions of higher bits alone are not compared: there may be more lines of one parity, and more
 * lines have fewer in a TLB and fewer in an open row. What differs by these differs by ranges. */
void class_screen_start(struct class_screen *screen, const struct address_functions *functions,
                        uint64_t bits, uint64_t even_bytes);
/* A sample of lines of that class of screen->functions; ns: above what is usual. */
void class_screen_add(struct class_screen *screen, unsigned class, double ns);
/* A sample of lines that agree with that address in all bits but those of `free`. */
void class_screen_add_bits(struct class_screen *screen, uint64_t address, uint64_t free, double ns);

struct class_effect {
    uint64_t mask;
    double ns; /* lines of parity 1 less those of parity 0 */
};

/* The least difference of two parities that the samples so far would show; very large at first. */
double class_screen_limit_ns(const struct class_screen *screen);
/* Stores the largest effects that are none of chance's, largest first; returns how many. The
 * screen's sums are used up. */
uint32_t class_screen_find(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT]);

/* ---- what is slow */

/* What a function's classes differ by, measured by themselves. */
struct class_told {
    struct class_group group; /* the slower lines */
    struct region_difference difference;
    double base_ns; /* of the lines that it is held against */
};

/* Where one rank of one channel is slow, each of three functions shows a half of it. Which parities
 * of several functions together are slowest, from single functions that were found: the sum of
 * what they add. False: one function says as much. */
bool classes_joint(const struct class_told told[], uint32_t count, struct class_group *group);

#endif
