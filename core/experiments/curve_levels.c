/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/curve_levels.h"

#include "core/experiments/curve_gather.h"
#include "core/experiments/footprint_points.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/translation.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/lib/u64.h"
#include "core/names.h"
#include "core/options/experiments.h"

/* A larger set contradicts a smaller one if it costs less by this share and this many standard
 * errors. */
#define UNDERCUT_SHARE  0.05
#define UNDERCUT_ERRORS 3.5
#define FAR_APART       2.0 /* bounds of one latency */

/* By how much the larger of two sets costs less, beyond error; else 0. */
static double undercut_ns(const struct level_point *small, const struct level_point *large)
{
    double less_ns = small->ns - large->ns;
    double sure_ns = UNDERCUT_ERRORS *
                     real_hypotenuse(small->rel_error * small->ns, large->rel_error * large->ns);
    bool surely = less_ns > sure_ns && less_ns > UNDERCUT_SHARE * small->ns;

    return surely && small->page == large->page && small->bytes < large->bytes ? less_ns : 0;
}

void curve_doubt_undercut(struct level_point *points, size_t count)
{
    double max_ns[LEVELS_POINTS_MAX] = {0};

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            double ns = undercut_ns(&points[i], &points[k]);
            max_ns[i] = ns > max_ns[i] ? ns : max_ns[i];
        }
    for (size_t i = 0; i < count; i++) {
        if (max_ns[i] == 0)
            continue;
        points[i].doubt |= doubt_of(DOUBT_CONTRADICTED);
        points[i].rel_error = real_hypotenuse(points[i].rel_error, max_ns[i] / points[i].ns);
    }
}

static void emit(const struct plan *plan, const struct workbench *bench, uint32_t experiment,
                 const struct level *level)
{
    double per_ns = bench->clock->point_hz * 1e-9;
    struct record record = {.kind = RECORD_LEVEL};

    record.u.level = (struct record_level){
        .experiment = experiment_list[experiment].name,
        .name = level->name,
        .kind = level_kind_name(level->kind),
        .bytes = level->bytes,
        .bytes_low = level->bytes_low,
        .bytes_high = level->bytes_high,
        .ns = level->ns,
        .ns_low = level->ns_low,
        .ns_high = level->ns_high,
        .cycles = level->ns * per_ns,
        .cycles_low = level->ns_low * per_ns,
        .cycles_high = level->ns_high * per_ns,
        .declared_bytes = level->declared_bytes != 0 ? level->declared_bytes : RECORD_UNKNOWN,
        .extrapolated = level->extrapolated,
        .doubt = level->doubt};
    journal_emit(plan->journal, &record);
}

static double largest_set(const struct workbench *bench, size_t count)
{
    double largest = 0;

    for (size_t i = 0; i < count; i++)
        if (bench->curve.points[i].bytes > largest)
            largest = bench->curve.points[i].bytes;
    return largest;
}

static double smallest_set(const struct workbench *bench, size_t count)
{
    double smallest = __builtin_inf();

    for (size_t i = 0; i < count; i++)
        if (bench->curve.points[i].bytes < smallest)
            smallest = bench->curve.points[i].bytes;
    return smallest;
}

doubt_set curve_doubt_met(doubt_set doubt, enum dram_meeting meeting)
{
    const doubt_set of_model = doubt_of(DOUBT_CONTRADICTED) | doubt_of(DOUBT_EXTRAPOLATED);

    if (meeting == DRAM_APART)
        return doubt | doubt_of(DOUBT_CONTRADICTED);
    if (meeting == DRAM_SAME_WAITS)
        return doubt | doubt_of(DOUBT_TRANSLATION);
    return meeting == DRAM_SAME ? doubt & ~of_model : doubt;
}

/* Whether a level is that cache, "L1" and so on, or is merged of several of which one is. */
static bool is_found(const struct level *levels, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++)
        for (const char *at = levels[i].name; *at != '\0'; at++)
            if ((at == levels[i].name || (at > levels[i].name + 1 && at[-2] == '+')) &&
                at[0] == 'L' && at[1] == (char)('0' + number))
                return true;
    return false;
}

/* Whether the curve has sets enough beyond the last declared cache, or beyond what a chase showed
 * not to be cached, to tell memory from that cache. */
static bool is_memory_seen(const struct plan *plan, const struct workbench *bench, size_t points)
{
    uint64_t bytes = u64_min(plan_last_level_bytes(plan), plan->estimate.uncached_bytes);

    return levels_see_beyond(bench->curve.points, points, (double)bytes);
}

