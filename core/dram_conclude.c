/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's points say together: prefetchers, the headline, the slope, the TLB's share. */
#include "core/engine_state.h"
#include "core/experiment_dram.h"
#include "core/real.h"

/* What a chase must be faster by than independent draws before something that follows pointers is
 * the reason: rows and translations make differences of a few per cent on honest machines. */
#define FOLLOWED_SHARE  0.06
#define FOLLOWED_ERRORS 4

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
    if (ratio >= 0.8 && ratio <= 1.25)
        return "off";
    return ratio < 0.6 ? "on" : "undecided";
}

static const struct point *find_role(const struct engine *engine, uint32_t experiment,
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

static void conclude_proof(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    const struct point *random = find_role(engine, experiment, ROLE_RANDOM, prefetch_off);
    const struct point *headline = find_role(engine, experiment, ROLE_HEADLINE, prefetch_off);
    const struct point *sequential = find_role(engine, experiment, ROLE_SEQUENTIAL, prefetch_off);
    const struct point *paired = find_role(engine, experiment, ROLE_PAIRED, prefetch_off);
    struct prefetch_proof proof;
    double ratio;

    if (!random && headline && sequential && headline->bytes == sequential->bytes)
        random = headline;
    if (!random || !sequential || !paired)
        return;
    proof = (struct prefetch_proof){.random_ns = random->result.mean_ns,
                                    .sequential_ns = sequential->result.mean_ns,
                                    .paired_ns = paired->result.mean_ns,
                                    .lines_per_page =
                                        DRAM_PROOF_PAGE_BYTES / (uint32_t)random->stride_bytes};
    ratio = dram_prefetch_ratio(&proof);
    describe_prefetch(engine, prefetch_off, ratio, dram_prefetch_verdict(ratio));
}

/* A figure with its standard error. */
struct figure {
    bool known;
    double ns, error_ns;
};

static struct figure figure_of(const struct point *p)
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

/* What each line beyond half the set costs. The share of draws that still hit a cache is the same
 * number of lines in both sets, and falls out. */
static struct figure slope_of(const struct point *whole, const struct point *half)
{
    double large, small, span;

    if (!whole || !half)
        return (struct figure){.known = false};
    large = (double)whole->bytes;
    small = (double)half->bytes;
    span = large - small;
    return (struct figure){
        .known = true,
        .ns = (large * whole->result.mean_ns - small * half->result.mean_ns) / span,
        .error_ns = hypotenuse(large * whole->result.mean_ns * whole->result.mean_rel_error,
                               small * half->result.mean_ns * half->result.mean_rel_error) /
                    span};
}

static struct figure difference(struct figure a, struct figure b)
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

bool dram_pointers_followed(double chase_ns, double chase_error_ns, double slope_ns,
                            double slope_error_ns)
{
    double margin = FOLLOWED_ERRORS * hypotenuse(chase_error_ns, slope_error_ns);

    return chase_ns < slope_ns * (1 - FOLLOWED_SHARE) - margin;
}

/* The experiment's points of one prefetcher state; NULL where one was not measured. */
struct parts {
    const struct point *chase, *small, *draw, *draw_half, *draw_small;
};

static struct parts parts_of(const struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    return (struct parts){.chase = find_role(engine, experiment, ROLE_HEADLINE, prefetch_off),
                          .small = find_role(engine, experiment, ROLE_SMALL_PAGES, prefetch_off),
                          .draw = find_role(engine, experiment, ROLE_DRAW, prefetch_off),
                          .draw_half = find_role(engine, experiment, ROLE_DRAW_HALF, prefetch_off),
                          .draw_small =
                              find_role(engine, experiment, ROLE_DRAW_SMALL_PAGES, prefetch_off)};
}

/* Small pages over large ones, both by the same pattern over the same set. */
static struct figure tlb_cost_of(const struct parts *parts)
{
    if (parts->draw_small && parts->draw && parts->draw_small->bytes == parts->draw->bytes)
        return difference(figure_of(parts->draw_small), figure_of(parts->draw));
    if (parts->small && parts->chase && parts->small->bytes == parts->chase->bytes)
        return difference(figure_of(parts->small), figure_of(parts->chase));
    return (struct figure){.known = false};
}

static void note_followed(struct engine *engine)
{
    journal_note(engine->journal, SEVERITY_WARNING, "dram: something follows pointers",
                 "the chase is faster than independent draws beyond error: a pointer-chasing "
                 "prefetcher is at work, and the headline is the iid figure");
}

static void conclude_headline(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    struct parts parts = parts_of(engine, experiment, prefetch_off);
    struct figure chase = figure_of(parts.chase), slope = slope_of(parts.draw, parts.draw_half);
    bool followed = chase.known && slope.known &&
                    dram_pointers_followed(chase.ns, chase.error_ns, slope.ns, slope.error_ns);
    bool by_draws = followed || !chase.known;
    const struct point *shown = by_draws ? parts.draw : parts.chase;
    struct record record = {.kind = RECORD_DRAM};
    struct record_dram *dram = &record.u.dram;

    if (!shown)
        return;
    if (followed)
        note_followed(engine);
    *dram = (struct record_dram){.pages_bytes = plan_pages_bytes(shown),
                                 .pattern = plan_pattern_name(shown),
                                 .frames = plan_frames_name(shown),
                                 .map = plan_map_name(shown),
                                 .prefetch = shown->prefetch,
                                 .bytes = shown->bytes};
    /* Draws over the whole set still hit the caches with their share of it; the slope does not. */
    if (!by_draws)
        put_figure(chase, &dram->ns, &dram->ns_low, &dram->ns_high);
    else
        put_figure(slope.known ? slope : figure_of(shown), &dram->ns, &dram->ns_low,
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
        conclude_proof(engine, experiment, off[i]);
        conclude_headline(engine, experiment, off[i]);
    }
    return STATUS_OK;
}
