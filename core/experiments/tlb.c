/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/tlb.h"

#include "core/experiments/points.h"
#include "core/experiments/translation.h"
#include "core/experiments/workbench.h"
#include "core/levels/levels.h"
#include "core/lib/text.h"
#include "core/measure/finding.h"
#include "core/names.h"
#include "core/plan/names.h"
#include "core/plan/plan.h"

/* Tags of its points. */
enum {
    TLB_SPREAD = 1, /* one line in each page */
    TLB_PACKED      /* as many lines close together */
};

#define MIN_PAGES 4
/* Distance between lines of the baseline, in lines: a line brought beside another is none of them;
 * odd, so that they spread over all sets of a cache. */
#define PACKED_LINES 3

/* Steps per octave, and the largest number of pages. */
struct tlb_span {
    uint32_t per_octave;
    uint64_t max_pages;
};
static const struct tlb_span spans[] = {
    [PLAN_QUICK] = {.per_octave = 4, .max_pages = 4096},
    [PLAN_FULL] = {.per_octave = 6, .max_pages = 8192},
};

uint64_t tlb_pages(uint32_t per_octave, uint32_t i)
{
    uint64_t octave = (uint64_t)MIN_PAGES << (i / per_octave);

    return octave + octave * (i % per_octave) / per_octave;
}

/* Lines are a page and a line apart, so every so often a page number is skipped. Returns the span
 * of page numbers that this many pages cover: a TLB that holds the whole span holds its pages. */
static uint64_t span_of(uint64_t pages, uint64_t page_bytes, uint64_t line_bytes)
{
    return pages + (pages - 1) * line_bytes / page_bytes;
}

/* The next number of pages above `last`: a step of the octaves, or the number that a declared TLB
 * just holds. */
static uint64_t next_pages(const struct plan *plan, enum page_size page, uint32_t per_octave,
                           uint64_t last)
{
    const struct machine_description *d = plan->machine;
    uint64_t page_bytes = 1ull << page, next;
    uint32_t i = 0;

    while (tlb_pages(per_octave, i) <= last)
        i++;
    next = tlb_pages(per_octave, i);
    for (size_t k = 0; k < d->tlb_count; k++) {
        uint64_t pages = d->tlbs[k].entries;
        if (d->tlbs[k].page_log2 != (uint8_t)page)
            continue;
        while (pages > 0 && span_of(pages, page_bytes, d->line_bytes) > d->tlbs[k].entries)
            pages--;
        if (pages > last && pages < next)
            next = pages;
    }
    return next;
}

static void plan_pages(struct plan *plan, struct point point)
{
    const struct tlb_span *span = &spans[plan->options->plan];
    uint32_t line_bytes = plan->machine->line_bytes;
    uint64_t stride = (1ull << point.page) + line_bytes;
    uint64_t limit = plan_point_limit(plan, &point);
    uint64_t last = 0;

    if (plan->options->max_bytes != 0 && plan->options->max_bytes < limit)
        limit = plan->options->max_bytes;
    point.stays_cached = true;
    for (uint32_t i = 0; i < TLB_STEPS_MAX; i++) {
        uint64_t pages = next_pages(plan, point.page, span->per_octave, last);
        if (pages > span->max_pages || pages * stride > limit)
            break;
        last = pages;
        point.tag = TLB_SPREAD;
        point.stride_bytes = stride;
        point.bytes = pages * stride;
        plan_add(plan, &point);
        point.tag = TLB_PACKED;
        point.stride_bytes = PACKED_LINES * line_bytes;
        point.bytes = pages * point.stride_bytes;
        plan_add(plan, &point);
    }
    if (last == 0)
        journal_note_format(plan->journal, SEVERITY_INFO, "tlb: a page size left out",
                            "there is no memory for a few pages of %s",
                            TEXT_SIZE(1ull << point.page));
}

enum status tlb_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(plan);
    bool off[2];

    (void)bench;
    (void)plan_prefetch_states(plan, off);
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        struct point point = plan_point(plan, experiment, (enum page_size)bit, off[0], 0);
        if (!(sizes & 1u << bit))
            continue;
        plan_pages(plan, point);
        if (point.frames == FRAMES_CONTIGUOUS || point.map != MAP_WINDOW)
            continue;
        point.frames = FRAMES_CONTIGUOUS;
        plan_pages(plan, point);
    }
    return STATUS_OK;
}

static const struct point *packed_of(const struct plan *plan, const struct point *spread)
{
    uint64_t pages = spread->bytes / spread->stride_bytes;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == spread->experiment && plan_same_window(p, spread) &&
            p->tag == TLB_PACKED && p->result.known && p->bytes / p->stride_bytes == pages)
            return p;
    }
    return NULL;
}

/* Collects steps; *doubt gets the doubts of their points. */
static size_t gather(const struct plan *plan, const struct point *like,
                     struct tlb_step steps[TLB_STEPS_MAX], doubt_set *doubt)
{
    size_t count = 0;

    for (uint32_t i = 0; i < plan->point_count && count < TLB_STEPS_MAX; i++) {
        const struct point *p = &plan->point[i], *packed;
        if (p->experiment != like->experiment || !plan_same_window(p, like) ||
            p->tag != TLB_SPREAD || !p->result.known)
            continue;
        packed = packed_of(plan, p);
        if (!packed)
            continue;
        steps[count++] = (struct tlb_step){
            .pages = p->bytes / p->stride_bytes,
            .span = span_of(p->bytes / p->stride_bytes, 1ull << p->page, plan->machine->line_bytes),
            .cost = figure_difference(figure_of_point(p), figure_of_point(packed)),
            .packed_ns = packed->result.ns,
            .packed_pages = (double)packed->bytes / (double)(1ull << p->page)};
        *doubt |= p->result.doubt | packed->result.doubt;
    }
    return count;
}

