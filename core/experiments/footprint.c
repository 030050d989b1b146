/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/footprint.h"

#include "core/experiments/footprint_points.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/workbench.h"
#include "core/plan/sets.h"

enum status footprint_experiment_plan(struct plan *plan, struct workbench *bench,
                                      uint32_t experiment)
{
    uint64_t bytes = FOOTPRINT_BYTES, limit;
    enum page_size page = plan_reaching_page(plan, plan_page_sizes(plan), FOOTPRINT_BYTES, &limit);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    if (limit == 0)
        return STATUS_OK;
    plan_clamp(plan, "footprint: the set", limit, &bytes);
    for (uint32_t i = 0; i < states; i++) {
        struct point like = plan_point(plan, experiment, page, off[i], bytes);
        footprint_plan(plan, &like, PASS_PROOF);
    }
    return STATUS_OK;
}

enum status footprint_experiment_conclude(const struct plan *plan, struct workbench *bench,
                                          uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    for (uint32_t i = 0; i < states; i++)
        prefetch_proof_conclude(plan, bench->controls, experiment, off[i], false);
    return STATUS_OK;
}
