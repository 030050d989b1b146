/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/prefetch_ratio.h"

#include <stddef.h>

#include "core/lib/real.h"
#include "core/lib/text.h"

/* The least that an unprefetched sequential hop costs, as a share of a random one. */
#define EXPECTED_MIN  0.05
#define PROOF_OFF_MIN 0.8
#define PROOF_OFF_MAX 1.25
#define PROOF_ON_MAX  0.6
/* The least share of the headline's latency that the random chase takes: below it, most of its
 * lines are in a cache, and so are those of the others. */
#define PROOF_MEMORY_MIN 0.5
/* Standard errors to each side for 99.9 % of a normal distribution. */
#define BOUND_ERRORS 3.3

/* What a sequential hop costs if nothing is prefetched: a random hop without what open rows and TLB
 * hits save, which is known between bounds. Channels share the lines of a page, and lines of two
 * channels lie in two rows: of n lines in c rows, n - c sequential hops find their row open, but of
 * random pairs only a share of (n / c - 1) / (n - 1). Lines half a page apart share a row unless
 * high address bits select the channel; but a row visited again later may have been closed, and a
 * prefetcher may learn that distance, although it then gains more than a row can. Between the
 * bounds the sequential chase is explained, and the bound nearest to it is returned. */
static double expected_unprefetched_ns(const struct prefetch_proof *proof, bool *floored)
{
    double random_ns = proof->sparse_ns > 0 ? proof->sparse_ns : proof->random_ns;
    double others = proof->lines_per_page - 1;
    double paired = 2 * (proof->random_ns - proof->paired_ns);
    double halved = 2 * (proof->random_ns - proof->halved_ns);
    double floor_ns = EXPECTED_MIN * random_ns;
    double max = random_ns - paired * others / (others + 1), min = max;

    if (paired > 0 && halved > paired &&
        halved - paired <= PREFETCH_ROW_GAIN_MAX * (proof->random_ns - paired))
        min = random_ns - halved * others * paired / (others * paired + halved);
    *floored = *floored || min < floor_ns || max < floor_ns;
    max = max > floor_ns ? max : floor_ns;
    min = min > floor_ns ? min : floor_ns;
    if (proof->sequential_ns < min)
        return min;
    return proof->sequential_ns < max ? proof->sequential_ns : max;
}

static double ratio_of(const struct prefetch_proof *proof, bool *floored)
{
    double expected = expected_unprefetched_ns(proof, floored);

    return proof->sequential_ns / expected;
}

/* Adds the square of the change that a moved figure makes to the ratio. */
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
    struct prefetch_ratio ratio = {
        .known = true, .cached = proof->random_ns < PROOF_MEMORY_MIN * proof->memory_ns};
    struct prefetch_proof seen = *proof;

    /* Its lines are in half of that cache's sets, which may not hold them. */
    if (ratio.cached)
        seen.sparse_ns = real_nan();
    ratio.ratio = ratio_of(&seen, &ratio.floored);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        double error = *(const double *)((const char *)errors + places[i]);
        if (!real_is_nan(error))
            move_both(&seen, places[i], error, &ratio);
    }
    ratio.low = ratio.ratio - real_sqrt(ratio.low);
    ratio.high = ratio.ratio + real_sqrt(ratio.high);
    return ratio;
}

const char *prefetch_proof_verdict(const struct prefetch_ratio *ratio)
{
    if (!ratio->known || ratio->floored)
        return "undecided";
    if (!ratio->cached && ratio->low >= PROOF_OFF_MIN && ratio->high <= PROOF_OFF_MAX)
        return "off";
    return ratio->high < PROOF_ON_MAX ? "on" : "undecided";
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

    seen->footprint_share = told ? footprint->max.share : real_nan();
    seen->footprint_low = told ? footprint->max.low : real_nan();
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
