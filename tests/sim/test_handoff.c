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
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define PAIRS_MAX 64
#define L3_NS     23
#define SWAP_NS   5

static struct {
    struct record_pair pair[PAIRS_MAX];
    bool swap[PAIRS_MAX];
    unsigned pairs, far, none;
} heard;

static void listen(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_NOTE) {
        heard.far += strstr(record->u.note.what, "not equally far apart") != NULL;
        heard.none += strstr(record->u.note.what, "handoff: no home for lines") != NULL;
    }
    if (record->kind != RECORD_PAIR)
        return;
    assert_true(heard.pairs < PAIRS_MAX);
    heard.pair[heard.pairs] = record->u.pair;
    heard.swap[heard.pairs++] = strcmp(record->u.pair.kind, "swap") == 0;
}

static void run(double counter_mhz, double answer_ns, double far_ns)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error error;
    struct option_error option_error;
    char text[1000];

    memset(&heard, 0, sizeof heard);
    snprintf(text, sizeof text,
             "machine name=m pages=4k,2m\nclock core=2G counter=%gM\n"
             "cache name=L1 bytes=32K ways=8 latency=4c\n"
             "cache name=L2 bytes=256K ways=8 latency=14c\n"
             "cache name=L3 bytes=2M ways=16 latency=%dns holds=neither\n"
             "coherence kind=directory answer=%gns swap=10c clean=owner\n"
             "memory bytes=64M base=86ns tcl=14ns\ncpu far=%gns\ncpu\nend\n",
             counter_mhz, L3_NS, answer_ns, far_ns);
    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, &config, false);
    if (words_run(&sim->machine, "tests=handoff", listen, NULL, &option_error) != STATUS_OK)
        fail_msg("%s", option_error.text);
    simulator_stop(sim);
    free(sim);
    assert_int_equal(heard.pairs, 9);
}

static void bounds_hold_whatever_the_clocks_step(void **state)
{
    static const double clocks_mhz[] = {19.2, 24, 31.25, 50, 62.5, 100, 200, 1000};
    unsigned all = 0, held = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof clocks_mhz / sizeof clocks_mhz[0]; i++)
        for (double answer_ns = 13; answer_ns < 120; answer_ns += 27) {
            run(clocks_mhz[i], answer_ns, 12);
            for (unsigned k = 0; k < heard.pairs; k++) {
                const struct record_pair *pair = &heard.pair[k];
                bool far = pair->from == 1 || pair->to_cpu == 1;
                double truth = L3_NS + answer_ns + (far ? 12 : 0) + (heard.swap[k] ? SWAP_NS : 0);
                double away = fabs(pair->ns - truth), half = (pair->ns_high - pair->ns_low) / 2;
                double timed = heard.swap[k] ? 32 * truth : truth;
                all++;
                held += away <= half + 0.001 * truth;
                if (!(away <= 2 * half + 0.001 * truth))
                    fail_msg("%.1f MHz: %.2f (%.2f) instead of %.2f", clocks_mhz[i], pair->ns, half,
                             truth);
                if (1e3 / clocks_mhz[i] > 0.3 * timed)
                    assert_true(pair->doubt & doubt_of(DOUBT_COARSE_CLOCK));
                if (1e3 / clocks_mhz[i] < 0.2 * timed)
                    assert_int_equal(pair->doubt, 0);
            }
        }
    if (held < all * 90 / 100)
        fail_msg("%u of %u hold", held, all);
}

/* ---- homes */

/* CPU 1 is far on the chip, CPU 2 and 3 are of the other node, CPU 3 far there. */
#define HOMES                                                       \
    "machine name=m pages=4k,2m\nclock core=2G counter=1G\n"        \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"                   \
    "cache name=L2 bytes=256K ways=8 latency=14c\n"                 \
    "cache name=L3 bytes=2M ways=16 latency=23ns holds=neither\n"   \
    "coherence kind=directory answer=20ns swap=10c clean=owner\n"   \
    "memory bytes=256M base=86ns tcl=14ns far=128M far-adds=60ns\n" \
    "cpu far=12ns\ncpu node=1\ncpu node=1 far=6ns\nend\n"

/* To the home, to the owner, and back, over the nodes as often as these differ. */
static double truth_of(const struct record_pair *pair, bool swap)
{
    static const double far_ns[] = {0, 12, 0, 6};
    static const uint64_t node[] = {0, 0, 1, 1};
    uint64_t from = node[pair->from], to = node[pair->to_cpu], home = pair->home_node;
    unsigned ways = (from != home) + (home != to) + (to != from);

    return L3_NS + 20 + far_ns[pair->from] + far_ns[pair->to_cpu] + 30 * ways +
           (swap ? SWAP_NS : 0);
}

/* Returns whether anything was measured. */
static bool run_homes(const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error error;
    struct option_error option_error;
    enum status status;

    memset(&heard, 0, sizeof heard);
    if (!sim_machine_parse(&config, HOMES, strlen(HOMES), "m", &error))
        fail_msg("%s", error.text);
    simulator_start(sim, &config, false);
    status = words_run(&sim->machine, words, listen, NULL, &option_error);
    assert_string_equal(option_error.text, "");
    simulator_stop(sim);
    free(sim);
    return status == STATUS_OK;
}

/* Each pair has a figure for lines of each node, and no home makes a pair a far one. */
static void each_home_has_its_own_figures(void **state)
{
    unsigned of_home[2] = {0, 0};

    (void)state;
    assert_true(run_homes("tests=handoff"));
    assert_int_equal(heard.pairs, 2 * 3 * 6);
    for (unsigned i = 0; i < heard.pairs; i++) {
        const struct record_pair *pair = &heard.pair[i];
        double truth = truth_of(pair, heard.swap[i]);
        assert_true(pair->home_node < 2);
        of_home[pair->home_node]++;
        if (!(fabs(pair->ns - truth) <= 0.01 * truth))
            fail_msg("%.2f instead of %.2f", pair->ns, truth);
    }
    assert_int_equal(of_home[0], of_home[1]);
    assert_int_equal(heard.far, 0);
}

static void node_chooses_homes(void **state)
{
    (void)state;
    assert_true(run_homes("tests=handoff node=1 cpus=0,2"));
    assert_int_equal(heard.pairs, 3);
    for (unsigned i = 0; i < heard.pairs; i++)
        assert_int_equal(heard.pair[i].home_node, 1);
    assert_false(run_homes("tests=handoff node=5"));
    assert_int_equal(heard.pairs, 0);
    assert_int_equal(heard.none, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_whatever_the_clocks_step),
                                       cmocka_unit_test(each_home_has_its_own_figures),
                                       cmocka_unit_test(node_chooses_homes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
