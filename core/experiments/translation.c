/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLB misses cost in large pages. The pages may be fewer than a first-level TLB holds, or
 * more, and no register says what a miss costs. So one line of each 2 MiB is accessed, and then as
 * many lines close together. Both fit the caches, a TLB sees the first as it sees a chase over the
 * whole set, and the difference is its cost alone. Pages of 1 GiB are probed at the same distance:
 * a host that backs them by smaller ones, or a TLB without such entries, keeps them in pieces of
 * 2M. Whether pieces are smaller still is shown by one line in each of many 4 KiB: these lie in few
 * large pages and cost no more than the set's own, unless the TLBs hold a host's 4K pages. */
#include "core/experiments/translation.h"

#include "core/experiments/prefetch_proof.h"
#include "core/levels/levels.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "core/plan/estimate_warm.h"

/* Lines: they have to fit the caches. One in each 4K, they need more entries than any first-level
 * TLB has, and so little cache that the miss of one is seen beside its latency. */
#define PROBES_MAX 8192
#define PIECES_MAX 1024

/* The distance of lines close together. Like that of lines a page apart, it is not a power of two,
 * so that a draw's arithmetic is the same. */
#define TOGETHER_LINES 3

/* 8K: every first-level cache holds these, and what was brought beside them. More pages than most
 * first-level TLBs have entries for. */
#define NEAREST_LINES 128

/* A cost that is a smaller share of a hop, or fewer standard errors, is none. */
#define LEAST_SHARE  0.005
#define LEAST_ERRORS 3

/* Lines of one 4K page: whatever the TLBs hold, they have its translation. */
#define ONE_PAGE_LINES 16

#define CERTAIN_ERRORS    2
#define TABLE_ENTRY_BYTES 8

/* A line more than the piece: else all lines fell into one set of a cache. */
static uint64_t apart_bytes(const struct plan *plan, enum page_size piece)
{
    return (1ull << piece) + plan->machine->line_bytes;
}

/* The number of probed lines: one for each 2 MiB of the set; with 4 KiB at most as many as caches
 * surely hold. */
static uint64_t probes(const struct plan *plan, const struct point *point, enum page_size piece)
{
    uint64_t count = point->bytes / apart_bytes(plan, piece);
    uint64_t held = plan_last_level_bytes(plan) / plan->machine->line_bytes;
    uint64_t max = held != 0 && held < PIECES_MAX ? held : PIECES_MAX;

    return piece == PAGE_4K && count > max ? max : count;
}

static uint64_t together_bytes(const struct plan *plan)
{
    return (uint64_t)TOGETHER_LINES * plan->machine->line_bytes;
}

bool translation_measurable(const struct plan *plan, const struct point *point)
{
    return point->page != PAGE_4K && point->map != MAP_FIRMWARE &&
           probes(plan, point, PAGE_2M) <= PROBES_MAX;
}

static void plan_once(struct plan *plan, const struct point *point)
{
    if (points_planned(plan, point) == 0)
        plan_add(plan, point);
}

static struct point probe_like(const struct point *point)
{
    struct point probe = *point;

    probe.kernel = KERNEL_IID;
    probe.order = ORDER_RANDOM;
    probe.error_scale = 0;
    probe.purpose = PURPOSE_TRANSLATION;
    probe.pass = point->pass > PASS_PROOF ? point->pass : PASS_PROOF;
    probe.stays_cached = true;
    probe.beyond_caches = false;
    return probe;
}

static void plan_pair(struct plan *plan, struct point point, enum page_size piece)
{
    uint64_t count = probes(plan, &point, piece);

    /* One piece has only one translation. */
    if (count < 2)
        return;
    point = probe_like(&point);
    point.tag = TRANSLATION_APART;
    point.stride_bytes = apart_bytes(plan, piece);
    point.bytes = count * point.stride_bytes;
    plan_once(plan, &point);
    point.tag = TRANSLATION_TOGETHER;
    point.stride_bytes = together_bytes(plan);
    point.bytes = count * point.stride_bytes;
    plan_once(plan, &point);
}

void translation_plan(struct plan *plan, const struct point *headline)
{
    if (translation_measurable(plan, headline))
        plan_pair(plan, *headline, PAGE_2M);
}

