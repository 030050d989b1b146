/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments conclude, from made-up points whose truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/experiments/curve_levels.h"
#include "core/experiments/frequency.h"
#include "core/experiments/parallel.h"
#include "core/experiments/prefetchers.h"
#include "core/experiments/table.h"
#include "core/experiments/tlb.h"
#include "core/levels/tlb_knees.h"

#define CHAINS 24

static bool near(double figure, double truth, double share)
{
    return fabs(figure - truth) <= share * fabs(truth);
}

/* ---- the table */

static void both_tables_have_the_same_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < experiment_count; i++)
        assert_string_equal(experiment_table[i].name, experiment_list[i].name);
}

/* ---- figures */

static void errors_go_with_their_figures(void **state)
{
    struct figure a = {10, 0.3}, b = {5, 0.4};

    (void)state;
    assert_true(near(figure_difference(a, b).value, 5, 1e-12));
    assert_true(near(figure_difference(a, b).error, 0.5, 1e-12));
    assert_true(near(figure_sum(a, b).error, 0.5, 1e-12));
    assert_true(near(figure_ratio(a, b).value, 2, 1e-12));
    /* 3 % and 8 % */
    assert_true(near(figure_ratio(a, b).error, 2 * sqrt(0.03 * 0.03 + 0.08 * 0.08), 1e-12));
    assert_true(near(figure_scaled(a, -2).error, 0.6, 1e-12));
}

static void an_error_that_is_unknown_stays_so(void **state)
{
    struct figure known = figure_of(10, 0.03), unknown = figure_of(10, 1);

    (void)state;
    assert_true(near(known.error, 0.3, 1e-12));
    assert_true(unknown.value == 10 && isnan(unknown.error));
    assert_true(isnan(figure_difference(known, unknown).error));
    assert_true(isnan(figure_sum(unknown, known).error));
    assert_true(isnan(figure_ratio(known, unknown).error));
    assert_true(isnan(figure_scaled(unknown, 2).error));
}

/* ---- parallel */

struct memory {
    double latency_ns;
    double misses;    /* outstanding at most */
    double line_ns;   /* that the channel is busy for */
    double waiting;   /* share of its latency that a miss waits for each of the others */
    double smoothing; /* above 0: the rate bends softly into its limit */
    double burst_end; /* 1: misses of a round come one after the other, 0: together */
};

static void steps_of(const struct memory *memory, size_t count, double error,
                     struct parallel_step steps[CHAINS])
{
    for (size_t i = 0; i < count; i++) {
        double chains = (double)(i + 1);
        double under_way = chains < memory->misses ? chains : memory->misses;
        double latency = memory->latency_ns * (1 + memory->waiting * (under_way - 1));
        double rate = under_way / latency, max = 1 / memory->line_ns;
        double soft = memory->smoothing;
        if (soft > 0)
            rate = pow(pow(rate, -1 / soft) + pow(max, -1 / soft), -soft);
        else
            rate = rate < max ? rate : max;
        steps[i] = (struct parallel_step){
            .chains = (uint32_t)i + 1,
            .ns = {chains / rate, chains / rate * error},
            .burst_ns = {20 + latency + memory->burst_end * (chains - 1) * memory->line_ns, 0.1}};
    }
}

static void misses_are_exact_where_their_buffers_run_out(void **state)
{
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    for (int max = 1; max < CHAINS; max++) {
        struct memory memory = {.latency_ns = 90, .misses = max, .line_ns = 1};
        steps_of(&memory, CHAINS, 0.001, steps);
        assert_true(parallel_find(steps, CHAINS, &misses));
        assert_true(misses.exact && misses.limited_by == NULL);
        assert_true(misses.value == max && misses.low == max && misses.high == max);
        /* misses that wait for banks: by Little's law with an idle latency they would be fewer */
        memory.waiting = 0.01;
        steps_of(&memory, CHAINS, 0.001, steps);
        assert_true(parallel_find(steps, CHAINS, &misses));
        assert_true(misses.exact && misses.value == max);
    }
}

