/* SPDX-License-Identifier: BSD-2-Clause */
/* How long points take. The guesses at the start only have to be of the right order: each measured
 * point replaces them. */
#include "core/engine_state.h"

#define LAST_LEVEL_UNKNOWN_BYTES (32ull << 20)
#define DRAW_LAPS                10
#define MAKE_LEAST_BYTES         (1ull << 20)
#define BUDGET_OTHERS_MOST       0.7
#define BUDGET_STANDING_MOST     0.6
#define BUDGET_ALWAYS_S          0.02 /* estimates of short points are no reason to leave one out */

/* The average of old and new that lets about the last four points decide. */
static double learn(double old, double now, bool learnt)
{
    return learnt ? old + 0.4 * (now - old) : now;
}

void estimate_start(struct engine *engine)
{
    engine->model = (struct estimate_model){.build_ns = 20, .verify_ns = 15, .make_ns = 0.3};
}

void estimate_learn_make(struct engine *engine, uint64_t bytes, uint64_t ns)
{
    if (bytes >= MAKE_LEAST_BYTES)
        engine->model.make_ns = (double)ns / (double)bytes;
}

/* Making the memory that the point's window does not have yet. */
static double make_s(const struct engine *engine, const struct point *point)
{
    if (engine->machine->window_make == NULL || point->bytes <= engine->made_bytes)
        return 0;
    return (double)(point->bytes - engine->made_bytes) * engine->model.make_ns * 1e-9;
}

void estimate_learn(struct engine *engine, const struct estimate_model *seen)
{
    struct estimate_model *model = &engine->model;

    model->build_ns = learn(model->build_ns, seen->build_ns, model->learnt);
    if (seen->verify_ns > 0)
        model->verify_ns = learn(model->verify_ns, seen->verify_ns, model->learnt);
    model->learnt = true;
}

static uint64_t last_level_bytes(const struct engine *engine)
{
    uint64_t bytes = plan_last_level_bytes(engine);

    return bytes == 0 ? LAST_LEVEL_UNKNOWN_BYTES : bytes;
}

/* What the caches have to hold of a set: lines that are a page or more apart are few, whatever they
 * span. */
static uint64_t footprint(const struct engine *engine, const struct point *point)
{
    if (point->stride_bytes <= 1ull << PAGE_4K)
        return point->bytes;
    return point->bytes / point->stride_bytes * engine->machine->description->line_bytes;
}

/* Hops that do the same, in the same order. */
static bool same_hops(const struct point *a, const struct point *b)
{
    return a->order == b->order && a->stride_bytes == b->stride_bytes &&
           a->group_bytes == b->group_bytes && a->chains == b->chains && a->load == b->load &&
           a->hint == b->hint && a->work == b->work && a->cold == b->cold;
}

/* The chase that every other one is compared with. */
static bool plain_hops(const struct point *p)
{
    return p->order == ORDER_RANDOM && p->chains == 1 && p->load == LOAD_PLAIN && p->work == 0 &&
           !p->cold;
}

/* How well a measured point speaks for another one: same hops, same kernel, same pages. */
static unsigned kinship(const struct point *a, const struct point *b)
{
    return 8u * same_hops(a, b) + 2u * (a->kernel == b->kernel) + (a->page == b->page);
}

/* The measured set that is nearest from below, of the nearest kin among equals. */
static const struct point *nearest_below(const struct engine *engine, const struct point *point)
{
    const struct point *nearest = NULL;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (!p->result.known || !(same_hops(p, point) || plain_hops(p)) ||
            footprint(engine, p) > footprint(engine, point))
            continue;
        if (nearest && same_hops(nearest, point) && !same_hops(p, point))
            continue;
        if (nearest && !same_hops(nearest, point) && same_hops(p, point))
            nearest = NULL;
        if (!nearest || footprint(engine, p) > footprint(engine, nearest) ||
            (footprint(engine, p) == footprint(engine, nearest) &&
             kinship(p, point) >= kinship(nearest, point)))
            nearest = p;
    }
    return nearest;
}

double estimate_hop_ns(const struct engine *engine, const struct point *point)
{
    const struct point *nearest = nearest_below(engine, point);
    double cached = (double)last_level_bytes(engine) / (double)footprint(engine, point);

    /* A cycle larger than the cache misses every time; draws still hit its share of the set. */
    if (nearest && footprint(engine, nearest) * 2 >= footprint(engine, point))
        return point->kernel != nearest->kernel && point->kernel == KERNEL_IID && cached < 1
                   ? nearest->result.ns * (1 - 0.8 * cached)
                   : nearest->result.ns;
    if (footprint(engine, point) <= last_level_bytes(engine) && point->load != LOAD_FLUSH &&
        !point->cold)
        return nearest && nearest->result.ns > 5 ? nearest->result.ns : 5;
    return nearest && nearest->result.ns > 100 ? nearest->result.ns : 100;
}

/* Draws leave one line in e of those not yet seen with each lap: after ten, what a first touch of
 * memory adds is far below a figure's error, after three it would not be. Beyond the caches the
 * share of hits is theirs as soon as they are full of the set, whichever of its lines they hold. */
