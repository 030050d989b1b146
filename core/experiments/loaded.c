/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/loaded.h"

#include "core/experiments/crew.h"
#include "core/experiments/loaded_curve.h"
#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/measure/finding.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/sets.h"

/* The lines of all loading CPUs together are this many last-level caches, and those of each at
 * least as many of the cache before it: what they load is not found there again. */
#define CACHES 4
/* Without declared caches. */
#define EACH_BYTES (64ull << 20)
/* Points that are added about a knee, to each curve. */
#define REFINED_QUICK 2
#define REFINED_FULL  4

/* Cycles after a block; half as fast where it takes as long as the block. Ends, then what is
 * between them. */
static const uint32_t quick_pauses[] = {0, 16384, 4096, 1024};
static const uint32_t full_pauses[] = {0, 32768, 4096, 16384, 8192, 2048, 1024, 512, 256};

static const enum traffic_kind kinds[] = {TRAFFIC_READ, TRAFFIC_2_1, TRAFFIC_1_1, TRAFFIC_STORE_NT};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CURVES       (2 * COUNT(kinds))

static struct point_traffic curve_load(size_t curve)
{
    return (struct point_traffic){.kind = kinds[curve / 2], .random = curve % 2 != 0};
}

static bool is_of(const struct point *p, const struct point *idle, const struct point_traffic *load)
{
    return points_are_alike(p, idle) && p->traffic.cpus != 0 && p->traffic.kind == load->kind &&
           p->traffic.random == load->random;
}

/* ---- the plan */

enum status loaded_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "loaded: the set of memory", &page);
    uint64_t limit = bytes == 0 ? 0 : plan_limit(plan, page);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    /* The other CPUs' lines have to lie in the same window. */
    while (bytes > limit / 2 && bytes > 1ull << page)
        bytes = bytes / 2 >> page << page;
    bench->loaded_room_bytes = limit - bytes;
    if (bytes != 0)
        plan_note_cached(plan, experiment_list[experiment].name, bytes);
    for (uint32_t i = 0; i < states && bytes != 0; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        point.label = "memory";
        point.stays_cached = true;
        plan_add(plan, &point);
    }
    return STATUS_OK;
}

static uint64_t power_below(uint64_t value)
{
    return value == 0 ? 0 : 1ull << (63 - __builtin_clzll(value));
}

/* The largest declared cache but the last one. */
static uint64_t inner_bytes(const struct plan *plan)
{
    const struct machine_description *d = plan->machine;
    uint64_t last = plan_last_level_bytes(plan), inner = 0;

    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].bytes > inner && d->caches[i].bytes < last)
            inner = d->caches[i].bytes;
    return inner;
}

/* A power of two, so that any order of it can be computed; 0: there is no room. */
static uint64_t each_bytes(const struct plan *plan, const struct workbench *bench)
{
    uint64_t cpus = plan->crew.count, last = plan_last_level_bytes(plan);
    uint64_t wanted = last == 0 ? EACH_BYTES : CACHES * last / cpus;
    uint64_t inner = CACHES * inner_bytes(plan),
             room = power_below(bench->loaded_room_bytes / cpus);

    wanted = wanted < inner ? inner : wanted;
    wanted = power_below(2 * wanted - 1);
    wanted = wanted < room ? wanted : room;
    return wanted < TRAFFIC_BLOCK * plan->machine->line_bytes ? 0 : wanted;
}

static void add_curves(struct plan *plan, const struct point *idle, uint64_t each)
{
    bool full = plan->options->plan == PLAN_FULL;
    const uint32_t *pauses = full ? full_pauses : quick_pauses;
    size_t count = full ? COUNT(full_pauses) : COUNT(quick_pauses);

    for (size_t i = 0; i < count; i++)
        for (size_t curve = 0; curve < CURVES; curve++) {
            struct point_traffic load = curve_load(curve);
            load.cpus = plan->crew.count;
            load.each_bytes = each;
            load.pause_cycles = pauses[i];
            crew_add_step(plan, idle, &load,
                          i < 2   ? PASS_ENDS
                          : i < 3 ? PASS_OCTAVES
                                  : PASS_HALVES);
        }
}

/* ---- its curves */