/* Ten buffers for misses, and a quarter of a hop is a TLB miss, which holds none of them. */
static void chains_that_translate_are_no_misses(void **state)
{
    struct memory memory = {.latency_ns = 120, .misses = 12, .line_ns = 1};
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    steps_of(&memory, CHAINS, 0.001, steps);
    steps[0].alone_ns = (struct figure){100, 0.1};
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_string_equal(misses.limited_by, "translation");
    assert_true(near(misses.value, 10, 1e-9) && misses.low < 10 && misses.high > 10);
    /* Less than would make a miss more; and less than is known. */
    steps[0].alone_ns = (struct figure){118, 0.1};
    assert_true(parallel_find(steps, CHAINS, &misses) && misses.exact && misses.value == 12);
    steps[0].alone_ns = (struct figure){115, 3};
    assert_true(parallel_find(steps, CHAINS, &misses) && misses.exact && misses.value == 12);
}

static void misses_of_unknown_error_are_not_exact(void **state)
{
    struct memory memory = {.latency_ns = 90, .misses = 6, .line_ns = 1};
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    steps_of(&memory, CHAINS, 0.001, steps);
    steps[8].ns.error = (double)NAN;
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_false(misses.exact);
    assert_string_equal(misses.limited_by, "precision");
}

static void too_few_chains_give_a_bound(void **state)
{
    struct memory memory = {.latency_ns = 90, .misses = 30, .line_ns = 0.5};
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    steps_of(&memory, 14, 0.001, steps);
    assert_true(parallel_find(steps, 14, &misses));
    assert_false(misses.exact);
    assert_string_equal(misses.limited_by, "chains");
    assert_true(near(misses.value, 14, 1e-9) && misses.low < 14 && misses.high > 14);
    /* a single chain that was disturbed: never more misses than chains */
    steps[0].ns.value *= 1.2;
    assert_true(parallel_find(steps, 14, &misses));
    assert_string_equal(misses.limited_by, "chains");
    assert_true(near(misses.value, 14, 1e-9));
    /* as many as there are chains: more cannot be ruled out */
    memory.misses = 14;
    steps_of(&memory, 14, 0.001, steps);
    assert_true(parallel_find(steps, 14, &misses));
    assert_string_equal(misses.limited_by, "chains");
    assert_false(parallel_find(steps, 1, &misses));
}

static void bandwidth_is_no_number_of_misses(void **state)
{
    /* nine lines per latency: with a sharp limit, in memory without bank conflicts, and with a soft
     * one */
    struct memory sharp = {.latency_ns = 90, .misses = 30, .line_ns = 10, .burst_end = 1};
    struct memory soft = {.latency_ns = 90, .misses = 30, .line_ns = 10, .smoothing = 0.15};
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    steps_of(&sharp, CHAINS, 0.001, steps);
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_string_equal(misses.limited_by, "bandwidth");
    assert_true(near(misses.value, 9, 0.01) && !misses.exact);
    steps_of(&soft, CHAINS, 0.001, steps);
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_false(misses.exact);
    /* the same sharp knee by misses, but no clock that could time a round: nothing is claimed */
    sharp = (struct memory){.latency_ns = 90, .misses = 9, .line_ns = 1};
    steps_of(&sharp, CHAINS, 0.001, steps);
    for (size_t i = 0; i < CHAINS; i++)
        steps[i].burst_ns = (struct figure){0, 0};
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_string_equal(misses.limited_by, "bandwidth");
}

/* A bend over two steps is no buffer that ran out, however steep the rise was before. */
static void a_bend_is_no_knee(void **state)
{
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    for (uint32_t i = 0; i < CHAINS; i++) {
        double chains = i + 1;
        double rate = i < 9 ? chains : i == 9 ? 9.70 : i == 10 ? 9.97 : 10;
        steps[i] = (struct parallel_step){
            .chains = i + 1,
            .ns = {90 * chains / rate, 0.09},
            .burst_ns = {110, 0.1},
        };
    }
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_string_equal(misses.limited_by, "bandwidth");
    steps[9].ns.value = 90;
    steps[10].ns.value = 90 * 1.1;
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_true(misses.exact && misses.value == 10);
}

