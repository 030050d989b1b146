/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/dram_sampler.h"

#include "core/experiments/points.h"
#include "core/experiments/tags.h"
#include "core/lib/real.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"
#include "core/plan/sets.h"

enum { SAMPLER_HITS = TAGS_SAMPLER, SAMPLER_NEAR, SAMPLER_FAR };

#define ALLOWED_SHARE  0.1
#define ALLOWED_ERRORS 2

static void add(struct plan *plan, const struct point *headline, uint32_t tag, uint64_t bytes)
{
    struct point point = *headline;

    point.tag = tag;
    point.bytes = bytes;
    point.purpose = PURPOSE_WITNESS;
    point.pass = PASS_PROOF;
    point.sampled = tag == SAMPLER_HITS   ? SAMPLED_HITS
                    : tag == SAMPLER_NEAR ? SAMPLED_LOADS
                                          : SAMPLED_MISSES;
    plan_add(plan, &point);
}

void dram_sampler_plan(struct plan *plan, const struct point *headline)
{
    struct plan_set sets[PLAN_SETS_MAX];
    size_t count;

    if (!plan->sampler)
        return;
    count = plan_sets(plan, headline->bytes, sets);
    if (count < 3) {
        journal_note(plan->journal, SEVERITY_WARNING, "ibs is not used",
                     "it compares misses in memory with those in a second cache, and no such two "
                     "are declared, or max= is too small");
        return;
    }
    add(plan, headline, SAMPLER_HITS, sets[0].bytes);
    add(plan, headline, SAMPLER_NEAR, sets[1].bytes);
    add(plan, headline, SAMPLER_FAR, headline->bytes);
}

struct sampler_difference dram_sampler_compare(const struct point_result *near,
                                               const struct point_result *far)
{
    struct sampler_difference d = {
        .sampled = figure_difference(far->loads.miss_cycles, near->loads.miss_cycles),
        .chased = figure_difference(figure_of(far->cycles, far->rel_error),
                                    figure_of(near->cycles, near->rel_error)),
        .refill = far->loads.refill_mean_cycles - near->loads.refill_mean_cycles,
        .agrees = ANSWER_UNKNOWN};
    double allowed = ALLOWED_SHARE * real_abs(d.chased.value) +
                     ALLOWED_ERRORS * real_hypotenuse(d.sampled.error, d.chased.error);
    double more = d.chased.value - d.sampled.value;

    if (near->loads.known && far->loads.known && real_abs(more) >= 0 && allowed >= 0)
        d.agrees = more >= -allowed && more <= allowed + (d.refill > 0 ? d.refill : 0) ? ANSWER_YES
                                                                                       : ANSWER_NO;
    return d;
}

static void note_contradiction(const struct plan *plan, const struct record_ibs *ibs)
{
    journal_note_format(plan->journal, SEVERITY_WARNING, "dram: ibs contradicts the chase",
                        "misses in %s take %.1f cycles longer than in %s by %s, hops %.1f cycles "
                        "by the chase",
                        TEXT_SIZE(ibs->bytes), ibs->difference_cycles, TEXT_SIZE(ibs->near_bytes),
                        ibs->sampler, ibs->chase_difference_cycles);
}

static void emit(const struct plan *plan, const struct workbench *bench, const struct point *near,
                 const struct point *far)
{
    const struct load_summary *near_loads = &near->result.loads, *loads = &far->result.loads;
    struct sampler_difference difference = dram_sampler_compare(&near->result, &far->result);
    struct record record = {.kind = RECORD_IBS};
    struct record_ibs *ibs = &record.u.ibs;

    *ibs = (struct record_ibs){.experiment = experiment_list[far->experiment].name,
                               .sampler = bench->sampler->name,
                               .source = bench->sampler->source,
                               .known_hits = bench->sampler_trial->known_hits,
                               .known_misses = bench->sampler_trial->known_misses,
                               .pages_bytes = plan_pages_bytes(far),
                               .pattern = plan_pattern_name(far),
                               .prefetch = far->prefetch,
                               .bytes = far->bytes,
                               .ops = loads->ops,
                               .loads = loads->loads,
                               .missed = loads->missed,
                               .miss_cycles = loads->miss_cycles.value,
                               .tlb_missed = loads->tlb_missed,
                               .refill_cycles = loads->refill_cycles,
                               .near_bytes = near->bytes,
                               .near_ops = near_loads->ops,
                               .near_loads = near_loads->loads,
                               .near_missed = near_loads->missed,
                               .near_miss_cycles = near_loads->miss_cycles.value,
                               .difference_cycles = difference.sampled.value,
                               .difference_error_cycles = difference.sampled.error,
                               .chase_difference_cycles = difference.chased.value,
                               .chase_difference_error_cycles = difference.chased.error,
                               .agrees = difference.agrees};
    if (ibs->agrees == ANSWER_NO)
        note_contradiction(plan, ibs);
    journal_emit(plan->journal, &record);
}

void dram_sampler_conclude(const struct plan *plan, const struct workbench *bench,
                           uint32_t experiment)
{
    const struct point *near, *far;
    bool off[2];

    /* Of a sampler that failed its trial a note has said so. */
    if (!plan->sampler || bench->sampler_trial->state == WITNESS_UNSOUND)
        return;
    (void)plan_prefetch_states(plan, off);
    near = points_find(plan, experiment, SAMPLER_NEAR, off[0]);
    far = points_find(plan, experiment, SAMPLER_FAR, off[0]);
    if (bench->sampler_trial->state == WITNESS_SOUND && near != NULL && far != NULL &&
        near->result.loads.known && far->result.loads.known)
        emit(plan, bench, near, far);
    else
        journal_note(plan->journal, SEVERITY_WARNING, "ibs has nothing to compare",
                     "not every set that it needs was measured, or too few of its loads were "
                     "followed");
}
