/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/prefetch_proof.h"

#include "core/experiments/footprint_points.h"
#include "core/experiments/prefetch_ratio.h"
#include "core/experiments/tags.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/measure/describe.h"
#include "core/options/cpus.h"

/* Tags of the five chases. */
enum { PROOF_RANDOM = TAGS_PROOF, PROOF_SPARSE, PROOF_SEQUENTIAL, PROOF_PAIRED, PROOF_HALVED };

#define LAST_LEVELS_PROOF 4
#define PROOF_MIN_BYTES   (8ull << 20)

/* At random over as many lines, one of each pair of neighbours: lines that prefetchers bring beside
 * these are never accessed. */
static void plan_sparse(struct plan *plan, struct point point, uint64_t window_bytes)
{
    if (2 * point.bytes > window_bytes)
        return;
    point.bytes *= 2;
    point.stride_bytes *= 2;
    point.order = ORDER_GROUPED;
    point.group_bytes = PLAN_GROUP_NODES_MAX * point.stride_bytes;
    if (point.group_bytes > point.bytes)
        point.group_bytes = point.bytes;
    point.tag = PROOF_SPARSE;
    plan_add(plan, &point);
}

static const struct {
    enum order_kind order;
    uint32_t tag;
} chases[] = {{ORDER_RANDOM, PROOF_RANDOM},
              {ORDER_SEQUENTIAL_PAGES, PROOF_SEQUENTIAL},
              {ORDER_PAIRED_PAGES, PROOF_PAIRED},
              {ORDER_HALVED_PAGES, PROOF_HALVED}};
#define CHASES (sizeof chases / sizeof chases[0])

static void plan_chase(struct plan *plan, struct point point, size_t i)
{
    point.order = chases[i].order;
    point.group_bytes = PREFETCH_PROOF_PAGE_BYTES;
    point.tag = chases[i].tag;
    plan_add(plan, &point);
}

static void plan_chases(struct plan *plan, struct point point, uint64_t window_bytes)
{
    for (size_t i = 0; i < CHASES; i++)
        plan_chase(plan, point, i);
    plan_sparse(plan, point, window_bytes);
    plan_sparse(plan, point, window_bytes);
    for (size_t i = CHASES; i-- > 0;)
        plan_chase(plan, point, i);
}

void prefetch_proof_plan(struct plan *plan, const struct point *headline)
{
    struct point point = *headline;
    uint64_t bytes = plan_last_level_bytes(plan) * LAST_LEVELS_PROOF;

    footprint_plan(plan, headline, PASS_PROOF);
    point.purpose = PURPOSE_PROOF;
    point.pass = PASS_PROOF;
    point.stays_cached = true;
    point.beyond_caches = false;
    bytes = bytes > PROOF_MIN_BYTES ? bytes : PROOF_MIN_BYTES;
    bytes = bytes < headline->bytes ? bytes : headline->bytes;
    point.bytes = bytes / PREFETCH_PROOF_PAGE_BYTES * PREFETCH_PROOF_PAGE_BYTES;
    /* The ratio needs adjacent lines, and several of them in a page. */
    if (point.bytes < 4 * PREFETCH_PROOF_PAGE_BYTES ||
        point.stride_bytes != plan->machine->line_bytes) {
        journal_note(plan->journal, SEVERITY_INFO, "dram: prefetchers not proven by a ratio",
                     "it needs a set of at least four pages and a stride of one line");
        return;
    }
    plan_chases(plan, point, headline->bytes);
}

/* Mean and error of one tag's chases, before and after the others: their own errors, and the
 * difference between them, since drift or disturbance of a whole chase shows only there. A single
 * chase does not show it, so one is not enough. */
static bool figure_of_tag(const struct plan *plan, uint32_t experiment, uint32_t tag,
                          bool prefetch_off, double *ns, double *error_ns, doubt_set *doubt)
{
    double sum = 0, squares = 0, own = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        double error;
        if (p->experiment != experiment || p->tag != tag || p->prefetch_off != prefetch_off ||
            !p->result.known)
            continue;
        *doubt |= p->result.doubt;
        error = p->result.mean_rel_error * p->result.mean_ns;
        own += error * error;
        sum += p->result.mean_ns;
        squares += p->result.mean_ns * p->result.mean_ns;
        count++;
    }
    *ns = *error_ns = real_nan();
    if (count < 2)
        return false;
    *ns = sum / count;
    squares = squares / count - *ns * *ns;
    *error_ns = real_sqrt(own / count / count + (squares > 0 ? squares : 0) / (count - 1));
    return true;
}

/* What a hop of the headline's largest set takes; 0: none was measured. */
static double headline_ns(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    uint64_t bytes = 0;
    double ns = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != experiment || p->purpose != PURPOSE_HEADLINE ||
            p->order != ORDER_RANDOM || p->prefetch_off != prefetch_off || !p->result.known ||
            p->bytes < bytes)
            continue;
        bytes = p->bytes;
        ns = p->result.mean_ns;
    }
    return ns;
}