static struct point of_one_page(const struct plan *plan, const struct point *point)
{
    struct point one = probe_like(point);
    uint64_t lines = (1ull << PAGE_4K) / together_bytes(plan);

    one.tag = TRANSLATION_ONE_PAGE;
    one.stride_bytes = together_bytes(plan);
    one.bytes = (lines < ONE_PAGE_LINES ? lines : ONE_PAGE_LINES) * one.stride_bytes;
    return one;
}

void translation_plan_one_page(struct plan *plan, const struct point *headline)
{
    struct point large = of_one_page(plan, headline), small = large;

    small.page = PAGE_4K;
    small.frames = plan_point(plan, small.experiment, PAGE_4K, small.prefetch_off, 0).frames;
    small.tag = TRANSLATION_ONE_SMALL_PAGE;
    if (!translation_measurable(plan, headline) || !(plan_page_sizes(plan) & 1u << PAGE_4K) ||
        plan_limit(plan, PAGE_4K) == 0)
        return;
    plan_once(plan, &large);
    plan_once(plan, &small);
}

/* A set of as many 2M pieces as the lines 4K apart cover. */
static struct point few_pieces(const struct plan *plan, const struct point *point)
{
    uint64_t span = probes(plan, point, PAGE_4K) * apart_bytes(plan, PAGE_4K);
    struct point few = *point;

    few.bytes = ((span - 1) / (1ull << PAGE_2M) + 1) * apart_bytes(plan, PAGE_2M);
    return few.bytes < point->bytes ? few : *point;
}

/* A set so small that its lines 4K apart fit the nearest cache. */
static struct point nearest_lines(const struct plan *plan, const struct point *point)
{
    uint64_t max = NEAREST_LINES * apart_bytes(plan, PAGE_4K);
    struct point nearest = *point;

    nearest.bytes = max < point->bytes ? max : point->bytes;
    return nearest;
}

static void plan_pieces(struct plan *plan, struct point point)
{
    if (probes(plan, &point, PAGE_4K) < 2)
        return;
    plan_pair(plan, point, PAGE_4K);
    plan_pair(plan, few_pieces(plan, &point), PAGE_2M);
}

void translation_plan_pieces(struct plan *plan, const struct point *headline)
{
    if (!translation_measurable(plan, headline))
        return;
    plan_pieces(plan, *headline);
    plan_pieces(plan, nearest_lines(plan, headline));
}

/* Finds the probes for a set like this one's; NULL: not measured. */
static void find_pair(const struct plan *plan, const struct point *point, enum page_size piece,
                      const struct point *pair[2])
{
    uint64_t count = probes(plan, point, piece);

    pair[0] = points_find_set(plan, point->experiment, TRANSLATION_APART, point->prefetch_off,
                              count * apart_bytes(plan, piece));
    pair[1] = points_find_set(plan, point->experiment, TRANSLATION_TOGETHER, point->prefetch_off,
                              count * together_bytes(plan));
}

static struct figure cost_of(const struct plan *plan, const struct point *point,
                             enum page_size piece)
{
    const struct point *pair[2];

    if (probes(plan, point, piece) < 2)
        return (struct figure){0, 0};
    find_pair(plan, point, piece, pair);
    return figure_difference(points_figure(pair[0]), points_figure(pair[1]));
}

static bool matters(struct figure more, double hop_ns)
{
    return figure_is_known(more) && more.value > LEAST_ERRORS * more.error &&
           more.value > LEAST_SHARE * hop_ns;
}

struct figure translation_one_page(const struct plan *plan, const struct point *point)
{
    uint64_t bytes = of_one_page(plan, point).bytes;
    const struct point *large =
        points_find_set(plan, point->experiment, TRANSLATION_ONE_PAGE, point->prefetch_off, bytes);
    const struct point *small = points_find_set(plan, point->experiment, TRANSLATION_ONE_SMALL_PAGE,
                                                point->prefetch_off, bytes);
    struct figure more = points_more_ns(large, small);

    return matters(more, point->result.mean_ns) ? more : (struct figure){0, 0};
}

void translation_note_offset(const struct plan *plan, const char *name, enum page_size page,
                             double ns)
{
    char what[80];

    text_print(what, sizeof what, "%s: every access to %s pages costs more", name, page_name(page));
    journal_note_format(plan->journal, SEVERITY_INFO, what,
                        "%.2f ns more than to a 4k page: the first TLB has no entries for them; no "
                        "figure here has it",
                        ns);
}

