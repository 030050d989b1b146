/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's points say together: prefetchers, the headline, the slope, the TLB's share. */
#include "core/dram_parts.h"
#include "core/experiment_dram.h"
#include "core/real.h"

/* A chase that is faster than draws by so many standard errors is so for a reason. */
#define FOLLOWED_ERRORS 4
#define FOLLOWED_SHARE  0.005 /* less is nothing that a figure would have to be changed for */
/* Where draws find less of the set in caches, the set is far beyond them: a chase over a set hits a
 * cache that holds this share of it, and replaces at random, in one hop of a thousand:
 * exp(-1 / share). */
#define FAR_SHARE     0.14
#define CACHED_ERRORS 2
/* In smaller sets the rows that are open are a part of what makes a chase faster than the slope. */
#define CACHED_LEAST_BYTES (32ull << 20)
/* Of a hop: more than a row's precharge and activation are of any memory's latency. */
#define ROW_GAIN_MOST 0.5
/* Of a hop at random: what one in order takes at least, were nothing prefetched. */
#define HONEST_LEAST    0.05
#define PROOF_OFF_LEAST 0.8
#define PROOF_OFF_MOST  1.25

/* A gain below zero is noise. */
static double at_least_zero(double ns)
{
    return ns > 0 ? ns : 0;
}

/* What a hop in order takes where nothing is prefetched: a hop at random but for the gain of open
 * rows and warm translations, which is known between bounds. Channels share a page's lines out, and
 * lines of two channels lie in two rows: of n lines in c rows, n - c hops in order find their row
 * open, but of random pairs only a share of (n / c - 1) / (n - 1). Lines half a page apart are in
 * one row unless high bits choose the channel; but a row that is come back to later may have been
 * closed, and a prefetcher may learn that distance, though then it gains more than a row can.
 * Between the bounds all is explained. */
static double honest_ns(const struct prefetch_proof *proof)
{
    double random_ns = proof->sparse_ns > 0 ? proof->sparse_ns : proof->random_ns;
    double others = proof->lines_per_page - 1;
    double paired = at_least_zero(2 * (proof->random_ns - proof->paired_ns));
    double halved = 2 * (proof->random_ns - proof->halved_ns);
    double floor_ns = HONEST_LEAST * random_ns;
    double most = random_ns - paired * others / (others + 1), least;

    if (most < floor_ns)
        most = floor_ns;
    least = most;
    if (halved > paired && halved - paired <= ROW_GAIN_MOST * (proof->random_ns - paired))
        least = random_ns - halved * others * paired / (others * paired + halved);
    if (least < floor_ns)
        least = floor_ns;
    if (proof->sequential_ns < least)
        return least;
    return proof->sequential_ns < most ? proof->sequential_ns : most;
}

double dram_prefetch_ratio(const struct prefetch_proof *proof)
{
    return proof->sequential_ns / honest_ns(proof);
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
    const struct point *halved = dram_find(engine, experiment, ROLE_HALVED, prefetch_off);
    const struct point *sparse = dram_find(engine, experiment, ROLE_SPARSE, prefetch_off);
    struct prefetch_proof proof;
    double ratio;

    if (!random && headline && sequential && headline->bytes == sequential->bytes)
        random = headline;
    if (!random || !sequential || !paired)
        return false;
    proof = (struct prefetch_proof){.random_ns = random->result.mean_ns,
                                    .sparse_ns = sparse ? sparse->result.mean_ns : real_nan(),
                                    .sequential_ns = sequential->result.mean_ns,
                                    .paired_ns = paired->result.mean_ns,
                                    .halved_ns = halved ? halved->result.mean_ns : real_nan(),
                                    .lines_per_page =
                                        DRAM_PROOF_PAGE_BYTES / (uint32_t)random->stride_bytes};
    ratio = dram_prefetch_ratio(&proof);
    describe_prefetch(engine, prefetch_off, ratio, dram_prefetch_verdict(ratio));
    return ratio >= PROOF_OFF_LEAST && ratio <= PROOF_OFF_MOST;
}

struct dram_ns dram_figure(const struct point *p)
{
    if (!p)
        return (struct dram_ns){.known = false};
    return (struct dram_ns){.known = true,
                            .ns = p->result.mean_ns,
                            .error_ns = p->result.mean_rel_error * p->result.mean_ns};
}

static double hypotenuse(double a, double b)
{
    return real_sqrt(a * a + b * b);
}

struct dram_ns dram_slope(struct dram_ns whole, double large, struct dram_ns half, double small)
{
    double span = large - small, ns = (large * whole.ns - small * half.ns) / span;

    return (struct dram_ns){.known = whole.known && half.known && span > 0 && ns > 0,
                            .ns = ns,
                            .error_ns =
                                hypotenuse(large * whole.error_ns, small * half.error_ns) / span};
}

struct dram_ns dram_difference(struct dram_ns a, struct dram_ns b)
{
    return (struct dram_ns){.known = a.known && b.known,
                            .ns = a.ns - b.ns,
                            .error_ns = hypotenuse(a.error_ns, b.error_ns)};
}

/* Two standard errors to each side: 95 % for normal scatter. */
static void put_figure(struct dram_ns f, double *ns, double *low, double *high)
{
    *ns = f.known ? f.ns : real_nan();
    *low = f.known ? f.ns - 2 * f.error_ns : real_nan();
    *high = f.known ? f.ns + 2 * f.error_ns : real_nan();
}