static void noise_makes_a_bound_of_it(void **state)
{
    struct memory memory = {.latency_ns = 90, .misses = 10, .line_ns = 1};
    struct parallel_step steps[CHAINS];
    struct parallel_misses misses;

    (void)state;
    steps_of(&memory, CHAINS, 0.05, steps);
    assert_true(parallel_find(steps, CHAINS, &misses));
    assert_false(misses.exact);
    assert_true(misses.low < 10 && misses.high > 10);
}

/* ---- curve */

static void a_headline_beyond_doubt_vouches_for_memory(void **state)
{
    doubt_set open = doubt_of(DOUBT_CONTRADICTED) | doubt_of(DOUBT_EXTRAPOLATED);
    doubt_set seen = doubt_of(DOUBT_TRANSLATION) | doubt_of(DOUBT_DRIFT);

    (void)state;
    assert_int_equal(curve_doubt_met(open | seen, DRAM_SAME), seen);
    assert_int_equal(curve_doubt_met(open | seen, DRAM_SAME_DOUBTED), open | seen);
    assert_int_equal(curve_doubt_met(open, DRAM_UNKNOWN), open);
    assert_int_equal(curve_doubt_met(0, DRAM_APART), doubt_of(DOUBT_CONTRADICTED));
    assert_int_equal(curve_doubt_met(0, DRAM_SAME), 0);
    assert_int_equal(curve_doubt_met(open, DRAM_SAME_WAITS), open | doubt_of(DOUBT_TRANSLATION));
}

static void a_set_that_a_larger_one_undercuts_is_contradicted(void **state)
{
    static const struct {
        double ns, error; /* of the larger set */
        enum page_size page;
        bool contradicted;
    } cases[] = {{90, 0.002, PAGE_4K, true},
                 {96, 0.002, PAGE_4K, false},
                 {90, 0.04, PAGE_4K, false},
                 {90, 0.002, PAGE_2M, false},
                 {110, 0.002, PAGE_4K, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct level_point points[] = {
            {.bytes = 2 << 20,
             .ns = cases[i].ns,
             .rel_error = cases[i].error,
             .page = cases[i].page},
            {.bytes = 1 << 20, .ns = 100, .rel_error = 0.002, .page = PAGE_4K}};
        curve_doubt_undercut(points, 2);
        assert_int_equal(points[1].doubt, cases[i].contradicted ? doubt_of(DOUBT_CONTRADICTED) : 0);
        assert_true(cases[i].contradicted ? points[1].rel_error >= 0.1
                                          : points[1].rel_error == 0.002);
        assert_int_equal(points[0].doubt, 0);
    }
}

/* ---- tlb */

static struct tlb_rest tlb_rest;

struct translation {
    uint64_t entries[3];
    double miss_ns[3];
    double width; /* pages over entries at which all of them miss */
};

static size_t tlb_steps(const struct translation *truth, uint32_t per_octave, uint64_t max,
                        double noise_ns, struct tlb_step steps[TLB_STEPS_MAX])
{
    size_t count = 0;

    for (uint32_t i = 0; count < TLB_STEPS_MAX && tlb_pages(per_octave, i) <= max; i++) {
        uint64_t pages = tlb_pages(per_octave, i);
        double cost = i % 2 == 0 ? noise_ns : -noise_ns;
        for (size_t k = 0; k < 3 && truth->entries[k] != 0; k++) {
            double over = (double)pages / (double)truth->entries[k] - 1;
            double share = over / (truth->width - 1);
            cost += truth->miss_ns[k] * (share < 0 ? 0 : share > 1 ? 1 : share);
        }
        steps[count++] = (struct tlb_step){.pages = pages,
                                           .span = pages,
                                           .cost = {cost, noise_ns / 2},
                                           .packed_ns = 1.25,
                                           .packed_pages = 1};
    }
    return count;
}

struct seen_step {
    uint64_t pages;
    double cost_ns;
};

static struct tlb_step step_of(const struct seen_step *seen, double error_ns, double packed_ns)
{
    return (struct tlb_step){.pages = seen->pages,
                             .span = seen->pages,
                             .cost = {seen->cost_ns, error_ns},
                             .packed_ns = packed_ns,
                             .packed_pages = 1};
}

/* Sixteen pages of contiguous frames share each of 96 entries, and a random cycle meets an entry
 * again before it is lost: the rise goes on in steps of which none is much beside a hop. */
static void a_rise_that_never_ends_gives_a_bound(void **state)
{
    static const struct seen_step seen[] = {{1024, 0},     {1280, 0.002}, {1536, 0.043},
                                            {1792, 0.437}, {2048, 0.651}, {2560, 1.015},
                                            {3072, 1.245}, {3584, 1.398}, {4096, 1.522}};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];
    size_t count = sizeof seen / sizeof seen[0];

    (void)state;
    for (size_t i = 0; i < count; i++)
        steps[i] = step_of(&seen[i], 0.002, 6.7);
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 1);
    assert_true(knees[0].rising && near(knees[0].miss_ns.value, 1.52, 0.02));
    /* It does end. */
    for (size_t i = 5; i < count + 4; i++) {
        steps[i] = steps[i < count ? i : count - 1];
        steps[i].pages = steps[i].span = 1024 * (i - 2);
        steps[i].cost.value = 1.245;
    }
    assert_int_equal(tlb_find(steps, count + 4, &tlb_rest, knees), 1);
    assert_false(knees[0].rising);
    assert_true(fabs(knees[0].miss_ns.value - 1.245) < 2 * knees[0].miss_ns.error);
    assert_true(knees[0].miss_ns.error < 0.3);
}

