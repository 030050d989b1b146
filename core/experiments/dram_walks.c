/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of translation per hop, from all sets together. Probes time walks on an otherwise idle
 * machine. During a chase through memory walks may cost less (memory is busy with prefetched lines
 * anyway) or more (table lines have to come from memory, refreshes go on). Both factors are the
 * same in all sets, while the share of hops that walk differs: a set that the TLBs cover has no
 * walks at all and shows a hop without them. So several sets measure what a single one only bounds.
 */
#include "core/experiments/dram_walks.h"

#include "core/experiments/dram_figures.h"
#include "core/lib/real.h"
#include "core/stats/nnls.h"

/* The unknowns: a hop of a chase and of draws without walks; what either saves by caches or open
 * rows in the smallest set; the cost of a walk relative to the probes; and the part of evictable
 * table lines that is evicted. */
enum { CHASE, DRAW, CHASE_FOUND, DRAW_FOUND, WALK, EVICTED, UNKNOWNS };

/* The same as DRAM_ANY_SET_SHARE while memory is busy with prefetched lines: for how long depends
 * on the rest of the hop. */
#define BUSY_SET_SHARE 0.003
/* Draws and chases may differ by this share: during the arithmetic between draws refreshes go on,
 * and so do prefetchers where they work. */
#define DRAWS_DIFFER_OFF 0.003
#define DRAWS_DIFFER_ON  0.05
/* Bytes of rows open at a time: two channels of two ranks of 32 banks of 8K. */
#define ROWS_BYTES 1048576.0
/* As a share of a hop: smaller effects do not matter. */
#define LITTLE_SHARE 0.0005
/* A chase is not used if draws hit caches more often than this: its own hits depend on the
 * replacement policy. */
#define CACHED_MAX 0.05
/* Largest mean of squared residuals over their errors; above it, something else is at work. Of 172
 * simulated machines 170 are below 2. */
#define MISFIT_MAX 3

struct system {
    double gram[UNKNOWNS][UNKNOWNS], moment[UNKNOWNS], x[UNKNOWNS];
    double squares, rows; /* after solving: squared residuals over their errors, and how many */
};

/* Adds the equation row . x = value, with its standard error. */
static void add_row(struct system *system, const double row[UNKNOWNS], double value, double error)
{
    double weight = 1 / (error * error);

    for (size_t i = 0; i < UNKNOWNS; i++) {
        for (size_t j = 0; j < UNKNOWNS; j++)
            system->gram[i][j] += weight * row[i] * row[j];
        system->moment[i] += weight * row[i] * value;
    }
    system->squares += weight * value * value;
    system->rows++;
}

/* No part is less than none: the best x with none evicted, if the best of all has less. Its
 * covariance stays the wider one. */
static void leave_none_evicted(struct system *system)
{
    double too_few = system->x[EVICTED], variance = system->gram[EVICTED][EVICTED];

    if (too_few >= 0)
        return;
    for (size_t i = 0; i < UNKNOWNS; i++)
        system->x[i] -= system->gram[i][EVICTED] / variance * too_few;
    system->squares += too_few * too_few / variance;
}

/* Solves for x and turns gram into its covariance; false: the equations do not determine all
 * unknowns. */
static bool solve(struct system *system)
{
    double unit[UNKNOWNS];

    if (!nnls_invert_scaled(&system->gram[0][0], UNKNOWNS, UNKNOWNS, 0, unit))
        return false;
    for (size_t i = 0; i < UNKNOWNS; i++) {
        system->x[i] = 0;
        for (size_t j = 0; j < UNKNOWNS; j++)
            system->x[i] += system->gram[i][j] * system->moment[j];
        system->squares -= system->x[i] * system->moment[i];
    }
    leave_none_evicted(system);
    return true;
}

/* Per degree of freedom. */
static double misfit(const struct system *system)
{
    return system->squares / (system->rows - UNKNOWNS);
}

static void add_sets(struct system *system, const struct dram_walks *walks, double cached_ns)
{
    double hop_ns = walks->set[walks->count - 1].chase.value;

    for (size_t i = 0; i < walks->count; i++) {
        const struct dram_walks_set *set = &walks->set[i];
        double share = walks->set[0].bytes / set->bytes, cached = share * cached_ns / hop_ns;
        double any_ns = real_hypotenuse(
            (walks->busy ? BUSY_SET_SHARE : DRAM_ANY_SET_SHARE) * hop_ns, set->pages.error);
        double chase[UNKNOWNS] = {[CHASE] = 1,
                                  [CHASE_FOUND] = -share,
                                  [WALK] = set->pages.value,
                                  [EVICTED] = set->evicted_ns};
        double draw[UNKNOWNS] = {[DRAW] = 1,
                                 [DRAW_FOUND] = -share,
                                 [WALK] = set->pages.value,
                                 [EVICTED] = set->evicted_ns};
        if (figure_is_known(set->chase) && cached <= CACHED_MAX)
            add_row(system, chase, set->chase.value,
                    real_hypotenuse(real_hypotenuse(set->chase.error, any_ns),
                                    cached * cached * hop_ns));
        if (figure_is_known(set->draw))
            add_row(system, draw, set->draw.value, real_hypotenuse(set->draw.error, any_ns));
    }
}

