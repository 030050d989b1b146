/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments work with beside the plan, and what they found that others of them go by. */
#ifndef CORE_EXPERIMENTS_WORKBENCH_H
#define CORE_EXPERIMENTS_WORKBENCH_H

#include "core/experiments/dram_figures.h"
#include "core/levels/levels.h"
#include "core/levels/tlb_knees.h"
#include "core/measure/controls.h"
#include "core/measure/core_clock.h"
#include "core/measure/draw_cost.h"
#include "core/measure/witness.h"

/* The curve's points as levels are found from, and its levels. */
struct curve_found {
    struct level_point points[LEVELS_POINTS_MAX];
    struct level_spread spread[LEVELS_SPREAD_MAX];
    struct level level[LEVELS_MAX];
    bool memory_known; /* as its points alone say */
    struct dram_bounds memory;
    void *workspace; /* levels_workspace_bytes() */
};

struct tlb_found {
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_rest rest;
};

struct workbench {
    struct controls *controls;
    const struct core_clock *clock;
    const struct draw_cost *draw; /* by a shift */
    const struct witness *witness;
    struct curve_found curve;
    struct tlb_found tlb;
};

#endif
