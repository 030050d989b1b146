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
#define CLASSES_PART_MAX  5 /* functions whose parities choose a group: of 32 lines one */

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

/* The lines that share with a group the parity of the XOR of `some` of its functions (bit n:
 * function n; not none). */
struct class_group class_half(const struct class_group *group, unsigned some);

/* The share of one group's lines that are in another one, from 0 to 1. */
double class_share(const struct class_group *of, const struct class_group *in);

/* ---- all functions at once */

#define CLASSES_BEAM   64
#define CLASSES_STARTS 256

/* A group of classes: the XORs of its rows are the functions that have one parity in it. */
struct class_part {
    unsigned count;
    uint32_t row[CLASSES_PART_MAX]; /* bit n: function n of the screen's; bit 31: the parity */
    double sum;                     /* of what those functions show, each its parity's lines less
                                       the others */
};

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
    /* Of the search for groups. */
    uint32_t start[CLASSES_STARTS];
    struct class_part beam[2][CLASSES_BEAM];
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

/* A group that is slower: half of the lines by one function, or a smaller part by several. */
struct class_effect {
    struct class_group group;
    double ns; /* by which its lines are slower than all others */
};

/* The least difference of two parities that the samples so far would show; very large at first. */
double class_screen_limit_ns(const struct class_screen *screen);
/* The same of the lines that several functions choose together, one in 2 to the power of that many:
 * each function shows the less of it the more there are. */
double class_screen_part_limit_ns(const struct class_screen *screen, unsigned functions);
/* Stores the groups that are none of chance's, what stands out most first, each after those before
 * it were taken off; without functions, single functions, the largest first. Returns how many. The
 * screen's sums are used up. */
uint32_t class_screen_find(struct class_screen *screen, struct class_effect effect[CLASSES_KEPT]);
/* Independent functions of those found, the first ones, CLASSES_PART_MAX at most. */
void class_functions_of(const struct class_effect effect[], uint32_t count,
                        struct address_functions *functions);

/* ---- what is slow */

/* What a group's lines differ by, measured by themselves. */
struct class_told {
    struct class_group group; /* the slower lines */
    struct region_difference difference;
    double base_ns; /* of the lines that it is held against */
};

/* Of differences to the lines of `others` other classes, each in its turn (round i to those of
 * number i % others): what these differ by among themselves is evened out, which is no error of the
 * mean. Of too many classes for that nothing is. */
void classes_even(double difference[REGIONS_ROUNDS], unsigned others);

/* What groups that are told make the lines of one group slower than those of another. *doubt_ns: by
 * how much that may be wrong at most. */
double classes_explained_ns(const struct class_told told[], uint32_t count,
                            const struct class_group *group, const struct class_group *other,
                            double *doubt_ns);

/* The least difference that would have been told: found by the screen, sure when measured by itself
 * (whose error that of a control shows, two halves of lines however they differ), and no less than
 * is told of at all. */
double classes_limit_ns(double screened_ns, double base_ns,
                        const struct region_difference *control);

#endif
