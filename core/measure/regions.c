/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/regions.h"

#include "core/lib/memory.h"
#include "core/measure/cpus.h"
#include "core/measure/regions_run.h"

static void start(struct measure *m, const struct point *point, const struct window *w)
{
    struct regions_run *run = &m->regions;

    random_start(&run->random, m->options->seed ^ 0x626c6f636bull);
    run->block_bytes = point->regions.block_bytes;
    run->page_bytes = 1ull << w->page;
    run->measured = run->readings = run->told_count = run->runs_left = run->node_count = 0;
    run->drifted = run->astray = run->reference_lost = false;
    run->wrong = run->told_nodes = 0;
    run->wrong_nodes = 0;
    run->unreached = GAP_LATE;
    run->touched_bytes = run->cache_bytes = 0;
    run->mapped = false;
    m->bandwidth.known = false;
    run->mapping = (struct address_mapping){.offset_bytes = 0};
    for (uint32_t i = 0; i < REGIONS_NODES_MAX; i++)
        memory_fill(&run->classes[i], 0, sizeof run->classes[i]);
}

static void note_moved(struct measure *m, const struct window *w)
{
    uint64_t moved = regions_moved_pages(m, w);

    if (moved != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "memory moved while it was measured",
                            "the kernel put %lu pages of %s elsewhere: their blocks are partly of "
                            "other memory than they say",
                            moved, TEXT_SIZE(m->regions.page_bytes));
}

static enum gap_reason unreached_by(enum status status)
{
    return status == STATUS_ABORTED ? GAP_STOPPED : status == STATUS_FAULT ? GAP_FAULT : GAP_LATE;
}

/* All blocks, and those that differ once more. STATUS_LATE: not all of it. */
static enum status measure_blocks(struct measure *m, const struct window *w)
{
    enum status status = regions_choose(m, w), again;

    if (status == STATUS_OK)
        status = regions_blocks(m, w);
    m->regions.unreached = unreached_by(status);
    if (status != STATUS_OK && status != STATUS_LATE)
        return status;
    again = regions_again(m, w);
    return again == STATUS_LATE || again == STATUS_OK ? status : again;
}

enum status regions_measure(struct measure *m, struct point *point, const struct window *w)
{
    struct regions_run *run = &m->regions;
    enum status status;

    start(m, point, w);
    measure_ask_for_cpus(m->machine, m->options, m->journal, &m->cpus_asked);
    regions_cut(m, w, point->bytes);
    status = measure_blocks(m, w);
    if (status != STATUS_OK)
        regions_note_classes(m, status, false);
    if (status == STATUS_OK) {
        enum status classes = regions_classes(m, w, point);
        status = classes == STATUS_LATE ? status : classes;
    }
    point->prefetch = controls_prefetch_state(&m->controls);
    note_moved(m, w);
    if (status != STATUS_OK)
        bandwidth_emit(m, point, status);
    if (run->measured == 0 && run->wrong == 0 && status != STATUS_FAULT)
        return status == STATUS_OK ? STATUS_LATE : status;
    point->regions.known = run->measured != 0;
    point->regions.blocks = run->measured;
    point->recorded = true;
    regions_emit(m, point);
    if (status == STATUS_OK)
        status = regions_bandwidth(m, w, point);
    /* Where all blocks read wrong, that is what there is to say. */
    if (status == STATUS_LATE || (status == STATUS_UNSUPPORTED && run->measured == 0))
        return STATUS_OK;
    return status;
}