static bool is_less(struct dram_ns a, struct dram_ns b, double errors, double share)
{
    double missing_ns = b.ns - a.ns;

    return a.known && b.known && missing_ns > share * b.ns &&
           missing_ns > errors * hypotenuse(a.error_ns, b.error_ns);
}

enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts)
{
    bool far = parts->draw.known && parts->draw.ns >= (1 - FAR_SHARE) * parts->draw_slope.ns;

    if (is_less(parts->chase_slope, parts->draw_slope, FOLLOWED_ERRORS, FOLLOWED_SHARE) &&
        (far || is_less(parts->chase, parts->draw, FOLLOWED_ERRORS, FOLLOWED_SHARE)))
        return DRAM_CHASE_FOLLOWED;
    if (!parts->seen_off && parts->bytes >= CACHED_LEAST_BYTES &&
        is_less(parts->chase, parts->draw_slope, CACHED_ERRORS, 0))
        return DRAM_CHASE_CACHED;
    return DRAM_CHASE_PLAIN;
}

/* The experiment's points of one prefetcher state, NULL where one was not measured; and what the
 * set's own pages cost, and half the set's. */
struct parts {
    const struct point *chase, *half, *small, *draw, *draw_half, *draw_small;
    struct dram_ns pages, pages_half;
};

static struct parts parts_of(const struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    struct parts parts = {.chase = dram_find(engine, experiment, ROLE_HEADLINE, prefetch_off),
                          .half = dram_find(engine, experiment, ROLE_HALF, prefetch_off),
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
static struct dram_ns net_of(const struct point *point, struct dram_ns pages)
{
    struct dram_ns figure = dram_figure(point);

    return pages.known ? dram_difference(figure, pages) : figure;
}

static struct dram_ns slope_between(const struct parts *parts, const struct point *whole,
                                    const struct point *half)
{
    if (!whole || !half)
        return (struct dram_ns){.known = false};
    return dram_slope(net_of(whole, parts->pages), (double)whole->bytes,
                      net_of(half, parts->pages_half), (double)half->bytes);
}

/* Small pages over large ones, both by the same pattern over the same set. */
static struct dram_ns tlb_cost_of(const struct parts *parts)
{
    if (parts->draw_small && parts->draw && parts->draw_small->bytes == parts->draw->bytes)
        return dram_difference(dram_figure(parts->draw_small), dram_figure(parts->draw));
    if (parts->small && parts->chase && parts->small->bytes == parts->chase->bytes)
        return dram_difference(dram_figure(parts->small), dram_figure(parts->chase));
    return (struct dram_ns){.known = false};
}

static enum dram_chase judge(struct engine *engine, const struct parts *parts, struct dram_ns chase,
                             struct dram_ns slope, bool seen_off)
{
    struct dram_chase_parts asked = {.chase = chase,
                                     .draw = net_of(parts->draw, parts->pages),
                                     .chase_slope = slope_between(parts, parts->chase, parts->half),
                                     .draw_slope = slope,
                                     .seen_off = seen_off,
                                     .bytes = parts->chase ? parts->chase->bytes : 0};
    enum dram_chase verdict = dram_judge_chase(&asked);

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

double dram_share_cached(struct dram_ns draw, struct dram_ns slope)
{
    double most = draw.ns + 2 * draw.error_ns, least = slope.ns - 2 * slope.error_ns;

    return draw.known && slope.known && most < least ? 1 - most / least : 0;
}

/* What draws find in caches of a set is what these hold, but for the part that a hit costs; surely
 * more than twice what is declared is a cache that nothing declares. Whether the set is far beyond
 * it is said. */
static void note_undeclared(struct engine *engine, const struct parts *parts, struct dram_ns slope)
{
    uint64_t declared = plan_last_level_bytes(engine);
    struct dram_ns draw = net_of(parts->draw, parts->pages);
    double share = dram_share_cached(draw, slope);

    if (share == 0 || declared == 0 || parts->draw->bytes < CACHED_LEAST_BYTES ||
        share * (double)parts->draw->bytes < 2 * (double)declared)
        return;
    engine_note_size(engine, share > FAR_SHARE ? SEVERITY_WARNING : SEVERITY_INFO,
                     "dram: a cache that nothing declares", "draws find in caches at least",
                     (uint64_t)(share * (double)parts->draw->bytes),
                     share > FAR_SHARE
                         ? ": the set is not far beyond it, and a chase may still hit it"
                         : "; the set is large enough that a chase does not");
}

static void conclude_headline(struct engine *engine, uint32_t experiment, bool prefetch_off,
                              bool seen_off)
{
    struct parts parts = parts_of(engine, experiment, prefetch_off);
    struct dram_ns chase = net_of(parts.chase, parts.pages);
    struct dram_ns slope = slope_between(&parts, parts.draw, parts.draw_half);
    bool by_draws =
        judge(engine, &parts, chase, slope, seen_off) != DRAM_CHASE_PLAIN || !chase.known;
    const struct point *shown = by_draws ? parts.draw : parts.chase;
    struct record record = {.kind = RECORD_DRAM};
    struct record_dram *dram = &record.u.dram;

    if (!shown)
        return;
    note_undeclared(engine, &parts, slope);
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
