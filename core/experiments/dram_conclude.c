/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's points say together: the headline, the slope, the TLB's share. */
#include "core/experiments/dram.h"
#include "core/experiments/dram_parts.h"
#include "core/experiments/prefetch_proof.h"
#include "core/lib/real.h"

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

static enum dram_chase judge(const struct engine *engine, const struct dram_found *found,
                             bool *stepped)
{
    struct dram_chase_parts asked = {.chase = last_set(found)->chase,
                                     .draw = last_set(found)->draw,
                                     .chase_slope = chase_slope(found),
                                     .draw_slope = found->search.slope,
                                     .agree = found->search.agree};
    enum dram_chase verdict = dram_judge_chase(&asked);

    *stepped =
        verdict == DRAM_CHASE_FOLLOWED &&
        prefetch_proof_stepped(engine, found->largest->experiment, found->largest->prefetch_off);
    return *stepped ? DRAM_CHASE_PLAIN : verdict;
}

static void note_chase(struct engine *engine, enum dram_chase verdict, bool stepped)
{
    if (stepped)
        journal_note(engine->journal, SEVERITY_INFO, "dram: nothing is said of followed pointers",
                     "the core's frequency stepped between the chases and the draws that it would "
                     "be told from");
    if (verdict == DRAM_CHASE_FOLLOWED)
        journal_note(engine->journal, SEVERITY_WARNING, "dram: something follows pointers",
                     "the chase is faster than independent draws beyond error: a pointer-chasing "
                     "prefetcher is at work, and the headline is the iid figure");
    if (verdict == DRAM_CHASE_CACHED)
        journal_note(engine->journal, SEVERITY_INFO, "dram: lines of the chase are in caches",
                     "some of them were there before their turn; the headline is the iid figure, "
                     "which is without them");
}

/* What draws find in caches of a set is what these hold, but for the part that a hit costs; surely
 * more than twice what is declared is a cache that nothing declares. 0: none is seen. */
static double undeclared_bytes(const struct engine *engine, const struct dram_found *found)
{
    double share = dram_share_cached(last_set(found)->draw, found->search.slope);
    double bytes = share * last_set(found)->bytes;

    return found->search.agree && bytes >= 2 * (double)plan_last_level_bytes(engine) ? bytes : 0;
}

static void note_undeclared(struct engine *engine, const struct dram_found *found)
{
    double bytes = undeclared_bytes(engine, found);

    if (plan_last_level_bytes(engine) == 0 || bytes == 0)
        return;
    engine_note_size(
        engine, found->search.enough ? SEVERITY_INFO : SEVERITY_WARNING,
        "dram: a cache that nothing declares", "draws find in caches at least", (uint64_t)bytes,
        found->search.enough ? "; the set is large enough that a chase does not"
                             : ": the set is not far beyond it, and a chase may still hit it");
}

static void note_search(struct engine *engine, const struct dram_found *found)
{
    if (found->search.rises)
        engine_note_size(engine, SEVERITY_WARNING, "dram: the latency goes on rising",
                         "each doubling of the set makes a hop dearer by as much or more, as no "
                         "cache does: page walks, or a host's; it is told at",
                         found->largest->bytes, "");
    else if (!found->search.ends)
        engine_note_size(engine, SEVERITY_WARNING, "dram: the set is not seen to be large enough",
                         "larger sets may say something else than one of", found->largest->bytes,
                         ", and memory, max= or budget= end there");
}

/* Whether a set that was asked for in the headline's pages was not measured. */
static bool lacks_points(const struct engine *engine, const struct point *shown)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == shown->experiment && p->prefetch_off == shown->prefetch_off &&
            p->page == shown->page && !p->result.known &&
            (p->role == ROLE_HEADLINE || p->role == ROLE_DRAW))
            return true;
    }
    return false;
}

/* Small pages over large ones, both by the same pattern over the headline's set. What is said
 * against either of them is said against the headline's record. */
static struct figure tlb_cost(struct engine *engine, uint32_t experiment, bool prefetch_off,
                              struct record_dram *dram)
{
    const struct point *draws =
        dram_find_set(engine, experiment, ROLE_DRAW_SMALL_PAGES, prefetch_off, dram->bytes);
    const struct point *small =
        draws ? draws
              : dram_find_set(engine, experiment, ROLE_SMALL_PAGES, prefetch_off, dram->bytes);
    const struct point *large =
        small && dram->pages_bytes > plan_pages_bytes(small)
            ? dram_find_set(engine, experiment, draws ? ROLE_DRAW : ROLE_HEADLINE, prefetch_off,
                            dram->bytes)
            : NULL;
    struct figure cost = figure_difference(dram_figure(small), dram_figure(large));

    if (figure_is_known(cost) && cost.value + 2 * cost.error < 0) {
        journal_note(engine->journal, SEVERITY_WARNING, "dram: no cost of 4k pages",
                     "hops in them were faster than in large ones beyond error, which TLB misses "
                     "cannot be: the machine was not the same in both");
        cost = figure_unknown();
    }
    if (figure_is_known(cost))
        dram->doubt |= small->result.doubt | large->result.doubt;
    return cost;
}

static doubt_set doubts_of(const struct engine *engine, const struct dram_found *found,
                           const struct point *shown)
{
    doubt_set doubt = found->search.doubt | dram_doubts(engine, found);

    if (!figure_is_known(found->pages))
        doubt |= doubt_of(DOUBT_TRANSLATION);
    if (lacks_points(engine, shown))
        doubt |= doubt_of(DOUBT_BUDGET);
    return doubt;
}

