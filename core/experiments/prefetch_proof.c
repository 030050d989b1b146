/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/prefetch_proof.h"

#include "core/experiments/footprint_points.h"
#include "core/experiments/tags.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/measure/describe.h"

/* Tags of the five chases. */
enum { PROOF_RANDOM = TAGS_PROOF, PROOF_SPARSE, PROOF_SEQUENTIAL, PROOF_PAIRED, PROOF_HALVED };

#define LAST_LEVELS_PROOF 4
#define PROOF_LEAST_BYTES (8ull << 20)
/* Of a hop: more than a row's precharge and activation are of any memory's latency. */
#define ROW_GAIN_MOST 0.5
/* Of a hop at random: what one in order takes at least, were nothing prefetched. */
#define HONEST_LEAST    0.05
#define PROOF_OFF_LEAST 0.8
#define PROOF_OFF_MOST  1.25
#define PROOF_ON_MOST   0.6
/* Standard errors to each side of 99.9 % of a normal law. */
#define BOUND_ERRORS 3.3

/* What a hop in order takes where nothing is prefetched: a hop at random but for the gain of open
 * rows and warm translations, which is known between bounds. Channels share a page's lines out, and
 * lines of two channels lie in two rows: of n lines in c rows, n - c hops in order find their row
 * open, but of random pairs only a share of (n / c - 1) / (n - 1). Lines half a page apart are in
 * one row unless high bits choose the channel; but a row that is come back to later may have been
 * closed, and a prefetcher may learn that distance, though then it gains more than a row can.
 * Between the bounds all is explained. */
static double honest_ns(const struct prefetch_proof *proof, bool *floored)
{
    double random_ns = proof->sparse_ns > 0 ? proof->sparse_ns : proof->random_ns;
    double others = proof->lines_per_page - 1;
    double paired = 2 * (proof->random_ns - proof->paired_ns);
    double halved = 2 * (proof->random_ns - proof->halved_ns);
    double floor_ns = HONEST_LEAST * random_ns;
    double most = random_ns - paired * others / (others + 1), least = most;

    if (paired > 0 && halved > paired &&
        halved - paired <= ROW_GAIN_MOST * (proof->random_ns - paired))
        least = random_ns - halved * others * paired / (others * paired + halved);
    *floored = *floored || least < floor_ns || most < floor_ns;
    most = most > floor_ns ? most : floor_ns;
    least = least > floor_ns ? least : floor_ns;
    if (proof->sequential_ns < least)
        return least;
    return proof->sequential_ns < most ? proof->sequential_ns : most;
}

static double ratio_of(const struct prefetch_proof *proof, bool *floored)
{
    double honest = honest_ns(proof, floored);

    return proof->sequential_ns / honest;
}

/* How far the ratio moves, squared, when one figure moves as far as it may to one side. */
static void move(const struct prefetch_proof *moved, double ratio, double *down, double *up,
                 bool *floored)
{
    double by = ratio_of(moved, floored) - ratio;

    *(by < 0 ? down : up) += by * by;
}

static void move_both(const struct prefetch_proof *proof, size_t place, double error,
                      struct prefetch_ratio *ratio)
{
    double sides[2] = {0, 0};

    for (int side = -1; side <= 1; side += 2) {
        struct prefetch_proof moved = *proof;
        double *figure = (double *)((char *)&moved + place);
        *figure += side * BOUND_ERRORS * error;
        move(&moved, ratio->ratio, &sides[0], &sides[1], &ratio->floored);
    }
    ratio->low += sides[0];
    ratio->high += sides[1];
}

struct prefetch_ratio prefetch_proof_ratio(const struct prefetch_proof *proof,
                                           const struct prefetch_proof *errors)
{
    static const size_t places[] = {
        offsetof(struct prefetch_proof, random_ns), offsetof(struct prefetch_proof, sparse_ns),
        offsetof(struct prefetch_proof, sequential_ns), offsetof(struct prefetch_proof, paired_ns),
        offsetof(struct prefetch_proof, halved_ns)};
    struct prefetch_ratio ratio = {.known = true};

    ratio.ratio = ratio_of(proof, &ratio.floored);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        double error = *(const double *)((const char *)errors + places[i]);
        if (!real_is_nan(error))
            move_both(proof, places[i], error, &ratio);
    }
    ratio.low = ratio.ratio - real_sqrt(ratio.low);
    ratio.high = ratio.ratio + real_sqrt(ratio.high);
    return ratio;
}

const char *prefetch_proof_verdict(const struct prefetch_ratio *ratio)
{
    if (!ratio->known || ratio->floored)
        return "undecided";
    if (ratio->low >= PROOF_OFF_LEAST && ratio->high <= PROOF_OFF_MOST)
        return "off";
    return ratio->high < PROOF_ON_MOST ? "on" : "undecided";
}

static bool is_decided(const char *verdict)
{
    return verdict != NULL && !text_equal(verdict, "undecided");
}

static void put_ratio(const struct prefetch_ratio *ratio, struct record_prefetch *seen)
{
    seen->sequential_over_random = ratio->known ? ratio->ratio : real_nan();
    seen->ratio_low = ratio->known ? ratio->low : real_nan();
    seen->ratio_high = ratio->known ? ratio->high : real_nan();
    seen->ratio_verdict = ratio->known ? prefetch_proof_verdict(ratio) : NULL;
}

