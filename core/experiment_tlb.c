/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_tlb.h"

#include "core/engine_state.h"
#include "core/real.h"

#define LEAST_PAGES     4
#define TLB_STEPS_LEAST 3
/* A plateau is flat within three standard errors, a share of the hop, and a tenth of a ns. */
#define FLAT_ERRORS 3
#define FLAT_SHARE  0.06
#define FLAT_NS     0.1
#define SURE_FLATS  1.5
/* Rises may be slow where a TLB has few ways or forgets at random: they are over when a step adds
 * less than this share of the whole rise. */
#define RISE_SHARE 0.04
/* Of a rise that seemed over: what it may still grow by. */
#define LATE_SHARE 0.1

/* How densely, and up to how many pages. */
struct tlb_span {
    uint32_t per_octave;
    uint64_t most_pages;
};
static const struct tlb_span spans[] = {
    [PLAN_QUICK] = {.per_octave = 4, .most_pages = 4096},
    [PLAN_FULL] = {.per_octave = 6, .most_pages = 8192},
};

uint64_t tlb_pages(uint32_t per_octave, uint32_t i)
{
    uint64_t octave = (uint64_t)LEAST_PAGES << (i / per_octave);

    return octave + octave * (i % per_octave) / per_octave;
}

/* A page and a line apart, a page number is left out every so many pages: what holds a whole span
 * of numbers holds the pages in it. Of so many pages, the numbers that they span. */
static uint64_t span_of(uint64_t pages, uint64_t page_bytes, uint64_t line_bytes)
{
    return pages + (pages - 1) * line_bytes / page_bytes;
}

/* ---- knees */

static double flat_ns(const struct tlb_step *step)
{
    return FLAT_ERRORS * step->cost.error + FLAT_SHARE * step->packed_ns + FLAT_NS;
}

static bool is_above(const struct tlb_step *step, double plateau, double flats)
{
    return step->cost.value > plateau + flats * flat_ns(step);
}

/* The first step from `at` on that is so many times what is flat above the plateau and stays there;
 * count: none. */
static size_t leaves(const struct tlb_step *steps, size_t count, size_t at, double plateau,
                     double flats)
{
    for (size_t i = at; i < count; i++)
        if (is_above(&steps[i], plateau, flats) &&
            (i + 1 == count || is_above(&steps[i + 1], plateau, flats)))
            return i;
    return count;
}

/* The step that is beyond doubt above the plateau that `leave` has left, or `leave` itself: where
 * the rise before has not quite ended, what goes a little too far is no knee yet. */
static size_t surely_leaves(const struct tlb_step *steps, size_t count, size_t leave,
                            double plateau)
{
    size_t surely = leaves(steps, count, leave, plateau, SURE_FLATS);

    return surely < count ? surely : leave;
}

/* The step at which a rise that began before `at` is over: two steps on that add little; count: it
 * is not over yet. */
static size_t settles(const struct tlb_step *steps, size_t count, size_t at, double plateau)
{
    for (size_t i = at; i + 2 < count; i++) {
        double rise = steps[i].cost.value - plateau;
        double more = steps[i + 2].cost.value - steps[i].cost.value;
        double little = flat_ns(&steps[i]);

        little = little > RISE_SHARE * rise ? little : RISE_SHARE * rise;
        if (more <= little)
            return i;
    }
    return count;
}

/* The mean of the few steps that begin a plateau. */
static struct figure plateau_at(const struct tlb_step *steps, size_t count, size_t at)
{
    struct figure sum = {0, 0};
    size_t end = at + 3 < count ? at + 3 : count;

    for (size_t i = at; i < end; i++)
        sum = figure_sum(sum, steps[i].cost);
    return figure_scaled(sum, 1.0 / (double)(end - at));
}

/* A last rise that was flat enough to be over, but goes on in small steps to the end: what a miss
 * costs is at least what the last step shows. */
static void judge_end(const struct tlb_step *last, struct figure before, struct tlb_knee *knee)
{
    struct figure all = figure_difference(last->cost, before);

    if (all.value - FLAT_ERRORS * all.error <= (1 + LATE_SHARE) * knee->miss_ns.value)
        return;
    knee->rising = true;
    knee->miss_ns = all;
}

