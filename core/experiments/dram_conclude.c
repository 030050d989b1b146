/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates dram's points: the headline, the slope, the TLB's share. */
#include "core/experiments/dram_conclude.h"

#include "core/experiments/dram_gather.h"
#include "core/experiments/dram_sets.h"
#include "core/experiments/dram_sampler.h"
#include "core/experiments/dram_witness.h"
#include "core/experiments/flushed.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/translation.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "core/plan/names.h"

/* Two standard errors to each side: 95 % for normal scatter. */
static struct dram_bounds bounds_of(struct figure f)
{
    if (!figure_is_known(f))
        return (struct dram_bounds){real_nan(), real_nan(), real_nan()};
    return (struct dram_bounds){f.value, f.value - 2 * f.error, f.value + 2 * f.error};
}

static const struct dram_set *last_set(const struct dram_found *found)
{
    return &found->set[found->count - 1];
}

static struct figure chase_slope(const struct dram_found *found)
{
    const struct dram_set *last = last_set(found);

    if (found->count < 2)
        return figure_unknown();
    return dram_slope(last->chase, last->bytes, last[-1].chase, last[-1].bytes);
}

static enum dram_chase judge(const struct plan *plan, const struct dram_found *found, bool *stepped)
{
    struct dram_chase_parts parts = {.chase = last_set(found)->chase,
                                     .draw = last_set(found)->draw,
                                     .chase_slope = chase_slope(found),
                                     .draw_slope = found->search.slope,
                                     .agree = found->search.agree,
                                     .in_pieces = found->in_pieces};
    enum dram_chase verdict = dram_judge_chase(&parts);

    *stepped =
        verdict == DRAM_CHASE_FOLLOWED &&
        prefetch_proof_stepped(plan, found->largest->experiment, found->largest->prefetch_off);
    return *stepped ? DRAM_CHASE_PLAIN : verdict;
}

static void note_chase(const struct plan *plan, enum dram_chase verdict, bool stepped)
{
    if (stepped)
        journal_note(plan->journal, SEVERITY_INFO, "dram: nothing is said of followed pointers",
                     "the core's frequency stepped between the chases and the draws to be "
                     "compared");
    if (verdict == DRAM_CHASE_FOLLOWED)
        journal_note(plan->journal, SEVERITY_WARNING, "dram: something follows pointers",
                     "the chase is faster than independent draws beyond error: a prefetcher "
                     "follows its pointers, and the headline is the iid figure");
    if (verdict == DRAM_CHASE_CACHED)
        journal_note(plan->journal, SEVERITY_INFO, "dram: lines of the chase are in caches",
                     "some of its lines were still cached; the headline is the iid figure, "
                     "which is free of them");
}

/* What draws find in caches is what these hold, less what hits cost. Surely more than twice the
 * declared size is an undeclared cache. 0: none is seen. */
static double undeclared_bytes(const struct plan *plan, const struct dram_found *found)
{
    double share = dram_share_cached(last_set(found)->draw, found->search.slope);
    double bytes = share * last_set(found)->bytes;

    return found->search.agree && bytes >= 2 * (double)plan_last_level_bytes(plan) ? bytes : 0;
}

static void note_undeclared(const struct plan *plan, const struct dram_found *found)
{
    double bytes = undeclared_bytes(plan, found);

    if (plan_last_level_bytes(plan) == 0 || bytes == 0)
        return;
    journal_note_format(plan->journal, found->search.enough ? SEVERITY_INFO : SEVERITY_WARNING,
                        "dram: undeclared cache detected", "draws find in caches at least %s%s",
                        TEXT_SIZE((uint64_t)bytes),
                        found->search.enough
                            ? "; the set is large enough that a chase does not"
                            : ": the set is not far beyond it, and a chase may still hit it");
}

/* What a set twice as large would not have kept to. */
static const char *limit_of(const struct plan *plan, const struct point *largest)
{
    uint64_t bytes = 2 * largest->bytes;

    if (plan->options->max_bytes != 0 && bytes > plan->options->max_bytes)
        return "max= allows none";
    if (bytes > plan_limit(plan, largest->page))
        return "memory allows none";
    return plan->stopped ? "the run was stopped before them" : "budget= allows none";
}

static void note_search(const struct plan *plan, const struct dram_found *found)
{
    if (found->search.rises)
        journal_note_format(plan->journal, SEVERITY_WARNING, "dram: the latency goes on rising",
                            "each doubling of the set adds as much or more to an access, which no "
                            "cache does: page walks, or a host's; the figure is that of %s",
                            TEXT_SIZE(found->largest->bytes));
    else if (!found->search.ends)
        journal_note_format(plan->journal, SEVERITY_WARNING,
                            "dram: the set is not seen to be large enough",
                            "larger sets than %s may have another latency, but %s",
                            TEXT_SIZE(found->largest->bytes), limit_of(plan, found->largest));
}

