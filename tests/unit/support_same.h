/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of which CPUs are enough like the boot CPU, for every architecture. */
#ifndef SUPPORT_SAME_H
#define SUPPORT_SAME_H

#include "core/cpu/same.h"

/* The function that is tested. */
typedef const char *same_judge(const struct same_words *boot, const struct same_words *other);

/* A boot CPU, with these bits of one word turned over, is refused with words that hold `names`. */
struct same_case {
    unsigned word;
    uint64_t bits;
    const char *names;
};

/* What is said of a CPU that differs from the boot CPU in these bits, and in its hardware id. */
const char *same_turned(same_judge *judge, const struct same_words *boot, unsigned word,
                        uint64_t bits);
void same_check(same_judge *judge, const struct same_words *boot, const struct same_case *cases,
                size_t count);

#endif
