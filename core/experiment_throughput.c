/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_throughput.h"

#include "core/engine_state.h"
#include "core/finding.h"
#include "core/plan_sets.h"

enum status throughput_plan(struct engine *engine, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(engine, "throughput: the set of memory", &page);
    struct plan_set sets[PLAN_SETS_MAX];
    size_t count = bytes == 0 ? 0 : plan_sets(engine, bytes, sets);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    for (uint32_t i = 0; i < states; i++)
        for (size_t k = 0; k < count; k++) {
            struct point point = plan_point(engine, experiment, page, off[i], sets[k].bytes);
            point.label = sets[k].name;
            plan_add(engine, &point);
            point.kernel = KERNEL_STREAM;
            plan_add(engine, &point);
        }
    return STATUS_OK;
}

static const struct point *stream_of(const struct engine *engine, const struct point *chase)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == chase->experiment && p->kernel == KERNEL_STREAM && p->result.known &&
            p->bytes == chase->bytes && p->prefetch_off == chase->prefetch_off)
            return p;
    }
    return NULL;
}

/* Side by side: both figures, then what lies between them. */
static void conclude_set(struct engine *engine, const struct point *chase)
{
    const struct point *stream = stream_of(engine, chase);
    struct record_finding finding = finding_about(chase);
    struct figure latency = figure_of_point(chase), load, line;

    finding.detail = chase->label;
    finding_emit(engine, finding, "latency", "ns", latency);
    if (!stream)
        return;
    load = figure_of_point(stream);
    line = (struct figure){engine->machine->description->line_bytes * 1e9, 0};
    finding.pattern = plan_pattern_name(stream);
    finding_emit(engine, finding, "throughput", "ns", load);
    if (load.value <= 0)
        return;
    if (stream->stride_bytes >= engine->machine->description->line_bytes)
        finding_emit(engine, finding, "bandwidth", "bytes_per_s", figure_ratio(line, load));
    finding.pattern = NULL;
    finding_emit(engine, finding, "latency over throughput", "ratio", figure_ratio(latency, load));
}

enum status throughput_conclude(struct engine *engine, uint32_t experiment)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && p->kernel == KERNEL_CYCLE && p->result.known)
            conclude_set(engine, p);
    }
    return STATUS_OK;
}