/* Whether a planned set in the headline's pages was not measured. */
static bool lacks_points(const struct plan *plan, const struct point *shown)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == shown->experiment && p->prefetch_off == shown->prefetch_off &&
            p->page == shown->page && !p->result.known && dram_is_headline(p))
            return true;
    }
    return false;
}

/* The cost of small pages over large ones, in the same pattern over the headline's set. Doubts of
 * either enter the headline's record. */
static struct figure tlb_cost(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                              struct record_dram *dram)
{
    const struct point *draws =
        points_find_set(plan, experiment, DRAM_DRAW_SMALL_PAGES, prefetch_off, dram->bytes);
    const struct point *small =
        draws ? draws
              : points_find_set(plan, experiment, DRAM_SMALL_PAGES, prefetch_off, dram->bytes);
    const struct point *large =
        small && dram->pages_bytes > plan_pages_bytes(small)
            ? points_find_set(plan, experiment, draws ? DRAM_DRAW : DRAM_HEADLINE, prefetch_off,
                              dram->bytes)
            : NULL;
    struct figure cost = figure_difference(points_figure(small), points_figure(large));

    if (figure_is_known(cost) && cost.value + 2 * cost.error < 0) {
        journal_note(plan->journal, SEVERITY_WARNING, "dram: no cost of 4k pages",
                     "accesses in them were faster than in large ones beyond error, which TLB "
                     "misses cannot cause: other lines are slower, or the machine changed");
        cost = figure_unknown();
    }
    if (figure_is_known(cost))
        dram->doubt |= small->result.doubt | large->result.doubt;
    return cost;
}

/* Whether what a miss brings keeps memory busy beyond the next hop. */
static bool is_busy(const struct plan *plan, const struct dram_found *found)
{
    return prefetch_proof_busy_ns(plan, found->largest) > found->largest->result.mean_ns;
}

/* Whether such hops wait for what the last miss brought rather than for their own line, as they do
 * if most of a walk's cost is hidden. Without walks they meet memory at another moment, and change
 * by more than that cost. */
static bool waits_for_prefetches(const struct plan *plan, const struct dram_found *found)
{
    struct figure seen = translation_seen(plan, found->largest);

    return is_busy(plan, found) && figure_is_known(seen) && figure_is_known(found->pages) &&
           seen.value > FIGURE_ERRORS * seen.error && found->pages.value < seen.value / 2;
}

static doubt_set doubts_of(const struct plan *plan, const struct dram_found *found,
                           const struct point *shown)
{
    doubt_set doubt = found->search.doubt | dram_doubts(plan, found);

    if (!figure_is_known(found->pages) || waits_for_prefetches(plan, found))
        doubt |= doubt_of(DOUBT_TRANSLATION);
    if (lacks_points(plan, shown))
        doubt |= doubt_of(DOUBT_BUDGET);
    return doubt;
}

/* Whether the chase's headline is too far from what draws say about the same lines: their slope or,
 * without one, draws over the set, which may hit caches more often but not less. */
static bool disagrees(const struct dram_found *found, struct dram_bounds *figure,
                      struct dram_bounds *slope)
{
    struct dram_bounds draw = bounds_of(last_set(found)->draw);

    if (found->search.agree)
        return dram_reconcile(figure, slope);
    return draw.ns > figure->ns && dram_reconcile(figure, &draw);
}

static struct dram_bounds bounds_of_memory(const struct dram_found *found, struct figure figure)
{
    double pages_ns = figure_is_known(found->pages) && !figure_is_known(found->memory)
                          ? TRANSLATION_SHARE * found->pages.value
                          : 0;

    figure.error =
        real_hypotenuse(figure.error, real_hypotenuse(DRAM_ANY_SET_SHARE * figure.value, pages_ns));
    return bounds_of(figure);
}

/* A curve's model, and the difference of two sets, know caches and TLBs alone. Where what a miss
 * brings keeps memory busy beyond the next hop, hops wait for that, or save a part, as these do not
 * say. */
static struct dram_bounds as_model(const struct plan *plan, const struct dram_found *found,
                                   struct dram_bounds level)
{
    double more_ns = is_busy(plan, found) ? DRAM_SAME_SHARE * level.ns : 0;

    level.low_ns -= more_ns;
    level.high_ns += more_ns;
    return level;
}

/* Draws over the whole set still hit caches now and then; the slope excludes these hits. False: the
 * figures contradict each other. */
static bool figures_of(const struct plan *plan, const struct dram_found *found, bool by_draws,
                       struct dram_bounds *figure, struct dram_bounds *line)
{
    const struct dram_set *last = last_set(found);
    struct dram_bounds contradicts = bounds_of(found->contradicts);
    struct figure slope = found->search.slope, chase = last->chase;