/* Whether the fit has no level for some declared cache: the last one may be it. */
static bool lacks_declared(const struct plan *plan, const struct workbench *bench, size_t count)
{
    const struct machine_description *d = plan->machine;

    for (size_t i = 0; i < d->cache_count; i++)
        if (!is_found(bench->curve.level, count, d->caches[i].level))
            return true;
    return false;
}

/* The headline and the curve measure the same memory: if they disagree, both are doubted, else
 * the level is the mean of both. A curve that ends inside the last cache says nothing about the
 * headline; if the two are far apart, its last level is that cache. Returns whether the last level
 * is memory. */
static bool meet_headline(const struct plan *plan, struct workbench *bench, size_t points,
                          size_t count)
{
    struct level *level = &bench->curve.level[count - 1];
    struct dram_bounds bounds = {level->ns, level->ns_low, level->ns_high};
    bool apart;

    if (level->kind != LEVEL_MEMORY)
        return true;
    bench->curve.memory_known = is_memory_seen(plan, bench, points);
    bench->curve.memory = bounds;
    bench->curve.memory_sure = level->doubt == 0;
    level->doubt = curve_doubt_met(level->doubt, dram_meets_level(plan, bench, &bounds));
    apart = bounds.high_ns >= FAR_APART * bounds.low_ns;
    if (apart && lacks_declared(plan, bench, count))
        bench->curve.memory_known = false;
    if (!bench->curve.memory_known) {
        level->extrapolated = true;
        level->doubt |= doubt_of(DOUBT_EXTRAPOLATED);
    }
    level->ns = bounds.ns;
    level->ns_low = bounds.low_ns;
    level->ns_high = bounds.high_ns;
    return bench->curve.memory_known || !apart;
}

/* Returns how many levels there are: the last one is memory, or left out. */
static size_t settle_memory(const struct plan *plan, struct workbench *bench, size_t points,
                            size_t count)
{
    uint64_t largest_bytes = (uint64_t)largest_set(bench, points);

    if (count == 0 || meet_headline(plan, bench, points, count))
        return count;
    journal_note_format(plan->journal, SEVERITY_INFO, "curve: no level is memory",
                        "its last latency is far from the headline's, and sets of up to %s do not "
                        "tell memory from the last declared cache",
                        TEXT_SIZE(largest_bytes));
    return count - 1;
}

/* What shows prefetchers working in the state that curves are measured in; NULL: nothing by now. */
static const struct footprint_summary *footprint_of_curves(const struct plan *plan)
{
    bool off[2];

    (void)plan_prefetch_states(plan, off);
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (footprint_is_taken(p, off[0], 0) && prefetch_proof_is_on(plan, p->experiment, off[0]))
            return &p->footprint;
    }
    return NULL;
}

/* The lines that come with one that misses. Where only chases show prefetchers working, their
 * number is not known: the least there can be. */
static double brought_lines(const struct footprint_summary *footprint)
{
    if (footprint == NULL)
        return 0;
    return footprint->verdict == FOOTPRINT_ON ? footprint->brought : 1;
}

/* Whether sets in large pages were seen to be in pieces of 4K: this curve's, or others beyond all
 * caches. */
static bool in_pieces(const struct plan *plan, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        bool is_set = p->experiment == experiment ? p->tag == CURVE_FIT : p->beyond_caches;
        if (is_set && p->result.known &&
            translation_in_pieces(plan, p,
                                  !prefetch_proof_is_off(plan, p->experiment, p->prefetch_off)))
            return true;
    }
    return false;
}

/* A cache that no register declares may be merged or unexplained. NULL: there is none. */
static struct level *last_cache(struct level *levels, size_t count)
{
    struct level *last = NULL;

    for (size_t i = 0; i < count; i++) {
        bool holds = levels_is_of_caches(&levels[i]) && levels[i].kind != LEVEL_MEMORY;
        if (holds && (last == NULL || levels[i].bytes_high > last->bytes_high))
            last = &levels[i];
    }
    return last;
}

/* A set of which the last cache cannot hold all misses for the rest, unless that cache is larger
 * than it was found to be. */
static void doubt_by_counters(const struct plan *plan, uint32_t experiment, struct level *levels,
                              size_t count)
{
    struct level *last = last_cache(levels, count);

    for (uint32_t i = 0; last != NULL && i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != experiment || p->tag != CURVE_FIT || !p->result.known)
            continue;
        if (p->result.missed_share < witness_least_missed(last->bytes_high, (double)p->bytes))
            last->doubt |= doubt_of(DOUBT_CONTRADICTED);
    }
}

/* What is polled while levels are looked for, and the answer. */
struct search_poll {
    const struct workbench *bench;
    bool stopped;
};