size_t tlb_find(const struct tlb_step *steps, size_t count, struct tlb_knee knees[TLB_KNEES_MAX])
{
    size_t found = 0, at = 0;
    struct figure plateau, before = {0, 0};

    if (count < TLB_STEPS_LEAST)
        return 0;
    plateau = plateau_at(steps, count, 0);
    while (found < TLB_KNEES_MAX) {
        size_t leave = leaves(steps, count, at, plateau.value, 1), settle, surely;
        struct figure next;
        struct tlb_knee *knee = &knees[found];

        if (leave == count || leave == 0)
            break;
        surely = surely_leaves(steps, count, leave, plateau.value);
        settle = settles(steps, count, leave, plateau.value);
        *knee = (struct tlb_knee){.low = steps[leave - 1].pages,
                                  .high = steps[surely].span - 1,
                                  .rising = settle == count};
        next = knee->rising ? steps[count - 1].cost : plateau_at(steps, count, settle);
        knee->miss_ns = figure_difference(next, plateau);
        found++;
        if (knee->rising)
            break;
        before = plateau;
        plateau = next;
        at = settle;
    }
    if (found != 0 && !knees[found - 1].rising)
        judge_end(&steps[count - 1], before, &knees[found - 1]);
    return found;
}

/* ---- the experiment */

/* The next number of pages above `last`: of the octaves' steps, or one that a declared TLB just
 * holds. */
static uint64_t next_pages(const struct engine *engine, enum page_size page, uint32_t per_octave,
                           uint64_t last)
{
    const struct machine_description *d = engine->machine->description;
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

static void plan_pages(struct engine *engine, struct point point)
{
    const struct tlb_span *span = &spans[engine->options->plan];
    uint32_t line_bytes = engine->machine->description->line_bytes;
    uint64_t stride = (1ull << point.page) + line_bytes;
    struct window_request request = plan_window(engine, &point, 0);
    uint64_t limit = engine->machine->window_limit(engine->machine->self, &request);
    uint64_t last = 0;

    if (engine->options->max_bytes != 0 && engine->options->max_bytes < limit)
        limit = engine->options->max_bytes;
    for (uint32_t i = 0; i < TLB_STEPS_MAX; i++) {
        uint64_t pages = next_pages(engine, point.page, span->per_octave, last);
        if (pages > span->most_pages || pages * stride > limit)
            break;
        last = pages;
        point.role = ROLE_SPREAD;
        point.stride_bytes = stride;
        point.bytes = pages * stride;
        plan_add(engine, &point);
        point.role = ROLE_PACKED;
        point.stride_bytes = line_bytes;
        point.bytes = pages * line_bytes;
        plan_add(engine, &point);
    }
    if (last == 0)
        engine_note_size(engine, SEVERITY_INFO, "tlb: a page size left out",
                         "there is no room for a few pages of", 1ull << point.page, "");
}

enum status tlb_plan(struct engine *engine, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(engine);
    bool off[2];

    (void)plan_prefetch_states(engine, off);
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        struct point point = plan_point(engine, experiment, (enum page_size)bit, off[0], 0);
        if (!(sizes & 1u << bit))
            continue;
        plan_pages(engine, point);
        if (point.frames == FRAMES_CONTIGUOUS || point.map != MAP_WINDOW)
            continue;
        point.frames = FRAMES_CONTIGUOUS;
        plan_pages(engine, point);
    }
    return STATUS_OK;
}

static const struct point *packed_of(const struct engine *engine, const struct point *spread)
{
    uint64_t pages = spread->bytes / spread->stride_bytes;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (plan_same_window(p, spread) && p->role == ROLE_PACKED && p->result.known &&
            p->bytes / p->stride_bytes == pages)
            return p;
    }
    return NULL;
}

static size_t gather(const struct engine *engine, const struct point *like,
                     struct tlb_step steps[TLB_STEPS_MAX])
{
    size_t count = 0;

    for (uint32_t i = 0; i < engine->point_count && count < TLB_STEPS_MAX; i++) {
        const struct point *p = &engine->point[i], *packed;
        if (!plan_same_window(p, like) || p->role != ROLE_SPREAD || !p->result.known)
            continue;
        packed = packed_of(engine, p);
        if (!packed)
            continue;
        steps[count++] = (struct tlb_step){
            .pages = p->bytes / p->stride_bytes,
            .span = span_of(p->bytes / p->stride_bytes, 1ull << p->page,
                            engine->machine->description->line_bytes),
            .cost = figure_difference(figure_of_point(p), figure_of_point(packed)),
            .packed_ns = packed->result.ns};
    }
    return count;
}

