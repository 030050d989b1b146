/* SPDX-License-Identifier: BSD-2-Clause */
/* dram's points as sets that double. */
#include "core/experiments/dram.h"
#include "core/experiments/dram_parts.h"
#include "core/experiments/prefetch_proof.h"
#include "core/lib/real.h"

/* A trend is as long as the samples: their mean lies half of it beside where it ends. */
#define DRIFT_SHARE 0.5
/* Of a hop: what one that finds its row open saves at most, where nothing is seen of it. */
#define ROW_GAIN_MOST 0.5

static const struct point *find(const struct engine *engine, uint32_t experiment,
                                enum point_role role, bool prefetch_off, uint64_t bytes)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && p->role == role && p->prefetch_off == prefetch_off &&
            p->result.known && (bytes == 0 || p->bytes == bytes))
            return p;
    }
    return NULL;
}

const struct point *dram_find(const struct engine *engine, uint32_t experiment,
                              enum point_role role, bool prefetch_off)
{
    return find(engine, experiment, role, prefetch_off, 0);
}

const struct point *dram_find_set(const struct engine *engine, uint32_t experiment,
                                  enum point_role role, bool prefetch_off, uint64_t bytes)
{
    return bytes == 0 ? NULL : find(engine, experiment, role, prefetch_off, bytes);
}

static bool is_alike(const struct point *a, const struct point *b)
{
    return a->experiment == b->experiment && a->role == b->role &&
           a->prefetch_off == b->prefetch_off && a->bytes == b->bytes;
}

uint32_t dram_planned(const struct engine *engine, const struct point *point)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < engine->point_count; i++)
        count += is_alike(&engine->point[i], point);
    return count;
}

struct figure dram_figure(const struct point *p)
{
    double error_ns, drift_ns;

    if (!p)
        return figure_unknown();
    error_ns = p->result.mean_rel_error * p->result.mean_ns;
    drift_ns = DRIFT_SHARE * p->result.drift_ns;
    return (struct figure){.value = p->result.mean_ns,
                           .error = real_hypotenuse(error_ns, drift_ns)};
}

/* Measurements of one set: their mean, and what one of them varies by beyond its own error (other
 * memory behind the same addresses, other programs, another time), as variances. */
struct repeated {
    double count, ns, own, beyond;
};

static struct repeated repeated_of(const struct engine *engine, const struct point *like)
{
    struct repeated all = {.count = 0};
    double squares = 0, apart;

    for (uint32_t i = 0; like && i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        struct figure one = dram_figure(p);
        if (!p->result.known || !is_alike(p, like))
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
    apart = all.count > 1 ? (squares - all.count * all.ns * all.ns) / (all.count - 1) : 0;
    all.beyond = apart > all.own ? apart - all.own : 0;
    return all;
}

/* All measurements of one set together, each of which varies by that share of it, too. */
static struct figure all_of(const struct engine *engine, const struct point *like, double share)
{
    struct repeated all = repeated_of(engine, like);
    double varies_ns = share * all.ns;

    if (all.count == 0)
        return figure_unknown();
    return (struct figure){.value = all.ns,
                           .error = real_sqrt((all.own + varies_ns * varies_ns) / all.count)};
}

/* A set's hop, less what its own pages cost, where that is known. */
static struct figure set_figure(const struct engine *engine, const struct point *point,
                                double share, bool net)
{
    struct figure figure = all_of(engine, point, share), pages;

    if (!point || !net)
        return figure;
    pages = dram_pages_cost(engine, point);
    return figure_is_known(pages) ? figure_difference(figure, pages) : figure;
}

/* Whether all that the options ask for of a set was measured. */
static bool is_whole(const struct engine *engine, const struct point *p)
{
    enum option_pattern pattern = engine->options->pattern;
    enum point_role other = p->role == ROLE_HEADLINE ? ROLE_DRAW : ROLE_HEADLINE;

    return pattern == PATTERN_CYCLE || pattern == PATTERN_IID ||
           dram_find_set(engine, p->experiment, other, p->prefetch_off, p->bytes) != NULL;
}

/* The largest of such sets; NULL: there is none. */
static const struct point *largest_of(const struct engine *engine, uint32_t experiment,
                                      bool prefetch_off, bool whole)
{
    const struct point *largest = NULL;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment != experiment || p->prefetch_off != prefetch_off || !p->result.known ||
            (p->role != ROLE_HEADLINE && p->role != ROLE_DRAW) || (whole && !is_whole(engine, p)))
            continue;
        if (!largest || p->bytes > largest->bytes)
            largest = p;
    }
    return largest;
}