/* Equations that hold for any machine. */
static void add_bounds(struct system *system, const struct dram_walks *walks, double cached_ns)
{
    double hop_ns = walks->set[walks->count - 1].chase.value;
    double rows_ns =
        real_hypotenuse(ROWS_BYTES / walks->set[0].bytes * walks->row_ns, LITTLE_SHARE * hop_ns);
    double half = walks->brings ? 0.5 : 0;

    add_row(system, (double[UNKNOWNS]){[CHASE] = 1, [DRAW] = -1}, 0,
            (walks->brings ? DRAWS_DIFFER_ON : DRAWS_DIFFER_OFF) * hop_ns);
    add_row(system, (double[UNKNOWNS]){[CHASE_FOUND] = 1, [DRAW_FOUND] = -half}, 0,
            real_hypotenuse(rows_ns, walks->brings ? DRAM_ANYWHERE_SHARE * cached_ns : 0));
    add_row(system, (double[UNKNOWNS]){[DRAW_FOUND] = 1}, 0, hop_ns);
    add_row(system, (double[UNKNOWNS]){[WALK] = 1}, walks->share, walks->share_error);
    /* Anything from none to all is equally likely. */
    add_row(system, (double[UNKNOWNS]){[EVICTED] = 1}, 0.5, 0.5);
}

static bool solve_with(struct system *system, const struct dram_walks *walks, double cached_ns)
{
    *system = (struct system){.rows = 0};
    add_sets(system, walks, cached_ns);
    add_bounds(system, walks, cached_ns);
    return solve(system);
}

/* Probes touch one page fewer than the set has. A TLB covers the same number of P pages whatever P
 * is: from where it is outgrown, the cost of each level is linear in 1 / P, and the sum bends
 * upwards. So the value for one page more lies between the extrapolation from the smaller set and
 * the interpolation to the larger one. */
static void count_all_pages(struct dram_walks *walks)
{
    double before = 0;

    for (size_t i = 0; i + 1 < walks->count; i++) {
        struct dram_walks_set *set = &walks->set[i], *next = set + 1;
        double page = 1 / set->probes - 1 / (set->probes + 1);
        double after =
            (next->pages.value - set->pages.value) / (1 / set->probes - 1 / next->probes);
        double min_ns = before * page, max_ns = after * page;
        before = after;
        if (set->pages.value <= 2 * set->pages.error || max_ns <= min_ns)
            continue;
        set->pages.value += (min_ns + max_ns) / 2;
        set->pages.error =
            real_hypotenuse(set->pages.error, DRAM_ANYWHERE_SHARE * (max_ns - min_ns));
    }
}

/* The cost of translation for these parts. All sets share the factors, and so their error. */
static struct figure cost_of(const struct system *system, double factor,
                             const struct dram_walks_set *parts)
{
    double w = parts->pages.value, e = parts->evicted_ns;
    double variance = w * w * system->gram[WALK][WALK] + 2 * w * e * system->gram[WALK][EVICTED] +
                      e * e * system->gram[EVICTED][EVICTED];

    return (struct figure){.value = system->x[WALK] * w + system->x[EVICTED] * e,
                           .error =
                               real_hypotenuse(real_sqrt(factor * variance), parts->pages.error)};
}

/* The parts for each line beyond half of the last set. */
static struct dram_walks_set slope_of(const struct dram_walks_set *last)
{
    const struct dram_walks_set *half = last - 1;
    double large = last->bytes / (last->bytes - half->bytes), small = large - 1;

    return (struct dram_walks_set){
        .pages = {.value = large * last->pages.value - small * half->pages.value,
                  .error = real_hypotenuse(large * last->pages.error, small * half->pages.error)},
        .evicted_ns = large * last->evicted_ns - small * half->evicted_ns};
}

/* Which chases are used depends on how much draws hit caches, which draws alone show. */
static bool solve_all(struct system *system, const struct dram_walks *walks)
{
    double cached_ns = walks->set[walks->count - 1].chase.value;

    if (!solve_with(system, walks, cached_ns))
        return false;
    cached_ns = system->x[DRAW_FOUND] > 0 ? system->x[DRAW_FOUND] : 0;
    return solve_with(system, walks, cached_ns);
}

bool dram_walks_fit(struct dram_walks *walks)
{
    struct dram_walks_set parts;
    struct system system;
    double factor;

    walks->memory = figure_unknown();
    if (walks->count < 3)
        return false;
    count_all_pages(walks);
    if (!solve_all(&system, walks))
        return false;
    /* While memory is busy walks may cost what nobody expected. */
    if (misfit(&system) > MISFIT_MAX && walks->brings) {
        walks->share_error = 1;
        if (!solve_all(&system, walks))
            return false;
    }
    factor = misfit(&system) > 1 ? misfit(&system) : 1;
    walks->memory = (struct figure){.value = system.x[CHASE],
                                    .error = real_sqrt(factor * system.gram[CHASE][CHASE])};
    if (factor > MISFIT_MAX)
        return false;
    for (size_t i = 0; i < walks->count; i++)
        walks->set[i].cost = cost_of(&system, factor, &walks->set[i]);
    parts = slope_of(&walks->set[walks->count - 1]);
    walks->slope_cost = cost_of(&system, factor, &parts);
    return true;
}
