/* SPDX-License-Identifier: BSD-2-Clause */
/* frequency: how much of each level's latency scales with the core's clock. The same sets are
 * chased with turbo on and off; a latency is a number of core cycles plus a fixed time, and two
 * frequencies separate the two. The contract of frequency_plan and frequency_conclude is in
 * table.h. */
#ifndef CORE_EXPERIMENTS_FREQUENCY_H
#define CORE_EXPERIMENTS_FREQUENCY_H

#include "core/experiments/workbench.h"
#include "core/measure/finding.h"
#include "core/plan/plan.h"

enum status frequency_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status frequency_conclude(const struct plan *plan, struct workbench *bench,
                               uint32_t experiment);

/* One set at one core frequency, measured before and after; 0: unknown. */
struct frequency_side {
    struct figure ns;
    double hz_before, hz_after;
};

struct frequency_split {
    struct figure cycles, fixed_ns;
    double fast_hz, slow_hz;
};

/* Solves ns = cycles / hz + fixed. Returns NULL and fills *split; otherwise a text why not: the
 * frequency could not be measured, moved during a measurement, or did not differ. */
const char *frequency_find(const struct frequency_side *fast, const struct frequency_side *slow,
                           struct frequency_split *split);

#endif
