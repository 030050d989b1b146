/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/levels/tlb_knees.h"

#include "core/lib/real.h"

/* Two costs are equal within three standard errors, plus a fraction of the hop, plus a tenth of a
 * ns. */
#define FLAT_ERRORS 3
#define FLAT_SHARE  0.06
#define FLAT_NS     0.1
#define SURE_FLATS  1.5
/* A cost counts as fully reached if this fraction of the hops pays it. */
#define WHOLE_SHARE  0.8
#define LIKELY_SHARE 0.9

/* Miss models: LRU with 1, 2, 4, 8 or 16 pages per entry; random replacement. */
enum shape { SHAPE_1, SHAPE_2, SHAPE_4, SHAPE_8, SHAPE_16, SHAPE_RANDOM, SHAPES };

/* k pages at random positions of the cycle share an entry. The next use of the entry comes after at
 * least a fraction u of the cycle with probability (1 - u)^(k - 1), and by then all but (1 - u)^k
 * of the entries were used. An LRU TLB misses if those exceed its capacity. */
static double shared_misses(double over, unsigned sharing)
{
    return real_exp((1 - 1.0 / sharing) * real_log(over));
}

/* Random replacement: m, the miss rate, satisfies m = 1 - exp(-m pages / entries), because an entry
 * must survive one random eviction per miss until its next use. */
static double random_misses(double pages_over_entries)
{
    double low = 0, high = 1;

    for (unsigned i = 0; i < 40; i++) {
        double m = (low + high) / 2;
        if (m < 1 - real_exp(-m * pages_over_entries))
            low = m;
        else
            high = m;
    }
    return high;
}

/* The miss rate of a TLB that holds `held` pages, in a cycle of `pages`. */
static double misses(enum shape shape, double pages, double held)
{
    double over = 1 - held / pages;

    if (over <= 0)
        return 0;
    return shape == SHAPE_RANDOM ? random_misses(pages / held)
                                 : shared_misses(over, 1u << (unsigned)shape);
}

/* A model of a knee: cost of a miss, miss rate, and the steps [first, end) that it explains. */
struct model {
    enum shape shape;
    double held, ns;
    size_t first, end;
    double score; /* steps explained minus steps before the first of them */
};

static double flat_ns(const struct tlb_step *step)
{
    return FLAT_ERRORS * step->cost.error + FLAT_SHARE * step->packed_ns + FLAT_NS;
}

/* Minus the misses of the baseline, each of whose pages is used many times per cycle, as if drawn
 * at random. */
static double share_at(const struct model *model, const struct tlb_step *step)
{
    double packed = 1 - model->held / step->packed_pages;

    return misses(model->shape, (double)step->pages, model->held) - (packed > 0 ? packed : 0);
}

/* ---- locating a knee */

static bool is_above(const struct tlb_step *step, double flats)
{
    return step->cost.value > flats * flat_ns(step);
}

/* The first step from `at` on that rises above what is explained, by `flats` times the tolerance,
 * and so does the next one; count: none. */
static size_t leaves(const struct tlb_rest *rest, size_t pos, double flats)
{
    for (size_t i = pos; i < rest->count; i++)
        if (is_above(&rest->step[i], flats) && i + 1 < rest->count &&
            is_above(&rest->step[i + 1], flats))
            return i;
    return rest->count;
}

/* The first step clearly above, or else `leave`: if the steps before were not explained perfectly,
 * a slight excess is not a knee yet. */
static size_t surely_leaves(const struct tlb_rest *rest)
{
    size_t surely = leaves(rest, rest->leave, SURE_FLATS);

    return surely < rest->count ? surely : rest->leave;
}

/* ---- the cost of a miss */

/* A step's deviation from the model in units of the tolerance, which includes the model's cost. */
static double off(const struct tlb_step *step, const struct model *model)
{
    double ns = model->ns * share_at(model, step);

    return real_abs(step->cost.value - ns) / (flat_ns(step) + FLAT_SHARE * real_abs(ns));
}

