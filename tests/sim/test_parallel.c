/* SPDX-License-Identifier: BSD-2-Clause */
/* The experiment `parallel` on machines drawn from seeds: a number of outstanding misses reported
 * as exact is the machine's, and a reported bound is at most that. BARECHASE_MACHINES=400 draws a
 * twentieth of that number, BARECHASE_SEED= sets the first seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/sim/generator.h"
#include "tests/sim/trial.h"

#define EXACT_MIN                                                                   \
    0.3 /* of the machines; the others have too many misses or too little bandwidth \
         */

static unsigned number(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);

    return text ? (unsigned)atoi(text) : otherwise;
}

static void misses_are_exact_or_a_bound(void **state)
{
    struct sim_trial *trial = malloc(sizeof *trial);
    unsigned first = number("BARECHASE_SEED", 6), exact = 0;
    unsigned count = (number("BARECHASE_MACHINES", 0) + 39) / 20;

    (void)state;
    for (unsigned seed = first; seed < first + count; seed++) {
        const struct record_finding *finding;
        struct sim_config config;
        double truth;
        sim_generate(&config, seed);
        sim_trial_run_on(trial, &config, "tests=parallel max=8M");
        if (strcmp(trial->end, "ok") != 0 || !sim_trial_find(trial, "outstanding misses", NULL))
            fail_msg("seed %u: %s", seed, trial->notes != 0 ? trial->note[trial->notes - 1] : "");
        finding = &sim_trial_find(trial, "outstanding misses", NULL)->finding;
        truth = config.memory.misses_max;
        printf("seed %u: %u misses, found %s %.2f%s%s\n", seed, config.memory.misses_max,
               finding->bound, finding->value, finding->limited_by ? ", limited by " : "",
               finding->limited_by ? finding->limited_by : "");
        if (strcmp(finding->bound, "exact") == 0) {
            exact++;
            assert_true(finding->value == truth);
        } else {
            assert_string_equal(finding->bound, "at_least");
            assert_non_null(finding->limited_by);
            assert_true(finding->value <= 1.02 * truth && finding->value >= 1);
        }
    }
    assert_true(exact >= (unsigned)(EXACT_MIN * count));
    free(trial);
}

/* Large pages beyond the TLB, and small ones: a walk's time is no line's. */
static void walks_are_no_misses(void **state)
{
    static const char *const words[] = {"tests=parallel max=16M pages=2m",
                                        "tests=parallel max=2M pages=4k"};
    struct sim_trial *trial = malloc(sizeof *trial);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct record_finding *finding;
        sim_trial_run(trial,
                      "clock core=3G counter=1G\ncache name=L1 bytes=32K ways=8 latency=4c\n"
                      "cache name=L2 bytes=256K ways=8 latency=14c\ntlb 4k=32 2m=1\n"
                      "walk kind=constant cost=75c\nmemory base=70ns tcl=14ns trcd=14ns trp=14ns "
                      "channels=8 ranks=2 banks=32 bandwidth=60G misses=6\n",
                      words[i]);
        assert_non_null(sim_trial_find(trial, "outstanding misses", NULL));
        finding = &sim_trial_find(trial, "outstanding misses", NULL)->finding;
        assert_string_equal(finding->bound, "at_least");
        assert_string_equal(finding->limited_by, "translation");
        assert_true(finding->value > 5.5 && finding->value < 6.1);
    }
    free(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(misses_are_exact_or_a_bound),
        cmocka_unit_test(walks_are_no_misses),
    };
    return RUN_TESTS(tests);
}