/* Whether a headline by the chase and what draws say of the same lines are too far apart: the slope
 * or, where there is none, draws over the set, which may find more in caches but no less. */
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
                          ? DRAM_PAGES_SHARE * found->pages.value
                          : 0;

    figure.error =
        real_hypotenuse(figure.error, real_hypotenuse(DRAM_ANY_SET_SHARE * figure.value, pages_ns));
    return bounds_of(figure);
}

/* Draws over the whole set still hit the caches with their share of it;
 * the slope does not. */
static bool figures_of(const struct engine *engine, const struct dram_found *found, bool by_draws,
                       struct dram_bounds *figure, struct dram_bounds *line)
{
    const struct dram_set *last = last_set(found);
    struct figure slope = found->search.slope, chase = last->chase;

    if (!found->search.agree)
        slope = figure_unknown();
    if (figure_is_known(found->memory))
        chase = found->memory;
    else if (prefetch_proof_brings(engine, found->largest->experiment,
                                   found->largest->prefetch_off))
        chase = dram_chase_figure(chase, last->draw, slope, found->search.rise);
    *figure = bounds_of_memory(found, by_draws ? dram_draws_figure(slope, last->draw) : chase);
    *line = bounds_of_memory(found, slope);
    return !disagrees(found, figure, line);
}

static bool is_by_draws(const struct dram_found *found, enum dram_chase verdict)
{
    return found->draw != NULL && (verdict != DRAM_CHASE_PLAIN || found->chase == NULL);
}

/* What is measured by now in the first state of the prefetchers; false: nothing. */
static bool gather_first(const struct engine *engine, struct dram_found *found)
{
    const struct point *point = NULL;
    bool off[2];

    for (uint32_t i = 0; i < engine->point_count && point == NULL; i++)
        if (engine->point[i].role == ROLE_HEADLINE || engine->point[i].role == ROLE_DRAW)
            point = &engine->point[i];
    (void)plan_prefetch_states(engine, off);
    return point != NULL && dram_gather(engine, point->experiment, off[0], found);
}

void dram_look_for_caches(struct engine *engine)
{
    struct dram_found found;
    double bytes = gather_first(engine, &found) ? undeclared_bytes(engine, &found) : 0;

    if (bytes > (double)engine->undeclared_bytes)
        engine->undeclared_bytes = (uint64_t)bytes;
}

bool dram_meets_level(const struct engine *engine, struct dram_bounds *level)
{
    struct dram_bounds figure, line;
    struct dram_found found;
    bool stepped;

    if (!gather_first(engine, &found))
        return true;
    (void)figures_of(engine, &found, is_by_draws(&found, judge(engine, &found, &stepped)), &figure,
                     &line);
    return !dram_reconcile(&figure, level);
}

/* The headline and its slope. */
static void tell(const struct engine *engine, const struct dram_found *found, bool by_draws,
                 struct record_dram *dram)
{
    const struct point *shown = by_draws ? found->draw : found->chase;
    struct dram_bounds figure, line, level = engine->memory_level;
    bool meet = figures_of(engine, found, by_draws, &figure, &line), off[2];

    (void)plan_prefetch_states(engine, off);
    if (engine->memory_level_known && shown->prefetch_off == off[0])
        meet = !dram_reconcile(&figure, &level) && meet;
    *dram = (struct record_dram){
        .pages_bytes = plan_pages_bytes(shown),
        .pattern = plan_pattern_name(shown),
        .frames = plan_frames_name(shown),
        .map = plan_map_name(shown),
        .prefetch = shown->prefetch,
        .bytes = shown->bytes,
        .translation_ns = figure_is_known(found->pages) ? found->pages.value : real_nan(),
        .rise_ns = figure_is_known(found->search.rise) ? found->search.rise.value : real_nan(),
        .doubt = doubts_of(engine, found, shown)};
    if (!meet)
        dram->doubt |= doubt_of(DOUBT_CONTRADICTED);
    dram->ns = figure.ns;
    dram->ns_low = figure.low_ns;
    dram->ns_high = figure.high_ns;
    dram->cycles = figure.ns / shown->result.ns * shown->result.cycles;
    dram->slope_ns = line.ns;
    dram->slope_low_ns = line.low_ns;
    dram->slope_high_ns = line.high_ns;
}

static void conclude_headline(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    struct record record = {.kind = RECORD_DRAM};
    struct dram_found found;
    struct dram_bounds cost;
    enum dram_chase verdict;
    bool stepped;

    if (!dram_gather(engine, experiment, prefetch_off, &found))
        return;
    verdict = judge(engine, &found, &stepped);
    note_chase(engine, verdict, stepped);
    note_undeclared(engine, &found);
    note_search(engine, &found);
    tell(engine, &found, is_by_draws(&found, verdict), &record.u.dram);
    cost = bounds_of(tlb_cost(engine, experiment, prefetch_off, &record.u.dram));
    record.u.dram.tlb_cost_ns = cost.ns;
    record.u.dram.tlb_cost_low_ns = cost.low_ns;
    record.u.dram.tlb_cost_high_ns = cost.high_ns;
    journal_emit(engine->journal, &record);
}

enum status dram_conclude(struct engine *engine, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    for (uint32_t i = 0; i < states; i++) {
        prefetch_proof_conclude(engine, experiment, off[i]);
        conclude_headline(engine, experiment, off[i]);
    }
    return STATUS_OK;
}
