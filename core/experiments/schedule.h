/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the experiments' points in order. Included only by engine.c and schedule.c: plan,
 * measurement and experiments meet here, and none of them sees all of the others. */
#ifndef CORE_EXPERIMENTS_SCHEDULE_H
#define CORE_EXPERIMENTS_SCHEDULE_H

#include "core/experiments/workbench.h"
#include "core/measure/measure.h"
#include "core/plan/plan.h"

/* State of one run. Before schedule_run: machine, options and journal set, plan, measure and bench
 * initialized, all else zero. */
struct schedule {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    struct plan plan;
    struct measure measure;
    struct workbench bench;
    bool begun;        /* some point has been started */
    bool window_known; /* window is open, for points like window_like */
    struct point window_like;
    struct window window;
    double clock_ppm_noted;
    uint64_t saved_ns;      /* wall clock when records were saved last */
    uint64_t saved_number;  /* of the last record that was */
    uint64_t concluding_ns; /* since when an experiment is concluded */
    struct point_result repeat[OPTIONS_REPEATS_MAX];
};

/* Measures everything that these experiments have planned, pass by pass, and what they add
 * meanwhile, and concludes each experiment once it and those before it are over. STATUS_OK,
 * STATUS_ABORTED if the user asked to stop, or the first failure. */
enum status schedule_run(struct schedule *schedule, const uint32_t tests[], uint32_t count);

#endif