static void emit_entries(const struct plan *plan, struct record_finding finding, const char *name,
                         const struct tlb_knee *knee)
{
    struct record record = {.kind = RECORD_FINDING};

    finding.name = name;
    finding.unit = "entries";
    finding.value = finding.low = (double)knee->low;
    finding.high = (double)knee->high;
    record.u.finding = finding;
    journal_emit(plan->journal, &record);
}

/* Number of TLB levels declared for a page size; TLB_KNEES_MAX if the CPU declares no TLB at all.
 */
static size_t declared_levels(const struct plan *plan, enum page_size page)
{
    const struct machine_description *d = plan->machine;
    size_t count = 0;

    for (size_t i = 0; i < d->tlb_count; i++)
        count += d->tlbs[i].page_log2 == (uint8_t)page;
    return d->tlb_count == 0 ? TLB_KNEES_MAX : count;
}

/* Notes that fewer levels were seen than are declared, and up to how many pages. */
static void note_unseen(const struct plan *plan, const struct point *about, size_t found,
                        uint64_t pages)
{
    char what[80];

    if (found >= declared_levels(plan, about->page) || plan->machine->tlb_count == 0)
        return;
    text_print(what, sizeof what, "tlb: fewer levels than are declared, in pages of %s",
               page_name(about->page));
    journal_note_format(plan->journal, SEVERITY_INFO, what, "%zu seen; no other up to %lu pages",
                        found, pages);
}

/* The fewest lines close together, in such pages; NULL: none were measured. */
static const struct point *least_packed(const struct plan *plan, const struct point *like,
                                        enum page_size page)
{
    const struct point *least = NULL;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == like->experiment && p->tag == TLB_PACKED && p->result.known &&
            p->prefetch_off == like->prefetch_off && p->page == page &&
            (least == NULL || p->bytes < least->bytes))
            least = p;
    }
    return least;
}

/* What each access costs more than one to 4K pages, however few pages there are: the first level
 * has no entries for these. 0: not beyond error, or not known. */
static double offset_ns(const struct plan *plan, const struct point *about)
{
    const struct point *small = least_packed(plan, about, PAGE_4K);

    return levels_offset_ns(points_figure(small),
                            points_more_ns(least_packed(plan, about, about->page), small));
}

/* skipped: levels that have no entries for such pages. */
static void emit_knee(const struct plan *plan, const struct point *about, size_t level,
                      size_t skipped, const struct tlb_knee *knee, doubt_set doubt)
{
    static const char *const levels[TLB_KNEES_MAX] = {"first level", "second level", "third level",
                                                      "fourth level"};
    /* Beyond the last TLB, walks begin to miss the caches. */
    bool walks = level >= declared_levels(plan, about->page);
    const char *cost = walks ? "slower walk" : "TLB miss";
    struct record_finding finding = finding_about(about);

    finding.detail = walks || level + skipped >= TLB_KNEES_MAX ? NULL : levels[level + skipped];
    finding.bytes = RECORD_UNKNOWN;
    finding.doubt = doubt;
    emit_entries(plan, finding, walks ? "pages whose walks are fast" : "TLB entries", knee);
    if (knee->extrapolated)
        finding.doubt |= doubt_of(DOUBT_EXTRAPOLATED);
    if (knee->rising) {
        finding.bound = "at_least";
        finding.limited_by = "pages";
    }
    finding_emit(plan->journal, finding, cost, "ns", knee->miss_ns);
    finding_emit(plan->journal, finding, cost, "cycles",
                 figure_scaled(knee->miss_ns, about->result.cycles / about->result.ns));
}

/* Evaluates one page size in one order of frames. */
static void conclude_pages(const struct plan *plan, struct tlb_room *tlb, const struct point *about)
{
    struct tlb_step *steps = tlb->steps;
    struct tlb_knee knees[TLB_KNEES_MAX], none;
    struct record_finding finding = finding_about(about);
    size_t count = gather(plan, about, steps, &finding.doubt);
    size_t found = tlb_find(steps, count, &tlb->rest, knees);
    double offset = offset_ns(plan, about);

    if (offset > 0)
        translation_note_offset(plan, "tlb", about->page, offset);
    for (size_t k = 0; k < found; k++)
        emit_knee(plan, about, k, offset > 0, &knees[k], finding.doubt);
    if (count < TLB_STEPS_MIN)
        return;
    if (found != 0) {
        note_unseen(plan, about, found, steps[count - 1].pages);
        return;
    }
    none = (struct tlb_knee){.low = steps[count - 1].pages, .high = steps[count - 1].span};
    finding.bytes = RECORD_UNKNOWN;
    finding.bound = "at_least";
    finding.limited_by = "pages";
    emit_entries(plan, finding, "TLB entries", &none);
}

static bool first_of_window(const struct plan *plan, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (plan->point[i].experiment == plan->point[index].experiment &&
            plan->point[i].tag == TLB_SPREAD && plan->point[i].result.known &&
            plan_same_window(&plan->point[i], &plan->point[index]))
            return false;
    return true;
}

enum status tlb_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->tag == TLB_SPREAD && p->result.known &&
            first_of_window(plan, i))
            conclude_pages(plan, &bench->tlb, p);
    }
    return STATUS_OK;
}
