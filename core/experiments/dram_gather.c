/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects dram's points as sets that double. */
#include "core/experiments/dram_gather.h"

#include "core/experiments/dram_figures.h"
#include "core/experiments/dram_walks.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/prefetch_ratio.h"
#include "core/experiments/translation.h"
#include "core/lib/real.h"

bool dram_is_headline(const struct point *point)
{
    return point->purpose == PURPOSE_HEADLINE &&
           (point->tag == DRAM_HEADLINE || point->tag == DRAM_DRAW);
}

static uint64_t half_of(uint64_t bytes, const struct point *like)
{
    return bytes / 2 / like->stride_bytes * like->stride_bytes;
}

/* Measurements of one set: their mean, their own variance, and the variance between them beyond
 * that (other memory behind the same addresses, other programs, another time); below 0: chance. */
struct repeated {
    double count, ns, own, beyond;
};

static struct repeated repeated_of(const struct plan *plan, const struct point *like)
{
    struct repeated all = {.count = 0};
    double squares = 0, apart;

    for (uint32_t i = 0; like && i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        struct figure one = points_figure(p);
        if (!p->result.known || !points_are_alike(p, like))
            continue;
        all.count++;
        all.ns += one.value;
        all.own += one.error * one.error;
        squares += one.value * one.value;
    }
    if (all.count == 0)
        return all;
    all.ns /= all.count;
    all.own /= all.count;
    apart = all.count > 1 ? (squares - all.count * all.ns * all.ns) / (all.count - 1) : all.own;
    all.beyond = apart - all.own;
    return all;
}

/* Whether the point is of the sets that give the headline and its slope, or as large: the proof of
 * the prefetchers' state has chases of memory too. */
static bool is_as_large(const struct point *p, const struct point *largest)
{
    return p->result.known && p->experiment == largest->experiment &&
           p->prefetch_off == largest->prefetch_off && p->page == largest->page &&
           p->bytes >= half_of(largest->bytes, largest) &&
           (p->purpose == PURPOSE_HEADLINE ||
            (p->purpose == PURPOSE_PROOF && p->order == ORDER_RANDOM));
}

/* By which share measurements of one large set vary beyond their own errors. One set is measured
 * again too seldom to tell, so all are taken together. */
static double share_beyond(const struct plan *plan, const struct point *largest)
{
    double squares = 0, again = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        struct repeated all;
        if (!is_as_large(p, largest))
            continue;
        all = repeated_of(plan, p);
        squares += (all.count - 1) / all.count * all.beyond / (all.ns * all.ns);
        again += (all.count - 1) / all.count;
    }
    return again > 0 && squares > 0 ? real_sqrt(squares / again) : 0;
}

/* Combines all measurements of one set, each of which also varies by this share. */
static struct figure all_of(const struct plan *plan, const struct point *like, double share)
{
    struct repeated all = repeated_of(plan, like);
    double varies_ns = share * all.ns;

    if (all.count == 0)
        return figure_unknown();
    return (struct figure){.value = all.ns,
                           .error = real_sqrt((all.own + varies_ns * varies_ns) / all.count)};
}

/* The cost of a hop, with net: without its translation if that is known. */
static struct figure set_figure(const struct plan *plan, const struct point *point, double share,
                                bool net)
{
    struct figure figure = all_of(plan, point, share), pages;

    if (!point || !net)
        return figure;
    pages = translation_cost(plan, point);
    return figure_is_known(pages) ? figure_difference(figure, pages) : figure;
}

/* Whether everything requested for a set was measured. */
static bool is_whole(const struct plan *plan, const struct point *p)
{
    enum option_pattern pattern = plan->options->pattern;
    uint32_t other = p->tag == DRAM_HEADLINE ? DRAM_DRAW : DRAM_HEADLINE;

    return pattern == PATTERN_CYCLE || pattern == PATTERN_IID ||
           points_find_set(plan, p->experiment, other, p->prefetch_off, p->bytes) != NULL;
}