static uint64_t half_of(uint64_t bytes, const struct point *like)
{
    return bytes / 2 / like->stride_bytes * like->stride_bytes;
}

/* Sets in descending order until one is not there; answers how many. */
static size_t descend(const struct engine *engine, const struct point *largest, bool net,
                      struct dram_set down[DRAM_SETS_MAX])
{
    struct repeated all = repeated_of(engine, largest);
    double share = real_sqrt(all.beyond) / all.ns;
    size_t count = 0;

    for (uint64_t bytes = largest->bytes; bytes != 0 && count < DRAM_SETS_MAX;
         bytes = half_of(bytes, largest)) {
        uint32_t experiment = largest->experiment;
        bool off = largest->prefetch_off;
        const struct point *chase = dram_find_set(engine, experiment, ROLE_HEADLINE, off, bytes);
        const struct point *draw = dram_find_set(engine, experiment, ROLE_DRAW, off, bytes);
        struct dram_set set = {.bytes = (double)bytes,
                               .chase = set_figure(engine, chase, share, net),
                               .draw = set_figure(engine, draw, share, net)};
        if (!figure_is_known(set.chase) && !figure_is_known(set.draw))
            break;
        down[count++] = set;
    }
    return count;
}

static void gather_sets(const struct engine *engine, struct dram_found *found, bool net)
{
    found->count = descend(engine, found->largest, net, found->set);
    for (size_t i = 0, last = found->count; i + 1 < last--; i++) {
        struct dram_set held = found->set[i];
        found->set[i] = found->set[last];
        found->set[last] = held;
    }
}

/* The largest capacity among the curve's levels, memory last; 0: there are none yet. */
static double found_bytes(const struct engine *engine)
{
    double most = 0;

    for (size_t i = 0; engine->memory_level_known && i < LEVELS_MOST; i++) {
        const struct level *level = &engine->level[i];
        if (level->kind == LEVEL_MEMORY)
            break;
        if (level->kind != LEVEL_TLB && level->kind != LEVEL_WALK && level->bytes > most)
            most = level->bytes;
    }
    return most;
}

/* What walks cost beside a chase over what probes say of them, by what is known of prefetchers. */
static void expect_walks(const struct engine *engine, const struct point *largest,
                         struct dram_walks *walks)
{
    struct figure seen = dram_pages_seen(engine, largest), busy = dram_pages_busy(engine, largest);
    double hidden = seen.value - busy.value;
    double row_ns = prefetch_proof_row_ns(engine, largest->experiment, largest->prefetch_off);

    walks->row_ns = real_is_nan(row_ns) ? ROW_GAIN_MOST * largest->result.mean_ns : row_ns;
    walks->brings = prefetch_proof_brings(engine, largest->experiment, largest->prefetch_off);
    walks->share = busy.value / seen.value;
    walks->share_error = real_hypotenuse(DRAM_PAGES_SHARE, hidden / seen.value);
}

/* The sets with their walks, which are seen in the largest; false: they are not. */
static bool gather_walks(const struct engine *engine, const struct dram_found *found,
                         struct dram_walks *walks)
{
    const struct point *largest = found->largest;
    struct figure seen = dram_pages_seen(engine, largest);
    uint64_t bytes = largest->bytes;

