/* SPDX-License-Identifier: BSD-2-Clause */
/* The time that a run may take. Times are nanoseconds of the machine's wall clock. */
#ifndef CORE_PLAN_BUDGET_H
#define CORE_PLAN_BUDGET_H

#include <stdint.h>

struct budget {
    uint64_t started_ns, deadline_ns; /* no point is started whose estimate ends later */
    uint64_t promise_ns;              /* at this time a point still being measured is given up */
    double cap_s;                     /* per point */
};

/* Seconds from now_ns until then_ns, negative if that has passed. */
static inline double budget_until_s(uint64_t then_ns, uint64_t now_ns)
{
    return ((double)then_ns - (double)now_ns) * 1e-9;
}

/* Seconds left of the budget, negative once it is used up. */
static inline double budget_left_s(const struct budget *budget, uint64_t now_ns)
{
    return budget_until_s(budget->deadline_ns, now_ns);
}

#endif
