/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of memory measured block by block: for each node a summary, its blocks and the ranges
 * that differ; then what no block covers. */
#include "core/lib/real.h"
#include "core/measure/regions_run.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

#define STEP_SHARE 0.01 /* of a heat row: no step is smaller */
#define STEPS      9

static const char *experiment_of(const struct point *point)
{
    return experiment_list[point->experiment].name;
}

static uint64_t node_of(uint32_t node)
{
    return node == NODE_UNKNOWN ? RECORD_UNKNOWN : node;
}

/* ---- one node */

/* What one character of a heat row stands for: a ninth of the slowest block's distance. */
static double step_of(const struct regions_run *run, uint32_t first, uint32_t end, double base_ns)
{
    double step = STEP_SHARE * base_ns;

    for (uint32_t i = first; i < end; i++) {
        const struct region_block *block = &run->block[i];
        double slower = (block->ns - base_ns) / STEPS;
        if (block->state == REGION_COMPARED && slower > step)
            step = slower;
    }
    return step;
}

/* classes NULL: lines were not compared by class. */
static void emit_summary(struct measure *m, const struct point *point, uint32_t first, uint32_t end,
                         const struct regions_base *base, const struct regions_classes *classes,
                         const struct coverage *coverage)
{
    const struct regions_run *run = &m->regions;
    struct record record = {.kind = RECORD_REGIONS};
    bool known = classes != NULL && classes->known;
    uint32_t measured = 0, wrong = 0;

    for (uint32_t i = first; i < end; i++) {
        measured += region_is_measured(&run->block[i]);
        wrong += run->block[i].state == REGION_WRONG;
    }
    record.u.regions = (struct record_regions){
        .experiment = experiment_of(point),
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .prefetch = controls_prefetch_state(&m->controls),
        .node = node_of(run->block[first].node),
        .block_bytes = run->block_bytes,
        .blocks = measured,
        .wrong = wrong,
        .differing = base->differing,
        .not_again = run->runs_left,
        .hops = run->lines,
        .sample_hops = run->hops,
        .ns = base->ns,
        .scatter_ns = base->sigma_ns,
        .step_ns = step_of(run, first, end, base->ns),
        .touched_bytes = (uint64_t)run->touched_bytes,
        .cache_bytes = run->cache_bytes > 0 ? (uint64_t)run->cache_bytes : RECORD_UNKNOWN,
        .drift = run->drifted ? run->reading[run->readings - 1].ns / run->reading[0].ns - 1 : 0,
        .classes = known ? classes->masks : RECORD_UNKNOWN,
        .class_limit_ns = known ? classes->limit_ns : real_nan(),
        .class_part = known ? classes->part : RECORD_UNKNOWN,
        .class_part_limit_ns = known ? classes->part_limit_ns : real_nan(),
        .by = !known             ? NULL
              : classes->by_bits ? "bits and pairs"
                                 : "functions",
        .memory_bytes = coverage->memory_bytes,
        .covered_bytes = coverage->covered_bytes,
        .gap_bytes = coverage->gap_bytes};
    journal_emit(m->journal, &record);
}

static const char *why_of(const struct region_block *block)
{
    if (block->told)
        return "in a range that differs";
    if (block->state == REGION_SMALL)
        return "smaller than the others, and held against parts as small";
    if (block->differs)
        return "differed once, and was not found to differ again";
    return NULL;
}

static void emit_block(struct measure *m, const struct point *point,
                       const struct region_block *block, double base_ns)
{
    struct regions_run *run = &m->regions;
    struct record record = {.kind = RECORD_BLOCK};
    uint32_t samples;

    record.u.block =
        (struct record_block){.experiment = experiment_of(point),
                              .node = node_of(block->node),
                              .physical_first = block->first,
                              .physical_last = phys_make(block->first.value + block->bytes - 1),
                              .bytes = block->bytes,
                              .hops = regions_lines(m, block->bytes, &samples),
                              .sample_hops = run->hops,
                              .ns = block->ns,
                              .rel_error = block->error_ns / block->ns,
                              .slower_ns = block->ns - base_ns,
                              .ns_median = block->median_ns,
                              .ns_p95 = block->p95_ns,
                              .ns_p99 = block->p99_ns,
                              .ns_max = block->max_ns,
                              .compared = block->state == REGION_COMPARED,
                              .flagged = block->told,
                              .why = why_of(block)};
    journal_emit(m->journal, &record);
}