static struct prefetch_ratio ratio_seen(const struct plan *plan, uint32_t experiment,
                                        bool prefetch_off)
{
    struct prefetch_proof proof, errors;
    struct {
        uint32_t tag;
        double *ns, *error_ns;
        bool needed;
    } figures[] = {{PROOF_RANDOM, &proof.random_ns, &errors.random_ns, true},
                   {PROOF_SEQUENTIAL, &proof.sequential_ns, &errors.sequential_ns, true},
                   {PROOF_PAIRED, &proof.paired_ns, &errors.paired_ns, true},
                   {PROOF_HALVED, &proof.halved_ns, &errors.halved_ns, false},
                   {PROOF_SPARSE, &proof.sparse_ns, &errors.sparse_ns, false}};
    struct prefetch_ratio ratio;
    doubt_set doubt = 0;
    bool known = true;

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (!figure_of_tag(plan, experiment, figures[i].tag, prefetch_off, figures[i].ns,
                           figures[i].error_ns, &doubt) &&
            figures[i].needed)
            known = false;
    if (!known)
        return (struct prefetch_ratio){.known = false};
    proof.memory_ns = headline_ns(plan, experiment, prefetch_off);
    proof.lines_per_page = errors.lines_per_page =
        PREFETCH_PROOF_PAGE_BYTES / plan->machine->line_bytes;
    ratio = prefetch_proof_ratio(&proof, &errors);
    ratio.doubt = doubt;
    return ratio;
}

/* Judges by both witnesses; false: neither was measured. */
static bool judge_seen(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                       struct prefetch_ratio *ratio, struct record_prefetch *seen)
{
    struct footprint_summary none = {.known = false};
    const struct point *footprint = footprint_find(plan, experiment, prefetch_off, 0);

    *ratio = ratio_seen(plan, experiment, prefetch_off);
    if (!ratio->known && footprint == NULL)
        return false;
    prefetch_proof_judge(footprint != NULL ? &footprint->footprint : &none, ratio, seen);
    return true;
}

static bool is_verdict(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                       const char *verdict)
{
    struct record_prefetch seen = {.verdict = NULL};
    struct prefetch_ratio ratio;

    return judge_seen(plan, experiment, prefetch_off, &ratio, &seen) &&
           text_equal(seen.verdict, verdict);
}

bool prefetch_proof_is_off(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    return is_verdict(plan, experiment, prefetch_off, "off");
}

bool prefetch_proof_is_on(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    return is_verdict(plan, experiment, prefetch_off, "on");
}

double prefetch_proof_busy_ns(const struct plan *plan, const struct point *point)
{
    const struct point *seen = footprint_find(plan, point->experiment, point->prefetch_off, 0);
    double line_ns, error_ns;
    doubt_set doubt = 0;

    if (seen == NULL || seen->footprint.verdict != FOOTPRINT_ON)
        return 0;
    if (!figure_of_tag(plan, point->experiment, PROOF_SEQUENTIAL, point->prefetch_off, &line_ns,
                       &error_ns, &doubt))
        line_ns = point->result.mean_ns;
    return seen->footprint.brought * line_ns;
}

bool prefetch_proof_brings(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    const struct point *seen = footprint_find(plan, experiment, prefetch_off, 0);

    if (seen != NULL && seen->footprint.verdict == FOOTPRINT_ON)
        return seen->footprint.brought > 0;
    return !prefetch_proof_is_off(plan, experiment, prefetch_off);
}

double prefetch_proof_row_ns(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    static const uint32_t staying[] = {PROOF_PAIRED, PROOF_HALVED};
    double random_ns, random_error_ns, max_ns = 0;
    doubt_set doubt = 0;

    if (!figure_of_tag(plan, experiment, PROOF_RANDOM, prefetch_off, &random_ns, &random_error_ns,
                       &doubt))
        return real_nan();
    for (size_t i = 0; i < sizeof staying / sizeof staying[0]; i++) {
        double ns, error_ns, gain_ns;
        if (!figure_of_tag(plan, experiment, staying[i], prefetch_off, &ns, &error_ns, &doubt))
            return real_nan();
        gain_ns = random_ns - ns + 2 * real_hypotenuse(random_error_ns, error_ns);
        max_ns = gain_ns > max_ns ? gain_ns : max_ns;
    }
    /* Only half of their hops stay in a page. */
    return 2 * max_ns;
}

void prefetch_proof_conclude(const struct plan *plan, const struct controls *controls,
                             uint32_t experiment, bool prefetch_off, bool followed)
{
    struct record_prefetch seen = {.verdict = NULL};
    struct prefetch_ratio ratio;

    if (!judge_seen(plan, experiment, prefetch_off, &ratio, &seen))
        return;
    if (ratio.cached)
        journal_note(plan->journal, SEVERITY_INFO, "dram: a cache holds the ratio's chases",
                     "they take less than half of the headline's latency: the ratio may show "
                     "prefetchers on, never off");
    if (followed && text_equal(seen.verdict, "off"))
        seen.doubt |= doubt_of(DOUBT_CONTRADICTED);
    describe_prefetch(&controls->prefetch[prefetch_off],
                      cpus_number(plan->machine->cpus, plan->machine->cpu_count, 0), &seen,
                      plan->journal);
    if (prefetch_off && controls->prefetch[true].state == PREFETCH_OFF &&
        text_equal(seen.verdict, "on"))
        journal_note(plan->journal, SEVERITY_WARNING,
                     "prefetchers are not off: every figure may contain their work",
                     "their controls read back as off, but behaviour shows them at work");
}

bool prefetch_proof_stepped(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->prefetch_off == prefetch_off && p->result.known &&
            (p->result.doubt & doubt_of(DOUBT_DRIFT)) != 0)
            return true;
    }
    return false;
}
