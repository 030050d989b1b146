/* SPDX-License-Identifier: BSD-2-Clause */
/* frequency: how much of each level's latency follows the core's clock. The same sets are chased
 * with turbo on and off; a latency is a number of core cycles and a fixed time, and two frequencies
 * tell the two apart. The contract of frequency_plan and frequency_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_FREQUENCY_H
#define CORE_EXPERIMENTS_FREQUENCY_H

#include "core/experiments/workbench.h"
#include "core/measure/finding.h"
#include "core/plan/plan.h"

enum status frequency_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status frequency_conclude(const struct plan *plan, struct workbench *bench,
                               uint32_t experiment);

/* One set at one frequency of the core, as measured before and after; 0: unknown. */
struct frequency_side {
    struct figure ns;
    double hz_before, hz_after;
};

struct frequency_split {
    struct figure cycles, fixed_ns;
    double fast_hz, slow_hz;
};

/* ns = cycles / hz + fixed. NULL when the two could be told apart, else why not, in words: the
 * frequency was not measurable, moved while a set was measured, or was not another one. */
const char *frequency_find(const struct frequency_side *fast, const struct frequency_side *slow,
                           struct frequency_split *split);

#endif