static void knees_of_every_width_are_found(void **state)
{
    static const double widths[] = {1.0001, 1.0625, 1.25};
    struct translation truth = {{64, 1536}, {1.75, 7.5}, 0};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];

    (void)state;
    for (size_t w = 0; w < 3; w++)
        for (uint32_t per_octave = 4; per_octave <= 6; per_octave += 2) {
            size_t count;
            truth.width = widths[w];
            count = tlb_steps(&truth, per_octave, 8192, 0.01, steps);
            assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 2);
            for (size_t k = 0; k < 2; k++) {
                assert_true(knees[k].low <= truth.entries[k]);
                assert_true(knees[k].high >= truth.entries[k]);
                assert_true(knees[k].high <= truth.entries[k] * 1.26);
                assert_true(near(knees[k].miss_ns.value, truth.miss_ns[k], 0.05));
                assert_false(knees[k].rising);
            }
        }
}

/* An octave apart, and the second miss costs more than three times the first. */
static void a_level_that_soon_ends_is_no_part_of_the_next(void **state)
{
    struct translation truth = {{16, 32}, {0.83, 2.92}, 1.0001};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];

    (void)state;
    assert_int_equal(tlb_find(steps, tlb_steps(&truth, 4, 256, 0.001, steps), &tlb_rest, knees), 2);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(knees[k].low, truth.entries[k]);
        assert_true(near(knees[k].miss_ns.value, truth.miss_ns[k], 0.03));
        assert_false(knees[k].extrapolated);
    }
}

/* Entries that pages share are missed more and more, far beyond the first level's 32 pages: the
 * second level's 128 are in the bounds all the same. */
static void a_rise_that_never_quite_ends_hides_no_knee(void **state)
{
    static const struct seen_step seen[] = {{16, 0},    {20, 0},     {24, 0},      {28, 0},
                                            {32, 0},    {40, 1.3},   {48, 1.92},   {56, 2},
                                            {64, 2.75}, {80, 2.65},  {96, 3.17},   {112, 3.07},
                                            {128, 3.5}, {160, 9.44}, {192, 12.78}, {224, 16.89}};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];
    size_t count = sizeof seen / sizeof seen[0];

    (void)state;
    for (size_t i = 0; i < count; i++)
        steps[i] = step_of(&seen[i], 0.001, seen[i].pages <= 64 ? 2 : 7);
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 2);
    assert_true(knees[0].low == 32 && knees[0].high == 39);
    assert_true(knees[1].low <= 128 && knees[1].high >= 128 && knees[1].high <= 128 * 1.3);
}

/* Sixteen entries of which each holds `sharing` pages, and a second level that does the same: by
 * the steps of a simulated machine. The baseline's lines miss the first level too. */
