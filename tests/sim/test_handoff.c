/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of pairs of CPUs, by clocks of every step: they hold what the machine file's distances
 * add up to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/stats/doubt.h"
#include "tests/long.h"
#include "tests/sim/trial.h"

#define L3_NS   23
#define SWAP_NS 5
#define CACHES                                      \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"   \
    "cache name=L2 bytes=256K ways=8 latency=14c\n" \
    "cache name=L3 bytes=2M ways=16 latency=23ns holds=neither\n"

static struct sim_trial trial;

static bool is_swap(const struct record_pair *pair)
{
    return strcmp(pair->kind, "swap") == 0;
}

struct scene {
    double core_ghz, counter_mhz, answer_ns;
    bool from_home; /* clean lines come from the last cache */
};

#define FAR_NS 12

static void run(const struct scene *scene)
{
    char lines[1000];

    snprintf(lines, sizeof lines,
             "clock core=%gG counter=%gM\n" CACHES
             "coherence kind=directory answer=%gns swap=10c clean=%s\n"
             "memory bytes=64M base=86ns tcl=14ns\ncpu far=12ns\ncpu",
             scene->core_ghz, scene->counter_mhz, scene->answer_ns,
             scene->from_home ? "home" : "owner");
    sim_trial_run(&trial, lines, "tests=handoff");
    assert_string_equal(trial.refused, "");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.pairs, 9);
}

static double cost_of(const struct scene *scene, const struct record_pair *pair)
{
    bool far = pair->from == 1 || pair->to_cpu == 1;

    if (strcmp(pair->kind, "clean") == 0 && scene->from_home)
        return L3_NS + (pair->from == 1 ? FAR_NS : 0);
    return L3_NS + scene->answer_ns + (far ? FAR_NS : 0) +
           (is_swap(pair) ? 10 / scene->core_ghz : 0);
}

/* Returns how many bounds hold. */
static unsigned check(const struct scene *scene)
{
    double step_ns = 1e3 / scene->counter_mhz;
    unsigned held = 0;

    run(scene);
    for (unsigned k = 0; k < trial.pairs; k++) {
        const struct record_pair *pair = &trial.pair[k].pair;
        double truth = cost_of(scene, pair), half = (pair->ns_high - pair->ns_low) / 2;
        double away = fabs(pair->ns - truth), timed = is_swap(pair) ? 32 * truth : truth;
        held += away <= half + 0.001 * truth;
        if (!(away <= 2 * half + 0.001 * truth))
            fail_msg("%.1f MHz: %.2f (%.2f) instead of %.2f", scene->counter_mhz, pair->ns, half,
                     truth);
        if (step_ns > 0.3 * timed)
            assert_true(pair->doubt & doubt_of(DOUBT_COARSE_CLOCK));
        if (step_ns < 0.2 * timed)
            assert_int_equal(pair->doubt, 0);
    }
    return held;
}

/* Also where most loads begin and end within one step of it. */
static void bounds_hold_whatever_the_clocks_step(void **state)
{
    static const double clocks_mhz[] = {19.2, 24, 31.25, 50, 62.5, 100, 200, 1000};
    unsigned all = 0, held = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof clocks_mhz / sizeof clocks_mhz[0];
         i += tests_are_long() ? 1 : 4)
        for (double answer_ns = 13; answer_ns < 120; answer_ns += 27) {
            bool odd = (int)(answer_ns / 27) % 2 != 0;
            held += check(&(struct scene){2, clocks_mhz[i], answer_ns, odd});
            held += check(&(struct scene){2.4, clocks_mhz[i], answer_ns, !odd});
            all += 2 * (unsigned)trial.pairs;
        }
    if (held < all * 95 / 100)
        fail_msg("%u of %u hold", held, all);
}

/* ---- homes */

/* CPU 1 is far on the chip, CPU 2 and 3 are of the other node, CPU 3 far there. */
#define HOMES                                                       \
    "clock core=2G counter=1G\n" CACHES                             \
    "coherence kind=directory answer=20ns swap=10c clean=owner\n"   \
    "memory bytes=256M base=86ns tcl=14ns far=128M far-adds=60ns\n" \
    "cpu far=12ns\ncpu node=1\ncpu node=1 far=6ns"

/* To the home, to the owner, and back, over the nodes as often as these differ. */
static double truth_of(const struct record_pair *pair)
{
    static const double far_ns[] = {0, 12, 0, 6};
    static const uint64_t node[] = {0, 0, 1, 1};
    uint64_t from = node[pair->from], to = node[pair->to_cpu], home = pair->home_node;
    unsigned ways = (from != home) + (home != to) + (to != from);

    return L3_NS + 20 + far_ns[pair->from] + far_ns[pair->to_cpu] + 30 * ways +
           (is_swap(pair) ? SWAP_NS : 0);
}

/* Each pair has a figure for lines of each node, and no home makes a pair a far one. */
static void each_home_has_its_own_figures(void **state)
{
    unsigned of_home[2] = {0, 0};

    (void)state;
    sim_trial_run(&trial, HOMES, "tests=handoff");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.pairs, 2 * 3 * 6);
    for (unsigned i = 0; i < trial.pairs; i++) {
        const struct record_pair *pair = &trial.pair[i].pair;
        double truth = truth_of(pair);
        assert_true(pair->home_node < 2);
        of_home[pair->home_node]++;
        if (!(fabs(pair->ns - truth) <= 0.01 * truth))
            fail_msg("%.2f instead of %.2f", pair->ns, truth);
    }
    assert_int_equal(of_home[0], of_home[1]);
    assert_false(sim_trial_noted(&trial, "not equally far apart"));
}

static void node_chooses_homes(void **state)
{
    (void)state;
    sim_trial_run(&trial, HOMES, "tests=handoff node=1 cpus=0,2");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.pairs, 3);
    for (unsigned i = 0; i < trial.pairs; i++)
        assert_int_equal(trial.pair[i].pair.home_node, 1);
    sim_trial_run(&trial, HOMES, "tests=handoff node=5");
    assert_string_equal(trial.refused, "");
    assert_string_not_equal(trial.end, "ok");
    assert_int_equal(trial.pairs, 0);
    assert_true(sim_trial_noted(&trial, "handoff: no home for lines"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_whatever_the_clocks_step),
                                       cmocka_unit_test(each_home_has_its_own_figures),
                                       cmocka_unit_test(node_chooses_homes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
