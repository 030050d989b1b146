/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/parallel.h"

#include "core/experiments/tags.h"
#include "core/experiments/translation.h"
#include "core/plan/sets.h"

/* Tags of its points; those of so many chains at once are plain. */
enum {
    PARALLEL_ALONE = 1, /* page after page, with few TLB misses */
    PARALLEL_BURST      /* one round of all chains at a time, from rest */
};

#define BURSTS            512  /* rounds from rest, one sample each */
#define BURST_STEP_MAX_NS 15.0 /* a clock with a coarser step cannot time one round of misses */
#define GROUP_BYTES       4096
#define EXACT_SHARE       0.5 /* factor on the error target: a knee is a difference */
/* As shares of the rate that one more miss adds: deviations that still count as flat, and by how
 * much the last step before the knee must be lower. */
#define FLAT_SHARE  0.35
#define SHARP_SHARE 0.7
/* By what share of the last step's growth the next step may still grow. */
#define BEND_SHARE 0.35
/* A hop that takes longer by this share before the knee has waited for other misses. */
#define WAITING_SHARE 0.015

static double rate(const struct parallel_step *step)
{
    return step->chains / step->ns.value;
}

static double relative_error(const struct parallel_step *step)
{
    return step->ns.error / step->ns.value;
}

/* The mean rate of the steps from index `first` on. */
static double rate_from(const struct parallel_step *steps, size_t count, size_t first)
{
    double sum = 0;

    for (size_t i = first; i < count; i++)
        sum += rate(&steps[i]);
    return sum / (double)(count - first);
}

static bool is_flat(const struct parallel_step *steps, size_t count, size_t first)
{
    double flat = rate_from(steps, count, first);

    for (size_t i = first; i < count; i++) {
        double off = rate(&steps[i]) / flat - 1;
        double within = FLAT_SHARE / steps[first].chains + 3 * relative_error(&steps[i]);
        if ((off < 0 ? -off : off) > within)
            return false;
    }
    return true;
}

static bool is_precise(const struct parallel_step *steps, size_t count, size_t knee)
{
    for (size_t i = knee == 0 ? 0 : knee - 1; i < count; i++)
        if (!(3 * relative_error(&steps[i]) <= FLAT_SHARE / steps[knee].chains))
            return false;
    return true;
}

/* Whether the rate grew by most of a whole miss right up to the knee and stopped at once. */
static bool is_sharp(const struct parallel_step *steps, size_t count, size_t knee)
{
    double flat = rate_from(steps, count, knee), at_knee = rate(&steps[knee]), before;

    if (knee == 0)
        return true;
    before = rate(&steps[knee - 1]);
    return steps[knee - 1].chains == steps[knee].chains - 1 &&
           before < flat * (1 - SHARP_SHARE / steps[knee].chains) &&
           rate(&steps[knee + 1]) - at_knee < BEND_SHARE * (at_knee - before);
}

/* Memory accesses that wait for each other at random cannot saturate sharply. */
static bool waits_at_random(const struct parallel_step *steps, size_t knee)
{
    const struct parallel_step *before = &steps[knee == 0 ? 0 : knee - 1];
    double longer = before->ns.value / steps[0].ns.value - 1;

    return longer > WAITING_SHARE + 3 * (relative_error(before) + relative_error(&steps[0]));
}

/* Whether the misses of a round from rest overlap instead of following each other. */
static bool comes_together(const struct parallel_step *steps, size_t knee)
{
    const struct parallel_step *at_knee = &steps[knee];
    double longer = at_knee->burst_ns.value - steps[0].burst_ns.value;
    double in_turn = steps[0].ns.value * (1 - 1.0 / at_knee->chains);

    if (at_knee->chains == 1)
        return true;
    return at_knee->burst_ns.value > 0 && steps[0].burst_ns.value > 0 && longer < in_turn / 2;
}

/* Whether the last chain still added much of a miss. */
static bool still_grows(const struct parallel_step *steps, size_t count)
{
    const struct parallel_step *last = &steps[count - 1];

    return rate(last) - rate(last - 1) > FLAT_SHARE * rate(last) / last->chains;
}

