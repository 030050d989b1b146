/* SPDX-License-Identifier: BSD-2-Clause */
/* Which point is next. Known to engine.c and schedule.c, and nobody else: plan, measurement and
 * experiments meet here, and none of them sees the others' whole. */
#ifndef CORE_EXPERIMENTS_SCHEDULE_H
#define CORE_EXPERIMENTS_SCHEDULE_H

#include "core/experiments/workbench.h"
#include "core/measure/measure.h"
#include "core/plan/plan.h"

/* Of one run. All zero, but for the machine, options and journal, and with plan, measure and bench
 * started: nothing was measured yet. */
struct schedule {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    struct plan plan;
    struct measure measure;
    struct workbench bench;
    bool begun;        /* some point has been */
    bool window_known; /* a window is open: that of points like this one */
    struct point window_like;
    struct window window;
    double clock_ppm_noted;
    struct point_result repeat[OPTIONS_REPEATS_MAX];
};

/* Measures all that these experiments have planned, pass by pass, and what they add to it, and
 * concludes each experiment once it and those before it are over. STATUS_OK, STATUS_ABORTED when
 * somebody asked to stop, or what failed. */
enum status schedule_run(struct schedule *schedule, const uint32_t tests[], uint32_t count);

#endif
