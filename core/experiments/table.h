/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of experiments, in the order of core/options/experiments.h: a file and a row here each.
 */
#ifndef CORE_EXPERIMENTS_TABLE_H
#define CORE_EXPERIMENTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/status.h"
#include "core/options/experiments.h"

struct plan;
struct workbench;

struct experiment {
    const char *name; /* as in experiment_list */
    /* Adds the experiment's points to the plan, in order; measures nothing. */
    enum status (*plan)(struct plan *plan, struct workbench *bench, uint32_t experiment);
    /* Called when every point due so far is measured or given up: may add points, given the
     * results. Returns whether it added any; it is then called again after those. NULL: the
     * experiment never adds points. */
    bool (*extend)(struct plan *plan, const struct workbench *bench, uint32_t experiment);
    /* Called once, when all of the experiment's points are over: emits derived records. NULL: there
     * are none. */
    enum status (*conclude)(const struct plan *plan, struct workbench *bench, uint32_t experiment);
    bool partial; /* concluded even if the run is stopped before all points are over */
};

/* experiment_count rows. */
extern const struct experiment experiment_table[];

#endif
