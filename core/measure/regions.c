/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/regions.h"

#include "core/lib/memory.h"
#include "core/measure/regions_run.h"

static void start(struct measure *m, const struct point *point, const struct window *w)
{
    struct regions_run *run = &m->regions;

    random_start(&run->random, m->options->seed ^ 0x626c6f636bull);
    run->block_bytes = point->regions.block_bytes;
    run->page_bytes = 1ull << w->page;
    run->measured = run->readings = run->told_count = run->runs_left = run->node_count = 0;
    run->late = run->drifted = false;
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

enum status regions_measure(struct measure *m, struct point *point, const struct window *w)
{
    struct regions_run *run = &m->regions;
    enum status status;

    start(m, point, w);
    regions_cut(m, w, point->bytes);
    status = regions_choose(m, w);
    if (status == STATUS_OK)
        status = regions_blocks(m, w);
    run->late = status == STATUS_LATE || status == STATUS_ABORTED;
    if (status == STATUS_OK || status == STATUS_LATE) {
        enum status again = regions_again(m, w);
        status = again == STATUS_LATE ? status : again == STATUS_OK ? status : again;
    }
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
    if (run->measured == 0)
        return status == STATUS_OK ? STATUS_LATE : status;
    point->regions.known = true;
    point->regions.blocks = run->measured;
    regions_emit(m, point);
    if (status == STATUS_OK)
        status = regions_bandwidth(m, w, point);
    return status == STATUS_LATE ? STATUS_OK : status;
}
