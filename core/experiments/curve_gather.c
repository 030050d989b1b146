/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/curve_gather.h"

#include "core/experiments/curve_levels.h"

/* Which points are taken: of pass `last` `room` of `of`, all before it, none after it. */
struct thinning {
    uint32_t experiment, tag;
    uint32_t last, of, room, seen;
};

static bool is_wanted(const struct thinning *thinning, const struct point *p)
{
    return p->experiment == thinning->experiment && p->tag == thinning->tag && p->result.known;
}

static struct thinning thin(const struct plan *plan, uint32_t experiment, uint32_t tag,
                            uint32_t max)
{
    struct thinning t = {experiment, tag, PASS_POSTPONED + 1, 0, max, 0};
    uint32_t count[PASS_POSTPONED + 1] = {0}, all = 0;

    for (uint32_t i = 0; i < plan->point_count; i++)
        if (is_wanted(&t, &plan->point[i])) {
            count[plan->point[i].pass]++;
            all++;
        }
    if (all <= max)
        return t;
    for (t.last = 0; count[t.last] <= t.room; t.last++)
        t.room -= count[t.last];
    t.of = count[t.last];
    journal_note_format(plan->journal, SEVERITY_INFO, "curve: levels are found from fewer points",
                        "%u of %u %s", max, all,
                        tag == CURVE_FIT ? "sets" : "sets of a line a page");
    return t;
}

static bool takes(struct thinning *t, const struct point *p)
{
    uint32_t nth;

    if (!is_wanted(t, p) || p->pass > t->last)
        return false;
    if (p->pass < t->last)
        return true;
    nth = t->seen++;
    return (nth + 1) * t->room / t->of > nth * t->room / t->of;
}

static double own_error(const struct point *point)
{
    return point->result.mean_own_error_ns / point->result.mean_ns;
}

size_t curve_gather_sets(const struct plan *plan, uint32_t experiment,
                         struct level_point points[LEVELS_POINTS_MAX])
{
    struct thinning t = thin(plan, experiment, CURVE_FIT, LEVELS_POINTS_MAX);
    size_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (takes(&t, p))
            points[count++] = (struct level_point){.bytes = (double)p->bytes,
                                                   .ns = p->result.mean_ns,
                                                   .rel_error = own_error(p),
                                                   .page = p->page,
                                                   .doubt = p->result.doubt};
    }
    return count;
}

size_t curve_gather_spread(const struct plan *plan, uint32_t experiment,
                           struct level_spread spread[LEVELS_SPREAD_MAX])
{
    struct thinning t = thin(plan, experiment, CURVE_REACH, LEVELS_SPREAD_MAX);
    size_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (takes(&t, p))
            spread[count++] = (struct level_spread){.pages = (double)(p->bytes / p->stride_bytes),
                                                    .ns = p->result.mean_ns,
                                                    .rel_error = own_error(p),
                                                    .page = p->page,
                                                    .doubt = p->result.doubt};
    }
    return count;
}
