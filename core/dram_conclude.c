/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's points say together: prefetchers, the headline, the slope, the TLB's share. */
#include "core/dram_parts.h"
#include "core/experiment_dram.h"
#include "core/real.h"

/* A chase that is faster than draws by so many standard errors is so for a reason. */
#define FOLLOWED_ERRORS 4
#define CACHED_ERRORS   2
/* Prefetchers of other kinds leave a line in a hundred in caches: what is more is no work of
 * theirs. Where they are off, less than this is nothing that a figure would have to be changed for.
 */
#define FOLLOWED_SHARE       0.005
#define FOLLOWED_SHARE_AMONG 0.06
#define PROOF_OFF_LEAST      0.8
#define PROOF_OFF_MOST       1.25

double dram_prefetch_ratio(const struct prefetch_proof *proof)
{
    /* In the paired chase every second hop stays in its page, so one hop that does gains twice the
     * chase's mean gain; in the sequential one all but one hop of a page stay. A gain below zero is
     * noise. */
    double gain_ns = 2 * (proof->random_ns - proof->paired_ns);
    double stays = 1 - 1.0 / proof->lines_per_page;

    if (gain_ns < 0)
        gain_ns = 0;
    return (proof->sequential_ns + gain_ns * stays) / proof->random_ns;
}

const char *dram_prefetch_verdict(double ratio)
{
    if (ratio >= PROOF_OFF_LEAST && ratio <= PROOF_OFF_MOST)
        return "off";
    return ratio < 0.6 ? "on" : "undecided";
}

const struct point *dram_find(const struct engine *engine, uint32_t experiment,
                              enum point_role role, bool prefetch_off)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && p->role == role && p->prefetch_off == prefetch_off &&
            p->result.known)
            return p;
    }
    return NULL;
}

/* True when the prefetchers have been seen to be off. */
static bool conclude_proof(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    const struct point *random = dram_find(engine, experiment, ROLE_RANDOM, prefetch_off);
    const struct point *headline = dram_find(engine, experiment, ROLE_HEADLINE, prefetch_off);
    const struct point *sequential = dram_find(engine, experiment, ROLE_SEQUENTIAL, prefetch_off);
    const struct point *paired = dram_find(engine, experiment, ROLE_PAIRED, prefetch_off);
    struct prefetch_proof proof;
    double ratio;

    if (!random && headline && sequential && headline->bytes == sequential->bytes)
        random = headline;
    if (!random || !sequential || !paired)
        return false;
    proof = (struct prefetch_proof){.random_ns = random->result.mean_ns,
                                    .sequential_ns = sequential->result.mean_ns,
                                    .paired_ns = paired->result.mean_ns,
                                    .lines_per_page =
                                        DRAM_PROOF_PAGE_BYTES / (uint32_t)random->stride_bytes};
    ratio = dram_prefetch_ratio(&proof);
    describe_prefetch(engine, prefetch_off, ratio, dram_prefetch_verdict(ratio));
    return ratio >= PROOF_OFF_LEAST && ratio <= PROOF_OFF_MOST;
}

struct figure dram_figure(const struct point *p)
{
    if (!p)
        return (struct figure){.known = false};
    return (struct figure){.known = true,
                           .ns = p->result.mean_ns,
                           .error_ns = p->result.mean_rel_error * p->result.mean_ns};
}

static double hypotenuse(double a, double b)
{
    return real_sqrt(a * a + b * b);
}

/* What each line beyond half the set costs. What is in caches at a hop is the same number of lines
 * in both sets, and falls out. */
static struct figure slope_of(struct figure whole, double large, struct figure half, double small)
{
    double span = large - small;

    return (struct figure){.known = whole.known && half.known && span > 0,
                           .ns = (large * whole.ns - small * half.ns) / span,
                           .error_ns =
                               hypotenuse(large * whole.error_ns, small * half.error_ns) / span};
}

struct figure dram_difference(struct figure a, struct figure b)
{
    return (struct figure){.known = a.known && b.known,
                           .ns = a.ns - b.ns,
                           .error_ns = hypotenuse(a.error_ns, b.error_ns)};
}

/* Two standard errors to each side: 95 % for normal scatter. */
static void put_figure(struct figure f, double *ns, double *low, double *high)
{
    *ns = f.known ? f.ns : real_nan();
    *low = f.known ? f.ns - 2 * f.error_ns : real_nan();
    *high = f.known ? f.ns + 2 * f.error_ns : real_nan();
}

enum dram_chase dram_judge_chase(double chase_ns, double chase_error_ns, double slope_ns,
                                 double slope_error_ns, bool seen_off)
{
    double missing_ns = slope_ns - chase_ns, error_ns = hypotenuse(chase_error_ns, slope_error_ns);
    double share = seen_off ? FOLLOWED_SHARE : FOLLOWED_SHARE_AMONG;

    if (missing_ns > FOLLOWED_ERRORS * error_ns && missing_ns > share * slope_ns)
        return DRAM_CHASE_FOLLOWED;
    return !seen_off && missing_ns > CACHED_ERRORS * error_ns ? DRAM_CHASE_CACHED
                                                              : DRAM_CHASE_PLAIN;
}