static void emit_range(struct measure *m, const struct point *point, const struct region_told *told)
{
    struct record record = {.kind = RECORD_RANGE};

    record.u.range = (struct record_range){
        .experiment = experiment_of(point),
        .node = node_of(told->node),
        .physical_first = phys_make(told->first),
        .physical_last = phys_make(told->first + told->bytes - 1),
        .bytes = told->bytes,
        .edge_bytes = told->edges ? told->piece_bytes : m->regions.block_bytes,
        .ns = told->base_ns + told->difference.ns,
        .slower_ns = told->difference.ns,
        .slower_low_ns = told->difference.low,
        .slower_high_ns = told->difference.high,
        .slower_repeat_ns = told->difference.repeat,
        .against_ns = told->base_ns};
    journal_emit(m->journal, &record);
}

/* ---- classes */

static void emit_class(struct measure *m, const struct point *point, uint32_t node,
                       const struct class_told *told)
{
    struct record record = {.kind = RECORD_CLASS};

    record.u.class = (struct record_class){.experiment = experiment_of(point),
                                           .node = node_of(node),
                                           .mask = told->group.functions.mask,
                                           .masks = told->group.functions.count,
                                           .parities = told->group.parities,
                                           .offset_bytes = m->regions.mapping.offset_bytes,
                                           .hops = (uint64_t)m->regions.lines * REGIONS_ROUNDS,
                                           .ns = told->base_ns + told->difference.ns,
                                           .slower_ns = told->difference.ns,
                                           .slower_low_ns = told->difference.low,
                                           .slower_high_ns = told->difference.high,
                                           .slower_repeat_ns = told->difference.repeat,
                                           .against_ns = told->base_ns};
    journal_emit(m->journal, &record);
}

static void emit_classes(struct measure *m, const struct point *point, uint32_t node,
                         const struct regions_classes *classes)
{
    for (uint32_t i = 0; classes != NULL && i < classes->told_count; i++)
        emit_class(m, point, node, &classes->told[i]);
}

static void emit_node(struct measure *m, const struct point *point, uint32_t first, uint32_t end,
                      const struct regions_base *base, const struct regions_classes *classes,
                      const struct coverage *coverage)
{
    const struct regions_run *run = &m->regions;

    emit_summary(m, point, first, end, base, classes, coverage);
    for (uint32_t i = first; i < end; i++)
        if (region_is_measured(&run->block[i]))
            emit_block(m, point, &run->block[i], base->ns);
    for (uint32_t i = 0; i < run->told_count; i++)
        if (run->told[i].first >= run->block[first].first.value &&
            run->told[i].first <= run->block[end - 1].first.value + run->block[end - 1].bytes - 1)
            emit_range(m, point, &run->told[i]);
    emit_classes(m, point, run->block[first].node, classes);
}

void regions_emit(struct measure *m, const struct point *point)
{
    const struct regions_base none = {.ns = real_nan(), .sigma_ns = real_nan()};
    struct regions_run *run = &m->regions;
    struct coverage coverage;
    uint32_t node = 0, slow = 0, end;

    regions_cover(m, &coverage);
    for (uint32_t i = 0; i < run->count; i = end) {
        end = i + 1;
        while (end < run->count && run->block[end].node == run->block[i].node)
            end++;
        emit_node(m, point, i, end, node < run->node_count ? &run->base[node] : &none,
                  node < run->node_count ? &run->classes[node] : NULL, &coverage);
        node++;
    }
    regions_emit_gaps(m, experiment_of(point));
    regions_note_wrong(m);
    for (uint32_t i = 0; i < run->told_count; i++)
        slow += run->told[i].difference.ns > 0;
    if (slow != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "memory is slower in parts",
                            "%u range%s: records of kind range name them", slow,
                            slow == 1 ? "" : "s");
    if (run->runs_left != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "ranges that look different",
                            "%u of them were not measured again, and nothing is said of them",
                            run->runs_left);
}