    if (!found->chase || !figure_is_known(seen) || seen.value <= 2 * seen.error)
        return false;
    *walks = (struct dram_walks){.count = found->count};
    expect_walks(engine, largest, walks);
    for (size_t i = found->count; i-- > 0; bytes = half_of(bytes, largest)) {
        const struct point *any =
            dram_find_set(engine, largest->experiment, ROLE_HEADLINE, largest->prefetch_off, bytes);
        if (!any)
            return false;
        walks->set[i] =
            (struct dram_walks_set){.bytes = found->set[i].bytes,
                                    .chase = found->set[i].chase,
                                    .draw = found->set[i].draw,
                                    .pages = dram_pages_seen(engine, any),
                                    .probes = dram_pages_probes(engine, any),
                                    .evicted_ns = dram_pages_evicted_most_ns(engine, any)};
        if (!figure_is_known(walks->set[i].pages))
            return false;
    }
    return true;
}

/* Sets that are large enough say together what walks take of each: less is left to guess. */
static void fit_walks(const struct engine *engine, struct dram_found *found)
{
    struct dram_search gross;
    struct dram_walks walks;

    gather_sets(engine, found, false);
    if (!gather_walks(engine, found, &walks) || !dram_walks_fit(&walks)) {
        gather_sets(engine, found, true);
        return;
    }
    gross = found->search;
    dram_tell_slope(found->set, found->count, &gross);
    found->memory = walks.memory;
    found->pages = walks.set[walks.count - 1].cost;
    for (size_t i = 0; i < found->count; i++) {
        found->set[i].chase = figure_difference(found->set[i].chase, walks.set[i].cost);
        found->set[i].draw = figure_difference(found->set[i].draw, walks.set[i].cost);
    }
    dram_tell_slope(found->set, found->count, &found->search);
    if (figure_is_known(gross.slope))
        found->search.slope = figure_difference(gross.slope, walks.slope_cost);
}

bool dram_gather(const struct engine *engine, uint32_t experiment, bool prefetch_off,
                 struct dram_found *found)
{
    const struct point *largest = largest_of(engine, experiment, prefetch_off, true);
    struct dram_caches caches = {.declared_bytes = (double)plan_last_level_bytes(engine),
                                 .found_bytes = found_bytes(engine)};

    if (!largest)
        largest = largest_of(engine, experiment, prefetch_off, false);
    if (!largest)
        return false;
    *found = (struct dram_found){.largest = largest, .memory = figure_unknown()};
    found->chase = dram_find_set(engine, experiment, ROLE_HEADLINE, prefetch_off, largest->bytes);
    found->draw = dram_find_set(engine, experiment, ROLE_DRAW, prefetch_off, largest->bytes);
    found->pages = dram_pages_cost(engine, largest);
    if (dram_pages_in_pieces(engine, largest,
                             !prefetch_proof_is_off(engine, experiment, prefetch_off)))
        found->pages = figure_unknown();
    gather_sets(engine, found, figure_is_known(found->pages));
    found->search = dram_judge_sets(found->set, found->count, &caches);
    /* A part of it alone is not taken off: where no set is large enough, walks may be the reason.
     */
    if (!found->search.enough) {
        found->pages = figure_unknown();
        gather_sets(engine, found, false);
    }
    if (figure_is_known(found->pages))
        fit_walks(engine, found);
    return true;
}

doubt_set dram_doubts(const struct engine *engine, const struct dram_found *found)
{
    const struct point *largest = found->largest;
    uint64_t half = half_of(largest->bytes, largest);
    doubt_set doubt = 0;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment != largest->experiment || p->prefetch_off != largest->prefetch_off ||
            (p->role != ROLE_HEADLINE && p->role != ROLE_DRAW) || !p->result.known ||
            (p->bytes != largest->bytes && p->bytes != half))
            continue;
        doubt |= p->result.doubt;
        if (figure_is_known(found->pages))
            doubt |= dram_pages_doubt(engine, p);
    }
    return doubt;
}