/* The experiment's points of one prefetcher state, NULL where one was not measured; and what the
 * set's own pages cost, and half the set's. */
struct parts {
    const struct point *chase, *small, *draw, *draw_half, *draw_small;
    struct figure pages, pages_half;
};

static struct parts parts_of(const struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    struct parts parts = {.chase = dram_find(engine, experiment, ROLE_HEADLINE, prefetch_off),
                          .small = dram_find(engine, experiment, ROLE_SMALL_PAGES, prefetch_off),
                          .draw = dram_find(engine, experiment, ROLE_DRAW, prefetch_off),
                          .draw_half = dram_find(engine, experiment, ROLE_DRAW_HALF, prefetch_off),
                          .draw_small =
                              dram_find(engine, experiment, ROLE_DRAW_SMALL_PAGES, prefetch_off)};
    const struct point *set = parts.chase ? parts.chase : parts.draw;

    parts.pages = dram_pages_cost(engine, experiment, set, false);
    parts.pages_half = dram_pages_cost(engine, experiment, set, true);
    return parts;
}

/* A point without what its own pages cost, where that is known. */
static struct figure net_of(const struct point *point, struct figure pages)
{
    struct figure figure = dram_figure(point);

    return pages.known ? dram_difference(figure, pages) : figure;
}

static struct figure slope_by_draws(const struct parts *parts)
{
    if (!parts->draw || !parts->draw_half)
        return (struct figure){.known = false};
    return slope_of(net_of(parts->draw, parts->pages), (double)parts->draw->bytes,
                    net_of(parts->draw_half, parts->pages_half), (double)parts->draw_half->bytes);
}

/* Small pages over large ones, both by the same pattern over the same set. */
static struct figure tlb_cost_of(const struct parts *parts)
{
    if (parts->draw_small && parts->draw && parts->draw_small->bytes == parts->draw->bytes)
        return dram_difference(dram_figure(parts->draw_small), dram_figure(parts->draw));
    if (parts->small && parts->chase && parts->small->bytes == parts->chase->bytes)
        return dram_difference(dram_figure(parts->small), dram_figure(parts->chase));
    return (struct figure){.known = false};
}

static enum dram_chase judge(struct engine *engine, struct figure chase, struct figure slope,
                             bool seen_off)
{
    enum dram_chase verdict;

    if (!chase.known || !slope.known)
        return DRAM_CHASE_PLAIN;
    verdict = dram_judge_chase(chase.ns, chase.error_ns, slope.ns, slope.error_ns, seen_off);
    if (verdict == DRAM_CHASE_FOLLOWED)
        journal_note(engine->journal, SEVERITY_WARNING, "dram: something follows pointers",
                     "the chase is faster than independent draws beyond error: a pointer-chasing "
                     "prefetcher is at work, and the headline is the iid figure");
    if (verdict == DRAM_CHASE_CACHED)
        journal_note(engine->journal, SEVERITY_INFO, "dram: prefetchers are in the chase",
                     "some of its lines were in caches before their turn; the headline is the iid "
                     "figure, which is without them");
    return verdict;
}

static void conclude_headline(struct engine *engine, uint32_t experiment, bool prefetch_off,
                              bool seen_off)
{
    struct parts parts = parts_of(engine, experiment, prefetch_off);
    struct figure chase = net_of(parts.chase, parts.pages);
    struct figure slope = slope_by_draws(&parts);
    bool by_draws = judge(engine, chase, slope, seen_off) != DRAM_CHASE_PLAIN || !chase.known;
    const struct point *shown = by_draws ? parts.draw : parts.chase;
    struct record record = {.kind = RECORD_DRAM};
    struct record_dram *dram = &record.u.dram;

    if (!shown)
        return;
    *dram = (struct record_dram){.pages_bytes = plan_pages_bytes(shown),
                                 .pattern = plan_pattern_name(shown),
                                 .frames = plan_frames_name(shown),
                                 .map = plan_map_name(shown),
                                 .prefetch = shown->prefetch,
                                 .bytes = shown->bytes,
                                 .translation_ns = parts.pages.known ? parts.pages.ns : real_nan()};
    /* Draws over the whole set still hit the caches with their share of it; the slope does not. */
    if (!by_draws)
        put_figure(chase, &dram->ns, &dram->ns_low, &dram->ns_high);
    else
        put_figure(slope.known ? slope : net_of(shown, parts.pages), &dram->ns, &dram->ns_low,
                   &dram->ns_high);
    dram->cycles = dram->ns / shown->result.ns * shown->result.cycles;
    put_figure(slope, &dram->slope_ns, &dram->slope_low_ns, &dram->slope_high_ns);
    put_figure(tlb_cost_of(&parts), &dram->tlb_cost_ns, &dram->tlb_cost_low_ns,
               &dram->tlb_cost_high_ns);
    journal_emit(engine->journal, &record);
}

enum status dram_conclude(struct engine *engine, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    for (uint32_t i = 0; i < states; i++) {
        bool seen_off = conclude_proof(engine, experiment, off[i]);
        conclude_headline(engine, experiment, off[i], seen_off);
    }
    return STATUS_OK;
}