static size_t shared_steps(double sharing, double cost, struct tlb_step steps[TLB_STEPS_MAX])
{
    const double held[] = {16 * sharing, 512 * sharing}, miss_ns[] = {4, cost};
    size_t count = 0;

    for (uint32_t i = 0; tlb_pages(4, i) <= 4096; i++) {
        double pages = (double)tlb_pages(4, i);
        struct tlb_step step = {.pages = tlb_pages(4, i), .span = tlb_pages(4, i)};
        step.packed_ns = pages <= 512 ? 2 : 7;
        step.packed_pages = pages / 64;
        for (size_t k = 0; k < 2; k++) {
            double over = 1 - held[k] / pages, packed_over = 1 - held[k] / step.packed_pages;
            step.cost.value += over > 0 ? miss_ns[k] * pow(over, 1 - 1 / sharing) : 0;
            step.cost.value -= packed_over > 0 ? miss_ns[k] * packed_over : 0;
        }
        step.cost.error = 0.01;
        steps[count++] = step;
    }
    return count;
}

static bool bounds_hold(const struct tlb_knee *knee, double entries, double miss_ns)
{
    return (double)knee->low <= entries && entries <= (double)knee->high &&
           fabs(knee->miss_ns.value - miss_ns) <= 2 * knee->miss_ns.error &&
           2 * knee->miss_ns.error < 0.1 * miss_ns;
}

static void misses_of_the_baseline_are_taken_off(void **state)
{
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];

    (void)state;
    assert_int_equal(tlb_find(steps, shared_steps(1, 20, steps), &tlb_rest, knees), 2);
    assert_true(bounds_hold(&knees[0], 16, 4) && bounds_hold(&knees[1], 512, 20));
    /* where it has no second level, its own misses look like a cost that falls */
    assert_int_equal(tlb_find(steps, shared_steps(1, 0, steps), &tlb_rest, knees), 1);
    assert_true(bounds_hold(&knees[0], 16, 4) && !knees[0].extrapolated);
}

static void pages_that_share_entries_are_one_level(void **state)
{
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];

    (void)state;
    for (double sharing = 2; sharing <= 16; sharing *= 2) {
        assert_int_equal(tlb_find(steps, shared_steps(sharing, 0, steps), &tlb_rest, knees), 1);
        assert_true(bounds_hold(&knees[0], 16 * sharing, 4));
    }
    assert_int_equal(tlb_find(steps, shared_steps(4, 20, steps), &tlb_rest, knees), 2);
    assert_true(bounds_hold(&knees[0], 64, 4) && knees[1].rising);
}

/* As where the lines outgrow a cache a few pages sooner than their baseline. */
static void a_bump_is_no_knee(void **state)
{
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];
    size_t count = shared_steps(1, 0, steps);

    (void)state;
    for (size_t i = 24; i < 28; i++)
        steps[i].cost.value += 4;
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 1);
    assert_true(bounds_hold(&knees[0], 16, 4));
}

static void pages_that_end_on_a_rise_say_so(void **state)
{
    struct translation truth = {{64, 1024}, {1.75, 40}, 4};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];
    size_t count = tlb_steps(&truth, 4, 2048, 0.001, steps);

    (void)state;
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 2);
    assert_true(knees[1].rising && knees[1].miss_ns.value < 40 && knees[1].miss_ns.value > 5);
}

static void flat_costs_have_no_knee(void **state)
{
    struct translation truth = {{0}, {0}, 2};
    struct tlb_step steps[TLB_STEPS_MAX];
    struct tlb_knee knees[TLB_KNEES_MAX];
    size_t count = tlb_steps(&truth, 6, 8192, 0.05, steps);

    (void)state;
    assert_true(count > 60);
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 0);
    assert_int_equal(tlb_find(steps, 2, &tlb_rest, knees), 0);
    /* one step that somebody disturbed is no knee */
    steps[30].cost.value = 9;
    assert_int_equal(tlb_find(steps, count, &tlb_rest, knees), 0);
}

static void numbers_of_pages_ascend(void **state)
{
    (void)state;
    assert_int_equal(tlb_pages(4, 0), 4);
    assert_int_equal(tlb_pages(4, 6), 12);
    for (uint32_t i = 1; i < 80; i++)
        assert_true(tlb_pages(8, i) >= tlb_pages(8, i - 1));
}

/* ---- frequency */

