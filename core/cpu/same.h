/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two CPUs are alike in what one of them was prepared for, by words of their registers.
 * arch/ says which words, which bits of them count, and why. Pure. */
#ifndef CORE_CPU_SAME_H
#define CORE_CPU_SAME_H

#include <stddef.h>
#include <stdint.h>

#define SAME_WORDS 16

/* Of one CPU. */
struct same_words {
    uint64_t hardware_id; /* as cpu_info has it: says which CPU it is, and is not compared */
    uint64_t word[SAME_WORDS];
};

/* In these bits of that word both have the same. */
struct same_rule {
    unsigned word;
    uint64_t mask;
    const char *why; /* they are not alike otherwise: a clause about the other CPU, static */
};

/* The `why` of the first rule that does not hold; NULL: all do. */
const char *same_refusal(const struct same_rule *rules, size_t count, const struct same_words *boot,
                         const struct same_words *other);

#endif