/* The largest measured set; NULL: none. whole: only sets measured completely. */
static const struct point *largest_of(const struct plan *plan, uint32_t experiment,
                                      bool prefetch_off, bool whole)
{
    const struct point *largest = NULL;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != experiment || p->prefetch_off != prefetch_off || !p->result.known ||
            !dram_is_headline(p) || (whole && !is_whole(plan, p)))
            continue;
        if (!largest || p->bytes > largest->bytes)
            largest = p;
    }
    return largest;
}

/* Collects sets in descending order until one is missing; returns how many. */
static size_t descend(const struct plan *plan, const struct point *largest, bool net,
                      struct dram_set down[DRAM_SETS_MAX])
{
    double share = share_beyond(plan, largest);
    size_t count = 0;

    for (uint64_t bytes = largest->bytes; bytes != 0 && count < DRAM_SETS_MAX;
         bytes = half_of(bytes, largest)) {
        uint32_t experiment = largest->experiment;
        bool off = largest->prefetch_off;
        const struct point *chase = points_find_set(plan, experiment, DRAM_HEADLINE, off, bytes);
        const struct point *draw = points_find_set(plan, experiment, DRAM_DRAW, off, bytes);
        struct dram_set set = {.bytes = (double)bytes,
                               .chase = set_figure(plan, chase, share, net),
                               .draw = set_figure(plan, draw, share, net)};
        if (!figure_is_known(set.chase) && !figure_is_known(set.draw))
            break;
        down[count++] = set;
    }
    return count;
}

static void gather_sets(const struct plan *plan, struct dram_found *found, bool net)
{
    found->count = descend(plan, found->largest, net, found->set);
    for (size_t i = 0, last = found->count; i + 1 < last--; i++) {
        struct dram_set held = found->set[i];
        found->set[i] = found->set[last];
        found->set[last] = held;
    }
}

/* The largest cache among the curve's levels, in bytes; 0: none yet. */
static double found_bytes(const struct curve_found *curve)
{
    double max = 0;

    for (size_t i = 0; curve->memory_known && i < LEVELS_MAX; i++) {
        const struct level *level = &curve->level[i];
        if (level->kind == LEVEL_MEMORY)
            break;
        if (levels_is_of_caches(level) && level->bytes > max)
            max = level->bytes;
    }
    return max;
}

/* Estimates how much of the probed cost walks have during a chase, from what is known of
 * prefetchers. */
static void expect_walks(const struct plan *plan, const struct point *largest,
                         struct dram_walks *walks)
{
    struct figure seen = translation_seen(plan, largest), busy = translation_busy(plan, largest);
    double hidden = seen.value - busy.value;
    double row_ns = prefetch_proof_row_ns(plan, largest->experiment, largest->prefetch_off);
    double busy_ns = prefetch_proof_busy_ns(plan, largest);

    walks->row_ns = real_is_nan(row_ns) ? PREFETCH_ROW_GAIN_MAX * largest->result.mean_ns : row_ns;
    walks->brings = prefetch_proof_brings(plan, largest->experiment, largest->prefetch_off);
    /* Where none were seen that may be there, for how long is not known. */
    walks->busy = walks->brings && !(busy_ns > 0 && busy_ns <= largest->result.mean_ns);
    walks->share = busy.value / seen.value;
    walks->share_error = real_hypotenuse(TRANSLATION_SHARE, hidden / seen.value);
}

/* Adds the cost of walks to the sets; false: the largest set shows none. */
static bool gather_walks(const struct plan *plan, const struct dram_found *found,
                         struct dram_walks *walks)
{
    const struct point *largest = found->largest;
    struct figure seen = translation_seen(plan, largest);
    uint64_t bytes = largest->bytes;

