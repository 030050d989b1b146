/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/flushed.h"

#include "core/experiments/points.h"
#include "core/experiments/tags.h"
#include "core/lib/real.h"
#include "core/measure/finding.h"
#include "core/options/experiments.h"

/* Smaller than the memory-side caches that are built, and more lines than rows are open. */
#define FLUSHED_BYTES (4ull << 20)

enum flushed_verdict flushed_judge(struct figure flushed, struct figure headline,
                                   struct figure *difference)
{
    double same;

    *difference = figure_difference(flushed, headline);
    if (!real_is_finite(difference->value) || !real_is_finite(difference->error))
        return FLUSHED_UNDECIDED;
    same = 2 * difference->error;
    if (same < DRAM_SAME_SHARE * headline.value)
        same = DRAM_SAME_SHARE * headline.value;
    if (real_abs(difference->value) <= same)
        return FLUSHED_AGREES;
    return difference->value < 0 ? FLUSHED_LOWER : FLUSHED_HIGHER;
}

void flushed_plan(struct plan *plan, const struct point *headline)
{
    struct point point = *headline;

    if (plan->options->load != LOAD_FLUSH)
        return;
    point.tag = TAGS_FLUSHED;
    point.pass = PASS_PROOF;
    point.load = LOAD_FLUSH;
    if (point.bytes > FLUSHED_BYTES)
        point.bytes = FLUSHED_BYTES - FLUSHED_BYTES % point.stride_bytes;
    plan_add(plan, &point);
}

static const char *words_of(enum flushed_verdict verdict)
{
    static const char *const words[] = {[FLUSHED_UNDECIDED] = "undecided: too few samples",
                                        [FLUSHED_AGREES] = "agrees",
                                        [FLUSHED_LOWER] = "lower: a memory-side cache or open rows",
                                        [FLUSHED_HIGHER] = "higher: the flush's own cost"};

    return words[verdict];
}

static void note_apart(const struct plan *plan, const struct point *point,
                       enum flushed_verdict verdict, double by_ns)
{
    uint64_t side = plan->machine->side_cache_bytes;

    if (verdict == FLUSHED_LOWER)
        journal_note_format(plan->journal, SEVERITY_WARNING,
                            "load=flush: a flushed line costs less than the headline",
                            "by %.2f ns, over a set of %s: a memory-side cache answers (%s), or "
                            "rows of the memory are still open; this is not the memory's latency",
                            -by_ns, TEXT_SIZE(point->bytes),
                            side != 0 ? "one is declared" : "none is declared");
    if (verdict == FLUSHED_HIGHER)
        journal_note_format(
            plan->journal, SEVERITY_INFO, "load=flush: a flushed line costs more than the headline",
            "by %.2f ns, over a set of %s: the flush's own cost", by_ns, TEXT_SIZE(point->bytes));
}

static void compare(const struct plan *plan, const struct flushed_against *headline,
                    const struct point *point)
{
    struct record_finding finding = finding_about(point);
    struct figure difference;
    enum flushed_verdict verdict =
        flushed_judge(points_figure(point), headline->figure, &difference);

    finding.detail = words_of(verdict);
    finding.doubt |= headline->doubt;
    finding_emit(plan->journal, finding, "flushed line less headline", "ns", difference);
    note_apart(plan, point, verdict, difference.value);
}

static void compare_all(const struct plan *plan, const struct workbench *bench, uint32_t experiment,
                        bool prefetch_off)
{
    const struct flushed_against *headline = &bench->flushed.headline[prefetch_off];

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *point = &plan->point[i];
        if (point->experiment == experiment && point->load == LOAD_FLUSH && point->result.known &&
            point->prefetch_off == prefetch_off && headline->known)
            compare(plan, headline, point);
    }
}

void flushed_headline(const struct plan *plan, struct workbench *bench, uint32_t experiment,
                      bool prefetch_off, const struct record_dram *dram)
{
    bench->flushed.headline[prefetch_off] =
        (struct flushed_against){.known = true,
                                 .figure = {dram->ns, (dram->ns_high - dram->ns_low) / 4},
                                 .doubt = dram->doubt};
    compare_all(plan, bench, experiment, prefetch_off);
    for (uint32_t over = 0; over < experiment_count; over++)
        if (bench->flushed.over >> over & 1)
            compare_all(plan, bench, over, prefetch_off);
}

void flushed_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    bench->flushed.over |= 1u << experiment;
    for (unsigned off = 0; off < 2; off++)
        compare_all(plan, bench, experiment, off);
}
