/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the memory map no block covers. */
#include "core/measure/regions_run.h"

static struct coverage_request request_of(const struct measure *m)
{
    const struct machine_description *d = m->machine->description;

    return (struct coverage_request){.memory = d->memory,
                                     .memory_count = d->memory_count,
                                     .block = m->regions.block,
                                     .block_count = m->regions.count,
                                     .from = m->options->range_from,
                                     .below = m->options->range_below,
                                     .page_bytes = m->regions.page_bytes,
                                     .process = d->process_mapping,
                                     .limited = m->options->max_bytes != 0,
                                     .unreached = m->regions.unreached};
}

void regions_cover(const struct measure *m, struct coverage *sums)
{
    struct coverage_request request = request_of(m);

    coverage_walk(&request, NULL, NULL, sums);
}

struct gaps {
    struct journal *journal;
    const char *experiment;
};

static void emit_gap(void *context, const struct gap *gap)
{
    struct gaps *gaps = context;
    struct record record = {.kind = RECORD_GAP};

    record.u.gap = (struct record_gap){
        .experiment = gaps->experiment,
        .node = gap->node == NODE_UNKNOWN ? RECORD_UNKNOWN : gap->node,
        .physical_first = gap->first,
        .physical_last = phys_make(gap->first.value + gap->bytes - 1),
        .bytes = gap->bytes,
        .why = gap_reason_words(gap->reason),
    };
    journal_emit(gaps->journal, &record);
}

void regions_emit_gaps(struct measure *m, const char *experiment)
{
    struct coverage_request request = request_of(m);
    struct gaps gaps = {m->journal, experiment};
    struct coverage sums;

    coverage_walk(&request, emit_gap, &gaps, &sums);
}