/* Whether chains at the knee lose as much time to TLB misses as one more miss would add. */
static bool translates(const struct parallel_step *steps, size_t knee)
{
    struct figure alone = steps[0].alone_ns;

    return alone.value > 0 && steps[knee].chains * (1 - alone.value / steps[0].ns.value) >
                                  FLAT_SHARE + 3 * steps[knee].chains * alone.error / alone.value;
}

/* Why there is no exact number; NULL: there is. */
static const char *limit_of(const struct parallel_step *steps, size_t count, size_t knee)
{
    if (knee + 1 >= count || still_grows(steps, count))
        return "chains";
    if (translates(steps, knee))
        return "translation";
    if (!is_precise(steps, count, knee))
        return "precision";
    if (!is_sharp(steps, count, knee) ||
        (!waits_at_random(steps, knee) && !comes_together(steps, knee)))
        return "bandwidth";
    return NULL;
}

/* Chains that wait for each other cannot be faster than a single one: the shortest round is nearest
 * to the latency of a miss. */
static struct figure max_under_way(const struct parallel_step *steps, size_t count)
{
    struct figure max = {1, 0}, shortest = steps[0].ns;

    for (size_t i = 1; i < count; i++)
        if (steps[i].ns.value < shortest.value)
            shortest = steps[i].ns;
    if (steps[0].alone_ns.value > 0 && steps[0].alone_ns.value < shortest.value)
        shortest = steps[0].alone_ns;
    for (size_t i = 0; i < count; i++) {
        struct figure misses = figure_scaled(figure_ratio(shortest, steps[i].ns), steps[i].chains);
        if (misses.value > max.value)
            max = misses;
    }
    return max;
}

bool parallel_find(const struct parallel_step *steps, size_t count, struct parallel_misses *misses)
{
    struct figure max;
    size_t knee = 0;

    if (count < 2 || steps[0].chains != 1)
        return false;
    while (knee + 1 < count && !is_flat(steps, count, knee))
        knee++;
    misses->limited_by = limit_of(steps, count, knee);
    misses->exact = misses->limited_by == NULL;
    if (misses->exact) {
        misses->value = misses->low = misses->high = steps[knee].chains;
        return true;
    }
    max = max_under_way(steps, count);
    misses->value = max.value;
    misses->low = max.value - 2 * max.error;
    misses->high = max.value + 2 * max.error;
    return true;
}

/* ---- the experiment */

/* The latency of a miss alone: measures the set's TLB misses, or a chase with few of them. */
static void plan_alone(struct plan *plan, struct point point)
{
    point.chains = 1;
    if (translation_measurable(plan, &point)) {
        translation_plan(plan, &point);
        return;
    }
    point.order = ORDER_PAGED;
    point.group_bytes = GROUP_BYTES;
    point.tag = PARALLEL_ALONE;
    point.stays_cached = true;
    plan_add(plan, &point);
}

static void plan_state(struct plan *plan, struct point point)
{
    const struct machine_description *d = plan->machine;
    uint64_t lines = point.bytes / point.stride_bytes;
    bool bursts = d->clock.resolution_ticks * 1e9 < BURST_STEP_MAX_NS * (double)d->clock.hz;

    point.error_scale = EXACT_SHARE;
    for (uint32_t chains = 1; chains <= d->chains_cycle_max && chains <= lines; chains++) {
        point.chains = chains;
        plan_add(plan, &point);
    }
    plan_alone(plan, point);
    if (!bursts)
        journal_note(plan->journal, SEVERITY_INFO, "parallel: rounds from rest left out",
                     "the clock's step is too coarse to time a single miss");
    /* A round from rest includes the clock's own cost, so it is not recorded as the cost of a hop.
     */
    point.tag = PARALLEL_BURST;
    point.stays_cached = point.unrecorded = true;
    point.hops = 1;
    point.samples = BURSTS;
    for (uint32_t chains = 1; bursts && chains <= d->chains_cycle_max && chains <= lines;
         chains++) {
        point.chains = chains;
        plan_add(plan, &point);
    }
}

