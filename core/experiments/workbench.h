/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments share besides the plan: the machine's controls, figures learnt while measuring,
 * what one experiment found that others use, and room for large intermediate results. */
#ifndef CORE_EXPERIMENTS_WORKBENCH_H
#define CORE_EXPERIMENTS_WORKBENCH_H

#include "core/experiments/dram_figures.h"
#include "core/levels/levels.h"
#include "core/levels/tlb_knees.h"
#include "core/measure/controls.h"
#include "core/measure/core_clock.h"
#include "core/measure/draw_cost.h"
#include "core/measure/load_work.h"
#include "core/measure/witness.h"

/* The curve's points as core/levels takes them, and the levels found. dram reads memory's and the
 * caches'. */
struct curve_found {
    struct level_point points[LEVELS_POINTS_MAX];
    struct level_spread spread[LEVELS_SPREAD_MAX];
    struct level level[LEVELS_MAX];
    bool memory_known; /* memory is measured, by the curve alone */
    bool memory_sure;  /* and without any doubt */
    struct dram_bounds memory;
    void *workspace; /* levels_workspace_bytes() */
};

/* Room for one curve of tlb and for finding its knees. */
struct tlb_room {
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_rest rest;
};

/* A headline that flushed lines are held against. */
struct flushed_against {
    bool known;
    struct figure figure; /* ns */
    doubt_set doubt;
};
/* Headlines by whether prefetchers are off; and which experiments with flushed lines are over, a
 * bit each. */
struct flushed_room {
    struct flushed_against headline[2];
    uint32_t over;
};

struct workbench {
    struct controls *controls;
    const struct core_clock *clock;
    uint64_t core_base_hz;        /* 0: not known */
    const struct draw_cost *draw; /* [2]; [0]: for strides that are powers of two */
    const struct witness *witness;
    const struct sampler_report *sampler; /* what witness=ibs asked for; meaningless unless
                                             plan.sampler */
    const struct witness *sampler_trial;
    const struct load_share *shares; /* [LOAD_SHARES_MAX]; of each CPU that loaded memory */
    uint64_t loaded_room_bytes;      /* for lines of other CPUs, beside the set of loaded */
    struct curve_found curve;
    struct tlb_room tlb;
    struct flushed_room flushed;
    /* To be called during long work besides the points, with `done` (0 to 1) of it; shows it on the
     * live line as `what`, a string literal. False: the user wants to stop. Nothing else may depend
     * on it. */
    bool (*go_on)(void *context, const char *what, double done);
    void *go_on_context;
};

#endif