/* Determines which steps are explained, allowing single unexplained ones between them. */
static void judge(const struct tlb_rest *rest, struct model *model)
{
    double score = 0;

    model->first = model->end = rest->count;
    for (size_t i = rest->leave; i < rest->count; i++) {
        double far = off(&rest->step[i], model);
        if (far <= 1) {
            if (model->first == rest->count)
                model->first = i;
            model->end = i + 1;
            score += 1 - far * far;
        } else if (model->first == rest->count) {
            score -= 1;
        } else if (i - model->end >= 1) {
            break;
        }
    }
    model->score = score;
}

/* The cost that explains most steps, for a given shape and reach. */
static struct model best_cost(const struct tlb_rest *rest, enum shape shape, double held)
{
    struct model best = {.score = 0};

    for (size_t i = rest->leave; i < rest->count; i++) {
        struct model model = {.shape = shape, .held = held};
        double share = share_at(&model, &rest->step[i]);
        if (share <= 0)
            continue;
        model.ns = rest->step[i].cost.value / share;
        judge(rest, &model);
        if (model.score > best.score)
            best = model;
    }
    return best;
}

/* The mean cost over the steps that the model explains. Their errors count as fully correlated,
 * because they come mainly from the common baseline; so does scatter in excess of them. */
static struct figure mean_cost(const struct tlb_rest *rest, const struct model *model)
{
    double up = 0, down = 0, errors = 0, own = 0, scatter = 0;
    struct figure mean;

    for (size_t i = model->first; i < model->end; i++) {
        const struct figure *cost = &rest->step[i].cost;
        double share = share_at(model, &rest->step[i]);
        if (off(&rest->step[i], model) > 1)
            continue;
        up += share * cost->value;
        down += share * share;
        errors += share * cost->error;
    }
    mean.value = up / down;
    for (size_t i = model->first; i < model->end; i++) {
        const struct figure *cost = &rest->step[i].cost;
        double apart = cost->value - mean.value * share_at(model, &rest->step[i]);
        if (off(&rest->step[i], model) > 1)
            continue;
        own += cost->error * cost->error;
        scatter += apart * apart;
    }
    scatter = scatter > own ? (scatter - own) / down : 0;
    mean.error = real_sqrt(errors * errors / (down * down) + scatter);
    return mean;
}

/* Includes in the error the costs of all miss models that explain nearly as much as the best one
 * (within one step and a tenth). */
static struct model fit_all(const struct tlb_rest *rest, const struct tlb_knee *knee,
                            struct figure *ns)
{
    const double reach[] = {(double)knee->low, (double)(knee->low + knee->high) / 2,
                            (double)knee->high};
    struct model model[SHAPES * 3], best = {.score = 0};
    double low, high;

    for (unsigned k = 0; k < SHAPES * 3; k++) {
        model[k] = best_cost(rest, (enum shape)(k / 3), reach[k % 3]);
        if (model[k].score > best.score)
            best = model[k];
    }
    if (best.score <= 0)
        return best;
    *ns = mean_cost(rest, &best);
    low = high = ns->value;
    for (unsigned k = 0; k < SHAPES * 3; k++) {
        if (model[k].score < best.score - 1 || model[k].score < LIKELY_SHARE * best.score)
            continue;
        low = model[k].ns < low ? model[k].ns : low;
        high = model[k].ns > high ? model[k].ns : high;
    }
    best.ns = ns->value;
    ns->error = real_sqrt(ns->error * ns->error + (high - low) * (high - low) / 4);
    return best;
}

/* Enough steps are explained, and the last pays the full cost. */
static bool is_seen(const struct tlb_rest *rest, const struct model *model)
{
    return model->end - model->first >= TLB_STEPS_MIN &&
           misses(model->shape, (double)rest->step[model->end - 1].pages, model->held) >=
               WHOLE_SHARE;
}

