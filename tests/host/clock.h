/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU's own counter, as on the firmware, compared with CLOCK_MONOTONIC_RAW over the whole run.
 */
#ifndef TESTS_HOST_CLOCK_H
#define TESTS_HOST_CLOCK_H

#include "core/clock/refclock.h"
#include "core/results/notes.h"

struct clock {
    struct clock_info info;
    struct refclock second;
    struct refclock_watch watch;
    uint64_t best_bracket;
    bool watching;
};

/* Declared frequency, else the second clock's. Takes some 20 ms. */
void clock_start(struct clock *clock, struct notes *notes);
/* CLOCK_MONOTONIC. */
uint64_t clock_wall_ns(void);
/* The CPU time of this thread. */
uint64_t clock_own_ns(void);
void clock_answer(struct clock *clock, struct clock_check *check);

#endif