static uint64_t warm_draws(uint64_t lines, uint64_t cached)
{
    return lines <= cached + cached / 2 ? DRAW_LAPS * lines : 3 * cached;
}

/* Three laps bring any replacement policy into its steady state while the set is of the order of a
 * cache. Far beyond it every hop misses; what has to happen is that whatever the caches held before
 * is gone. Where building left none of the set in them, that is other memory's lines, whose only
 * trace is that some were written to: a cap's worth of time sweeps the nearer caches and as much of
 * the last as the point will use. */
static uint64_t warm_nodes(const struct engine *engine, const struct point *point, double hop_ns,
                           uint64_t nodes, uint64_t cached)
{
    uint64_t sweep = cached + cached / 4, brief;

    if (nodes <= 2 * cached)
        return 3 * nodes;
    brief = (uint64_t)(engine->cap_s * 1e9 / hop_ns) * point->chains;
    return engine->machine->description->build_bypasses && brief < sweep ? brief : sweep;
}

uint64_t estimate_warm_hops(const struct engine *engine, const struct point *point, double hop_ns)
{
    uint64_t nodes = point->bytes / point->stride_bytes;
    uint64_t line_bytes = engine->machine->description->line_bytes;
    uint64_t cached = last_level_bytes(engine) / line_bytes;
    uint64_t translations = (point->bytes >> point->page) / 8 * 4;
    uint64_t hops;

    if (point->cold)
        return 0;
    if (point->kernel == KERNEL_IID)
        return warm_draws(nodes, cached) + translations;
    /* Several nodes may share a line. */
    if (point->stride_bytes < line_bytes)
        cached *= line_bytes / point->stride_bytes;
    hops = warm_nodes(engine, point, hop_ns, nodes, cached);
    /* Beyond the caches page tables must have their share of them: each of their lines (8 entries)
     * touched a few times. */
    if (nodes > 2 * cached)
        hops += translations;
    return (hops + point->chains - 1) / point->chains;
}

bool estimate_lap_fits(const struct engine *engine, const struct point *point, double hop_ns)
{
    uint64_t length = point->bytes / point->stride_bytes / point->chains;
    double lap_s = (double)length * hop_ns * 1e-9;

    /* Draws have no lap to close. */
    return point->kernel == KERNEL_CYCLE && !point->cold && lap_s <= engine->cap_s / 2;
}

/* Draws over a set that the last level holds only in part mix two latencies; their median takes
 * several times as many samples. */
static bool scatters(const struct engine *engine, const struct point *point)
{
    return point->kernel == KERNEL_IID && footprint(engine, point) > last_level_bytes(engine);
}

/* With a share c of hits that cost next to nothing, the variance of such a mixture over the square
 * of its mean is c / (1 - c). */
static double mixture(const struct engine *engine, const struct point *point)
{
    double share = (double)last_level_bytes(engine) / (double)footprint(engine, point);

    share = share < 0.9 ? share : 0.9;
    return share / (1 - share);
}

/* Patience that comes to an end does so before it is used up. */
static double error_share(const struct point *point)
{
    return point->patience_hops > 0 ? (1 + 3 * point->error_share) / 4 : point->error_share;
}

/* What the mixture alone asks for. */
static double mixture_s(const struct engine *engine, const struct point *point)
{
    double target = engine->options->error_percent / 100, hops;

    target *= point->error_share > 0 ? error_share(point) : 1;
    hops = mixture(engine, point) / (target * target);
    if (point->patience_hops > 0 && hops > (double)point->patience_hops)
        hops = (double)point->patience_hops;
    return hops * estimate_hop_ns(engine, point) * 1e-9;
}

/* How many times as many samples as the measured point p took this one will: by the square root's
 * law where their scatter or their error targets differ, and what there must be at least. */
static double patience(const struct engine *engine, const struct point *p,
                       const struct point *point)
{
    double target = engine->options->error_percent / 100, ratio = 1, least;

    if (p->error_share != point->error_share && point->error_share > 0)
        ratio = p->result.mean_rel_error / (target * error_share(point));
    else if (p->error_share != point->error_share)
        ratio = p->result.rel_error / target;
    ratio *= ratio;
    if (scatters(engine, p) && scatters(engine, point))
        ratio *= mixture(engine, point) / mixture(engine, p);
    least = (double)point_samples_least(point) / (double)p->result.samples;
    return ratio > least ? ratio : least;
}

/* As long as measured sets of about this size took: their mean, weighted by how near they are and
 * whether kernel and pages are the same. */