static bool step_of(const struct plan *plan, const struct point *point, struct loaded_step *step)
{
    if (!point->result.known || crew_why_none(point) != NULL)
        return false;
    *step = (struct loaded_step){.pause_cycles = point->traffic.pause_cycles,
                                 .ns = points_figure(point),
                                 .bytes_per_s = crew_own_bytes(plan, point, points_figure(point))};
    if (point->traffic.cpus != 0)
        step->bytes_per_s = figure_sum(step->bytes_per_s, point->result.traffic.bytes_per_s);
    return true;
}

/* False: it has no unloaded end, or nothing else. */
static bool gather(const struct plan *plan, const struct point *idle, size_t which,
                   struct loaded_curve *curve)
{
    struct point_traffic load = curve_load(which);
    struct loaded_step step;

    curve->count = 0;
    if (!step_of(plan, idle, &step) || !loaded_add(curve, &step))
        return false;
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (is_of(&plan->point[i], idle, &load) && step_of(plan, &plan->point[i], &step))
            (void)loaded_add(curve, &step);
    return curve->count > 1;
}

/* How many points the curve has, and whether all of them are over. */
static uint32_t planned(const struct plan *plan, const struct point *idle, size_t which, bool *over)
{
    struct point_traffic load = curve_load(which);
    uint32_t count = 0;

    *over = true;
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (is_of(&plan->point[i], idle, &load)) {
            count++;
            *over = *over && plan->point[i].over;
        }
    return count;
}

/* Also one that has no figure: it would have none again. */
static bool has_step(const struct plan *plan, const struct point *idle,
                     const struct point_traffic *load)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (is_of(&plan->point[i], idle, load) &&
            plan->point[i].traffic.pause_cycles == load->pause_cycles)
            return true;
    return false;
}

/* One more point between the steps on both sides of a knee. */
static void refine(struct plan *plan, const struct point *idle, uint64_t each, size_t which)
{
    bool full = plan->options->plan == PLAN_FULL, over;
    uint32_t max = full ? COUNT(full_pauses) + REFINED_FULL : COUNT(quick_pauses) + REFINED_QUICK;
    struct point_traffic load = curve_load(which);
    struct loaded_curve curve;
    struct loaded_knee knee;

    if (planned(plan, idle, which, &over) >= max || !over || !gather(plan, idle, which, &curve))
        return;
    knee = loaded_find_knee(&curve);
    load.cpus = plan->crew.count;
    load.each_bytes = each;
    if (loaded_pause_between(&curve, &knee, &load.pause_cycles) && !has_step(plan, idle, &load))
        crew_add_step(plan, idle, &load, plan->pass);
}

bool loaded_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;
    bool begun = crew_is_planned(plan, experiment);
    uint64_t each;

    crew_gather(plan, bench, experiment);
    each = plan->crew.count == 0 ? 0 : each_bytes(plan, bench);
    for (uint32_t i = 0; i < first && each != 0; i++) {
        struct point idle = plan->point[i];
        if (idle.experiment != experiment || idle.traffic.cpus != 0)
            continue;
        if (!begun)
            add_curves(plan, &idle, each);
        for (size_t which = 0; which < CURVES && begun && plan->pass >= PASS_HALVES; which++)
            refine(plan, &idle, each, which);
    }
    return plan->point_count > first;
}

/* ---- what was found */

static void emit_point(const struct plan *plan, const struct point *point, const struct point *idle)
{
    struct record record = {.kind = RECORD_LOAD, .u.load = crew_record(plan, point)};
    struct record_load *load = &record.u.load;
    struct loaded_step step;

    load->why = crew_why_none(point);
    if (load->why == NULL && step_of(plan, point, &step)) {
        crew_add_figures(load, step.ns, step.bytes_per_s, points_figure(idle));
        if (point->traffic.cpus != 0)
            load->written_share = point->result.traffic.written_share *
                                  point->result.traffic.bytes_per_s.value / step.bytes_per_s.value;
    }
    journal_emit(plan->journal, &record);
}

/* A curve that nobody could measure has one record that says why. */
static void emit_none(const struct plan *plan, const struct point *idle, size_t which,
                      const char *why)
{
    struct record record = {.kind = RECORD_LOAD};
    struct point point = *idle;

    point.traffic = curve_load(which);
    point.traffic.cpus = 1;
    record.u.load = crew_record(plan, &point);
    record.u.load.each_bytes = record.u.load.pause_cycles = RECORD_UNKNOWN;
    record.u.load.why = why;
    journal_emit(plan->journal, &record);
}