static struct frequency_side side(double cycles, double fixed_ns, double hz)
{
    double ns = cycles * 1e9 / hz + fixed_ns;

    return (struct frequency_side){{ns, ns * 0.0005}, hz, hz};
}

static void two_frequencies_split_a_latency(void **state)
{
    struct frequency_side fast = side(46, 12, 4.8e9), slow = side(46, 12, 4e9);
    struct frequency_split split;

    (void)state;
    assert_null(frequency_find(&fast, &slow, &split));
    assert_true(near(split.cycles.value, 46, 1e-9));
    assert_true(near(split.fixed_ns.value, 12, 1e-9));
    /* the bounds cover what an error of the figures does to it */
    fast.ns.value *= 1.0005;
    slow.ns.value *= 0.9995;
    assert_null(frequency_find(&fast, &slow, &split));
    assert_true(fabs(split.cycles.value - 46) < 2 * split.cycles.error);
    assert_true(fabs(split.fixed_ns.value - 12) < 2 * split.fixed_ns.error);
    assert_true(split.cycles.error < 1.5);
}

static void one_frequency_splits_nothing(void **state)
{
    struct frequency_side fast = side(46, 12, 4.8e9), slow = side(46, 12, 4e9);
    struct frequency_split split;

    (void)state;
    slow = side(46, 12, 4.79e9);
    assert_string_equal(frequency_find(&fast, &slow, &split),
                        "the core's frequency did not change");
    slow = side(46, 12, 5.5e9);
    assert_string_equal(frequency_find(&fast, &slow, &split),
                        "the core's frequency did not change");
    slow = side(46, 12, 4e9);
    slow.hz_after = 4.2e9;
    assert_string_equal(frequency_find(&fast, &slow, &split),
                        "the core's frequency moved while a set was measured");
    slow.hz_after = 0;
    assert_string_equal(frequency_find(&fast, &slow, &split),
                        "the core's frequency could not be measured");
}

/* ---- prefetchers */

static void what_is_slower_beyond_error_is_served(void **state)
{
    (void)state;
    assert_true(prefetchers_serves((struct figure){3.9, 0.01}));
    assert_true(prefetchers_serves((struct figure){1.08, 0.005}));
    assert_false(prefetchers_serves((struct figure){1.08, 0.02}));
    assert_false(prefetchers_serves((struct figure){1.03, 0.001}));
    assert_false(prefetchers_serves((struct figure){0.5, 0.001}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_tables_have_the_same_order),
        cmocka_unit_test(errors_go_with_their_figures),
        cmocka_unit_test(an_error_that_is_unknown_stays_so),
        cmocka_unit_test(chains_that_translate_are_no_misses),
        cmocka_unit_test(misses_of_unknown_error_are_not_exact),
        cmocka_unit_test(misses_are_exact_where_their_buffers_run_out),
        cmocka_unit_test(too_few_chains_give_a_bound),
        cmocka_unit_test(bandwidth_is_no_number_of_misses),
        cmocka_unit_test(a_bend_is_no_knee),
        cmocka_unit_test(noise_makes_a_bound_of_it),
        cmocka_unit_test(a_rise_that_never_ends_gives_a_bound),
        cmocka_unit_test(a_headline_beyond_doubt_vouches_for_memory),
        cmocka_unit_test(a_set_that_a_larger_one_undercuts_is_contradicted),
        cmocka_unit_test(knees_of_every_width_are_found),
        cmocka_unit_test(a_level_that_soon_ends_is_no_part_of_the_next),
        cmocka_unit_test(a_rise_that_never_quite_ends_hides_no_knee),
        cmocka_unit_test(misses_of_the_baseline_are_taken_off),
        cmocka_unit_test(pages_that_share_entries_are_one_level),
        cmocka_unit_test(a_bump_is_no_knee),
        cmocka_unit_test(pages_that_end_on_a_rise_say_so),
        cmocka_unit_test(flat_costs_have_no_knee),
        cmocka_unit_test(numbers_of_pages_ascend),
        cmocka_unit_test(two_frequencies_split_a_latency),
        cmocka_unit_test(one_frequency_splits_nothing),
        cmocka_unit_test(what_is_slower_beyond_error_is_served),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