    if (!found->chase || !figure_is_known(seen) || seen.value <= 2 * seen.error)
        return false;
    *walks = (struct dram_walks){.count = found->count};
    expect_walks(plan, largest, walks);
    for (size_t i = found->count; i-- > 0; bytes = half_of(bytes, largest)) {
        const struct point *any =
            points_find_set(plan, largest->experiment, DRAM_HEADLINE, largest->prefetch_off, bytes);
        if (!any)
            return false;
        walks->set[i] =
            (struct dram_walks_set){.bytes = found->set[i].bytes,
                                    .chase = found->set[i].chase,
                                    .draw = found->set[i].draw,
                                    .pages = translation_seen(plan, any),
                                    .probes = translation_probes(plan, any),
                                    .evicted_ns = translation_evicted_max_ns(plan, any)};
        if (!figure_is_known(walks->set[i].pages))
            return false;
    }
    return true;
}

/* Several large sets together determine the cost of walks, so that less has to be assumed. */
static void fit_walks(const struct plan *plan, struct dram_found *found)
{
    struct dram_search gross;
    struct dram_walks walks;
    bool fitted = false;

    gather_sets(plan, found, false);
    if (gather_walks(plan, found, &walks)) {
        fitted = dram_walks_fit(&walks);
        *(fitted ? &found->memory : &found->contradicts) = walks.memory;
    }
    if (!fitted) {
        gather_sets(plan, found, true);
        return;
    }
    gross = found->search;
    dram_update_slope(found->set, found->count, &gross);
    found->pages = walks.set[walks.count - 1].cost;
    for (size_t i = 0; i < found->count; i++) {
        found->set[i].chase = figure_difference(found->set[i].chase, walks.set[i].cost);
        found->set[i].draw = figure_difference(found->set[i].draw, walks.set[i].cost);
    }
    dram_update_slope(found->set, found->count, &found->search);
    if (figure_is_known(gross.slope))
        found->search.slope = figure_difference(gross.slope, walks.slope_cost);
}

bool dram_gather(const struct plan *plan, const struct workbench *bench, uint32_t experiment,
                 bool prefetch_off, struct dram_found *found)
{
    const struct point *largest = largest_of(plan, experiment, prefetch_off, true);
    struct dram_caches caches = {.declared_bytes = (double)plan_last_level_bytes(plan),
                                 .found_bytes = found_bytes(&bench->curve)};

    if (!largest)
        largest = largest_of(plan, experiment, prefetch_off, false);
    if (!largest)
        return false;
    *found = (struct dram_found){
        .largest = largest, .memory = figure_unknown(), .contradicts = figure_unknown()};
    found->chase = points_find_set(plan, experiment, DRAM_HEADLINE, prefetch_off, largest->bytes);
    found->draw = points_find_set(plan, experiment, DRAM_DRAW, prefetch_off, largest->bytes);
    found->in_pieces = translation_in_pieces(
        plan, largest, !prefetch_proof_is_off(plan, experiment, prefetch_off));
    found->pages = found->in_pieces ? figure_unknown() : translation_cost(plan, largest);
    gather_sets(plan, found, figure_is_known(found->pages));
    found->search = dram_judge_sets(found->set, found->count, &caches);
    /* Slopes that errors let agree are still no line's cost where walks get longer. */
    found->search.agree = found->search.agree && (found->search.enough || !found->in_pieces);
    /* A partial cost is not subtracted: if no set is large enough, walks may be the reason. */
    if (!found->search.enough) {
        struct dram_search gross;
        found->pages = figure_unknown();
        gather_sets(plan, found, false);
        dram_update_slope(found->set, found->count, &gross);
        found->search.rise = gross.rise;
    }
    if (figure_is_known(found->pages))
        fit_walks(plan, found);
    return true;
}

doubt_set dram_doubts(const struct plan *plan, const struct dram_found *found)
{
    const struct point *largest = found->largest;
    uint64_t half = half_of(largest->bytes, largest);
    doubt_set doubt = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != largest->experiment || p->prefetch_off != largest->prefetch_off ||
            !dram_is_headline(p) || !p->result.known ||
            (p->bytes != largest->bytes && p->bytes != half))
            continue;
        doubt |= p->result.doubt;
        if (figure_is_known(found->pages))
            doubt |= translation_doubt(plan, p);
    }
    return doubt;
}
