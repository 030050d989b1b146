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
    /* Adds the experiment's points to the plan, in order; nothing is measured. */
    enum status (*plan)(struct plan *plan, struct workbench *bench, uint32_t experiment);
    /* Called when every point planned so far is measured or given up: adds what those that were
     * measured ask for, and answers whether it added any; then it is asked again. NULL: nothing. */
    bool (*extend)(struct plan *plan, const struct workbench *bench, uint32_t experiment);
    /* Called once all of the experiment's points are measured: derived records. */
    enum status (*conclude)(const struct plan *plan, struct workbench *bench, uint32_t experiment);
};

/* experiment_count rows. */
extern const struct experiment experiment_table[];

#endif