static void put_footprint(const struct footprint_summary *footprint, struct record_prefetch *seen)
{
    bool told = footprint->known && footprint->tries != 0;

    seen->footprint_share = told ? footprint->most.share : real_nan();
    seen->footprint_low = told ? footprint->most.low : real_nan();
    seen->footprint_high = told ? footprint->high : real_nan();
    seen->footprint_touches = told ? footprint->touches : RECORD_UNKNOWN;
    seen->footprint_distance = told ? footprint->distance : real_nan();
    seen->footprint_verdict = footprint->known ? footprint_verdict_name(footprint->verdict) : NULL;
}

void prefetch_proof_judge(const struct footprint_summary *footprint,
                          const struct prefetch_ratio *ratio, struct record_prefetch *seen)
{
    put_ratio(ratio, seen);
    put_footprint(footprint, seen);
    seen->verdict = "undecided";
    seen->doubt = footprint->known ? footprint->doubt : 0;
    if (is_decided(seen->footprint_verdict)) {
        seen->verdict = seen->footprint_verdict;
        seen->witness = "footprint";
        if (is_decided(seen->ratio_verdict) && !text_equal(seen->ratio_verdict, seen->verdict))
            seen->doubt |= doubt_of(DOUBT_CONTRADICTED);
    } else if (is_decided(seen->ratio_verdict)) {
        seen->verdict = seen->ratio_verdict;
        seen->witness = "ratio";
        seen->doubt |= ratio->doubt;
    }
}

/* At random over as many lines, one of each pair of neighbours: what prefetchers bring beside a
 * line is never asked for. */
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

    footprint_plan(plan, headline);
    point.purpose = PURPOSE_PROOF;
    point.pass = PASS_PROOF;
    point.stays_cached = true;
    point.beyond_caches = false;
    bytes = bytes > PROOF_LEAST_BYTES ? bytes : PROOF_LEAST_BYTES;
    bytes = bytes < headline->bytes ? bytes : headline->bytes;
    point.bytes = bytes / PREFETCH_PROOF_PAGE_BYTES * PREFETCH_PROOF_PAGE_BYTES;
    /* A proof needs lines that are neighbours, and pages that hold some. */
    if (point.bytes < 4 * PREFETCH_PROOF_PAGE_BYTES ||
        point.stride_bytes != plan->machine->line_bytes) {
        journal_note(plan->journal, SEVERITY_INFO, "dram: prefetchers not proven by a ratio",
                     "it needs a set of at least four pages and a stride of one line");
        return;
    }
    plan_chases(plan, point, headline->bytes);
}

/* The chases of one tag, those before and after the others. What each of them says of its own
 * error, and what they differ by: drift and disturbance of a whole chase are in that alone. One
 * chase by itself says nothing of it. */
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
    proof.lines_per_page = errors.lines_per_page =
        PREFETCH_PROOF_PAGE_BYTES / plan->machine->line_bytes;
    ratio = prefetch_proof_ratio(&proof, &errors);
    ratio.doubt = doubt;
    return ratio;
}

/* Both witnesses of that state; false: neither was heard. */
static bool judge_seen(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                       struct record_prefetch *seen)
{
    struct footprint_summary none = {.known = false};
    const struct point *footprint = footprint_find(plan, experiment, prefetch_off, 0);
    struct prefetch_ratio ratio = ratio_seen(plan, experiment, prefetch_off);

    if (!ratio.known && footprint == NULL)
        return false;
    prefetch_proof_judge(footprint != NULL ? &footprint->footprint : &none, &ratio, seen);
    return true;
}

bool prefetch_proof_is_off(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    struct record_prefetch seen = {.cpu = 0};

    return judge_seen(plan, experiment, prefetch_off, &seen) && text_equal(seen.verdict, "off");
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
    double random_ns, random_error_ns, most_ns = 0;
    doubt_set doubt = 0;

    if (!figure_of_tag(plan, experiment, PROOF_RANDOM, prefetch_off, &random_ns, &random_error_ns,
                       &doubt))
        return real_nan();
    for (size_t i = 0; i < sizeof staying / sizeof staying[0]; i++) {
        double ns, error_ns, gain_ns;
        if (!figure_of_tag(plan, experiment, staying[i], prefetch_off, &ns, &error_ns, &doubt))
            return real_nan();
        gain_ns = random_ns - ns + 2 * real_hypotenuse(random_error_ns, error_ns);
        most_ns = gain_ns > most_ns ? gain_ns : most_ns;
    }
    /* Half of their hops are the first in a page. */
    return 2 * most_ns;
}

void prefetch_proof_conclude(const struct plan *plan, const struct controls *controls,
                             uint32_t experiment, bool prefetch_off)
{
    struct record_prefetch seen = {.cpu = 0};

    if (!judge_seen(plan, experiment, prefetch_off, &seen))
        return;
    describe_prefetch(&controls->prefetch[prefetch_off], &seen, plan->journal);
    if (prefetch_off && controls->prefetch[true].state == PREFETCH_OFF &&
        text_equal(seen.verdict, "on"))
        journal_note(plan->journal, SEVERITY_WARNING,
                     "prefetchers are not off: every figure may contain their work",
                     "their controls read back as off, and behaviour shows them at work");
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