static bool search_goes_on(void *context, double done)
{
    struct search_poll *poll = context;
    const struct workbench *bench = poll->bench;

    poll->stopped = bench->go_on != NULL && !bench->go_on(bench->go_on_context, "levels", done);
    return !poll->stopped;
}

static void note_none(const struct plan *plan, bool declared, bool stopped)
{
    journal_note(plan->journal, SEVERITY_INFO, "curve: no levels",
                 stopped    ? "stopped while they were looked for"
                 : declared ? "no cache sizes are declared, or too few points were measured"
                            : "at least 6 points of one page size are needed");
}

static uint32_t pages_of_curve(const struct levels_request *request)
{
    uint32_t sizes = 0;

    for (size_t i = 0; i < request->count; i++)
        sizes |= 1u << request->points[i].page;
    return sizes;
}

/* A TLB misses only in pages of its own size: without a curve in them, that the table has none says
 * nothing about it. */
static void note_unseen_tlbs(const struct plan *plan, const struct levels_request *request)
{
    uint32_t used = pages_of_curve(request), unused = plan->machine->page_sizes & ~used;

    for (unsigned page = PAGE_4K; page < PAGE_1G; page++) {
        char what[80];
        if (!(unused >> page & 1) || used >> page == 0)
            continue;
        text_print(what, sizeof what, "curve: TLBs of %s pages cannot be seen", page_name(page));
        journal_note_format(plan->journal, SEVERITY_INFO, what,
                            "draws were in pages of other sizes; pages=%s shows them",
                            page_name(page));
    }
}

static void note_offsets(const struct plan *plan, const void *workspace)
{
    for (unsigned page = PAGE_2M; page <= PAGE_1G; page++) {
        double more_ns = levels_page_offset_ns(workspace, (enum page_size)page);
        if (more_ns > 0)
            translation_note_offset(plan, "curve", (enum page_size)page, more_ns);
    }
}

/* A cache that registers declare, well within the curve, and that no level is. */
static void note_unfound(const struct plan *plan, const struct workbench *bench, size_t points,
                         size_t count)
{
    const struct machine_description *d = plan->machine;
    double smallest = smallest_set(bench, points), largest = largest_set(bench, points);

    for (size_t i = 0; i < d->cache_count; i++) {
        const struct cache_level *cache = &d->caches[i];
        double bytes = (double)cache->bytes;
        if (bytes < 2 * smallest || 2 * bytes > largest ||
            is_found(bench->curve.level, count, cache->level))
            continue;
        journal_note_format(plan->journal, SEVERITY_INFO, "curve: a declared cache was not found",
                            "L%u, of %s", (unsigned)cache->level, TEXT_SIZE(cache->bytes));
    }
}

static size_t search(const struct plan *plan, struct workbench *bench,
                     const struct levels_request *request)
{
    if (plan->options->fit == FIT_DECLARED)
        return levels_fit_declared(request, bench->curve.workspace, bench->curve.level, LEVELS_MAX);
    return levels_find(request, bench->curve.workspace, bench->curve.level, LEVELS_MAX);
}

enum status curve_levels_emit(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    const struct machine_description *d = plan->machine;
    struct search_poll poll = {.bench = bench};
    const struct footprint_summary *footprint = footprint_of_curves(plan);
    struct levels_request request = {
        .points = bench->curve.points,
        .count = curve_gather_sets(plan, experiment, bench->curve.points),
        .spread = bench->curve.spread,
        .spread_count = curve_gather_spread(plan, experiment, bench->curve.spread),
        .caches = d->caches,
        .cache_count = d->cache_count,
        .tlbs = d->tlbs,
        .tlb_count = d->tlb_count,
        .common_error_ns = bench->draw[0].error_ns,
        .prefetched = footprint != NULL,
        .brought_lines = brought_lines(footprint),
        .line_bytes = d->line_bytes,
        .in_pieces = in_pieces(plan, experiment),
        .go_on = search_goes_on,
        .context = &poll};
    size_t count;

    if (request.count == 0)
        return STATUS_OK;
    curve_doubt_undercut(bench->curve.points, request.count);
    count = settle_memory(plan, bench, request.count, search(plan, bench, &request));
    doubt_by_counters(plan, experiment, bench->curve.level, count);
    for (size_t i = 0; i < count; i++)
        emit(plan, bench, experiment, &bench->curve.level[i]);
    if (count > 0 && plan->options->fit != FIT_DECLARED) {
        note_unseen_tlbs(plan, &request);
        note_offsets(plan, bench->curve.workspace);
        note_unfound(plan, bench, request.count, count);
    }
    if (count == 0)
        note_none(plan, plan->options->fit == FIT_DECLARED, poll.stopped);
    return poll.stopped ? STATUS_ABORTED : STATUS_OK;
}