    if (!found->search.agree)
        slope = figure_unknown();
    *line = as_model(plan, found, bounds_of_memory(found, slope));
    if (found->in_pieces)
        slope = figure_unknown();
    if (figure_is_known(found->memory))
        chase = found->memory;
    else if (prefetch_proof_brings(plan, found->largest->experiment, found->largest->prefetch_off))
        chase = dram_chase_figure(chase, last->draw, slope, found->search.rise);
    *figure = bounds_of_memory(found, by_draws ? dram_draws_figure(slope, last->draw) : chase);
    (void)dram_reconcile(figure, &contradicts);
    return !disagrees(found, figure, line) && !figure_is_known(found->contradicts);
}

static bool is_by_draws(const struct dram_found *found, enum dram_chase verdict)
{
    return found->draw != NULL && (verdict != DRAM_CHASE_PLAIN || found->chase == NULL);
}

/* Draws slower than the chase: caches cannot be the reason, which draws hit as often. Something
 * follows its pointers, or what other prefetchers bring delays draws more. With both possible,
 * either may be the latency: true, if they are too far apart to be one. */
static bool may_be_chase(const struct plan *plan, const struct dram_found *found,
                         enum dram_chase verdict, struct dram_bounds *figure)
{
    const struct dram_set *last = last_set(found);
    struct dram_bounds chase = bounds_of_memory(found, last->chase);

    return verdict != DRAM_CHASE_PLAIN && last->chase.value < last->draw.value &&
           prefetch_proof_brings(plan, found->largest->experiment, found->largest->prefetch_off) &&
           dram_reconcile(figure, &chase);
}

/* What has been measured so far in the first prefetcher state; false: nothing. */
static bool gather_first(const struct plan *plan, const struct workbench *bench,
                         struct dram_found *found)
{
    const struct point *point = NULL;
    bool off[2];

    for (uint32_t i = 0; i < plan->point_count && point == NULL; i++)
        if (dram_is_headline(&plan->point[i]))
            point = &plan->point[i];
    (void)plan_prefetch_states(plan, off);
    return point != NULL && dram_gather(plan, bench, point->experiment, off[0], found);
}

void dram_look_for_caches(struct plan *plan, const struct workbench *bench)
{
    struct dram_found found;
    double bytes = gather_first(plan, bench, &found) ? undeclared_bytes(plan, &found) : 0;

    if (bytes > (double)plan->undeclared_bytes)
        plan->undeclared_bytes = (uint64_t)bytes;
}

enum dram_meeting dram_meets_level(const struct plan *plan, const struct workbench *bench,
                                   struct dram_bounds *level)
{
    struct dram_bounds figure, line;
    struct dram_found found;
    enum dram_chase verdict;
    bool stepped, by_draws, agree;

    if (!gather_first(plan, bench, &found))
        return DRAM_UNKNOWN;
    *level = as_model(plan, &found, *level);
    verdict = judge(plan, &found, &stepped);
    by_draws = is_by_draws(&found, verdict);
    agree = figures_of(plan, &found, by_draws, &figure, &line);
    if (dram_reconcile(&figure, level))
        return DRAM_APART;
    dram_take_mean(level, &figure);
    if (may_be_chase(plan, &found, verdict, level) || !agree)
        return DRAM_APART;
    if (waits_for_prefetches(plan, &found))
        return DRAM_SAME_WAITS;
    return doubts_of(plan, &found, by_draws ? found.draw : found.chase) == 0 ? DRAM_SAME
                                                                             : DRAM_SAME_DOUBTED;
}

/* False: the curve's memory is another figure. The curve's model is a part of it, so it adds only
 * what is known better by it, beyond doubt. */
static bool meet_curve(const struct workbench *bench, struct dram_bounds level,
                       struct dram_bounds *figure)
{
    bool better = level.high_ns - level.low_ns < figure->high_ns - figure->low_ns;

    if (dram_reconcile(figure, &level))
        return false;
    if (bench->curve.memory_sure && better)
        dram_take_mean(figure, &level);
    return true;
}

/* Fills in the headline and its slope. */
static void fill_record(const struct plan *plan, const struct workbench *bench,
                        const struct dram_found *found, enum dram_chase verdict,
                        struct record_dram *dram)
{
    bool by_draws = is_by_draws(found, verdict);
    const struct point *shown = by_draws ? found->draw : found->chase;
    struct dram_bounds figure, line;
    bool meet = figures_of(plan, found, by_draws, &figure, &line), off[2];