enum status parallel_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "parallel: the set of memory", &page);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    for (uint32_t i = 0; i < states && bytes != 0; i++)
        plan_state(plan, plan_point(plan, experiment, page, off[i], bytes));
    return STATUS_OK;
}

/* Collects the measured points of one state as steps; *about is the last of them. */
static size_t gather(const struct plan *plan, uint32_t experiment, bool off,
                     struct parallel_step steps[CHAINS_MAX], const struct point **about)
{
    size_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != experiment || p->prefetch_off != off || !p->result.known)
            continue;
        if (p->tag == TAG_PLAIN && count < CHAINS_MAX) {
            steps[count++] = (struct parallel_step){.chains = p->chains, .ns = figure_of_mean(p)};
            *about = p;
        }
        for (size_t k = 0; k < count && p->tag == PARALLEL_BURST; k++)
            if (steps[k].chains == p->chains)
                steps[k].burst_ns = figure_of_mean(p);
    }
    return count;
}

static struct figure alone_of(const struct plan *plan, uint32_t experiment, bool off,
                              const struct point *about, struct figure chase)
{
    struct figure pages = translation_cost(plan, about);
    const struct point *alone = points_find(plan, experiment, PARALLEL_ALONE, off);

    if (figure_is_known(pages))
        return figure_difference(chase, pages);
    return alone ? figure_of_mean(alone) : (struct figure){0, 0};
}

/* The doubts of all steps, of which that is one; chains: only of those with so many, 0: any. */
static doubt_set doubt_of_steps(const struct plan *plan, const struct point *about, uint32_t chains)
{
    doubt_set doubt = plan_set_doubt(plan, about->bytes);

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == about->experiment && p->prefetch_off == about->prefetch_off &&
            (chains == 0 || p->chains == chains))
            doubt |= p->result.doubt;
    }
    return doubt;
}

static void emit_bandwidth(const struct plan *plan, const struct parallel_step *steps, size_t count,
                           const struct point *about)
{
    double line_bytes = plan->machine->line_bytes;

    for (size_t i = 0; i < count; i++) {
        struct record_finding finding = finding_about(about);
        struct figure bytes = {line_bytes * steps[i].chains * 1e9, 0};
        finding.chains = steps[i].chains;
        finding.doubt = doubt_of_steps(plan, about, steps[i].chains);
        finding_emit(plan->journal, finding, "bandwidth", "bytes_per_s",
                     figure_ratio(bytes, steps[i].ns));
    }
}

static void conclude_state(const struct plan *plan, uint32_t experiment, bool off)
{
    struct parallel_step steps[CHAINS_MAX];
    struct parallel_misses misses;
    const struct point *about = NULL;
    struct record record = {.kind = RECORD_FINDING};
    size_t count = gather(plan, experiment, off, steps, &about);

    if (count == 0)
        return;
    steps[0].alone_ns = alone_of(plan, experiment, off, about, steps[0].ns);
    emit_bandwidth(plan, steps, count, about);
    if (!parallel_find(steps, count, &misses)) {
        journal_note(
            plan->journal, SEVERITY_INFO, "parallel: no number of misses",
            "that takes measurements with one chain and with more, and not all of them are there");
        return;
    }
    record.u.finding = finding_about(about);
    record.u.finding.doubt = doubt_of_steps(plan, about, 0);
    record.u.finding.name = "outstanding misses";
    record.u.finding.unit = "misses";
    record.u.finding.value = misses.value;
    record.u.finding.low = misses.low;
    record.u.finding.high = misses.high;
    record.u.finding.bound = misses.exact ? "exact" : "at_least";
    record.u.finding.limited_by = misses.limited_by;
    journal_emit(plan->journal, &record);
}

enum status parallel_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    for (uint32_t i = 0; i < states; i++)
        conclude_state(plan, experiment, off[i]);
    return STATUS_OK;
}