struct figure translation_hidden(struct figure cost, double busy_ns, double hop_ns)
{
    double hidden_ns = busy_ns - hop_ns < cost.value ? busy_ns - hop_ns : cost.value;

    if (!figure_is_known(cost) || hidden_ns <= 0)
        return cost;
    cost.value -= hidden_ns / 2;
    cost.error = real_hypotenuse(cost.error, hidden_ns / 2);
    return cost;
}

struct figure translation_evicted(struct figure cost, double max_ns)
{
    if (!figure_is_known(cost))
        return cost;
    /* Anything from nothing to max_ns is possible. */
    cost.value += max_ns / 2;
    cost.error = real_hypotenuse(cost.error, max_ns / 2);
    return cost;
}

/* Cache lines of the last level of the set's page tables. */
static double table_lines(const struct plan *plan, const struct point *point)
{
    uint64_t entries = plan->machine->line_bytes / TABLE_ENTRY_BYTES;

    return (double)(point->bytes >> PAGE_2M) / (double)entries;
}

/* Whether some TLB is declared to hold all pages of the set: there are no walks, though TLB hits
 * may cost more there. */
static bool is_held(const struct plan *plan, const struct point *point)
{
    const struct machine_description *d = plan->machine;

    for (size_t k = 0; k < d->tlb_count; k++)
        if (d->tlbs[k].page_log2 == (uint8_t)point->page &&
            d->tlbs[k].entries >= point->bytes >> point->page)
            return true;
    return false;
}

struct figure translation_seen(const struct plan *plan, const struct point *point)
{
    if (!point || !translation_measurable(plan, point))
        return figure_unknown();
    return figure_sum(cost_of(plan, point, PAGE_2M), translation_one_page(plan, point));
}

double translation_probes(const struct plan *plan, const struct point *point)
{
    return (double)probes(plan, point, PAGE_2M);
}

double translation_evicted_max_ns(const struct plan *plan, const struct point *point)
{
    double cached = (double)estimate_last_level_bytes(plan) / (double)plan->machine->line_bytes;
    struct figure seen = translation_seen(plan, point);

    /* If no walks show, TLBs hold the set. */
    if (!figure_is_known(seen) || seen.value <= CERTAIN_ERRORS * seen.error || is_held(plan, point))
        return 0;
    return table_lines(plan, point) / cached * point->result.mean_ns;
}

struct figure translation_busy(const struct plan *plan, const struct point *point)
{
    return translation_hidden(translation_seen(plan, point), prefetch_proof_busy_ns(plan, point),
                              point->result.mean_ns);
}

struct figure translation_cost(const struct plan *plan, const struct point *point)
{
    if (!point || !translation_measurable(plan, point))
        return figure_unknown();
    return translation_evicted(translation_busy(plan, point),
                               translation_evicted_max_ns(plan, point));
}

/* Whether lines in many small pieces cost more than lines in as many large pages as these cover, by
 * what the miss of a TLB costs. */
static bool small_ones_cost_more(const struct plan *plan, const struct point *set)
{
    struct point few = few_pieces(plan, set);
    const struct point *pair[2];

    if (probes(plan, set, PAGE_4K) < 2)
        return false;
    find_pair(plan, set, PAGE_4K, pair);
    return levels_offset_ns(
               points_figure(pair[1]),
               figure_difference(cost_of(plan, set, PAGE_4K), cost_of(plan, &few, PAGE_2M))) > 0;
}

bool translation_in_pieces(const struct plan *plan, const struct point *point, bool prefetched)
{
    struct point nearest;

    if (!translation_measurable(plan, point))
        return false;
    nearest = nearest_lines(plan, point);
    return small_ones_cost_more(plan, &nearest) ||
           (!prefetched && small_ones_cost_more(plan, point));
}

doubt_set translation_doubt(const struct plan *plan, const struct point *point)
{
    const struct point *pair[2];

    if (!translation_measurable(plan, point) || probes(plan, point, PAGE_2M) < 2)
        return 0;
    find_pair(plan, point, PAGE_2M, pair);
    return (pair[0] ? pair[0]->result.doubt : 0) | (pair[1] ? pair[1]->result.doubt : 0);
}
