/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/dram_witness.h"

#include "core/lib/real.h"
#include "core/options/experiments.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/names.h"

static void note_contradiction(const struct plan *plan, const struct record_witness *witness)
{
    journal_note_format(plan->journal, SEVERITY_WARNING, "dram: counters contradict",
                        "%.2f %% of the accesses missed every cache by %s, and at least %.2f %% of "
                        "a set of %s must: some of its lines were in caches",
                        100 * witness->missed_share, witness->event, 100 * witness->least_share,
                        TEXT_SIZE(witness->bytes));
}

void dram_witness(const struct plan *plan, const struct workbench *bench, const struct point *shown,
                  struct record_dram *dram)
{
    const struct machine_description *d = plan->machine;
    struct record record = {.kind = RECORD_WITNESS};
    struct record_witness *w = &record.u.witness;

    dram->missed_share = shown->result.missed_share;
    if (!(dram->missed_share >= 0) && !(shown->result.walked_share >= 0))
        return;
    *w = (struct record_witness){.experiment = experiment_list[shown->experiment].name,
                                 .method = "counters",
                                 .event = d->llc_misses.name,
                                 .event_source = d->llc_misses.source,
                                 .walk_event = d->page_walks.name,
                                 .walk_event_source = d->page_walks.source,
                                 .known_hits = bench->witness->known_hits,
                                 .known_misses = bench->witness->known_misses,
                                 .pages_bytes = plan_pages_bytes(shown),
                                 .bytes = shown->bytes,
                                 .pattern = plan_pattern_name(shown),
                                 .prefetch = shown->prefetch,
                                 .missed_share = shown->result.missed_share,
                                 .least_share = witness_least_missed(
                                     (double)estimate_last_level_bytes(plan), (double)shown->bytes),
                                 .walked_share = shown->result.walked_share};
    w->agrees = !(w->missed_share < w->least_share);
    if (!w->agrees) {
        dram->doubt |= doubt_of(DOUBT_CONTRADICTED);
        note_contradiction(plan, w);
    }
    journal_emit(plan->journal, &record);
}