    (void)plan_prefetch_states(plan, off);
    if (bench->curve.memory_known && shown->prefetch_off == off[0])
        meet = meet_curve(bench, as_model(plan, found, bench->curve.memory), &figure) && meet;
    meet = !may_be_chase(plan, found, verdict, &figure) && meet;
    *dram = (struct record_dram){
        .pages_bytes = plan_pages_bytes(shown),
        .pattern = plan_pattern_name(shown),
        .frames = frame_order_names[shown->frames],
        .map = map_names[shown->map],
        .prefetch = shown->prefetch,
        .bytes = shown->bytes,
        .translation_ns = figure_is_known(found->pages) ? found->pages.value : real_nan(),
        .rise_ns = figure_is_known(found->search.rise) ? found->search.rise.value : real_nan(),
        .doubt = doubts_of(plan, found, shown)};
    if (!meet)
        dram->doubt |= doubt_of(DOUBT_CONTRADICTED);
    dram->ns = figure.ns;
    dram->ns_low = figure.low_ns;
    dram->ns_high = figure.high_ns;
    dram->cycles = figure.ns / shown->result.ns * shown->result.cycles;
    dram->core_hz = shown->result.hz > 0 ? shown->result.hz : real_nan();
    dram->core_over_base = core_clock_over_base(shown->result.hz, bench->core_base_hz);
    dram->slope_ns = line.ns;
    dram->slope_low_ns = line.low_ns;
    dram->slope_high_ns = line.high_ns;
}

static void note_below_base(const struct plan *plan, const struct workbench *bench,
                            const struct record_dram *dram)
{
    if (core_clock_is_below_base(dram->core_over_base))
        journal_note_format(
            plan->journal, SEVERITY_WARNING, "dram: the core ran below its base frequency",
            "at %.0f MHz, %.2f of %.0f: firmware left it there, or heat or power "
            "limit it; latencies with all of the core's share in them are longer",
            dram->core_hz / 1e6, dram->core_over_base, (double)bench->core_base_hz / 1e6);
}

/* Whether the curve has levels, and none is of TLBs or walks of such pages. */
static bool lacks_tlbs(const struct curve_found *curve, enum page_size page)
{
    if (!curve->memory_known)
        return false;
    for (size_t i = 0; i < LEVELS_MAX && curve->level[i].kind != LEVEL_MEMORY; i++)
        if (curve->level[i].tlb_pages >> page & 1)
            return false;
    return true;
}

/* The headline is without TLB misses that cost every access something, or that no level shows. */
static void note_pages(const struct plan *plan, const struct workbench *bench,
                       const struct dram_found *found)
{
    struct figure more = translation_one_page(plan, found->largest);
    enum page_size page = found->largest->page;

    if (!figure_is_known(found->pages))
        return;
    if (more.value > 0)
        translation_note_offset(plan, "dram", page, more.value);
    else if (lacks_tlbs(&bench->curve, page) &&
             found->pages.value > FIGURE_ERRORS * found->pages.error)
        journal_note_format(plan->journal, SEVERITY_INFO, "dram: TLB misses that no level shows",
                            "%.2f ns in %s pages, taken off the headline: the TLB has very few "
                            "entries, or its knee is a cache's",
                            found->pages.value, page_name(page));
}

static void conclude_state(const struct plan *plan, struct workbench *bench, uint32_t experiment,
                           bool prefetch_off)
{
    struct record record = {.kind = RECORD_DRAM};
    struct dram_found found;
    struct dram_bounds cost;
    enum dram_chase verdict = DRAM_CHASE_PLAIN;
    bool stepped, measured = dram_gather(plan, bench, experiment, prefetch_off, &found);

    if (measured)
        verdict = judge(plan, &found, &stepped);
    prefetch_proof_conclude(plan, bench->controls, experiment, prefetch_off,
                            verdict == DRAM_CHASE_FOLLOWED);
    if (!measured)
        return;
    note_chase(plan, verdict, stepped);
    note_undeclared(plan, &found);
    note_search(plan, &found);
    fill_record(plan, bench, &found, verdict, &record.u.dram);
    dram_witness(plan, bench, is_by_draws(&found, verdict) ? found.draw : found.chase,
                 &record.u.dram);
    cost = bounds_of(tlb_cost(plan, experiment, prefetch_off, &record.u.dram));
    note_below_base(plan, bench, &record.u.dram);
    note_pages(plan, bench, &found);
    record.u.dram.tlb_cost_ns = cost.ns;
    record.u.dram.tlb_cost_low_ns = cost.low_ns;
    record.u.dram.tlb_cost_high_ns = cost.high_ns;
    journal_emit(plan->journal, &record);
    flushed_headline(plan, bench, experiment, prefetch_off, &record.u.dram);
}

enum status dram_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    for (uint32_t i = 0; i < states; i++)
        conclude_state(plan, bench, experiment, off[i]);
    dram_sampler_conclude(plan, bench, experiment);
    return STATUS_OK;
}