/* If the best model starts late, and the steps before it form a complete level of their own, prefer
 * that level: the best model explains more only because the next level spans more steps. */
static struct model fit(struct tlb_rest *rest, const struct tlb_knee *knee, struct figure *ns)
{
    struct model best = fit_all(rest, knee, ns), before;
    size_t all = rest->count;
    struct figure before_ns;

    if (best.score <= 0 || best.first - rest->leave < TLB_STEPS_MIN)
        return best;
    rest->count = best.first;
    before = fit_all(rest, knee, &before_ns);
    rest->count = all;
    if (before.score <= 0 || before.first != rest->leave || !is_seen(rest, &before))
        return best;
    *ns = before_ns;
    return before;
}

/* ---- the search */

static void take_off(struct tlb_rest *rest, const struct model *model, double error)
{
    for (size_t i = 0; i < rest->count; i++) {
        double share = share_at(model, &rest->step[i]);
        struct figure known = {model->ns * share, error * share};
        rest->step[i].cost = figure_difference(rest->step[i].cost, known);
    }
}

/* Subtracts the cost before the first knee. */
static void take_off_start(struct tlb_rest *rest)
{
    double sum = 0;

    for (size_t i = 0; i < TLB_STEPS_MIN; i++)
        sum += rest->step[i].cost.value;
    for (size_t i = 0; i < rest->count; i++)
        rest->step[i].cost.value -= sum / TLB_STEPS_MIN;
}

/* True if the cost mostly persists after the model's steps. It does not if the lines merely outgrow
 * a cache a few pages sooner than their baseline. */
static bool stays(const struct tlb_rest *rest, const struct model *model)
{
    size_t below = 0;

    for (size_t i = model->end; i < rest->count; i++)
        below += rest->step[i].cost.value < model->ns * share_at(model, &rest->step[i]) / 2;
    return 2 * below <= rest->count - model->end;
}

/* Fits the knee that begins at rest->leave; true if it is one. If no miss model explains the rise,
 * *model has no steps and no cost. */
static bool find_one(struct tlb_rest *rest, struct tlb_knee *knee, struct model *model)
{
    const struct tlb_step *last = &rest->step[rest->count - 1];

    *knee = (struct tlb_knee){.low = rest->step[rest->leave - 1].pages,
                              .high = rest->step[surely_leaves(rest)].span - 1};
    *model = fit(rest, knee, &knee->miss_ns);
    if (model->score <= 0)
        *model = (struct model){.first = rest->count, .end = rest->count};
    knee->extrapolated = !is_seen(rest, model);
    knee->rising = knee->extrapolated && model->end + 1 >= rest->count;
    if (knee->rising)
        knee->miss_ns = last->cost;
    return stays(rest, model) && knee->miss_ns.value > 2 * knee->miss_ns.error;
}

static size_t find(struct tlb_rest *rest, struct tlb_knee *knees, struct model *models)
{
    size_t found = 0, pos = 0;

    take_off_start(rest);
    while (found < TLB_KNEES_MAX) {
        rest->leave = leaves(rest, pos, 1);
        if (rest->leave == rest->count || rest->leave == 0)
            break;
        bool is_knee = find_one(rest, &knees[found], &models[found]);
        pos = models[found].end;
        if (!is_knee)
            continue;
        take_off(rest, &models[found], knees[found].miss_ns.error);
        found++;
    }
    return found;
}

size_t tlb_find(const struct tlb_step *steps, size_t count, struct tlb_rest *rest,
                struct tlb_knee knees[TLB_KNEES_MAX])
{
    struct model models[TLB_KNEES_MAX];

    if (count < TLB_STEPS_MIN)
        return 0;
    rest->count = count;
    for (size_t i = 0; i < count; i++)
        rest->step[i] = steps[i];
    return find(rest, knees, models);
}