static doubt_set curve_doubt(const struct plan *plan, const struct point *idle, size_t which)
{
    struct point_traffic load = curve_load(which);
    doubt_set doubt = points_doubt(plan, idle);

    for (uint32_t i = 0; i < plan->point_count; i++)
        if (is_of(&plan->point[i], idle, &load))
            doubt |= plan->point[i].result.doubt;
    return doubt;
}

static void find_knee(const struct plan *plan, const struct loaded_curve *curve,
                      struct record_finding finding)
{
    struct loaded_knee knee = loaded_find_knee(curve);
    struct record record = {.kind = RECORD_FINDING};
    struct figure peak = curve->step[loaded_peak(curve)].bytes_per_s;

    finding.name = "bandwidth at twice the unloaded latency";
    finding.unit = "bytes_per_s";
    finding.value = knee.reached ? knee.bytes_per_s : peak.value;
    finding.low = knee.reached ? knee.low : peak.value - 2 * peak.error;
    finding.high = knee.reached ? knee.high : real_nan();
    if (!knee.reached) {
        finding.bound = "at_least";
        finding.limited_by = "load";
    }
    record.u.finding = finding;
    journal_emit(plan->journal, &record);
}

/* equal_bytes_per_s: at which curves are compared. */
static void conclude_curve(const struct plan *plan, const struct point *idle, size_t which,
                           double equal_bytes_per_s)
{
    struct point_traffic load = curve_load(which);
    struct record_finding finding = finding_about(idle);
    struct loaded_curve curve;
    char detail[48];

    if (!gather(plan, idle, which, &curve))
        return;
    text_print(detail, sizeof detail, "%s, %s", traffic_names[load.kind],
               load.random ? "random" : "sequential");
    finding.detail = detail;
    finding.doubt = curve_doubt(plan, idle, which);
    finding_emit(plan->journal, finding, "peak bandwidth", "bytes_per_s",
                 curve.step[loaded_peak(&curve)].bytes_per_s);
    find_knee(plan, &curve, finding);
    text_print(detail, sizeof detail, "%s, %s, at %.2f GB/s", traffic_names[load.kind],
               load.random ? "random" : "sequential", equal_bytes_per_s * 1e-9);
    finding_emit(plan->journal, finding, "latency at equal bandwidth", "ns",
                 loaded_latency_at(&curve, equal_bytes_per_s));
}

/* Half of the lowest peak: on the rise of each curve. NAN: there is no curve. */
static double equal_bandwidth(const struct plan *plan, const struct point *idle)
{
    struct loaded_curve curve;
    double least = real_nan();

    for (size_t which = 0; which < CURVES; which++)
        if (gather(plan, idle, which, &curve)) {
            double peak = curve.step[loaded_peak(&curve)].bytes_per_s.value;
            least = peak < least || real_is_nan(least) ? peak : least;
        }
    return least / 2;
}

static void emit_unloaded(const struct plan *plan, const struct point *idle)
{
    struct record_finding finding = finding_about(idle);

    finding.doubt = points_latency_doubt(plan, idle);
    finding_emit(plan->journal, finding, "unloaded latency", "ns", points_figure(idle));
}

static void conclude_state(const struct plan *plan, const struct workbench *bench,
                           const struct point *idle)
{
    const char *why = plan->crew.why;
    double equal_bytes_per_s = equal_bandwidth(plan, idle);

    if (why == NULL && each_bytes(plan, bench) == 0)
        why = "there is no memory left for lines of other CPUs";
    emit_point(plan, idle, idle);
    for (size_t which = 0; which < CURVES; which++) {
        struct point_traffic load = curve_load(which);
        if (why != NULL)
            emit_none(plan, idle, which, why);
        for (uint32_t i = 0; i < plan->point_count; i++)
            if (is_of(&plan->point[i], idle, &load))
                emit_point(plan, &plan->point[i], idle);
    }
    if (idle->result.known)
        emit_unloaded(plan, idle);
    for (size_t which = 0; which < CURVES; which++)
        conclude_curve(plan, idle, which, equal_bytes_per_s);
}

enum status loaded_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    crew_note(plan, experiment);
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment && plan->point[i].traffic.cpus == 0)
            conclude_state(plan, bench, &plan->point[i]);
    return STATUS_OK;
}
