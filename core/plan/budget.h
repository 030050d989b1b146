/* SPDX-License-Identifier: BSD-2-Clause */
/* The time a run has. Times are nanoseconds of the machine's wall clock. */
#ifndef CORE_PLAN_BUDGET_H
#define CORE_PLAN_BUDGET_H

#include <stdint.h>

struct budget {
    uint64_t started_ns, deadline_ns; /* no point is begun that would end later */
    uint64_t promise_ns;              /* then what is under way is given up */
    double cap_s;                     /* per point */
};

/* Seconds from now until then; below 0: since. */
static inline double budget_until_s(uint64_t then_ns, uint64_t now_ns)
{
    return ((double)then_ns - (double)now_ns) * 1e-9;
}

/* Seconds of budget= that are left, below 0 when it is used up. */
static inline double budget_left_s(const struct budget *budget, uint64_t now_ns)
{
    return budget_until_s(budget->deadline_ns, now_ns);
}

#endif
