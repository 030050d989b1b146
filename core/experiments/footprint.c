/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/footprint.h"

#include "core/engine_state.h"
#include "core/experiments/prefetch_proof.h"
#include "core/plan/sets.h"

enum status footprint_experiment_plan(struct engine *engine, uint32_t experiment)
{
    uint64_t bytes = FOOTPRINT_BYTES, limit;
    enum page_size page =
        plan_reaching_page(engine, plan_page_sizes(engine), FOOTPRINT_BYTES, &limit);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    if (limit == 0)
        return STATUS_OK;
    plan_clamp(engine, "footprint: the set", limit, &bytes);
    for (uint32_t i = 0; i < states; i++) {
        struct point like = plan_point(engine, experiment, page, off[i], bytes);
        footprint_plan(engine, &like);
    }
    return STATUS_OK;
}

enum status footprint_experiment_conclude(struct engine *engine, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    for (uint32_t i = 0; i < states; i++)
        prefetch_proof_conclude(engine, experiment, off[i]);
    return STATUS_OK;
}