static double sampling_s(const struct engine *engine, const struct point *point)
{
    uint64_t hops = point_hops_asked(engine->options, point);
    uint64_t samples = point->samples != 0 ? point->samples : point_samples_least(point);
    bool scattering = scatters(engine, point);
    double sum_s = 0, weights = 0, cap_s = point_cap_s(engine, point), found_s, least_s;

    if (engine->options->seconds > 0)
        return engine->options->seconds;
    if (hops != 0 && !scattering)
        return (double)(hops * samples) * estimate_hop_ns(engine, point) * 1e-9;
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        double ratio = (double)footprint(engine, p) / (double)footprint(engine, point);
        double distance = ratio < 1 ? 1 / ratio : ratio;
        double weight = (1 + kinship(p, point)) / (distance * distance * distance);
        if (!p->result.known)
            continue;
        if (scatters(engine, p) != scattering)
            weight *= 1e-6;
        sum_s += weight * p->result.sampling_s * patience(engine, p, point);
        weights += weight;
    }
    if (weights == 0)
        return engine->cap_s / 4;
    least_s = scattering ? mixture_s(engine, point) : 0;
    found_s = sum_s / weights > least_s ? sum_s / weights : least_s;
    /* An error that cannot be had is given up on. */
    return point->samples == 0 && found_s > cap_s ? cap_s : found_s;
}

/* Building, warming and reading back: what a point takes before and after its samples, whatever the
 * error target. */
static double standing_s(const struct engine *engine, const struct point *point)
{
    const struct estimate_model *model = &engine->model;
    double lines = (double)(point->bytes / point->stride_bytes);
    double hop_ns = estimate_hop_ns(engine, point);
    double walk_hops = (double)estimate_warm_hops(engine, point, hop_ns), walk_ns = hop_ns;
    double verify_ns = lines * model->verify_ns;

    /* Only what is timed is flushed. */
    if (point->load == LOAD_FLUSH) {
        struct point plain = *point;
        plain.load = LOAD_PLAIN;
        walk_ns = estimate_hop_ns(engine, &plain);
    }
    if (estimate_lap_fits(engine, point, hop_ns)) {
        double lap = lines / point->chains;
        verify_ns = 0;
        walk_hops = walk_hops < lap ? lap : walk_hops;
    }
    return (lines * model->build_ns + walk_hops * walk_ns + verify_ns) * 1e-9;
}

double estimate_point_s(const struct engine *engine, const struct point *point)
{
    return standing_s(engine, point) + sampling_s(engine, point);
}

static double spent_s(const struct engine *engine)
{
    const struct machine *machine = engine->machine;

    return (double)(machine->wall_ns(machine->self) - engine->current_ns) * 1e-9;
}

/* What a point that is not over will still take, repeats included. */
static double open_s(const struct engine *engine, const struct point *point)
{
    double point_s = point->over ? 0 : engine->options->repeats * estimate_point_s(engine, point);

    if (point == engine->current)
        point_s -= spent_s(engine);
    return point_s > 0 ? point_s : 0;
}

double estimate_budget_left_s(const struct engine *engine)
{
    const struct machine *machine = engine->machine;

    return ((double)engine->deadline_ns - (double)machine->wall_ns(machine->self)) * 1e-9;
}

/* Points of a curve stand beside others of its kind; every other point's figure is lost with it. */
static bool can_be_left_out(const struct point *point)
{
    return point->spare && !point->over;
}

/* Making the memory of points that cannot be left out: of each window as much as the largest needs.
 */
static double others_make_s(const struct engine *engine)
{
    uint64_t largest = 0;
    double bytes = 0;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (i > 0 && !plan_same_window(p - 1, p))
            largest = 0;
        if (p->over || p->spare || p->bytes <= largest)
            continue;
        bytes += (double)(p->bytes - largest);
        largest = p->bytes;
    }
    return engine->machine->window_make == NULL ? 0 : bytes * engine->model.make_ns * 1e-9;
}

bool estimate_affords(const struct engine *engine, const struct point *point)
{
    double left_s = estimate_budget_left_s(engine) / engine->options->repeats;
    double mine_s = standing_s(engine, point) + make_s(engine, point), cheaper_s = mine_s,
           others_s = 0;
    bool first = true;

    if (!can_be_left_out(point))
        return true;
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        double p_s = p->over ? 0 : standing_s(engine, p);
        first = first && !(p->spare && p->result.known);
        if (!can_be_left_out(p))
            others_s += p_s;
        else if (p != point && p_s <= mine_s)
            cheaper_s += p_s;
    }
    others_s += others_make_s(engine);
    /* What must be measured may be dear, too: some of the time is the curve's all the same.
     * Sampling makes do with what is left. */
    if (others_s > left_s * BUDGET_OTHERS_MOST)
        others_s = left_s * BUDGET_OTHERS_MOST;
    return first || cheaper_s <= (left_s - others_s) * BUDGET_STANDING_MOST ||
           mine_s <= BUDGET_ALWAYS_S;
}

double estimate_left_s(const struct engine *engine)
{
    double spare_s = 0, others_s = 0, left_s = estimate_budget_left_s(engine);

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *point = &engine->point[i];
        if (point->spare)
            spare_s += open_s(engine, point);
        else
            others_s += open_s(engine, point);
    }
    /* What the budget does not hold will be left out (estimate_affords). */
    if (others_s + spare_s > left_s)
        spare_s = left_s > others_s ? left_s - others_s : 0;
    return others_s + spare_s;
}

double estimate_share_s(const struct engine *engine)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < engine->point_count; i++)
        open += !engine->point[i].over;
    return 2 * estimate_budget_left_s(engine) / (open == 0 ? 1 : open);
}