static void emit_entries(struct engine *engine, struct record_finding finding, const char *name,
                         const struct tlb_knee *knee)
{
    struct record record = {.kind = RECORD_FINDING};

    finding.name = name;
    finding.unit = "entries";
    finding.value = finding.low = (double)knee->low;
    finding.high = (double)knee->high;
    record.u.finding = finding;
    journal_emit(engine->journal, &record);
}

/* Levels that the CPU declares for a page size; TLB_KNEES_MAX when it declares none at all. */
static size_t declared_levels(const struct engine *engine, enum page_size page)
{
    const struct machine_description *d = engine->machine->description;
    size_t count = 0;

    for (size_t i = 0; i < d->tlb_count; i++)
        count += d->tlbs[i].page_log2 == (uint8_t)page;
    return d->tlb_count == 0 ? TLB_KNEES_MAX : count;
}

/* Fewer levels than are declared: up to which number of pages no more showed. */
static void note_unseen(struct engine *engine, const struct point *about, size_t found,
                        uint64_t pages)
{
    char what[80], why[80];
    struct text text;

    if (found >= declared_levels(engine, about->page) ||
        engine->machine->description->tlb_count == 0)
        return;
    text_start(&text, what, sizeof what);
    text_add(&text, "tlb: fewer levels than are declared, in pages of ");
    text_add(&text, plan_page_name(about->page));
    text_start(&text, why, sizeof why);
    text_u64(&text, found);
    text_add(&text, " seen; up to ");
    text_u64(&text, pages);
    text_add(&text, " pages no other miss shows");
    journal_note(engine->journal, SEVERITY_INFO, what, why);
}

static void emit_knee(struct engine *engine, const struct point *about, size_t level,
                      const struct tlb_knee *knee)
{
    static const char *const levels[TLB_KNEES_MAX] = {"first level", "second level", "third level",
                                                      "fourth level"};
    /* Beyond the last TLB it is the walks that begin to miss the caches. */
    bool walks = level >= declared_levels(engine, about->page);
    const char *cost = walks ? "slower walk" : "TLB miss";
    struct record_finding finding = finding_about(about);

    finding.detail = walks ? NULL : levels[level];
    finding.bytes = RECORD_UNKNOWN;
    emit_entries(engine, finding, walks ? "pages whose walks are fast" : "TLB entries", knee);
    if (knee->rising) {
        finding.bound = "at_least";
        finding.limited_by = "pages";
    }
    finding_emit(engine, finding, cost, "ns", knee->miss_ns);
    finding_emit(engine, finding, cost, "cycles",
                 figure_scaled(knee->miss_ns, about->result.cycles / about->result.ns));
}

/* One page size on one kind of frames. */
static void conclude_pages(struct engine *engine, const struct point *about)
{
    struct tlb_step steps[TLB_STEPS_MAX] = {{.pages = 0}};
    struct tlb_knee knees[TLB_KNEES_MAX], none;
    size_t count = gather(engine, about, steps), found = tlb_find(steps, count, knees);
    struct record_finding finding = finding_about(about);

    for (size_t k = 0; k < found; k++)
        emit_knee(engine, about, k, &knees[k]);
    if (count < TLB_STEPS_LEAST)
        return;
    if (found != 0) {
        note_unseen(engine, about, found, steps[count - 1].pages);
        return;
    }
    none = (struct tlb_knee){.low = steps[count - 1].pages, .high = steps[count - 1].span};
    finding.bytes = RECORD_UNKNOWN;
    finding.bound = "at_least";
    finding.limited_by = "pages";
    emit_entries(engine, finding, "TLB entries", &none);
}

static bool first_of_window(const struct engine *engine, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (engine->point[i].role == ROLE_SPREAD && engine->point[i].result.known &&
            plan_same_window(&engine->point[i], &engine->point[index]))
            return false;
    return true;
}

enum status tlb_conclude(struct engine *engine, uint32_t experiment)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && p->role == ROLE_SPREAD && p->result.known &&
            first_of_window(engine, i))
            conclude_pages(engine, p);
    }
    return STATUS_OK;
}
